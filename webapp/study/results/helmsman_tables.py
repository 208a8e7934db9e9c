"""Helmsman's tables of an experiment: the Sheriff's lead, by condition and role.

Each function named *_table returns None if no game has a Sheriff. DC is the decision change: the
share of players whose vote changed after the Sheriff spoke (`decision_change`).
"""

from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import NamedTuple

from webapp.lab.published import find_cells
from webapp.measures import correlation, outcomes, ratio
from webapp.measures.decision_change import BY_DIVISOR, STAR_BY_DIVISOR, decision_change
from webapp.measures.figure import MIN_INTERVAL_GAMES, Figure, add_interval, mean_over_games
from webapp.measures.game_record import GameRecord
from webapp.study.results.published_cells import (
    OTHER_MODEL,
    Conditions,
    Games,
    printed_figure,
    value_cell,
)
from webapp.study.results.result_table import DASH, ResultTable, Value, format_ends

LEAD_BY_ROLE = "lead-by-role"  # key of the figure that `paper_figures` draws
# Number of a table of Helmsman about Sheriffs by model -> its setting.
TABLE_SETTINGS = {
    "Table 1": "heterogeneous", "Table 2": "heterogeneous, fine-tuned",
    "Table 19": "homogeneous, elected", "Table 20": "elected, its model swapped",
    "Table 23": "DC* of Tables 1 and 2", "Table 24": "outcomes of Tables 1 and 2",
}  # fmt: skip
BADGES = {"without badge": "", "with badge": " (Sheriff)"}  # ours -> suffix of a role in Table 25


def _mean_of(metric: Callable[[GameRecord], Figure]) -> Callable[[Games], Figure]:
    """Return a function that averages a metric of one game over games."""
    return lambda games: mean_over_games([metric(game) for game in games])


LEADERSHIP_COLUMNS: dict[str, Callable[[Games], Figure]] = {
    "Ratio": _mean_of(ratio.ratio),
    "DC, over the others": _mean_of(BY_DIVISOR["over_others"]),
    "DC, over all living": _mean_of(BY_DIVISOR["over_living"]),
    "DC*, over all living": _mean_of(STAR_BY_DIVISOR["over_living"]),
    "Correlation, program": _mean_of(correlation.program_correlation),
    "Completion": outcomes.completion,
    "Win among completed": outcomes.win,
    "Product": outcomes.completion_win,
}


def leadership_table(conditions: Conditions) -> ResultTable | None:
    """Return the Sheriff's metrics by condition (Helmsman, Tables 1, 2, 19, 20, 23 and 24)."""
    led = {name: games for name, games in conditions.items() if games[0].has_leader}
    if not led:
        return None
    head = ("Condition", "Games", *LEADERSHIP_COLUMNS)
    title = "The Sheriff's lead (Helmsman, Tables 1, 2, 19, 20, 23 and 24)"
    table = ResultTable(title, head, key="table-helmsman-1")
    for name, games in led.items():
        figures = [compute(games) for compute in LEADERSHIP_COLUMNS.values()]
        table.add(name, len(games), *(value_cell(table, figure, 3) for figure in figures))
    for printed_table, setting in TABLE_SETTINGS.items():
        for model, n in _published_models(printed_table, led).items():
            printed = [
                printed_figure("helmsman", printed_table, f.metric, "", model, f.variant)
                for f in figures  # figures of the last condition; all have the same metrics
            ]
            label = f"{model}, published, {printed_table} ({setting})"
            table.add(label, n or DASH, *(text or DASH for text in printed), style="quiet")
    table.note(OTHER_MODEL)
    return table


def _published_models(printed_table: str, conditions: Conditions) -> dict[str, int | None]:
    """Return the models of a published table that conditions are named after, with their n."""
    names, cells = level_names(conditions), find_cells("helmsman", printed_table, "ratio")
    return {cell.column: cell.n for cell in reversed(cells) if cell.column.casefold() in names}


def level_names(conditions: Iterable[str]) -> set[str]:
    """Return the levels that conditions such as "a+b" are composed of, in lower case."""
    return {level.casefold() for name in conditions for level in name.split("+")}


def leadership_role_table(conditions: Conditions) -> ResultTable | None:
    """Return Ratio and DC by the Sheriff's role (Helmsman, Figure 3)."""
    title = "The Sheriff's lead by role (Helmsman, Figure 3)"
    head = ("Condition", "Sheriff's role", "Games", "Ratio", "Ratio, 95% CI", "DC, over all living",
            "DC, 95% CI")  # fmt: skip
    table = ResultTable(title, head, text_columns=2, key="figure-helmsman-3", figure=LEAD_BY_ROLE)
    for (name, role), lead in lead_by_role(conditions).items():
        cells: list[Value] = []
        for figure in (lead.ratio, lead.dc):
            cells += [value_cell(table, figure, 3), format_ends(figure.interval, 3)]
        table.add(name, role, lead.game_count, *cells)
    table.note(
        "CI: by t over games, of the Ratio on its log, of DC on its logit; none below"
        f" {MIN_INTERVAL_GAMES} games or where all are alike."
    )
    return table if table.rows else None


class RoleLead(NamedTuple):
    """The lead of the Sheriffs with one role. DC is over all living players."""

    game_count: int
    ratio: Figure
    dc: Figure


def lead_by_role(conditions: Conditions) -> dict[tuple[str, str], RoleLead]:
    """Return (condition, the Sheriff's role) -> the lead, with intervals."""
    leads = {}
    for name, games in conditions.items():
        led = [game for game in games if game.has_leader and game.leader]
        for role in sorted({game.roles[game.leader] for game in led}):
            role_games = [game for game in led if game.roles[game.leader] == role]
            ratios = [ratio.ratio(game) for game in role_games]
            changes = [decision_change(game, "over_living") for game in role_games]
            means = _mean_with_interval(ratios, inf), _mean_with_interval(changes, 1)
            leads[name, role] = RoleLead(len(role_games), *means)
    return leads


def _mean_with_interval(figures: Sequence[Figure], high: float) -> Figure:
    """Return the mean over games with its interval, on a scale from 0 to `high`."""
    values = [figure.value for figure in figures if figure.value is not None]
    return add_interval(mean_over_games(figures), values, 0, high)


def role_ratio_table(conditions: Conditions) -> ResultTable | None:
    """Return the Ratio of all roles, without and with the badge (Helmsman, Table 25)."""
    title = "Ratio of all roles, without and with the badge (Helmsman, Table 25)"
    head = ("Condition", "Role", "Without badge", "Player-days without", "With badge",
            "Player-days with")  # fmt: skip
    table = ResultTable(title, head, text_columns=2, key="table-helmsman-25")
    led = {name: games for name, games in conditions.items() if games[0].has_leader}
    for name, games in led.items():
        for role, by_badge in ratio.ratio_by_role(games).items():
            figures = map(by_badge.get, BADGES)
            cells = [(value_cell(table, f, 3), f.n) if f else (DASH, 0) for f in figures]
            table.add(name, role, *cells[0], *cells[1])
        for model in sorted({cell.row for cell in find_cells("helmsman", "Table 25")}):
            if model.casefold() in level_names([name]):
                _add_published_roles(table, model)
    table.note(OTHER_MODEL)
    return table if table.rows else None


def _add_published_roles(table: ResultTable, model: str) -> None:
    """Add a model's published Ratio of each role (Helmsman, Table 25)."""
    for role in ("villager", "guard", "seer", "werewolf"):
        letter = role[0].upper()  # the paper's name of the role
        printed = [
            printed_figure("helmsman", "Table 25", ratio.BY_ROLE, model, letter + suffix) or DASH
            for suffix in BADGES.values()
        ]
        row = (f"{model}, published", role, printed[0], DASH, printed[1], DASH)
        table.add(*row, style="quiet")
