"""Recomputes cells of a report's tables with pandas, from the data of its archive.

Each function of VALUE_FUNCTIONS yields the cells of some tables. None uses code of the modules that
computed the report. `recomputed_leads` has the cells about Sheriffs.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import special, stats
from scipy.sparse.csgraph import connected_components
from statsmodels.stats.proportion import proportion_confint
from wordcloud import STOPWORDS

from webapp.study.results.archive_data import HUNTED, MIN_INTERVAL_GAMES, ArchiveData, Cell
from webapp.study.results.comparison_check import HIGH_TAIL, interval_on_scale

BELIEF_KEY = "belief-by-round"
# One night: role -> team that wins by its exile; any other exile lets the Werewolves win.
EXILE_WINS = {"werewolf": "village", "tanner": "tanner"}
HOUSE = "house"  # the backend of built-in players
NO_PERSONA = "no persona"  # the name of agents without one, in the table of words
MAX_WORDS, MAX_PERSONAS, MIN_STATEMENTS = 30, 6, 6  # the same limits as in `word_clouds`
NEWTON_STEPS = 200  # more than enough: fewer than twenty suffice
MIN_COMPARISON_WEIGHT = 1e-9  # smaller weights are rounding errors
MIN_SHARE_SPREAD = 1e-12  # smaller spreads are rounding errors


def _poll_values(data: ArchiveData) -> Iterator[Cell]:
    """Yield Humanized's Tables 5, 6 and 7, and which role votes for which."""
    deck = data.deck
    for condition, polls in data.polls.groupby("condition"):
        counts = polls.target_role.value_counts().reindex(deck.index, fill_value=0)
        shares = counts / deck / len(polls)
        seat_shares = np.repeat(shares.to_numpy(), deck.to_numpy())
        row_key = ("table-humanized-5", condition)
        yield Cell(*row_key, "Polls", [len(polls)])
        for column, ddof in (("1 / SD (divisor R*)", 0), ("1 / SD (divisor R* - 1)", 1)):
            if np.ptp(seat_shares) > MIN_SHARE_SPREAD:
                yield Cell(*row_key, column, [1 / seat_shares.std(ddof=ddof)])
        if ends := _variation_interval(polls, deck):
            yield Cell(*row_key, "95% CI", ends)
        for role, share in shares.items():
            names = [f"{role} {n}" for n in range(1, deck[role] + 1)] if deck[role] > 1 else [role]
            for name in names:
                yield Cell("table-humanized-6", name, condition, [100 * share])
        team_shares = {team: 100 * shares.get(role, 0) for role, team in EXILE_WINS.items()}
        team_shares["werewolf"] = 100 - sum(team_shares.values())
        for team, share in team_shares.items():
            yield Cell("table-humanized-7", team, condition, [share])
        table = pd.crosstab(polls.role, polls.target_role)
        polls_per_role = polls.role.value_counts()
        for voter in polls_per_role.index:
            for role in deck.index:
                votes = table.at[voter, role] if role in table and voter in table.index else 0
                share = 100 * votes / polls_per_role[voter]
                yield Cell("votes-between-roles", f"{condition} | {voter}", role, [share])


def _variation_interval(polls: Any, deck: Any) -> list[float]:
    """Return the interval of 1 / SD by a jackknife over games, [] where it is undefined."""
    counts = pd.crosstab(polls.game_id, polls.target_role)
    counts = counts.reindex(columns=deck.index, fill_value=0)
    poll_counts = polls.groupby("game_id").size()
    counts = counts.reindex(poll_counts.index, fill_value=0)
    if len(counts) < MIN_INTERVAL_GAMES:
        return []

    # The first row has all games, each other row leaves one out.
    votes = np.vstack([counts.sum(), counts.sum() - counts])
    polls_asked = np.append(poll_counts.sum(), poll_counts.sum() - poll_counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = votes / deck.to_numpy() / polls_asked[:, None]
        estimate, *without = -np.log(np.repeat(shares, deck.to_numpy(), axis=1).std(axis=1))
    if not np.isfinite([estimate, *without]).all():
        return []
    without_one = np.array(without)
    error = np.sqrt((len(without_one) - 1) * without_one.var())
    half = stats.t.ppf(HIGH_TAIL, len(without_one) - 1) * error
    return [float(np.exp(estimate - half)), float(np.exp(estimate + half))]


def _win_values(data: ArchiveData) -> Iterator[Cell]:
    """Yield wins by exile (Humanized, Table 7), with those of a random exile."""
    deck = data.deck
    for team in ("village", "werewolf", "tanner"):
        chance = sum(n for role, n in deck.items() if EXILE_WINS.get(role, "werewolf") == team)
        for table in ("table-humanized-7", "table-humanized-7-wins"):
            yield Cell(table, team, "Random", [100 * chance / deck.sum()])
        for condition, games in data.games.groupby("condition"):
            share = 100 * (games.winner == team).mean()
            yield Cell("table-humanized-7-wins", team, condition, [share])


def _system_win_values(data: ArchiveData) -> Iterator[Cell]:
    """Yield Impressions' Tables 5 and 6: share, games, and Clopper and Pearson's interval."""
    players = data.systems[data.systems.won != ""]
    once = players.drop_duplicates(["game_id", "system", "role"])
    for (name, role), rows in once.groupby(["system", "role"]):
        won = int((rows.won == "true").sum())
        ends = proportion_confint(won, len(rows), method="beta")
        values = [100 * won / len(rows), len(rows), *(100 * end for end in ends)]
        yield Cell("table-impressions-5", name, role, values)


def _opinion_values(data: ArchiveData) -> Iterator[Cell]:
    """Yield favor and belief over time, for games in which all players live to the end."""
    players = data.players.set_index(["game_id", "seat"])
    roles = players.role
    rows = []
    for line in data.files["minds.jsonl"].decode().splitlines():
        note = json.loads(line)
        key, values = _read_opinion(note)
        if key == BELIEF_KEY and players.team[note["game_id"], note["seat"]] == HUNTED:
            continue  # the Werewolves know each other
        for target, value in values.items():
            seat = (note["game_id"], int(target))
            if seat in roles.index and int(target) != note["seat"]:
                role = roles[seat]
                rows.append((key, note["condition"], role, note["round"], note["game_id"], value))
    frame = pd.DataFrame(rows, columns=["key", "condition", "role", "round", "game", "value"])
    groups = ["key", "condition", "role", "round"]
    game_means = frame.groupby([*groups, "game"]).value.mean()
    for (key, condition, role, number), values in game_means.groupby(groups):
        row_key = (key, f"{condition} | {role} | {number}")
        yield Cell(*row_key, "Games", [len(values)])
        yield Cell(*row_key, "Mean", [values.mean()])
        if ends := interval_on_scale(values, *((0, 1) if key == BELIEF_KEY else (1, 100))):
            yield Cell(*row_key, "95% CI", ends)


def _read_opinion(note: Mapping[str, Any]) -> tuple[str, Mapping[str, float]]:
    """Return a note's (key of the table, seat -> value), or ("", {}) if it has no opinion."""
    if note["faculty"] == "favor":
        return "favor-by-round", note["data"].get("favor") or {}
    if note["faculty"] == "judgement":
        roles = note["data"].get("roles") or {}
        return BELIEF_KEY, {seat: row.get("werewolf", 0.0) for seat, row in roles.items()}
    return "", {}


def _game_values(data: ArchiveData) -> Iterator[Cell]:
    """Yield the numbers of games, requests, tokens and hours. Prices are not in the data."""
    all_calls = data.read_csv("llm_calls.csv")
    is_built_in = all_calls.backend == HOUSE
    calls, built_in = all_calls[~is_built_in], all_calls[is_built_in].condition.value_counts()
    for condition, slots in data.slots.groupby("condition"):
        row_key = ("games-by-condition", condition)
        for column, state in (("Counted", "done"), ("Void", "void"), ("Failed", "failed")):
            yield Cell(*row_key, column, [int((slots.state == state).sum())])
        yield Cell(*row_key, "Deviations", [int((slots.deviations != "").sum())])
        own_calls = calls[calls.condition == condition]
        row_key = ("cost-by-condition", condition)
        yield Cell(*row_key, "Built-in requests", [built_in.get(condition, 0)])
        yield Cell(*row_key, "Requests", [len(own_calls)])
        for column, field in (("Tokens in", "tokens_in"), ("Tokens out", "tokens_out")):
            yield Cell(*row_key, column, [pd.to_numeric(own_calls[field]).fillna(0).sum()])
        times = slots[(slots.began_at_utc != "") & (slots.ended_at_utc != "")]
        spent = pd.to_datetime(times.ended_at_utc) - pd.to_datetime(times.began_at_utc)
        yield Cell(*row_key, "Hours of games", [spent.dt.total_seconds().sum() / 3600])


def _board_values(data: ArchiveData) -> Iterator[Cell]:
    """Yield the boards of players: Bradley and Terry's strengths, overall and by role."""
    decided_seats = data.systems[data.systems.winner != ""]
    if decided_seats.empty:  # such as games of one statement
        return
    for key, by_role in (("board-of-players", False), ("board-by-role", True)):
        seat_roles = decided_seats.role if by_role else [""] * len(decided_seats)
        players_of_seats = [*zip(seat_roles, decided_seats.system, strict=True)]
        seats = decided_seats.assign(player=players_of_seats)
        players = sorted(set(seats.player), key=lambda player: player[::-1])
        games = [_comparisons(rows, players) for _game, rows in seats.groupby("game_id")]
        roles = np.array([role for role, _system in players])
        parts = _connected_parts(np.sum(games, axis=0))
        # A player who is the only one of its role on a board has no strength and is not listed.
        listed = [[n for n in part if (roles[part] == roles[n]).sum() > 1] for part in parts]
        boards = sorted(zip(parts, listed, strict=True), key=lambda board: -len(board[1]))
        for number, (part, listed_players) in enumerate(boards, 1):
            games_on_board = [game[np.ix_(part, part)] for game in games]
            played = [game for game in games_on_board if game.any()]
            columns = _strength_columns(played, roles[part]) if listed_players else {}
            for n in listed_players:
                row = " | ".join(filter(None, (str(number), *players[n])))
                for column, values in columns.items():
                    if not np.isnan(cell := values[np.flatnonzero(part == n)[0]]).any():
                        yield Cell(key, row, column, [*np.atleast_1d(cell)])


def _comparisons(seats: Any, players: list[tuple[str, str]]) -> Any:
    """Return the weights [winner, loser] of a game's pairs. A pair of one system has weight 0.

    A player is (role or "", system).
    """
    won, lost = seats[seats.won == "true"], seats[seats.won == "false"]
    weights = np.zeros((len(players),) * 2)
    for winner in won.player:
        for loser in lost.player:
            weight = (winner[1] != loser[1]) / len(won) / len(lost)
            weights[players.index(winner), players.index(loser)] += weight
    return weights


def _connected_parts(weights: Any) -> list[Any]:
    """Return the players' numbers in each part that wins and losses connect (a board)."""
    _count, part_of = connected_components(weights > MIN_COMPARISON_WEIGHT, connection="strong")
    return [np.flatnonzero(part_of == part) for part in dict.fromkeys(part_of)]


def _strength_columns(games: list[Any], roles: Any) -> dict[str, Any]:
    """Return column of the table -> an array with each player's value, NaN where undefined.

    Strengths maximise the likelihood of Bradley and Terry's model, by Newton's method. Their errors
    are those of an infinitesimal jackknife: one Newton step for each game.
    """
    total, count = np.sum(games, axis=0), len(games)
    both, strengths = total + total.T, np.zeros(len(total))
    for _step in range(NEWTON_STEPS):
        chance = special.expit(strengths[:, None] - strengths[None, :])
        weights = both * chance * (1 - chance)
        inverse = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
        strengths = strengths + np.clip(inverse @ (total - both * chance).sum(axis=1), -1, 1)
    same_role = (roles[:, None] == roles[None, :]).astype(float)
    centring = np.eye(len(roles)) - same_role / same_role.sum(axis=1, keepdims=True)
    steps = [centring @ inverse @ (g - (g + g.T) * chance).sum(axis=1) for g in games]
    errors = np.sqrt(count / max(1, count - 1) * np.square(steps).sum(axis=0))
    for game in games:  # a player who would leave the board without it has no interval
        largest = max(_connected_parts(total - game), key=len)
        errors[np.setdiff1d(np.arange(len(total)), largest)] = np.nan
    value = centring @ strengths
    quantile = stats.t.ppf(HIGH_TAIL, max(1, count - 1)) if count >= MIN_INTERVAL_GAMES else np.nan
    half = quantile * errors
    return {
        "Games": sum((game + game.T).any(axis=1) for game in games).astype(float),
        "Won, %": 100 * total.sum(axis=1) / both.sum(axis=1), "Strength": value,
        "Chance, %": 100 * special.expit(value),
        "95% CI": np.stack([value - half, value + half], axis=1),
    }  # fmt: skip


def _word_values(data: ArchiveData) -> Iterator[Cell]:
    """Yield the most frequent words of each persona (Humanized, Figure 4)."""
    turns = data.read_csv("utterances.csv").merge(data.games[["game_id"]], on="game_id")
    turns = turns[turns.text != ""].assign(seat=turns.seat.astype(int))
    turns = turns.merge(data.players[["game_id", "seat", "recipe"]], on=["game_id", "seat"])
    player_names = {part.lower() for name in turns.speaker_pseudonym for part in name.split()}
    # The report's library removes "'s" before it looks a word up.
    left_out = player_names | STOPWORDS | {word.removesuffix("'s") for word in STOPWORDS}
    texts = turns.groupby(turns.recipe.map(_persona_name)).text.agg(list)
    texts = texts[texts.map(len) >= MIN_STATEMENTS]
    if set(texts.index) == {NO_PERSONA}:
        return
    for name in sorted(texts.index, key=lambda name: (-len(texts[name]), name))[:MAX_PERSONAS]:
        counts = _count_words("\n".join(texts[name]), left_out)
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_WORDS]
        for rank, (word, number) in enumerate(ranked, 1):
            yield Cell("persona-words", str(rank), name, f"{word} {number}")


def _persona_name(recipe: str) -> str:
    """Return the persona of a recipe (JSON): its character, or scores such as "O3 C1"."""
    persona = json.loads(recipe or "{}").get("persona") or {}
    scores = persona.get("scores") or {}
    factor_scores = " ".join(f"{f}{scores[f]}" for f in "OCEAN" if f in scores)
    return persona.get("character") or factor_scores or NO_PERSONA


def _count_words(text: str, left_out: set[str]) -> Counter[str]:
    """Count the words of two letters or more. A plural counts as its singular."""
    words = re.findall(r"\w[\w']+", text.replace("’", "'").lower())
    tokens = (word.removesuffix("'s") for word in words)
    counts = Counter(w for w in tokens if len(w) > 1 and not w.isdigit() and w not in left_out)
    for plural in [w for w in counts if w.endswith("s") and not w.endswith("ss")]:
        if plural[:-1] in counts:
            counts[plural[:-1]] += counts.pop(plural)
    return counts


VALUE_FUNCTIONS: tuple[Callable[[ArchiveData], Iterator[Cell]], ...] = (
    _poll_values, _win_values, _system_win_values, _opinion_values, _game_values,
    _board_values, _word_values,
)  # fmt: skip
