"""The figures of a report, computed a second time from the archive's own data by pandas.

It shares no code with `webapp.measures` and the other modules here. It loads pandas and SciPy.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import special, stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from webapp.study.csv_cells import READ_BACK

Name = tuple[str, str, str]  # table, text columns of the row, column
Values = Iterator[tuple[Name, list[float]]]
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
POLL, BALLOT = "poll", "vote"
EXILE_WINS = {"werewolf": "village", "tanner": "tanner"}  # one night; any other exile: werewolf
TABLES, ESTIMATES, COMPARISONS = "tables.csv", "estimates.csv", "comparisons.csv"
HOUSE = "house"
HUNTED = "werewolf"  # role, and the team that does not vote for it
# Tables whose figures are in ESTIMATES and COMPARISONS too, with all digits.
BOTH = {"design-in-words"} | {
    f"{one}{end}" for one in ("endings", "votes", "leadership") for end in ("", "-compared")
}
NOT_CAST = "timeout|fallback|stand-in"  # labels of votes that nobody cast


@dataclass(frozen=True)
class FigureCheck:
    """checked: figures computed again. differences: sentences. unchecked: table -> figures."""

    checked: int
    differences: tuple[str, ...]
    unchecked: Mapping[str, int]


def check_figures(files: Mapping[str, bytes]) -> FigureCheck:
    """Compare every figure that the archive's data give with what its tables print."""
    data = _Data(files)
    mine: dict[Name, list[float]] = {}
    for compute in COMPUTED:
        mine.update(compute(data))
    checked, differences, unchecked = 0, [], dict[str, int]()
    for row in data.read(TABLES).itertuples():
        printed = NUMBER.findall(row.value)
        if not printed or "ublished" in row.row_name + row.column or row.table in BOTH:
            continue
        name = (row.table, row.row_name, row.column)
        if name not in mine:
            unchecked[row.table] = unchecked.get(row.table, 0) + 1
            continue
        checked += 1
        if not _same(printed, mine[name]):
            now = ", ".join(f"{value:.6g}" for value in mine[name])
            differences.append(f"{' / '.join(name)}: printed {row.value}, computed {now}")
    more, wrong = _check_rows(data, unchecked)
    return FigureCheck(checked + more, (*differences, *wrong), unchecked)


def _same(printed: list[str], mine: list[float]) -> bool:
    """Return whether the printed numbers are mine, rounded to their digits."""
    if len(printed) < len(mine):
        return False
    for text, value in zip(printed, mine, strict=False):
        digits = len(text.partition(".")[2])
        if abs(float(text) - value) > 0.5 * 10**-digits + 1e-9:
            return False
    return True


class _Data:
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


def _polls(data: _Data) -> Values:
    """Humanized, Tables 5, 6 and 7, and which role votes for which."""
    deck = data.deck()
    for condition, polls in data.polls.groupby("condition"):
        shares = _shares(polls, deck)
        units = np.repeat(shares.to_numpy(), deck.to_numpy())
        at = ("table-humanized-5", condition)
        yield (*at, "Polls"), [len(polls)]
        for column, freedom in (("1 / SD, divided by R*", 0), ("Divided by R* - 1", 1)):
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


def _wins(data: _Data) -> Values:
    """Humanized, Table 7 by who was out, with a random exile beside."""
    deck = data.deck()
    for team in ("village", "werewolf", "tanner"):
        chance = sum(n for role, n in deck.items() if EXILE_WINS.get(role, "werewolf") == team)
        for table in ("table-humanized-7", "table-humanized-7-wins"):
            yield (table, team, "Random"), [100 * chance / deck.sum()]
        for condition, games in data.games.groupby("condition"):
            share = 100 * (games.winner == team).mean()
            yield ("table-humanized-7-wins", team, condition), [share]


def _system_wins(data: _Data) -> Values:
    """Impressions, Tables 5 and 6: a share, the games, and Wilson's interval."""
    players = data.players[data.players.won != ""]
    has_names = "systems" in data.slots  # of a league
    slots = data.slots[data.slots.systems != ""] if has_names else data.slots[:0]
    names = {row.game_id: row.systems.split() for row in slots.itertuples()}
    system = [
        names[row.game_id][row.seat - 1] if row.game_id in names else f"{row.backend}, {row.method}"
        for row in players.itertuples()
    ]
    once = players.assign(system=system).drop_duplicates(["game_id", "system", "role"])
    for (name, role), rows in once.groupby(["system", "role"]):
        won = int((rows.won == "true").sum())
        ends = proportion_confint(won, len(rows), method="wilson")
        values = [100 * won / len(rows), len(rows), *(100 * end for end in ends)]
        yield ("table-impressions-5", name, role), values


def _opinions(data: _Data) -> Values:
    """Favor and belief over time, of games in which nobody leaves before the end."""
    role_of = data.players.set_index(["game_id", "seat"]).role
    rows = []
    for line in data.files["minds.jsonl"].decode().splitlines():
        note = json.loads(line)
        key, values = _opinion(note)
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
        return "belief-by-round", {seat: row.get("werewolf", 0.0) for seat, row in roles.items()}
    return "", {}


def _games(data: _Data) -> Values:
    """Games by condition, and what they used. Prices are not in the data."""
    calls = data.read("llm_calls.csv")
    calls = calls[calls.backend != HOUSE]
    for condition, slots in data.slots.groupby("condition"):
        at = ("games-by-condition", condition)
        for column, state in (("Counted", "done"), ("Void", "void"), ("Failed", "failed")):
            yield (*at, column), [int((slots.state == state).sum())]
        yield (*at, "Deviations"), [int((slots.deviations != "").sum())]
        own = calls[calls.condition == condition]
        at = ("cost-by-condition", condition)
        yield (*at, "Requests"), [len(own)]
        for column, field in (("Tokens in", "tokens_in"), ("Tokens out", "tokens_out")):
            yield (*at, column), [pd.to_numeric(own[field]).fillna(0).sum()]
        times = slots[(slots.began_at_utc != "") & (slots.ended_at_utc != "")]
        spent = pd.to_datetime(times.ended_at_utc) - pd.to_datetime(times.began_at_utc)
        yield (*at, "Hours of games"), [spent.dt.total_seconds().sum() / 3600]


COMPUTED: tuple[Callable[[_Data], Values], ...] = (
    _polls, _wins, _system_wins, _opinions, _games,
)  # fmt: skip


def _check_rows(data: _Data, unchecked: dict[str, int]) -> tuple[int, list[str]]:
    """Compare means and counts of wins, survival and votes, and the tests' differences and Holm."""
    checked, wrong = 0, []
    values = _observations(data)
    for row in data.read(ESTIMATES).itertuples():
        own = values.get((row.measure, row.group))
        missing = 2 * bool(row.low) + (4 if own is None else 0)  # intervals and other measures
        if missing:
            unchecked[ESTIMATES] = unchecked.get(ESTIMATES, 0) + missing
        if own is None:
            continue
        own = own if row.condition == "all" else own[own.condition == row.condition]
        mean = own.groupby("game_id").value.mean().mean()
        pairs = [("n", row.n, len(own)), ("games", row.games, own.game_id.nunique()),
                 ("mean", row.value, mean), ("SD", row.sd, own.value.std())]  # fmt: skip
        for statistic, printed, mine in pairs:
            checked += bool(printed)
            if printed and abs(float(printed) - mine) > 1e-9:
                wrong.append(
                    f"{ESTIMATES}: {row.measure} / {row.group} / {row.condition} / {statistic}:"
                    f" printed {printed}, computed {mine:.6g}"
                )
    more, different = _check_tests(data, values)
    unchecked[f"{COMPARISONS}, tests and intervals"] = len(data.read(COMPARISONS))
    return checked + more, wrong + different


def _observations(data: _Data) -> dict[tuple[str, str], Any]:
    """Return (measure, group) -> one row a value of computer players: game, condition, value."""
    seats = data.players[data.players.speaker_kind == "agent"]
    won = seats[seats.won != ""]
    own = {
        "won": won.assign(value=(won.won == "true").astype(float)),
        "survived": seats.assign(value=(seats.out == "no").astype(float)),
    }
    ballots = data.votes[(data.votes.kind == BALLOT) & ~data.votes.labels.str.contains(NOT_CAST)]
    ballots = ballots.drop_duplicates(["game_id", "day", "seat"], keep="last")
    teams = data.players[["game_id", "seat", "team", "speaker_kind"]]
    cast = ballots.dropna(subset="target").merge(teams, on=["game_id", "seat"])
    cast = cast[(cast.team != HUNTED) & (cast.speaker_kind == "agent")]
    right = (cast.target_role == HUNTED).astype(float)
    values = {("accurate", "computer"): cast.assign(value=right)}
    for measure, rows in own.items():
        values[measure, "computer"] = rows
        for field in ("team", "role"):
            for name, part in rows.groupby(field):
                values[measure, f"computer/{field}:{name}"] = part
    return values


def _check_tests(data: _Data, values: Mapping[tuple[str, str], Any]) -> tuple[int, list[str]]:
    checked, wrong, tests = 0, [], data.read(COMPARISONS)
    for row in tests.itertuples():
        own = values.get((row.measure, row.group))
        if own is None or row.design != "paired" or row.by != "deal" or not row.difference:
            continue
        seeds = data.games.set_index("game_id").deal_seed.str.partition("#")[0]
        deal = own.game_id.map(seeds)
        of_games = own.assign(deal=deal).groupby(["deal", "condition", "game_id"]).value.mean()
        means = of_games.groupby(["deal", "condition"]).mean().unstack()
        mine = (means[row.b] - means[row.a]).dropna().mean()
        checked += 1
        if abs(float(row.difference) - mine) > 1e-9:
            wrong.append(
                f"{COMPARISONS}: {row.measure} / {row.group} / {row.b} − {row.a}: printed"
                f" {row.difference}, computed {mine:.6g}"
            )
    for family, those in tests[tests.p_holm != ""].groupby("family"):
        mine_p = multipletests(those.p.astype(float), method="holm")[1]
        for printed, p in zip(those.p_holm.astype(float), mine_p, strict=True):
            checked += 1
            if abs(printed - p) > 1e-9:
                wrong.append(f"{COMPARISONS}: Holm, {family}: printed {printed}, computed {p:.6g}")
    return checked, wrong
