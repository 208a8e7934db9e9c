"""All results of a study as one JSON-able dict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from webapp.lab.published import PUBLISHED
from webapp.statistics.compare import adjust
from webapp.statistics.intervals import LEVEL
from webapp.study.results import VERSION
from webapp.study.results.estimates import Groups, Observation, grouped
from webapp.study.results.guesses import guesses
from webapp.study.results.leadership import leadership
from webapp.study.results.participant_flow import (
    completers_of,
    participant_flow,
    without_lost,
)
from webapp.study.results.sections import ALL, Maker, Section
from webapp.study.results.study_rows import (
    CHOICE,
    COMPUTER,
    NUMBER,
    PERSON,
    SCALE,
    AnswerRow,
    ItemRow,
    SeatRow,
    StudyRows,
)

MEAN = "mean"


def questionnaires(rows: StudyRows, groups: Groups) -> Section:
    """Return an answer of no game hangs together with its participant's games.

    It counts where their first one does, and in no condition where they played in several.
    """
    section = Section("questionnaires", rows, groups)
    played: dict[str, list[str]] = {}
    for game in rows.games:
        for person in game.people:
            played.setdefault(person, []).append(game.code)
    choices = []
    for item in rows.items:
        own = [row for row in rows.answers if row.item == item.key]
        if item.kind in (SCALE, NUMBER):
            observations = [
                Observation(
                    row.value,
                    row.game or played[row.participant][0],
                    row.participant,
                    anywhere=not row.condition,
                )
                for row in own
                if row.value is not None
            ]
            section.add(MEAN, observations, item=item.key, tested=item.kind == SCALE)
        elif item.kind == CHOICE:
            choices += _counts(item, own, rows.conditions)
    section.beside["choices"] = choices
    return section


def _counts(
    item: ItemRow, own: list[AnswerRow], conditions: tuple[str, ...]
) -> list[dict[str, Any]]:
    """Return one row a condition.

    How many people answered, and how many times each option was chosen, in the order in which they
    are offered.
    """
    count_rows = []
    for condition in (ALL, *(conditions if len(conditions) > 1 else ())):
        those = [row for row in own if condition in (ALL, row.condition)]
        counts = Counter(option for row in those for option in row.chosen)
        people = len({row.participant for row in those})
        count_rows.append({"item": item.key, "condition": condition, "people": people,
                      "counts": [[option, counts[option]] for option in item.options]})  # fmt: skip
    return count_rows


WON, SURVIVED, ACCURATE = "won", "survived", "accurate"


KINDS = (PERSON, COMPUTER)


def endings(rows: StudyRows, groups: Groups) -> Section:
    """Shares of seats, by kind.

    Of each kind by team and by role too. A game that nobody won is no team's: it is in no share of
    wins.
    """
    section = Section("endings", rows, groups)
    seats = [(game.code, seat) for game in rows.games for seat in game.seats if seat.kind]
    teams = sorted({seat.team for _game, seat in seats})
    roles = sorted({seat.role for _game, seat in seats})
    parts = [("", ""), *(("team", t) for t in teams), *(("role", r) for r in roles)]
    for measure in (WON, SURVIVED):
        for field, value in parts:
            for kind in KINDS:
                own = [(g, s) for g, s in seats if s.kind == kind and _is(s, field, value)]
                observations = [
                    Observation(float(getattr(seat, measure)), game, seat.who)
                    for game, seat in own
                    if getattr(seat, measure) is not None
                ]
                group = f"{kind}/{field}:{value}" if field else kind
                section.add(measure, observations, group=group, share=True, is_whole=bool(field))
    return section


def _is(seat: SeatRow, field: str, value: str) -> bool:
    return not field or getattr(seat, field) == value


def votes(rows: StudyRows, groups: Groups) -> Section:
    """Vote accuracy: of the votes of players who want somebody out (docs/statistics.md), the share
    that named one of those.
    """
    section = Section("votes", rows, groups)
    for kind in KINDS:
        observations = [
            Observation(float(v.right), v.game, v.who) for v in rows.votes if v.kind == kind
        ]
        section.add(ACCURATE, observations, group=kind, share=True, tested=kind == PERSON)
    return section


# In the order of the page. Those that tell kinds are empty while these may not be told.
SECTIONS: Mapping[str, Maker] = {
    "guesses": guesses,
    "questionnaires": questionnaires,
    "endings": endings,
    "votes": votes,
    "leadership": leadership,
}
# The papers' other evaluations: (paper, table, what it is). Of Impressions' the paper says
# "subjective evaluation" and not whose: by people or by a model is not stated.
EVALUATIONS = (
    ("guarded", "Table 7", "ratings of utterances from 1 to 5 by ten people, blind"),
    (
        "impressions",
        "Table 3",
        "subjective evaluation, by whom is not stated: mean ranks of "
        "players at five seats, 5 the best",
    ),
    (
        "impressions",
        "Table 4",
        "subjective evaluation, by whom is not stated: mean ranks of "
        "players at thirteen seats, 13 the best",
    ),
)


def results(rows: StudyRows) -> dict[str, Any]:
    """version, settings, totals, flow, left_out, items, conditions, sections, completers,
    published.
    """
    groups = grouped(rows.games)
    sections = {key: make(rows, groups).data() for key, make in SECTIONS.items()}
    _adjust(sections)
    completers = completers_of(rows)
    of_completers = {key: make(completers, groups).data() for key, make in SECTIONS.items()}
    of_games = {game.code: groups.of[game.code] for game in rows.games}
    return {
        "version": VERSION,
        "settings": {"level": LEVEL, "alpha": 1 - LEVEL},
        "told": rows.told,
        "totals": {
            "games": len(rows.games),
            "groups": len(set(of_games.values())),
            "people": rows.people,
            "linked": groups.linked,
            "by_condition": {
                name: sum(game.condition == name for game in rows.games) for name in rows.conditions
            },
        },
        "flow": participant_flow(rows) if rows.flow else None,
        "left_out": dict(rows.left_out),
        "conditions": list(rows.conditions),
        "items": [asdict(item) for item in rows.items],
        "sections": sections,
        "completers": without_lost(sections, of_completers),
        "published": published(),
    }


def _adjust(sections: Mapping[str, Any]) -> None:
    """Adjust the p of all tests of the page over all conditions together, by Holm.

    Those in one condition look closer at one of these and are no tests of their own.
    """
    tests = [one for section in sections.values() for one in section["comparisons"]]
    adjust([one for one in tests if one["condition"] == ALL])


def published() -> list[dict[str, Any]]:
    """The papers' other evaluations, cell by cell as printed (texts), named for what they are."""
    published_tables = []
    for paper, table, description in EVALUATIONS:
        cells = [c for c in PUBLISHED if (c.paper, c.table) == (paper, table)]
        columns = list(dict.fromkeys(cell.column for cell in cells))
        names = list(dict.fromkeys(cell.row for cell in cells))
        values = {(cell.row, cell.column): cell.printed for cell in cells}
        published_tables.append(
            {
                "paper": paper.capitalize(), "table": table, "what": description,
                "columns": columns,
                "rows": [{"row": r, "cells": [values.get((r, c)) for c in columns]} for r in names],
            }
        )  # fmt: skip
    return published_tables
