"""Formats the judges' part of the stored statistics for the results page; no arithmetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from webapp.study.judging.concordance import published_scores
from webapp.study.models import Judge
from webapp.study.researcher.formatting import Notes, ResultCell


def told_judges(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the page shows of judges: those that rate as people do, and, apart from them, those that
    score as in the paper, with the paper's own figures."""
    apart = [_scored(one) for one in found if one["mode"] != Judge.RATER]
    return {
        "beside": [_beside(one) for one in found if one["mode"] == Judge.RATER],
        "apart": apart,
        "published": _published() if apart else None,
    }


def _who(one: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": f"{one['pseudonym']}: {one['name']}",
        "key": one["pseudonym"],
        "model": one["model"],
        "unfinished": one["state"] != Judge.DONE,
        "draws": one["draws"],
        "saw_outcome": one["mode"] == Judge.PAPER_REVEALED,
    }


def _beside(one: Mapping[str, Any]) -> dict[str, Any]:
    notes = Notes()
    return {
        **_who(one),
        "nothing": not any(item["units"] for item in one["beside"]),
        "items": [_item(item, notes) for item in one["beside"]],
        "biases": [
            {
                "label": item["label"],
                "condition": row["condition"] or _("all"),
                "units": row["units"],
                "games": row["games"],
                "cells": [notes.cell(row["difference"]), notes.cell(row["ci"])],
            }
            for item in one["beside"]
            for row in item["bias"]
        ],
        "steady": [_steady(item, notes) for item in one["beside"]],
        "notes": notes.sentences,
    }


def _item(item: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    names = ("spearman", "alpha_people", "alpha_with", "alpha_difference")
    cells: list[ResultCell] = []
    for name in names:
        cells += [notes.cell(item[name]), notes.cell(item[name]["ci"])]
    return {"label": item["label"], "units": item["units"], "games": item["games"], "cells": cells}


def _steady(item: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    again, draws = item["repeats"], item["draws"]
    cells = [again["exact"], again["within_one"], draws["exact"], draws["sd"], draws["alpha"]]
    return {
        "label": item["label"],
        "repeats": again["n"],
        "drawn": draws["n"],
        "cells": [notes.cell(cell) for cell in cells],
    }


def _scored(one: Mapping[str, Any]) -> dict[str, Any]:
    notes = Notes()
    rows = [
        {
            "label": item["label"],
            "condition": row["condition"],
            "games": row["games"],
            "cells": [notes.cell(row[name]) for name in ("mean", "sd", "ci")],
        }
        for item in one["scores"]
        for row in item["conditions"]
    ]
    steady = [
        {
            "label": item["label"],
            "cells": [notes.cell(item["draws"][name]) for name in ("sd", "alpha")],
        }
        for item in one["scores"]
    ]
    return {**_who(one), "rows": rows, "steady": steady, "notes": notes.sentences}


def _published() -> dict[str, Any]:
    told = published_scores()
    columns = list(dict.fromkeys(name for row in told["rows"].values() for name in row))
    rows = [
        (label, [f"{row[name]:.2f}" for name in columns]) for label, row in told["rows"].items()
    ]
    return {"table": told["table"].capitalize(), "columns": columns, "rows": rows}
