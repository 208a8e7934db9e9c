"""The figures of a report, computed a second time from the archive's own data by pandas.

It shares no code with `webapp.measures` and the other modules here. It loads pandas and SciPy.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy import special, stats
from statsmodels.stats.proportion import proportion_confint

from webapp.study.csv_cells import READ_BACK
from webapp.study.results.board_check import HUNTED, Values, boards, lead, lead_tables, words
from webapp.study.results.comparison_check import (
    COMPARISONS,
    ESTIMATES,
    add_holm_adjustment,
    check_rows,
)

Name = tuple[str, str, str]  # table, text columns of the row, column
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
POLL, BALLOT = "poll", "vote"
BAIT = "tanner"  # the team that wins by its own exile
BELIEF_KEY = "belief-by-round"
EXILE_WINS = {"werewolf": "village", "tanner": "tanner"}  # one night; any other exile: werewolf
TABLES = "tables.csv"
HOUSE = "house"
# Tables whose figures are in ESTIMATES and COMPARISONS too, with all digits.
BOTH = {"design-in-words", "summary"} | {
    f"{one}{end}" for one in ("endings", "votes", "leadership") for end in ("", "-compared")
}
NOT_CAST = "timeout|fallback|stand-in"  # labels of votes that nobody cast
# Beginning of a table's key -> why its figures cannot be computed from the archive.
GIVEN = {
    "table-guarded-contradictions": "only the program's own rules read claims from the talk",
    "table-impressions-8": "attempts to win votes are not among the data",
    **dict.fromkeys(
        ("table-guarded-7", "table-impressions-3", "table-impressions-4", "ratings"),
        "the ratings are in the files of the study that rates",
    ),
    **dict.fromkeys(
        ("table-humanized-1", "table-humanized-4"), "vectors of texts are not among the data"
    ),
    "judge-": "they are a language model's scores (judge_scores.csv)",
    "cost-by-condition": "prices are not among the data",
    "games-by-condition": "labels of answers are in part not among the data",
}


def why_given(table: str) -> str:
    """Return why figures of the table are not computed again."""
    reasons = (text for beginning, text in GIVEN.items() if table.startswith(beginning))
    return next(reasons, "the data leave them open")


@dataclass(frozen=True)
class FigureCheck:
    """checked: figures computed again. differences: sentences. unchecked: table -> figures."""

    checked: int
    differences: tuple[str, ...]
    unchecked: Mapping[str, int]


def check_figures(files: Mapping[str, bytes]) -> FigureCheck:
    """Compare every figure that the archive's data give with what its tables print."""
    data = ArchiveData(files)
    mine: dict[Name, list[float] | str] = {}
    for compute in COMPUTED:
        mine.update(compute(data))
    checked, differences, unchecked = 0, [], dict[str, int]()
    for row in data.read(TABLES).itertuples():
        name = (row.table, row.row_name, row.column)
        is_figure = NUMBER.search(row.value) or name in mine
        if not is_figure or "ublished" in row.row_name + row.column or row.table in BOTH:
            continue
        if name not in mine:
            unchecked[row.table] = unchecked.get(row.table, 0) + 1
            continue
        checked += 1
        if not _same(row.value, mine[name]):
            differences.append(f"{' / '.join(name)}: printed {row.value}, {_text(mine[name])}")
    values = _observations(data)
    rows = {
        ESTIMATES: data.read(ESTIMATES),
        COMPARISONS: add_holm_adjustment(data.read(COMPARISONS)),
    }
    for file, of in rows.items():
        more, wrong = check_rows(file, of, values, unchecked)
        checked, differences = checked + more, differences + wrong
    return FigureCheck(checked, tuple(differences), unchecked)


def _text(mine: list[float] | str) -> str:
    one = mine if isinstance(mine, str) else ", ".join(f"{value:.6g}" for value in mine)
    return f"computed {one}"


def _same(cell: str, mine: list[float] | str) -> bool:
    """Return whether the cell is my text, or has my numbers rounded to its digits."""
    if isinstance(mine, str):
        return cell == mine
    printed = NUMBER.findall(cell)
    if len(printed) < len(mine):
        return False
    for text, value in zip(printed, mine, strict=False):
        digits = len(text.partition(".")[2])
        if abs(float(text) - value) > 0.5 * 10**-digits + 1e-9:
            return False
    return True


class ArchiveData:
    """The archive's files as data frames."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        slots = self.read("assignments.csv")
        self.slots = slots
        self.conditions = list(dict.fromkeys(slots.condition))
        done_slots = slots[slots.state == "done"]
        self.games = self.read("games.csv").merge(done_slots[["game_id"]], on="game_id")
        players = self.read("players.csv").merge(self.games[["game_id", "winner"]], on="game_id")
        self.players = players.assign(seat=players.seat.astype(int))
        votes = self.read("votes.csv").merge(self.games[["game_id"]], on="game_id")
        self.votes = votes.assign(seat=votes.seat.astype(int))
        roles = self.players[["game_id", "seat", "role"]]
        targets = roles.rename(columns={"seat": "target", "role": "target_role"})
        self.votes = self.votes.assign(target=pd.to_numeric(self.votes.target))
        self.votes = self.votes.merge(roles, on=["game_id", "seat"])
        self.votes = self.votes.merge(targets, on=["game_id", "target"], how="left")
        self.polls = self.votes[self.votes.kind == POLL]
        ballots = self.votes[self.votes.kind == BALLOT]  # the last one of each day
        self.ballots = ballots.drop_duplicates(["game_id", "day", "seat"], keep="last")

    @cached_property
    def deals(self) -> Any:
        """Return game -> its deal: the seed before "#", with the roles dealt."""
        seeds = self.games.set_index("game_id").deal_seed.str.partition("#")[0]
        dealt = self.players.sort_values("seat").groupby("game_id").role.agg(",".join)
        return seeds + "/" + dealt

    @cached_property
    def lead(self) -> tuple[Any, Any]:
        return lead(self)

    @cached_property
    def systems(self) -> Any:
        """Return the players with the system at each seat, those of a league by their names."""
        has_names = "systems" in self.slots
        slots = self.slots[self.slots.systems != ""] if has_names else self.slots[:0]
        names = {row.game_id: row.systems.split() for row in slots.itertuples()}
        return self.players.assign(system=[
            names[row.game_id][row.seat - 1] if row.game_id in names
            else f"{row.backend}, {row.method}"
            for row in self.players.itertuples()
        ])  # fmt: skip

    def read(self, name: str) -> Any:
        """Return a CSV of the archive with all cells as text."""
        frame = pd.read_csv(io.BytesIO(self.files[name]), dtype=str, keep_default_na=False)
        return frame.replace(READ_BACK, r"\1", regex=True)

    def deck(self) -> Any:
        """Return role -> number of seats, of the first game."""
        first = self.players[self.players.game_id == self.players.game_id.iloc[0]]
        return first.role.value_counts()


def _shares(polls: Any, deck: Any) -> Any:
    """Return role -> share of all polls asked for one of its holders."""
    return polls.target_role.value_counts().reindex(deck.index, fill_value=0) / deck / len(polls)


def _polls(data: ArchiveData) -> Values:
    """Humanized, Tables 5, 6 and 7, and which role votes for which."""
    deck = data.deck()
    for condition, polls in data.polls.groupby("condition"):
        shares = _shares(polls, deck)
        units = np.repeat(shares.to_numpy(), deck.to_numpy())
        at = ("table-humanized-5", condition)
        yield (*at, "Polls"), [len(polls)]
        for column, freedom in (("1 / SD (divisor R*)", 0), ("1 / SD (divisor R* - 1)", 1)):
            if np.ptp(units) > 1e-12:
                yield (*at, column), [1 / units.std(ddof=freedom)]
        if ends := _jackknife(polls, deck):
            yield (*at, "95% CI"), ends
        for role, share in shares.items():
            for name in _units(role, deck[role]):
                yield ("table-humanized-6", name, condition), [100 * share]
        team_shares = {team: 100 * shares.get(role, 0) for role, team in EXILE_WINS.items()}
        team_shares["werewolf"] = 100 - sum(team_shares.values())
        for team, share in team_shares.items():
            yield ("table-humanized-7", team, condition), [share]
        table = pd.crosstab(polls.role, polls.target_role)
        polls_per_role = polls.role.value_counts()
        for voter in polls_per_role.index:
            for role in deck.index:
                votes = table.at[voter, role] if role in table and voter in table.index else 0
                share = 100 * votes / polls_per_role[voter]
                yield ("votes-between-roles", f"{condition} | {voter}", role), [share]


def _units(role: str, holders: int) -> list[str]:
    return [f"{role} {n}" for n in range(1, holders + 1)] if holders > 1 else [role]


def _jackknife(polls: Any, deck: Any) -> list[float]:
    """Return the interval of 1 / SD over games, [] where it is not defined."""
    counts = pd.crosstab(polls.game_id, polls.target_role)
    counts = counts.reindex(columns=deck.index, fill_value=0)
    polls_of = polls.groupby("game_id").size()
    counts = counts.reindex(polls_of.index, fill_value=0)
    if len(counts) < 3:
        return []

    def value(rest: Any, number: int) -> float:
        units = np.repeat((rest / deck / number).to_numpy(), deck.to_numpy())
        return float(-np.log(units.std()))

    total, number = counts.sum(), int(polls_of.sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = value(total, number)
        left = np.array([value(total - counts.loc[g], number - polls_of[g]) for g in counts.index])
    if not np.isfinite([estimate, *left]).all():
        return []
    error = np.sqrt((len(left) - 1) * left.var())
    half = stats.t.ppf(0.975, len(left) - 1) * error
    return [float(np.exp(estimate - half)), float(np.exp(estimate + half))]


def _wins(data: ArchiveData) -> Values:
    """Humanized, Table 7 by who was out, with a random exile beside."""
    deck = data.deck()
    for team in ("village", "werewolf", "tanner"):
        chance = sum(n for role, n in deck.items() if EXILE_WINS.get(role, "werewolf") == team)
        for table in ("table-humanized-7", "table-humanized-7-wins"):
            yield (table, team, "Random"), [100 * chance / deck.sum()]
        for condition, games in data.games.groupby("condition"):
            share = 100 * (games.winner == team).mean()
            yield ("table-humanized-7-wins", team, condition), [share]


def _system_wins(data: ArchiveData) -> Values:
    """Impressions, Tables 5 and 6: a share, the games, and Clopper and Pearson's interval."""
    players = data.systems[data.systems.won != ""]
    once = players.drop_duplicates(["game_id", "system", "role"])
    for (name, role), rows in once.groupby(["system", "role"]):
        won = int((rows.won == "true").sum())
        ends = proportion_confint(won, len(rows), method="beta")
        values = [100 * won / len(rows), len(rows), *(100 * end for end in ends)]
        yield ("table-impressions-5", name, role), values


def _opinions(data: ArchiveData) -> Values:
    """Favor and belief over time, of games in which nobody leaves before the end."""
    players = data.players.set_index(["game_id", "seat"])
    role_of = players.role
    rows = []
    for line in data.files["minds.jsonl"].decode().splitlines():
        note = json.loads(line)
        key, values = _opinion(note)
        if key == BELIEF_KEY and players.team[note["game_id"], note["seat"]] == HUNTED:
            continue  # they know
        for target, value in values.items():
            if (note["game_id"], int(target)) in role_of.index and int(target) != note["seat"]:
                role = role_of[note["game_id"], int(target)]
                rows.append((key, note["condition"], role, note["round"], note["game_id"], value))
    frame = pd.DataFrame(rows, columns=["key", "condition", "role", "round", "game", "value"])
    groups = ["key", "condition", "role", "round"]
    of_games = frame.groupby([*groups, "game"]).value.mean()
    for (key, condition, role, number), values in of_games.groupby(groups):
        at = (key, f"{condition} | {role} | {number}")
        yield (*at, "Games"), [len(values)]
        yield (*at, "Mean"), [values.mean()]
        low, high = (1, 100) if key == "favor-by-round" else (0, 1)
        position, error = (values.mean() - low) / (high - low), values.sem()
        if len(values) >= 3 and error and 0 < position < 1:
            half = stats.t.ppf(0.975, len(values) - 1) * error / (high - low)
            half /= position * (1 - position)
            ends = [low + (high - low) * special.expit(special.logit(position) + s * half)
                    for s in (-1, 1)]  # fmt: skip
            yield (*at, "95% CI"), ends


def _opinion(note: Mapping[str, Any]) -> tuple[str, Mapping[str, float]]:
    if note["faculty"] == "favor":
        return "favor-by-round", note["data"].get("favor") or {}
    if note["faculty"] == "judgement":
        roles = note["data"].get("roles") or {}
        return BELIEF_KEY, {seat: row.get("werewolf", 0.0) for seat, row in roles.items()}
    return "", {}


def _games(data: ArchiveData) -> Values:
    """Games by condition, and what they used. Prices are not in the data."""
    every_call = data.read("llm_calls.csv")
    is_built_in = every_call.backend == HOUSE
    calls, of_house = every_call[~is_built_in], every_call[is_built_in].condition.value_counts()
    for condition, slots in data.slots.groupby("condition"):
        at = ("games-by-condition", condition)
        for column, state in (("Counted", "done"), ("Void", "void"), ("Failed", "failed")):
            yield (*at, column), [int((slots.state == state).sum())]
        yield (*at, "Deviations"), [int((slots.deviations != "").sum())]
        own = calls[calls.condition == condition]
        at = ("cost-by-condition", condition)
        yield (*at, "Built-in requests"), [of_house.get(condition, 0)]
        yield (*at, "Requests"), [len(own)]
        for column, field in (("Tokens in", "tokens_in"), ("Tokens out", "tokens_out")):
            yield (*at, column), [pd.to_numeric(own[field]).fillna(0).sum()]
        times = slots[(slots.began_at_utc != "") & (slots.ended_at_utc != "")]
        spent = pd.to_datetime(times.ended_at_utc) - pd.to_datetime(times.began_at_utc)
        yield (*at, "Hours of games"), [spent.dt.total_seconds().sum() / 3600]


def _observations(data: ArchiveData) -> dict[tuple[str, str, str], Any]:
    """Return (measure, item, group) -> the values of computer players, a row each."""
    data_deals = data.players.game_id.map(data.deals)
    seats = data.players.assign(deal=data_deals)[data.players.speaker_kind == "agent"]
    won = seats[seats.won != ""].assign(value=lambda rows: rows.won == "true")
    parts = {("won", "team"): won.drop_duplicates(["game_id", "team"]),
             ("survived", "role"): seats.assign(value=seats.out == "no")}  # fmt: skip
    is_cast = ~data.ballots.labels.str.contains(NOT_CAST)
    cast = (
        data.ballots[is_cast]
        .dropna(subset="target")
        .merge(seats[["game_id", "seat", "team", "deal"]])
    )
    cast = cast[~cast.team.isin([HUNTED, BAIT])]
    values = {("accurate", "", "computer"): cast.assign(value=cast.target_role == HUNTED)}
    for (measure, field), rows in parts.items():
        for name, part in rows.groupby(field):
            values[measure, "", f"computer/{field}:{name}"] = part
    led = data.lead[1]
    for (measure, item), column in LEAD_MEASURES.items() if len(led) else ():
        rows = led.dropna(subset=column).assign(deal=led.game_id.map(data.deals))
        values[measure, item, "computer"] = rows.assign(value=rows[column])
    return {key: rows.assign(value=rows.value.astype(float)) for key, rows in values.items()}


# (measure, item) -> field of `board_check.lead`.
LEAD_MEASURES = {("ratio", "others"): "ratio", ("dc", "over_others"): "over_others",
                 ("dc", "over_living"): "over_living"}  # fmt: skip
COMPUTED: tuple[Callable[[ArchiveData], Values], ...] = (
    _polls, _wins, _system_wins, _opinions, _games, boards, words, lead_tables,
)  # fmt: skip
