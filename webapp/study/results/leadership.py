"""Ratio, DC and the correlation of scores in games with a Sheriff (Helmsman 3.2, 4.3).

The human evaluation: values of the person on days on which somebody else is the Sheriff. The human
baseline: values of the computer players on days on which a person is; in an experiment, on all
days. `webapp.measures` defines both. Scores and votes of people who don't count are removed from
the records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from webapp.lab.published import PUBLISHED, Published
from webapp.measures import correlation, decision_change, ratio
from webapp.measures.figure import Figure
from webapp.measures.game_record import Day, GameRecord
from webapp.statistics.reported_statistics import defined, unknown
from webapp.study.results.estimates import Groups, Observation
from webapp.study.results.sections import ALL, Section
from webapp.study.results.study_rows import COMPUTER, PERSON, GameRow, StudyRows

# (measure, group, variant, function); group: whose scores or votes count.
MEASURES: tuple[tuple[str, str, str, Callable[[GameRecord], Figure]], ...] = (
    ("ratio", PERSON, "person", ratio.ratio_by_person),
    ("dc", PERSON, "person", decision_change.decision_change_by_person),
    ("correlation", PERSON, correlation.PROGRAM, correlation.program),
    ("ratio", COMPUTER, "others", ratio.ratio),
    (
        "dc", COMPUTER, "over_others",
        lambda game: decision_change.decision_change(game, "over_others"),
    ),
    (
        "dc", COMPUTER, "over_living",
        lambda game: decision_change.decision_change(game, "over_living"),
    ),
)  # fmt: skip

# The program's figures of DC stand beside its own interpretation only, over all living.
OTHER_READING = ("dc", "over_others")
PRINTED = ("value", "n", "n_is", "unit", "variant", "table")  # of a published figure


def leadership(rows: StudyRows, groups: Groups) -> Section:
    """Return the section: means over games with equal weights, and pooled correlations.

    The latter are over pairs of scores.
    """
    section = Section("leadership", rows, groups)
    records = {g.code: counted(g) for g in rows.games if g.record and g.record.has_leader}
    for measure, group, variant, make in MEASURES:
        observations = []
        for code, record in records.items():
            of_people = group == COMPUTER and not rows.by_itself
            figure = make(led_by_people(record) if of_people else record)
            if figure.value is not None:
                observations.append(Observation(figure.value, code, ""))
        always = bool(records) and variant == correlation.PROGRAM and not rows.by_itself
        section.add(measure, observations, item=variant, group=group, tested=True, always=always)
    if records and not rows.by_itself:
        _pooled(section, records)
    for line in section.lines:
        of = (line["measure"], line["item"])
        line["published"] = (
            published_models(*of, rows.conditions)
            if rows.by_itself
            else published(*of, line["group"])
        )
    return section


def counted(game: GameRow) -> GameRecord:
    """Return the record with the scores and votes of all agents and of people who count."""
    record = game.record
    assert record is not None
    out = record.people - game.counted

    def without(rows: Mapping[int, Any]) -> dict[int, Any]:
        return {seat: row for seat, row in rows.items() if seat not in out}

    days = tuple(
        replace(d, scores=without(d.scores), pseudo_votes=without(d.pseudo_votes))
        for d in record.days
    )
    return replace(record, days=days, people=game.counted & record.people)


def led_by_people(record: GameRecord) -> GameRecord:
    """Return the days with a counting person as Sheriff, with the computer players' scores."""

    def agents(day: Day) -> Day:
        scores = {seat: row for seat, row in day.scores.items() if seat not in record.people}
        before = {s: v for s, v in day.pseudo_votes.items() if s not in record.people}
        return replace(day, scores=scores, pseudo_votes=before)

    return replace(record, days=tuple(agents(d) for d in record.days if d.leader in record.people))


def _pooled(section: Section, records: Mapping[str, GameRecord]) -> None:
    """Add the coefficients over the pairs of all games of a condition.

    They have no interval over games, because the pairs of a game are not independent.
    """
    several = section.rows.conditions if len(section.rows.conditions) > 1 else ()
    for condition in (ALL, *several):
        own = [r for c, r in records.items() if condition in (ALL, section.condition[c])]
        holding = [r for r in own if any(True for _ in correlation.single_pairs(r))]
        for variant, pooled in correlation.POOLED.items():
            figure = pooled(holding)
            value = (
                defined(figure.value) if figure.value is not None else unknown("no_scores_alike")
            )
            section.lines.append(
                {
                    "section": section.key, "measure": "correlation", "item": variant,
                    "group": PERSON, "condition": condition, "share": False, "n": figure.n,
                    "people": None, "games": len(holding), "groups": None, "value": value,
                    "sd": unknown("pooled_pairs"), "ci": unknown("pooled_pairs"),
                }
            )  # fmt: skip


def published(measure: str, variant: str, group: str) -> list[dict[str, Any]]:
    """Return the papers' figures of the metric and variant, labelled by their kind of game.

    They are those of games with people, and of the simulation.
    """
    published_cells: Sequence[tuple[str, str, str]] = {
        ("ratio", PERSON): (("Table 3", "Human Evaluation", "person"),
                            ("Table 1", "GLM-3", "simulation")),
        ("dc", PERSON): (("Table 3", "Human Evaluation", "person"),
                         ("Table 1", "GLM-3", "simulation")),
        ("correlation", PERSON): (("Table 3", "Human Evaluation", "person"),),
        ("ratio", COMPUTER): (("Table 22", "Average Result", "baseline"),
                              ("Table 1", "GLM-3", "simulation")),
        ("dc", COMPUTER): (("Table 22", "Average Result", "baseline"),
                           ("Table 1", "GLM-3", "simulation")),
    }.get((measure, group), ())  # fmt: skip
    published_rows = []
    for table, row_name, description in published_cells:
        for cell in PUBLISHED:
            at = (cell.paper, cell.table, cell.metric) == ("helmsman", table, measure)
            if not at or row_name not in (cell.row, cell.column):
                continue
            if description != "simulation" and cell.variant != variant:
                continue
            if description == "simulation" and (measure, variant) == OTHER_READING:
                continue
            published_rows.append(_published_row(cell, description))
    return published_rows


def published_models(measure: str, variant: str, conditions: Sequence[str]) -> list[dict[str, Any]]:
    """Return Helmsman's Table 1 for models that conditions, or their levels, are named after."""
    names = {level.casefold() for name in conditions for level in name.split("+")}
    return [
        _published_row(cell, cell.column)
        for cell in PUBLISHED
        if (cell.paper, cell.table, cell.metric) == ("helmsman", "Table 1", measure)
        and cell.column.casefold() in names
        and cell.value is not None
        and (measure, variant) != OTHER_READING
    ]


def _published_row(cell: Published, description: str) -> dict[str, Any]:
    row = {"what": description, "paper": "Helmsman", "pages": list(cell.pages)}
    return row | {name: getattr(cell, name) for name in PRINTED}
