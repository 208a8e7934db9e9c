"""All results of a study as one JSON-able dict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from webapp.lab.published import PUBLISHED
from webapp.study.outcomes import VERSION
from webapp.study.outcomes.endings import endings, votes
from webapp.study.outcomes.estimates import grouped
from webapp.study.outcomes.guesses import guesses
from webapp.study.outcomes.leadership import leadership
from webapp.study.outcomes.questionnaires import questionnaires
from webapp.study.outcomes.rows import StudyRows
from webapp.study.outcomes.sections import Maker
from webapp.study.statistics.intervals import LEVEL

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
    """version, settings, totals, left_out, items, conditions, sections, published."""
    groups = grouped(rows.games)
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
        "left_out": dict(rows.left_out),
        "conditions": list(rows.conditions),
        "items": [asdict(item) for item in rows.items],
        "sections": {key: make(rows, groups).data() for key, make in SECTIONS.items()},
        "published": published(),
    }


def published() -> list[dict[str, Any]]:
    """The papers' other evaluations, cell by cell as printed (texts), named for what they are."""
    found = []
    for paper, table, what in EVALUATIONS:
        cells = [c for c in PUBLISHED if (c.paper, c.table) == (paper, table)]
        columns = list(dict.fromkeys(cell.column for cell in cells))
        names = list(dict.fromkeys(cell.row for cell in cells))
        values = {(cell.row, cell.column): cell.printed for cell in cells}
        found.append(
            {
                "paper": paper.capitalize(), "table": table, "what": what, "columns": columns,
                "rows": [{"row": r, "cells": [values.get((r, c)) for c in columns]} for r in names],
            }
        )  # fmt: skip
    return found
