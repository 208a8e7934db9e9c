"""Boards, words, judges' scores, vote inducing and the Sheriff's lead, computed a second time.

Each function yields (table, row, column) with its numbers, or a text, from the archive's data.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import stats
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, logit
from wordcloud import STOPWORDS

if TYPE_CHECKING:
    from webapp.study.results.figure_check import ArchiveData, Values

FACTORS = "OCEAN"
MOST_WORDS, MOST_PERSONAS, LEAST_STATEMENTS = 30, 6, 6
NO_PERSONA = "no persona"
FEW_GAMES = 3  # below it no interval
VOTED_OUT = ("vote",)  # causes in `out`
HUNTED = "werewolf"


def boards(data: ArchiveData) -> Values:
    """Bradley and Terry's strengths, by Newton's steps on the likelihood."""
    players = data.systems[data.systems.winner != ""]
    for key, is_by_role in (("board-of-players", False), ("board-by-role", True)):
        names = players.system + (" | " + players.role if is_by_role else "")
        order = sorted(names.unique(), key=lambda name: name.split(" | "))
        games = [
            _pairs(of.assign(name=names[of.index]), order) for _game, of in players.groupby("game_id")
        ]
        games = [one for one in games if one.any()]
        total = sum(games, np.zeros((len(order),) * 2))
        _count, part_of = connected_components(total > 0, connection="strong")
        parts = [np.flatnonzero(part_of == part) for part in dict.fromkeys(part_of)]
        roles = np.array([name.partition(" | ")[2] for name in order])
        parts = [one for one in parts if any((roles[one] == r).sum() > 1 for r in roles[one])]
        for number, own in enumerate(sorted(parts, key=lambda one: -_listed(roles[one])), 1):
            inside = [one[np.ix_(own, own)] for one in games]
            inside = [one for one in inside if one.any()]
            for n, figures in _standings(inside, roles[own]):
                name, _bar, role = order[own[n]].partition(" | ")
                row = " | ".join(filter(None, (str(number), role, name)))
                for column, values in figures.items():
                    yield (key, row, column), values


def _listed(roles: Any) -> int:
    return sum(int((roles == role).sum() > 1) for role in roles)


def _pairs(seats: Any, order: list[str]) -> Any:
    """Return the weights of a game's pairs [winner, loser], 1 in all with those of one system."""
    won, lost = seats[seats.won == "true"], seats[seats.won == "false"]
    pairs = won.merge(lost, how="cross")
    pairs = pairs[pairs.system_x != pairs.system_y]
    weight = 1 / max(1, len(won) * len(lost))
    table = pd.crosstab(pairs.name_x, pairs.name_y) * weight
    return table.reindex(index=order, columns=order, fill_value=0).to_numpy()


def _standings(games: list[Any], roles: Any) -> Iterator[tuple[int, dict[str, list[float]]]]:
    """Yield a player's number on its board with its figures by column."""
    total = np.sum(games, axis=0)
    both, strengths = total + total.T, np.zeros(len(total))
    for _step in range(200):
        chance = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
        gradient = total.sum(axis=1) - (both * chance).sum(axis=1)
        weights = both * chance * (1 - chance)
        inverse = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
        strengths = strengths + np.clip(inverse @ gradient, -1, 1)
    same_role = (roles[:, None] == roles[None, :]).astype(float)
    centring = np.eye(len(roles)) - same_role / same_role.sum(axis=1, keepdims=True)
    left = [one - (one + one.T) * chance for one in games]
    steps = np.array([centring @ inverse @ one.sum(axis=1) for one in left])
    errors = np.sqrt(len(games) / max(1, len(games) - 1) * (steps**2).sum(axis=0))
    half = stats.t.ppf(0.975, max(1, len(games) - 1)) * errors
    centred = centring @ strengths
    for n in range(len(total)):
        if (roles == roles[n]).sum() < 2:
            continue
        value, own = centred[n], [one for one in games if one[n].any() or one[:, n].any()]
        figures = {
            "Games": [len(own)],
            "Won, %": [100 * total[n].sum() / both[n].sum()],
            "Strength": [value],
            "Chance, %": [100 / (1 + np.exp(-value))],
        }
        if len(games) >= FEW_GAMES and not any(_leaves(total - one, n) for one in own):
            figures["95% CI"] = [value - half[n], value + half[n]]
        yield n, figures


def _leaves(total: Any, player: int) -> bool:
    """Return whether the player is not on the largest board of these comparisons."""
    _count, parts = connected_components(total > 1e-9, connection="strong")
    return bool(parts[player] != np.bincount(parts).argmax())


def words(data: ArchiveData) -> Values:
    """The most frequent words of each persona (Humanized, Figure 4)."""
    persona = data.players.set_index(["game_id", "seat"]).recipe.map(_persona)
    said = data.read("utterances.csv").merge(data.games[["game_id"]], on="game_id")
    said = said[(said.said == "words") & (said.text != "")]
    keys = zip(said.game_id, said.seat.astype(int), strict=True)
    said = said.assign(persona=[persona[key] for key in keys])
    names = {part.lower() for name in said.speaker_pseudonym for part in name.split()}
    texts = said.groupby("persona").text.agg(["size", "\n".join])
    texts = texts[texts["size"] >= LEAST_STATEMENTS]
    if set(texts.index) <= {NO_PERSONA}:
        return
    order = sorted(texts.index, key=lambda name: (-texts.at[name, "size"], name))
    for name in order[:MOST_PERSONAS]:
        ranked = _counts(texts.at[name, "join"], STOPWORDS | names)[:MOST_WORDS]
        for rank, (word, number) in enumerate(ranked, 1):
            yield ("persona-words", str(rank), name), f"{word} {number}"


def _persona(recipe: str) -> str:
    persona = (json.loads(recipe or "{}") or {}).get("persona") or {}
    scores = persona.get("scores") or {}
    named = persona.get("character") or " ".join(f"{f}{scores[f]}" for f in FACTORS if f in scores)
    return str(named) or NO_PERSONA


def _counts(text: str, left_out: set[str]) -> list[tuple[str, int]]:
    """Return the words of two letters or more with their counts, a plural as its singular."""
    tokens = re.findall(r"\w[\w']+", text.replace("’", "'").lower())
    tokens = [token.removesuffix("'s") for token in tokens]
    counts = Counter(
        t for t in tokens if len(t) > 1 and not t.isdigit() and t not in left_out
    )
    for plural in [t for t in counts if t.endswith("s") and not t.endswith("ss")]:
        if plural[:-1] in counts:
            counts[plural[:-1]] += counts.pop(plural)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def judges(data: ArchiveData) -> Values:
    """Judges' scores by criterion and condition: a game's is the mean of its draws."""
    if "judge_scores.csv" not in data.files:
        return
    rows = data.read("judge_scores.csv").merge(data.games[["game_id"]], on="game_id")
    rows = rows[rows.score != ""].assign(value=pd.to_numeric(rows.draw_value, errors="coerce"))
    is_list = rows.judge_mode == "lists"
    rows["value"] = rows.value.where(~is_list, pd.to_numeric(rows.score))
    rows["criterion"] = rows.dimension.str.partition("-")[0].str.capitalize()
    games = rows.groupby(["rater_pseudonym", "criterion", "condition", "deal", "game_id"])
    of_games = games.value.mean().dropna().reset_index()
    for (judge, criterion, condition), own in of_games.groupby(
        ["rater_pseudonym", "criterion", "condition"]
    ):
        at = (f"judge-{judge}", f"{criterion} | {condition}")
        yield (*at, "Games"), [len(own)]
        yield (*at, "Mean"), [own.value.mean()]
        if len(own) > 1:
            yield (*at, "SD"), [own.value.std()]
        deals = own.groupby("deal").value.mean()
        if len(deals) > 1 and np.ptp(deals) > 1e-9:
            half = stats.t.ppf(0.975, len(deals) - 1) * deals.sem()
            yield (*at, "95% CI"), [deals.mean() - half, deals.mean() + half]


def _notes(data: ArchiveData, faculty: str) -> Iterator[dict[str, Any]]:
    counted = set(data.games.game_id)
    for line in data.files["minds.jsonl"].decode().splitlines():
        note = json.loads(line)
        if note["faculty"] == faculty and note["game_id"] in counted:
            yield note


def inducing(data: ArchiveData) -> Values:
    """Attempts to win votes and their success (Impressions, section 8)."""
    notes = [{**n["data"], "game_id": n["game_id"], "seat": n["seat"]}
             for n in _notes(data, "inducing")]  # fmt: skip
    if not notes:
        return
    made = pd.DataFrame(notes)[["game_id", "day", "seat", "target", "manner"]]
    cast = data.ballots.assign(day=data.ballots.day.astype(int))
    made = made.merge(cast[["game_id", "day"]].drop_duplicates())  # days with a vote
    last_day = cast.groupby(["game_id", "seat"]).day.max()
    out = data.players[data.players.out.isin(VOTED_OUT)].set_index(["game_id", "seat"])
    exiled = {(g, last_day[g, s], s) for g, s in out.index}
    target = ["game_id", "day", "target"]
    counts = cast.groupby(["game_id", "day"]).target.value_counts()
    callers = made.groupby(target).seat.nunique()
    rows = []
    for one in made.itertuples():
        others = counts[one.game_id, one.day].drop(one.target, errors="ignore")
        own = counts.get((one.game_id, one.day, one.target), 0)
        at = (one.game_id, one.day, one.target)
        rows.append((at in exiled, callers[at], own - max([0, *others])))
    figures = pd.DataFrame(rows, columns=["exiled", "callers", "margin"], index=made.index)
    keys = data.players[["game_id", "seat", "role", "condition"]]
    made = made.join(figures).merge(keys, on=["game_id", "seat"])
    manners = [made, made.assign(manner="any manner")]
    for (name, role, manner), of in pd.concat(manners).groupby(["condition", "role", "manner"]):
        at = ("table-impressions-8", f"{name} | {role}, {manner}")
        yield (*at, "Attempts"), [len(of)]
        yield (*at, "Exiled that day"), [of.exiled.sum()]
        yield (*at, "Agents pressing"), [of.callers.mean()]
        yield (*at, "Margin to the next"), [of.margin.mean()]
    targets = made.drop_duplicates(target)
    for (name, number), of in targets.groupby(["condition", "callers"]):
        at = ("table-impressions-8", f"{name} | targets pressed by {number}")
        yield (*at, "Attempts"), [len(of)]
        yield (*at, "Exiled that day"), [of.exiled.sum()]


def lead(data: ArchiveData) -> tuple[Any, Any]:
    """Return a row for each player-day of games with a Sheriff, and a row for each such game.

    A player-day has the Ratio of the player, and the day's DC where the player leads.
    """
    days = []
    ballots = data.ballots[data.ballots.leader != ""] if "leader" in data.ballots else []
    if not len(ballots):
        return pd.DataFrame(), pd.DataFrame()
    roles = data.players.set_index(["game_id", "seat"]).role
    notes: dict[str, list[dict[str, Any]]] = {}
    for note in _notes(data, "reliability"):
        notes.setdefault(note["game_id"], []).append(note)
    asked = data.votes[data.votes.kind == "pseudo_vote"].groupby(["game_id", "day"])
    asked_before = {at: of.set_index("seat").target.fillna(-1) for at, of in asked}
    for (game, day), of in ballots.groupby(["game_id", "day"]):
        leader, votes = int(of.leader.iloc[0]), of.set_index("seat").target.fillna(-1)
        scores = _standing(notes.get(game, []), int(day), roles[game])
        changes = _changes(votes, asked_before.get((game, day), pd.Series()), leader)
        for seat in votes.index:
            days.append({
                "game_id": game, "day": int(day), "condition": of.condition.iloc[0],
                "role": roles[game, seat], "leads": seat == leader, "seat": seat,
                "ratio": _ratio(scores, votes.index, seat),
                **(changes if seat == leader else {}),
            })  # fmt: skip
    rows = pd.DataFrame(days)
    of_leaders = rows[rows.leads].sort_values("day").groupby("game_id")
    columns = ["ratio", "over_others", "over_living", "star"]
    games = of_leaders[columns].mean().join(of_leaders[["condition", "role", "seat"]].last())
    return rows, games.reset_index()


def _standing(notes: list[dict[str, Any]], day: int, roles: Any) -> dict[int, dict[int, int]]:
    """Return judge -> target -> score when the vote of the day closes (Helmsman 3.1)."""
    scores: dict[int, dict[int, int]] = {}
    of_vote = [n for n, one in enumerate(notes) if one["window"].startswith(f"vote.{day}.")]
    for number, note in enumerate(notes):
        is_later = number > of_vote[-1] if of_vote else note["day"] > day
        if note["window"].startswith("pseudo_vote") or is_later:
            continue
        for one in note["data"].get("ratings", ()):
            is_against = one["role"] == HUNTED != roles[note["seat"]]
            score = 11 - one["confidence"] if is_against else one["confidence"]
            scores.setdefault(note["seat"], {})[one["seat"]] = score
    return scores


def _ratio(scores: Mapping[int, Mapping[int, int]], living: Any, target: int) -> float:
    others = [seat for seat in living if seat != target]
    toward = [scores.get(judge, {}).get(target, np.nan) for judge in others]
    among = [scores.get(judge, {}).get(seat, np.nan) for judge in others for seat in others]
    return float(pd.Series(toward).mean() / pd.Series(among).mean())


def _changes(votes: Any, before: Any, leader: int) -> dict[str, float]:
    """Return DC over the others and over all living, and DC* (Helmsman 3.2)."""
    both = [seat for seat in votes.index if seat != leader and seat in before.index]
    if not both or leader not in votes.index:
        return {}
    changed = votes[both] != before[both]
    followed = int((changed & (votes[both] == votes[leader])).sum())
    return {"over_others": followed / len(both), "over_living": followed / (len(both) + 1),
            "star": int(changed.sum()) / (len(both) + 1)}  # fmt: skip


def lead_tables(data: ArchiveData) -> Values:
    """Helmsman, Tables 1, 2 and 25, and Figure 3."""
    days, led = data.lead
    if led.empty:
        return
    out = data.players[data.players.out != "no"].set_index(["game_id", "seat"]).index
    ends = data.games.settings.map(lambda text: json.loads(text).get("sheriff_dies") == "ends")
    ends = dict(zip(data.games.game_id, ends, strict=True))
    is_out = [(g, s) in out for g, s in zip(led.game_id, led.seat, strict=True)]
    teams = data.players.set_index(["game_id", "seat"])
    winner = data.games.set_index("game_id").winner
    led = led.assign(complete=[not o and winner[g] != "" for g, o in zip(led.game_id, is_out)],
                     known=[not o or ends[g] for g, o in zip(led.game_id, is_out)],
                     won=[teams.won[g, s] == "true" for g, s in zip(led.game_id, led.seat)])  # fmt: skip
    for name, own in led.groupby("condition"):
        at = ("table-helmsman-1", name)
        games = int((data.games.condition == name).sum())
        yield (*at, "Games"), [games]
        yield from _means(at, own, LEAD)
        if own.known.all() and len(own) == games:
            done = own[own.complete]
            yield (*at, "Completion"), [len(done) / games]
            if len(done):
                yield (*at, "Win among completed"), [done.won.mean()]
                yield (*at, "Product"), [done.won.sum() / games]
            for role, of in own.groupby("role"):
                here = ("figure-helmsman-3", f"{name} | {role}")
                yield (*here, "Games"), [len(of)]
                yield from _means(here, of, {"ratio": "Ratio", "over_living": LEAD["over_living"]})
                yield from _bounds((*here, "Ratio, 95% CI"), of.ratio.dropna(), np.log, np.exp)
                yield from _bounds((*here, "DC, 95% CI"), of.over_living.dropna(), logit, expit)
    for (name, role), both in days.groupby(["condition", "role"]):
        for leads, badge in ((True, "with"), (False, "without")):
            at, values = ("table-helmsman-25", f"{name} | {role}"), both.ratio[both.leads == leads]
            yield (*at, f"Player-days {badge}"), [values.count()]
            if values.count():
                yield (*at, f"{badge.capitalize()} badge"), [values.mean()]


LEAD = {"ratio": "Ratio", "over_others": "DC, over the others", "over_living": "DC, over all living",
        "star": "DC*, over all living"}  # fmt: skip


def _means(at: tuple[str, str], games: Any, columns: Mapping[str, str]) -> Values:
    for field, column in columns.items():
        if games[field].count():
            yield (*at, column), [games[field].mean()]


def _bounds(name: tuple[str, str, str], values: Any, link: Any, inverse: Any) -> Values:
    """Student's interval of the mean on a scale that its ends do not leave."""
    mean = values.mean()
    if len(values) < FEW_GAMES or not values.std() or not 0 < mean:
        return
    slope = 1 / mean if link is np.log else 1 / (mean * (1 - mean))
    half = stats.t.ppf(0.975, len(values) - 1) * values.sem() * slope
    low, high = inverse(link(mean) - half), inverse(link(mean) + half)
    if link is np.log or low >= 0.0025 or high <= 0.9975:
        yield name, [low, high]
