"""Draws the papers' figures over the games of an experiment, as SVG (see `figures`)."""

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from webapp.measures import outcomes, polls
from webapp.measures.figure import Figure as Measured
from webapp.study.results.figure_rendering import INK, condition_name, draw_svg
from webapp.study.results.figures import (
    BAR_COLOR,
    MARK_COLOR,
    describe_rows,
    draw_estimates,
    empty_figure,
    shorten_name,
    wrap_name,
)
from webapp.study.results.helmsman_tables import LEAD_BY_ROLE, lead_by_role
from webapp.study.results.opinion_tables import SUBJECTS, Opinions, Subject, opinions_by_condition
from webapp.study.results.paper_tables import (
    VOTES_BETWEEN_ROLES,
    VOTES_BY_ROLE,
    WINS_BY_SYSTEM,
    WINS_BY_TEAM,
    comparable_wins,
    with_one_exile,
)
from webapp.study.results.published_cells import Conditions, printed_win

MAX_PANELS = 6  # this many conditions are drawn; the table has all
PANEL_COLUMNS = 3
MAX_TITLE_LINE_CHARS = 24  # a panel's title is broken at this width; it has at most two lines
DARK_CELL_PERCENT = 55  # cells above this percentage have white text
# (colour, style) of a role over time. Styles differ, so that lines are distinct without colours.
LINE_STYLES = (
    (BAR_COLOR, "o-"), (MARK_COLOR, "s--"), ("#4f9a5c", "^:"), ("#a763b8", "v-."), (INK, "D-"),
    ("#b8862b", "x--"),
)  # fmt: skip


def paper_figures(conditions: Conditions, baseline: str) -> dict[str, str]:
    """Return key -> SVG of every figure that is defined for the conditions."""
    played = {name: games for name, games in conditions.items() if games}
    shares = {name: votes.shares for name, votes in polls.votes_by_condition(played).items()}
    figures = {}
    if shares and len({tuple(row) for row in shares.values()}) == 1:
        title = "Straw polls by role, each condition over the baseline"
        figures[VOTES_BY_ROLE] = radar_figure(
            VOTES_BY_ROLE, title, shares, baseline, is_percent=True
        )
        votes = {name: polls.votes_between_roles(played[name]) for name in shares}
        figures[VOTES_BETWEEN_ROLES] = _heat_map_figure(votes)
    for name, subject in SUBJECTS.items():
        if opinions := opinions_by_condition(played, name):
            figures[subject.key] = _opinion_figure(name, subject, opinions)
    figures |= _lead_figures(played) | _team_win_figures(played)
    return figures | _system_win_figures(played)


def _lead_figures(conditions: Conditions) -> dict[str, str]:
    """Return key -> SVG of Ratio and of DC by the Sheriff's role (Helmsman, Figure 3)."""
    leads, svgs = lead_by_role(conditions), {}
    ratios = {names: lead.ratio for names, lead in leads.items()}
    changes = {names: lead.dc for names, lead in leads.items()}
    labels = {LEAD_BY_ROLE: "Ratio", f"{LEAD_BY_ROLE}-dc": "DC, over all living"}
    for (key, label), figures in zip(labels.items(), (ratios, changes), strict=True):
        lines = [
            _build_line(role, condition, figure)
            for (condition, role), figure in figures.items()
            if figure.value is not None
        ]
        if lines:
            svgs[key] = draw_estimates(key, f"{label} by the Sheriff's role", lines)
    return svgs


def _team_win_figures(conditions: Conditions) -> dict[str, str]:
    """Return the figure of wins by team and condition, {} if no exile decides a game.

    The figure has no published points: Humanized's are shares of votes, which are another measure.
    """
    one_exile = with_one_exile(conditions)
    teams = {t for games in one_exile.values() for game in games for t in game.teams.values()}
    lines = []
    for team, (name, games) in product(sorted(teams), one_exile.items()):
        won = sum(game.winner == team for game in games)
        lines.append(_build_line(team, name, outcomes.share_of_games(won, len(games)), 100))
    title = "Games won by team"
    return {WINS_BY_TEAM: draw_estimates(WINS_BY_TEAM, title, lines)} if lines else {}


def _system_win_figures(conditions: Conditions) -> dict[str, str]:
    """Return the figure of wins by system and role, {} without `comparable_wins`."""
    lines = []
    for system, row in comparable_wins(conditions).items():
        for role, figure in row.items():
            printed = printed_win(system, role).rstrip("?")
            source = {"paper": "Impressions", "what": f"{system}, {role}"}
            points = [{**source, "value": float(printed) / 100}] if printed else []
            lines.append(_build_line(system, role, figure, 100, points))
    title = "Games won by system and role"
    return {WINS_BY_SYSTEM: draw_estimates(WINS_BY_SYSTEM, title, lines)} if lines else {}


def _build_line(
    group: str,
    condition: str,
    figure: Measured,
    divisor: int = 1,
    published: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Return a line for `draw_estimates`. A divisor of 100 makes per cent a share."""
    ends = [end / divisor for end in figure.interval] if figure.interval else None
    return {
        "group": group, "condition": condition, "n": figure.n, "share": divisor > 1,
        "value": {"value": (figure.value or 0) / divisor}, "ci": {"value": ends},
        "published": published,
    }  # fmt: skip


def radar_figure(
    key: str,
    title: str,
    values: Mapping[str, Mapping[str, float]],
    baseline: str,
    *,
    is_percent: bool = False,
) -> str:
    """Return the SVG of a radar chart for each condition, drawn over the baseline's.

    Humanized has it as Figure 5 (votes) and Figure 6 (judges' scores).

    Args:
        values: Condition -> spoke -> value, at least 0; the same spokes in each.
        is_percent: Whether values are shares, described as per cent.
    """

    def format_value(value: float) -> str:
        return f"{100 * value:.1f} %" if is_percent else f"{value:.2f}"

    description = describe_rows(
        (condition_name(name), [f"{spoke} {format_value(v)}" for spoke, v in row.items()])
        for name, row in values.items()
    )
    return draw_svg(_draw_radar, (values, baseline), key, title, description)


def _draw_radar(values: Mapping[str, Mapping[str, float]], baseline: str) -> Figure:
    drawn = [name for name in values if name != baseline][:MAX_PANELS] or [baseline]
    rows = math.ceil(len(drawn) / PANEL_COLUMNS)
    figure = empty_figure(2.6 * rows + 0.2)
    largest = max(value for row in values.values() for value in row.values()) or 1.0
    for index, name in enumerate(drawn, 1):
        axes = figure.add_subplot(rows, min(PANEL_COLUMNS, len(drawn)), index, projection="polar")
        if baseline in values:
            _draw_outline(axes, values[baseline], INK, "--")
        _draw_outline(axes, values[name], BAR_COLOR, "-")
        axes.set_ylim(0, 1.1 * largest)
        _set_panel_title(axes, name)
    return figure


def _set_panel_title(axes: Axes, condition: str) -> None:
    title = wrap_name(condition_name(condition), MAX_TITLE_LINE_CHARS)
    axes.set_title(title, fontsize=9, color=MARK_COLOR)


def _draw_outline(axes: Axes, row: Mapping[str, float], color: str, style: str) -> None:
    angles = [2 * math.pi * n / len(row) for n in range(len(row))]
    values = [*row.values()]
    axes.plot([*angles, angles[0]], [*values, values[0]], style, color=color, linewidth=1.4)
    axes.set_xticks(angles, [shorten_name(unit, 10) for unit in row], fontsize=6)
    axes.set_yticks([])
    axes.patch.set_alpha(0)
    axes.grid(color=INK, alpha=0.25, linewidth=0.6)


def _heat_map_figure(votes: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """Return the SVG of which role votes for which, a panel for each condition."""
    description = describe_rows(
        (f"{condition_name(name)}, {voter}", [f"{role} {n:.0f} %" for role, n in row.items()])
        for name, table in votes.items()
        for voter, row in table.items()
    )
    title = "Straw polls: which role votes for which"
    return draw_svg(_draw_heat_map, (votes,), VOTES_BETWEEN_ROLES, title, description)


def _draw_heat_map(votes: Mapping[str, Mapping[str, Mapping[str, float]]]) -> Figure:
    figure, panels = _create_panels(list(votes), 0.2)
    for index, (name, axes) in enumerate(panels):
        _draw_heat_map_panel(axes, votes[name], is_first=index % PANEL_COLUMNS == 0)
    return figure


def _create_panels(
    names: Sequence[str], extra_height: float, **options: Any
) -> tuple[Figure, list[tuple[str, Axes]]]:
    """Return a figure, and the axes of a panel for each of the first MAX_PANELS conditions."""
    names = names[:MAX_PANELS]
    rows = math.ceil(len(names) / PANEL_COLUMNS)
    figure = empty_figure(2.4 * rows + extra_height)
    grid = figure.subplots(rows, min(PANEL_COLUMNS, len(names)), squeeze=False, **options)
    for axes in grid.flat[len(names) :]:
        axes.set_axis_off()
    panels = list(zip(names, grid.flat, strict=False))
    for name, axes in panels:
        _set_panel_title(axes, name)
    return figure, panels


def _draw_heat_map_panel(
    axes: Axes, table: Mapping[str, Mapping[str, float]], *, is_first: bool
) -> None:
    """Draw the votes of a condition. Only the first panel of a row names the voters' roles."""
    roles: Sequence[str] = list(table)
    values = [[table[voter].get(target, 0.0) for target in roles] for voter in roles]
    axes.pcolormesh(values, cmap="Blues", vmin=0, vmax=100)  # vectors: an image would be a raster
    axes.invert_yaxis()
    for y, row in enumerate(values):
        for x, value in enumerate(row):
            color = "#ffffff" if value > DARK_CELL_PERCENT else "#333333"
            center = (x + 0.5, y + 0.5)
            axes.text(*center, f"{value:.0f}", ha="center", va="center", fontsize=6, color=color)
    names = [shorten_name(role, 9) for role in roles]
    middles = [n + 0.5 for n in range(len(roles))]
    axes.set_xticks(middles, names, rotation=60, fontsize=6)
    axes.set_yticks(middles, names if is_first else [""] * len(roles), fontsize=6)
    axes.tick_params(length=0)


def _opinion_figure(name: str, subject: Subject, opinions: Opinions) -> str:
    """Return the SVG of the others' opinion of each role by round, a panel for each condition."""
    description = describe_rows(
        (
            f"{condition_name(condition)}, {role}",
            [f"round {n} {figure.value:.{subject.digits}f}" for n, figure in row.items()],
        )
        for condition, by_role in opinions.items()
        for role, row in by_role.items()
    )
    return draw_svg(_draw_over_time, (name, opinions), subject.key, subject.title, description)


def _draw_over_time(subject_name: str, opinions: Opinions) -> Figure:
    figure, panels = _create_panels(list(opinions), 0.5, sharey=True)
    roles = sorted({role for by_role in opinions.values() for role in by_role})
    lines = {role: LINE_STYLES[n % len(LINE_STYLES)] for n, role in enumerate(roles)}
    for name, axes in panels:
        for role, row in opinions[name].items():
            color, style = lines[role]
            values: list[Any] = [mean.value for mean in row.values()]
            axes.plot([*row], values, style, color=color, linewidth=1.4, markersize=3)
        axes.set_xticks(sorted({n for row in opinions[name].values() for n in row}))
        axes.patch.set_alpha(0)
        axes.grid(color=INK, alpha=0.25, linewidth=0.6)
        axes.set_xlabel("round of talk")
    panels[0][1].set_ylabel(f"mean {subject_name}")
    _draw_legend(figure, lines)
    return figure


def _draw_legend(figure: Figure, lines: Mapping[str, tuple[str, str]]) -> None:
    handles = [Line2D([], [], color=color, markersize=3) for color, _style in lines.values()]
    for handle, (_color, style) in zip(handles, lines.values(), strict=True):
        handle.set(marker=style[0], linestyle=style[1:])
    labels = [shorten_name(role, 16) for role in lines]
    location: Any = "outside lower center"
    figure.legend(handles, labels, loc=location, ncols=4, fontsize=7, frameon=False)
