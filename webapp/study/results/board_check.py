"""Computes boards, words and the Sheriff's lead of a report a second time, from its data.

Functions with "values" in their names yield (table, row, column) with the numbers of the cell, or
its text. Their argument `data` is the archive (`figure_check.ArchiveData`).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, logit
from wordcloud import STOPWORDS

Values = Iterator[tuple[tuple[str, str, str], list[float] | str]]
NO_PERSONA = "no persona"
MIN_GAMES = 3  # for an interval
HUNTED = "werewolf"  # the role and its team
MAX_WORDS, MAX_PERSONAS, MIN_STATEMENTS = 30, 6, 6  # as `word_clouds` has them
NEWTON_STEPS = 200  # it converges in fewer than twenty
MIN_WEIGHT = 1e-9  # of a comparison; less is a rounding error
# Column of `lead_rows` -> column of Helmsman's table.
LEAD_COLUMNS = {"ratio": "Ratio", "over_others": "DC, over the others",
        "over_living": "DC, over all living", "star": "DC*, over all living"}  # fmt: skip


def board_values(data: Any) -> Values:
    """Yield Bradley and Terry's strengths, by Newton's method on the likelihood."""
    for key, by_role in (("board-of-players", False), ("board-by-role", True)):
        seats = data.systems[data.systems.winner != ""]
        roles_of = seats.role if by_role else [""] * len(seats)
        seats = seats.assign(name=[*zip(roles_of, seats.system, strict=True)])
        order = sorted(set(seats.name), key=lambda name: name[::-1])
        games = [_comparisons(own, order) for _game, own in seats.groupby("game_id")]
        _total, parts = _connected_parts(games)
        roles = np.array([role for role, _system in order])
        listed = [[n for n in own if (roles[own] == roles[n]).sum() > 1] for own in parts]
        boards = sorted(zip(parts, listed, strict=True), key=lambda board: -len(board[1]))
        for number, (own, players) in enumerate(boards, 1):
            inside = [game[np.ix_(own, own)] for game in games]
            has_games = [game for game in inside if game.any()]
            columns = _strength_columns(has_games, roles[own]) if players else {}
            for n in players:
                row = " | ".join(filter(None, (str(number), *order[n])))
                for column, values in columns.items():
                    if not np.isnan(cell := values[np.flatnonzero(own == n)[0]]).any():
                        yield (key, row, column), [*np.atleast_1d(cell)]


def _comparisons(seats: Any, order: list[Any]) -> Any:
    """Return the weights of a game's pairs [winner, loser]. A pair of one system has weight 0."""
    won, lost = seats[seats.won == "true"], seats[seats.won == "false"]
    matrix = np.zeros((len(order),) * 2)
    for first in won.name:
        for second in lost.name:
            weight = (first[1] != second[1]) / len(won) / len(lost)
            matrix[order.index(first), order.index(second)] += weight
    return matrix


def _connected_parts(games: list[Any]) -> tuple[Any, list[Any]]:
    """Return the sum of all comparisons, and the players of each strongly connected part."""
    total = np.sum(games, axis=0)
    _count, part_of = connected_components(total > MIN_WEIGHT, connection="strong")
    return total, [np.flatnonzero(part_of == part) for part in dict.fromkeys(part_of)]


def _strength_columns(games: list[Any], roles: Any) -> dict[str, Any]:
    """Return column of the table -> a value for each player, NaN where it is undefined."""
    total, count = np.sum(games, axis=0), len(games)
    both, strengths = total + total.T, np.zeros(len(total))
    for _step in range(NEWTON_STEPS):
        chance = expit(strengths[:, None] - strengths[None, :])
        weights = both * chance * (1 - chance)
        inverse = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
        strengths = strengths + np.clip(inverse @ (total - both * chance).sum(axis=1), -1, 1)
    same_role = (roles[:, None] == roles[None, :]).astype(float)
    centring = np.eye(len(roles)) - same_role / same_role.sum(axis=1, keepdims=True)
    steps = [centring @ inverse @ (g - (g + g.T) * chance).sum(axis=1) for g in games]
    errors = np.sqrt(count / max(1, count - 1) * np.square(steps).sum(axis=0))
    for game in games:  # a player who would leave the board without it has no interval
        largest = max(_connected_parts([total, -game])[1], key=len)
        errors[np.setdiff1d(np.arange(len(total)), largest)] = np.nan
    value = centring @ strengths
    half = stats.t.ppf(0.975, max(1, count - 1)) * (errors if count >= MIN_GAMES else np.nan)
    return {
        "Games": sum((game + game.T).any(axis=1) for game in games).astype(float),
        "Won, %": 100 * total.sum(axis=1) / both.sum(axis=1), "Strength": value,
        "Chance, %": 100 * expit(value), "95% CI": np.stack([value - half, value + half], axis=1),
    }  # fmt: skip


def word_values(data: Any) -> Values:
    """Yield the most frequent words of each persona (Humanized, Figure 4)."""
    turns = data.read_csv("utterances.csv").merge(data.games[["game_id"]], on="game_id")
    turns = turns[turns.text != ""].assign(seat=turns.seat.astype(int))
    turns = turns.merge(data.players[["game_id", "seat", "recipe"]], on=["game_id", "seat"])
    stop_words = STOPWORDS | {word.removesuffix("'s") for word in STOPWORDS}
    names = {part.lower() for name in turns.speaker_pseudonym for part in name.split()}
    texts = turns.groupby(turns.recipe.map(_persona_name)).text.agg(list)
    texts = texts[texts.map(len) >= MIN_STATEMENTS]
    for name in sorted(texts.index, key=lambda name: (-len(texts[name]), name))[:MAX_PERSONAS]:
        if set(texts.index) != {NO_PERSONA}:
            counts = _count_words("\n".join(texts[name]), stop_words | names)
            ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_WORDS]
            for rank, (word, number) in enumerate(ranked, 1):
                yield ("persona-words", str(rank), name), f"{word} {number}"


def _persona_name(recipe: str) -> str:
    persona = json.loads(recipe or "{}").get("persona") or {}
    scores = persona.get("scores") or {}
    return (
        persona.get("character")
        or " ".join(f"{f}{scores[f]}" for f in "OCEAN" if f in scores)
        or NO_PERSONA
    )


def _count_words(text: str, left_out: set[str]) -> Counter[str]:
    """Count the words of two letters or more, a plural as its singular."""
    tokens = (
        word.removesuffix("'s") for word in re.findall(r"\w[\w']+", text.replace("’", "'").lower())
    )
    counts = Counter(w for w in tokens if len(w) > 1 and not w.isdigit() and w not in left_out)
    for plural in [w for w in counts if w.endswith("s") and not w.endswith("ss")]:
        if plural[:-1] in counts:
            counts[plural[:-1]] += counts.pop(plural)
    return counts


def lead_rows(data: Any) -> tuple[Any, Any]:
    """Return a row for each player-day of games with a Sheriff, and a row for each such game."""
    has_leaders = "leader" in data.ballots  # since November 2026
    ballots = data.ballots[data.ballots.leader != ""] if has_leaders else data.ballots[:0]
    notes: dict[str, list[Any]] = {}
    for line in data.files["minds.jsonl"].decode().splitlines():
        note = json.loads(line)
        if note["faculty"] == "reliability" and not note["window"].startswith("pseudo_vote"):
            notes.setdefault(note["game_id"], []).append(note)
    before = (
        data.votes[data.votes.kind == "pseudo_vote"]
        .set_index(["game_id", "day", "seat"])
        .sort_index()
    )
    roles, days = data.players.set_index(["game_id", "seat"]).role, []
    for (game, day), own in ballots.groupby(["game_id", "day"]):
        votes, leader = own.set_index("seat").target.fillna(0), int(own.leader.iloc[0])
        scores = _scores_at_vote(notes.get(game, []), int(day), roles[game])
        pseudo_votes = (
            before.loc[game, day].target.fillna(0) if (game, day) in before.index else votes[:0]
        )
        for seat in votes.index:
            table = scores.reindex(index=votes.index, columns=votes.index).drop(index=seat)
            among = np.nanmean(table.drop(columns=seat).to_numpy()) if table.size else np.nan
            days.append({
                "game_id": game, "day": int(day), "condition": own.condition.iloc[0], "seat": seat,
                "role": roles[game, seat], "leads": seat == leader,
                "ratio": table[seat].mean() / among,
                **_decision_changes(votes, pseudo_votes, leader),
            })  # fmt: skip
    rows = pd.DataFrame(days)
    if rows.empty:
        return rows, rows
    games = rows[rows.leads].sort_values("day").groupby("game_id")
    last = games[["condition", "role", "seat"]].last()
    return rows, games[[*LEAD_COLUMNS]].mean().join(last).reset_index()


def _scores_at_vote(notes: list[Any], day: int, roles: Any) -> Any:
    """Return the scores [judge, target] when the vote of the day closes (Helmsman 3.1)."""
    of_vote = [n for n, note in enumerate(notes) if note["window"].startswith(f"vote.{day}.")]
    scores: dict[int, dict[int, float]] = {}
    for number, note in enumerate(notes):
        if number <= of_vote[-1] if of_vote else note["day"] <= day:
            for rating in note["data"].get("ratings", ()):
                is_against = rating["role"] == HUNTED != roles[note["seat"]]
                score = 11 - rating["confidence"] if is_against else rating["confidence"]
                scores.setdefault(note["seat"], {})[rating["seat"]] = score
    return pd.DataFrame.from_dict(scores, orient="index", dtype=float)


def _decision_changes(votes: Any, before: Any, leader: int) -> dict[str, float]:
    """Return DC over the others and over all living, and DC* (Helmsman 3.2)."""
    both = [seat for seat in votes.index if seat != leader and seat in before.index]
    if not both or leader not in votes.index:
        return dict.fromkeys(LEAD_COLUMNS.keys() - {"ratio"}, np.nan)
    changed = votes[both] != before[both]
    followed = (changed & (votes[both] == votes[leader])).sum()
    return {"over_others": followed / len(both), "over_living": followed / (len(both) + 1),
            "star": changed.sum() / (len(both) + 1)}  # fmt: skip


def lead_values(data: Any) -> Values:
    """Yield Helmsman's Tables 1, 2 and 25, and Figure 3.

    Whether a Sheriff who is out was the last one is known only if the badge is not handed on.
    """
    days, led = data.lead
    if led.empty:
        return
    facts = data.players.merge(data.games[["game_id", "settings"]], on="game_id")
    led = led.merge(facts[["game_id", "seat", "out", "won", "winner", "settings"]])
    is_out, ends = led.out != "no", led.settings.str.contains('"sheriff_dies": "ends"')
    led = led.assign(done=~is_out & (led.winner != ""), known=~is_out | ends)
    for name, own in led.groupby("condition"):
        row_key, games = ("table-helmsman-1", name), (data.games.condition == name).sum()
        yield (*row_key, "Games"), [games]
        yield from (
            ((*row_key, c), [own[f].mean()]) for f, c in LEAD_COLUMNS.items() if own[f].count()
        )
        if not own.known.all() or len(own) < games:
            continue
        won = own[own.done].won == "true"
        yield (*row_key, "Completion"), [len(won) / games]
        if len(won):
            yield (*row_key, "Win among completed"), [won.mean()]
            yield (*row_key, "Product"), [won.sum() / games]
        for role, led_by_role in own.groupby("role"):
            row_key = ("figure-helmsman-3", f"{name} | {role}")
            yield (*row_key, "Games"), [len(led_by_role)]
            for f in ("ratio", "over_living"):
                if led_by_role[f].count():
                    yield (*row_key, LEAD_COLUMNS[f]), [led_by_role[f].mean()]
            yield from _interval(
                (*row_key, "Ratio, 95% CI"), led_by_role.ratio.dropna(), np.log, np.exp
            )
            yield from _interval(
                (*row_key, "DC, 95% CI"), led_by_role.over_living.dropna(), logit, expit
            )
    for (name, role), both in days.groupby(["condition", "role"]):
        for leads, badge in ((True, "with"), (False, "without")):
            row_key = ("table-helmsman-25", f"{name} | {role}")
            values = both.ratio[both.leads == leads]
            yield (*row_key, f"Player-days {badge}"), [values.count()]
            if values.count():
                yield (*row_key, f"{badge.capitalize()} badge"), [values.mean()]


def _interval(name: tuple[str, str, str], values: Any, link: Any, inverse: Any) -> Values:
    """Yield Student's interval of the mean on a scale that its ends do not leave, if defined."""
    mean = values.mean()
    if len(values) >= MIN_GAMES and values.std() > 0:
        slope = 1 / mean if link is np.log else 1 / (mean * (1 - mean))
        half = stats.t.ppf(0.975, len(values) - 1) * values.sem() * slope
        low, high = inverse(link(mean) - half), inverse(link(mean) + half)
        if link is np.log or low >= 0.0025 or high <= 0.9975:
            yield name, [low, high]
