"""Ratio, DC and the correlation of scores in games with a Sheriff (Helmsman 3.2, 4.3).

The human evaluation has the person's values on days with another Sheriff. The human baseline has
the computer players' values on days on which a person is the Sheriff; in an experiment, on all
days. Scores and votes of people who do not count are removed.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from webapp.lab.published import PublishedCell, find_cells
from webapp.measures import correlation, decision_change, ratio
from webapp.measures.figure import Figure
from webapp.measures.game_record import Day, GameRecord
from webapp.statistics.reported_statistics import defined, undefined
from webapp.study.results.estimates import Groups
from webapp.study.results.helmsman_tables import level_names
from webapp.study.results.sections import ALL_CONDITIONS, Section
from webapp.study.results.study_rows import COMPUTER, PERSON, GameRow, Observation, StudyRows

# Metrics of a game, each with the group of players whose scores or votes count.
METRICS: Sequence[tuple[str, Callable[[GameRecord], Figure]]] = (
    (PERSON, ratio.ratio_by_person),
    (PERSON, decision_change.decision_change_by_person),
    (PERSON, correlation.program_correlation),
    (COMPUTER, ratio.ratio),
    *((COMPUTER, compute) for compute in decision_change.BY_DIVISOR.values()),
)
# Our (measure, variant) without a figure of the simulation, whose DC is over all living players.
NOT_SIMULATED = ("dc", "over_others")
# Group -> table with Helmsman's figures of games with people, name of its row or column, and what
# pages call them.
HUMAN_FIGURES = {
    PERSON: ("Table 3", "Human Evaluation", "person"),
    COMPUTER: ("Table 22", "Average Result", "baseline"),
}
PUBLISHED_FIELDS = ("value", "n", "n_is", "unit", "variant", "table")


def leadership_section(rows: StudyRows, groups: Groups) -> Section:
    """Return the section of leadership: means over games, and pooled correlations."""
    section = Section("leadership", rows, groups)
    records = {g.code: _counted_record(g) for g in rows.games if g.record and g.record.has_leader}
    has_people = bool(records) and not rows.is_experiment
    for group, compute in METRICS if records else ():
        is_baseline = group == COMPUTER and has_people
        figures = {
            code: compute(_days_led_by_people(record) if is_baseline else record)
            for code, record in records.items()
        }
        first = next(iter(figures.values()))
        section.add(
            first.metric,
            [Observation(f.value, code, "") for code, f in figures.items() if f.value is not None],
            item=first.variant,
            group=group,
            is_tested=True,
            is_always_shown=has_people and first.variant == correlation.PROGRAM,
        )
    if has_people:
        _add_pooled_correlations(section, records)
    for line in section.lines:
        measure, variant = line["measure"], line["item"]
        line["published"] = (
            _published_models(measure, variant, rows.conditions)
            if rows.is_experiment
            else _published_kinds(measure, variant, line["group"])
        )
    return section


def _counted_record(game: GameRow) -> GameRecord:
    """Return the record without the scores and pseudo-votes of people who do not count."""
    assert game.record is not None
    days = _days_without(game.record, game.record.people - game.counted)
    return replace(game.record, days=days, people=game.counted & game.record.people)


def _days_led_by_people(record: GameRecord) -> GameRecord:
    """Return the days on which a person who counts is the Sheriff, without people's values."""
    days = _days_without(record, record.people)
    return replace(record, days=tuple(day for day in days if day.leader in record.people))


def _days_without(record: GameRecord, seats: Collection[int]) -> tuple[Day, ...]:
    """Return the days without the scores and pseudo-votes of these seats."""

    def remove(rows: Mapping[int, Any]) -> dict[int, Any]:
        return {seat: row for seat, row in rows.items() if seat not in seats}

    return tuple(
        replace(day, scores=remove(day.scores), pseudo_votes=remove(day.pseudo_votes))
        for day in record.days
    )


def _add_pooled_correlations(section: Section, records: Mapping[str, GameRecord]) -> None:
    """Add a line for each coefficient over the pairs of all games, overall and by condition.

    A coefficient has no interval, because the pairs of a game are not independent.
    """
    for condition in section.shown_conditions:
        records_with_pairs = [
            record
            for code, record in records.items()
            if condition in (ALL_CONDITIONS, section.condition[code])
            and any(correlation.single_pairs(record))
        ]
        for variant, correlate in correlation.POOLED.items():
            figure = correlate(records_with_pairs)
            value = undefined("no_scores_alike") if figure.value is None else defined(figure.value)
            section.lines.append(
                {
                    "section": section.key, "measure": "correlation", "item": variant,
                    "group": PERSON, "condition": condition, "share": False, "n": figure.n,
                    "people": None, "games": len(records_with_pairs), "groups": None,
                    "value": value, "sd": undefined("pooled_pairs"),
                    "ci": undefined("pooled_pairs"),
                }
            )  # fmt: skip


def _published_kinds(measure: str, variant: str, group: str) -> list[dict[str, Any]]:
    """Return Helmsman's figures of games with people, and of its simulation."""
    table, name, description = HUMAN_FIGURES[group]
    rows = [
        _published_row(cell, description)
        for cell in find_cells("helmsman", table, measure)
        if name in (cell.row, cell.column) and cell.variant == variant
    ]
    if (measure, variant) != NOT_SIMULATED:
        cells = find_cells("helmsman", "Table 1", measure)
        rows += [_published_row(cell, "simulation") for cell in cells if cell.column == "GLM-3"]
    return rows


def _published_models(
    measure: str, variant: str, conditions: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the figures of Helmsman's Table 1 for models that levels are named after."""
    if (measure, variant) == NOT_SIMULATED:
        return []
    cells, names = find_cells("helmsman", "Table 1", measure), level_names(conditions)
    return [_published_row(c, c.column) for c in cells if c.column.casefold() in names]


def _published_row(cell: PublishedCell, description: str) -> dict[str, Any]:
    row = {"what": description, "paper": "Helmsman", "pages": list(cell.pages)}
    return row | {name: getattr(cell, name) for name in PUBLISHED_FIELDS}
