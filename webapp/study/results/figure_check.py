"""Computes the figures of a report a second time, from the archive's own data, with pandas.

It uses no code of `webapp.measures` or of the modules that computed them first. It loads pandas and
SciPy.
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

from webapp.study.csv_cells import GUARD_PATTERN
from webapp.study.results.board_check import (
    HUNTED,
    MIN_GAMES,
    Values,
    board_values,
    lead_rows,
    lead_values,
    word_values,
)
from webapp.study.results.comparison_check import (
    COMPARISONS,
    ESTIMATES,
    add_holm_adjustment,
    check_rows,
)

CellName = tuple[str, str, str]  # (table, text columns of the row, column)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
STRAW_POLL, BALLOT = "poll", "vote"
EXILE_TEAM = "tanner"  # the team that wins by its own exile
BELIEF_KEY = "belief-by-round"
# One night: role -> team that wins by its exile; any other exile lets the Werewolves win.
EXILE_WINS = {"werewolf": "village", "tanner": "tanner"}
TABLES = "tables.csv"
HOUSE = "house"
# Tables whose figures ESTIMATES and COMPARISONS have with all digits: they are checked there.
CHECKED_IN_ROWS = {"design-in-words", "summary"} | {
    f"{section}{end}" for section in ("endings", "votes", "leadership") for end in ("", "-compared")
}
UNCAST_LABELS = "timeout|fallback|stand-in"  # pattern of labels of votes that nobody cast
# Beginning of a table's key -> why its figures cannot be computed from the archive.
UNCHECKED_REASONS = {
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
# (measure, item) -> column of `board_check.lead_rows`.
LEAD_MEASURES = {("ratio", "others"): "ratio", ("dc", "over_others"): "over_others",
                 ("dc", "over_living"): "over_living"}  # fmt: skip


def unchecked_reason(table: str) -> str:
    """Return why figures of the table are not computed again."""
    reasons = (text for key, text in UNCHECKED_REASONS.items() if table.startswith(key))
    return next(reasons, "the data leave them open")


@dataclass(frozen=True)
class FigureCheck:
    """The result of a check.

    Attributes:
        checked: Number of figures computed again.
        differences: A sentence for each figure that differs.
        unchecked: Table or file -> number of figures (of a file: rows) not computed again.
    """

    checked: int
    differences: tuple[str, ...]
    unchecked: Mapping[str, int]


def check_figures(files: Mapping[str, bytes]) -> FigureCheck:
    """Compare the printed figures with those that the archive's data give."""
    data = ArchiveData(files)
    computed: dict[CellName, list[float] | str] = {}
    for compute in FIGURE_FUNCTIONS:
        computed.update(compute(data))
    checked, differences, unchecked = 0, [], dict[str, int]()
    for row in data.read_csv(TABLES).itertuples():
        name = (row.table, row.row_name, row.column)
        is_figure = NUMBER.search(row.value) or name in computed
        if not is_figure or "ublished" in row.row_name + row.column or row.table in CHECKED_IN_ROWS:
            continue
        if name not in computed:
            unchecked[row.table] = unchecked.get(row.table, 0) + 1
            continue
        checked += 1
        if not _matches(row.value, computed[name]):
            differences.append(
                f"{' / '.join(name)}: printed {row.value}, {_computed_text(computed[name])}"
            )
    values = _observations(data)
    rows = {
        ESTIMATES: data.read_csv(ESTIMATES),
        COMPARISONS: add_holm_adjustment(data.read_csv(COMPARISONS)),
    }
    for file, frame in rows.items():
        count, wrong = check_rows(file, frame, values, unchecked)
        checked, differences = checked + count, differences + wrong
    return FigureCheck(checked, tuple(differences), unchecked)


def _computed_text(computed: list[float] | str) -> str:
    is_text = isinstance(computed, str)
    return f"computed {computed if is_text else ', '.join(f'{value:.6g}' for value in computed)}"


def _matches(cell: str, computed: list[float] | str) -> bool:
    """Return whether the cell is the text, or has the numbers rounded to its digits."""
    if isinstance(computed, str):
        return cell == computed
    printed = NUMBER.findall(cell)
    if len(printed) < len(computed):
        return False
    for text, value in zip(printed, computed, strict=False):
        digits = len(text.partition(".")[2])
        if abs(float(text) - value) > 0.5 * 10**-digits + 1e-9:
            return False
    return True


class ArchiveData:
    """The archive's files as data frames, with the games that count only.

    Attributes:
        slots: All slots, also of void and failed games.
        conditions: Names, in the order of the slots.
        polls: Answers to straw polls.
        ballots: The last vote of each player and day.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        slots = self.read_csv("assignments.csv")
        self.slots = slots
        self.conditions = list(dict.fromkeys(slots.condition))
        done_slots = slots[slots.state == "done"]
        self.games = self.read_csv("games.csv").merge(done_slots[["game_id"]], on="game_id")
        players = self.read_csv("players.csv").merge(
            self.games[["game_id", "winner"]], on="game_id"
        )
        self.players = players.assign(seat=players.seat.astype(int))
        votes = self.read_csv("votes.csv").merge(self.games[["game_id"]], on="game_id")
        self.votes = votes.assign(seat=votes.seat.astype(int))
        roles = self.players[["game_id", "seat", "role"]]
        targets = roles.rename(columns={"seat": "target", "role": "target_role"})
        self.votes = self.votes.assign(target=pd.to_numeric(self.votes.target))
        self.votes = self.votes.merge(roles, on=["game_id", "seat"])
        self.votes = self.votes.merge(targets, on=["game_id", "target"], how="left")
        self.polls = self.votes[self.votes.kind == STRAW_POLL]
        ballots = self.votes[self.votes.kind == BALLOT]  # the last one of each day
        self.ballots = ballots.drop_duplicates(["game_id", "day", "seat"], keep="last")

    @cached_property
    def deals(self) -> Any:
        """Game -> its deal: the seed before "#", with the roles dealt."""
        seeds = self.games.set_index("game_id").deal_seed.str.partition("#")[0]
        dealt = self.players.sort_values("seat").groupby("game_id").role.agg(",".join)
        return seeds + "/" + dealt

    @cached_property
    def lead(self) -> tuple[Any, Any]:
        """The rows of `board_check.lead_rows`."""
        return lead_rows(self)

    @cached_property
    def systems(self) -> Any:
        """The players with the system at each seat, those of a league by their names."""
        has_names = "systems" in self.slots
        slots = self.slots[self.slots.systems != ""] if has_names else self.slots[:0]
        names = {row.game_id: row.systems.split() for row in slots.itertuples()}
        return self.players.assign(system=[
            names[row.game_id][row.seat - 1] if row.game_id in names
            else f"{row.backend}, {row.method}"
            for row in self.players.itertuples()
        ])  # fmt: skip

    def read_csv(self, name: str) -> Any:
        """Return a CSV of the archive with all cells as text."""
        frame = pd.read_csv(io.BytesIO(self.files[name]), dtype=str, keep_default_na=False)
        return frame.replace(GUARD_PATTERN, r"\1", regex=True)

    def read_deck(self) -> Any:
        """Return role -> number of seats, of the first game."""
        first = self.players[self.players.game_id == self.players.game_id.iloc[0]]
        return first.role.value_counts()


def _poll_values(data: ArchiveData) -> Values:
    """Yield Humanized's Tables 5, 6 and 7, and which role votes for which."""
    deck = data.read_deck()
    for condition, polls in data.polls.groupby("condition"):
        shares = (
            polls.target_role.value_counts().reindex(deck.index, fill_value=0) / deck / len(polls)
        )
        units = np.repeat(shares.to_numpy(), deck.to_numpy())
        row_key = ("table-humanized-5", condition)
        yield (*row_key, "Polls"), [len(polls)]
        for column, freedom in (("1 / SD (divisor R*)", 0), ("1 / SD (divisor R* - 1)", 1)):
            if np.ptp(units) > 1e-12:
                yield (*row_key, column), [1 / units.std(ddof=freedom)]
        if ends := _variation_interval(polls, deck):
            yield (*row_key, "95% CI"), ends
        for role, share in shares.items():
            names = [f"{role} {n}" for n in range(1, deck[role] + 1)] if deck[role] > 1 else [role]
            for name in names:
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


def _variation_interval(polls: Any, deck: Any) -> list[float]:
    """Return the interval of 1 / SD by a jackknife over games, [] where it is undefined."""
    counts = pd.crosstab(polls.game_id, polls.target_role)
    counts = counts.reindex(columns=deck.index, fill_value=0)
    polls_of = polls.groupby("game_id").size()
    counts = counts.reindex(polls_of.index, fill_value=0)
    if len(counts) < MIN_GAMES:
        return []

    def log_variation(votes: Any, number: int) -> float:
        units = np.repeat((votes / deck / number).to_numpy(), deck.to_numpy())
        return float(-np.log(units.std()))

    total, number = counts.sum(), int(polls_of.sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = log_variation(total, number)
        without_one = np.array([
            log_variation(total - counts.loc[g], number - polls_of[g]) for g in counts.index
        ])  # fmt: skip
    if not np.isfinite([estimate, *without_one]).all():
        return []
    error = np.sqrt((len(without_one) - 1) * without_one.var())
    half = stats.t.ppf(0.975, len(without_one) - 1) * error
    return [float(np.exp(estimate - half)), float(np.exp(estimate + half))]


def _win_values(data: ArchiveData) -> Values:
    """Yield wins by exile (Humanized, Table 7), with those of a random exile."""
    deck = data.read_deck()
    for team in ("village", "werewolf", "tanner"):
        chance = sum(n for role, n in deck.items() if EXILE_WINS.get(role, "werewolf") == team)
        for table in ("table-humanized-7", "table-humanized-7-wins"):
            yield (table, team, "Random"), [100 * chance / deck.sum()]
        for condition, games in data.games.groupby("condition"):
            share = 100 * (games.winner == team).mean()
            yield ("table-humanized-7-wins", team, condition), [share]


def _system_win_values(data: ArchiveData) -> Values:
    """Yield Impressions' Tables 5 and 6: share, games, and Clopper and Pearson's interval."""
    players = data.systems[data.systems.won != ""]
    once = players.drop_duplicates(["game_id", "system", "role"])
    for (name, role), rows in once.groupby(["system", "role"]):
        won = int((rows.won == "true").sum())
        ends = proportion_confint(won, len(rows), method="beta")
        values = [100 * won / len(rows), len(rows), *(100 * end for end in ends)]
        yield ("table-impressions-5", name, role), values


def _opinion_values(data: ArchiveData) -> Values:
    """Yield favor and belief over time, for games in which nobody leaves before the end."""
    players = data.players.set_index(["game_id", "seat"])
    role_of = players.role
    rows = []
    for line in data.files["minds.jsonl"].decode().splitlines():
        note = json.loads(line)
        key, values = _read_opinion(note)
        if key == BELIEF_KEY and players.team[note["game_id"], note["seat"]] == HUNTED:
            continue  # the Werewolves know each other
        for target, value in values.items():
            if (note["game_id"], int(target)) in role_of.index and int(target) != note["seat"]:
                role = role_of[note["game_id"], int(target)]
                rows.append((key, note["condition"], role, note["round"], note["game_id"], value))
    frame = pd.DataFrame(rows, columns=["key", "condition", "role", "round", "game", "value"])
    groups = ["key", "condition", "role", "round"]
    of_games = frame.groupby([*groups, "game"]).value.mean()
    for (key, condition, role, number), values in of_games.groupby(groups):
        row_key = (key, f"{condition} | {role} | {number}")
        yield (*row_key, "Games"), [len(values)]
        yield (*row_key, "Mean"), [values.mean()]
        low, high = (1, 100) if key == "favor-by-round" else (0, 1)
        position, error = (values.mean() - low) / (high - low), values.sem()
        if len(values) >= MIN_GAMES and error and 0 < position < 1:
            half = stats.t.ppf(0.975, len(values) - 1) * error / (high - low)
            half /= position * (1 - position)
            ends = [low + (high - low) * special.expit(special.logit(position) + s * half)
                    for s in (-1, 1)]  # fmt: skip
            yield (*row_key, "95% CI"), ends


def _read_opinion(note: Mapping[str, Any]) -> tuple[str, Mapping[str, float]]:
    """Return (key of its table, seat -> value) of a note, ("", {}) if it is no opinion."""
    if note["faculty"] == "favor":
        return "favor-by-round", note["data"].get("favor") or {}
    if note["faculty"] == "judgement":
        roles = note["data"].get("roles") or {}
        return BELIEF_KEY, {seat: row.get("werewolf", 0.0) for seat, row in roles.items()}
    return "", {}


def _game_values(data: ArchiveData) -> Values:
    """Yield the numbers of games and of what they used. Prices are not in the data."""
    all_calls = data.read_csv("llm_calls.csv")
    is_built_in = all_calls.backend == HOUSE
    calls, built_in = all_calls[~is_built_in], all_calls[is_built_in].condition.value_counts()
    for condition, slots in data.slots.groupby("condition"):
        row_key = ("games-by-condition", condition)
        for column, state in (("Counted", "done"), ("Void", "void"), ("Failed", "failed")):
            yield (*row_key, column), [int((slots.state == state).sum())]
        yield (*row_key, "Deviations"), [int((slots.deviations != "").sum())]
        own = calls[calls.condition == condition]
        row_key = ("cost-by-condition", condition)
        yield (*row_key, "Built-in requests"), [built_in.get(condition, 0)]
        yield (*row_key, "Requests"), [len(own)]
        for column, field in (("Tokens in", "tokens_in"), ("Tokens out", "tokens_out")):
            yield (*row_key, column), [pd.to_numeric(own[field]).fillna(0).sum()]
        times = slots[(slots.began_at_utc != "") & (slots.ended_at_utc != "")]
        spent = pd.to_datetime(times.ended_at_utc) - pd.to_datetime(times.began_at_utc)
        yield (*row_key, "Hours of games"), [spent.dt.total_seconds().sum() / 3600]


def _observations(data: ArchiveData) -> dict[tuple[str, str, str], Any]:
    """Return (measure, item, group) -> a row for each value of computer players."""
    deals = data.players.game_id.map(data.deals)
    seats = data.players.assign(deal=deals)[data.players.speaker_kind == "agent"]
    won = seats[seats.won != ""].assign(value=lambda rows: rows.won == "true")
    subsets = {("won", "team"): won.drop_duplicates(["game_id", "team"]),
               ("survived", "role"): seats.assign(value=seats.out == "no")}  # fmt: skip
    is_cast = ~data.ballots.labels.str.contains(UNCAST_LABELS)
    cast = (
        data.ballots[is_cast]
        .dropna(subset="target")
        .merge(seats[["game_id", "seat", "team", "deal"]])
    )
    cast = cast[~cast.team.isin([HUNTED, EXILE_TEAM])]
    values = {("accurate", "", "computer"): cast.assign(value=cast.target_role == HUNTED)}
    for (measure, field), rows in subsets.items():
        for name, own in rows.groupby(field):
            values[measure, "", f"computer/{field}:{name}"] = own
    led = data.lead[1]
    for (measure, item), column in LEAD_MEASURES.items() if len(led) else ():
        rows = led.dropna(subset=column).assign(deal=led.game_id.map(data.deals))
        values[measure, item, "computer"] = rows.assign(value=rows[column])
    return {key: rows.assign(value=rows.value.astype(float)) for key, rows in values.items()}


FIGURE_FUNCTIONS: tuple[Callable[[ArchiveData], Values], ...] = (
    _poll_values, _win_values, _system_win_values, _opinion_values, _game_values,
    board_values, word_values, lead_values,
)  # fmt: skip
