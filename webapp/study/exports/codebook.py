"""What every file and every column means, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext as _

from webapp.study import situations
from webapp.study.exports import items, ratings
from webapp.study.exports.meanings import COLUMNS, FILES
from webapp.study.exports.source import SCHEMA, Source, app_version


def _columns(source: Source) -> dict[str, list[str]]:
    """file -> its columns."""
    keys = [d.key for d in source.instrument.dimensions]
    at = ratings.LONG.index("dimension")
    wide = [
        *ratings.LONG[:at],
        *(ratings.VALUE + k for k in keys),
        *(ratings.STATUS + k for k in keys),
        *ratings.LONG[ratings.LONG.index("is_attention") :],
    ]
    return {
        "ratings_long.csv": list(ratings.LONG),
        "ratings_wide.csv": wide,
        "items.csv": list(items.ITEMS),
        "transcripts.csv": list(items.TRANSCRIPT),
        "transcripts.jsonl": list(items.TRANSCRIPT),
        "raters.csv": list(ratings.RATERS),
    }


def _meaning(column: str) -> str:
    for prefix in (ratings.VALUE, ratings.STATUS):
        if column.startswith(prefix):
            return _(COLUMNS[prefix + "*"])
    return _(COLUMNS[column])


def _facts(source: Source) -> dict[str, Any]:
    campaign = source.campaign
    return {
        "campaign_id": campaign.code,
        "name": campaign.name,
        "campaign_config_hash": source.hash,
        "export_schema_version": SCHEMA,
        "app_version": app_version(),
        "seed": campaign.seed,
        "context_lines": campaign.context,
        "raters_per_unit": campaign.raters_per_unit,
        "units_per_rater": campaign.units_per_rater,
        "repeats_per_rater": campaign.repeats,
        "checks_per_rater": campaign.attention,
        "pairs": campaign.rival is not None,
        "conditions": sorted(
            {*source.conditions.values()}
            | ({campaign.rival_condition} if campaign.rival is not None else set())
        ),
    }


def as_json(source: Source) -> bytes:
    data = {
        **_facts(source),
        "choice": source.campaign.choice,
        "rival": source.campaign.rival,
        "consent": source.campaign.consent,
        "instrument": source.instrument.data(),
        "situations": {k: str(v) for k, v in situations.LABELS.items()},
        "files": {name: _(told) for name, told in FILES.items()},
        "columns": {
            name: {column: _meaning(column) for column in columns}
            for name, columns in _columns(source).items()
        },
    }
    return (json.dumps(data, ensure_ascii=False, indent=2, sort_keys=False) + "\n").encode()


def markdown(source: Source) -> bytes:
    lines = [f"# {_plain(source.campaign.name)}", "", _("What the files of this export hold."), ""]
    told = {k: ", ".join(v) if isinstance(v, list) else v for k, v in _facts(source).items()}
    lines += _rows(("", ""), told.items())
    lines += ["", f"## {_('The instrument')}: {_plain(source.instrument.title)}", ""]
    lines += [_plain(source.instrument.intro), ""]
    fields = ("key", "label", "question", "min", "low_pole", "max", "high_pole", "situation")
    rows = [[asdict(d)[f] for f in fields] for d in source.instrument.dimensions]
    lines += _rows(fields, rows)
    lines += ["", f"## {_('Situations')}", ""]
    lines += _rows(("key", ""), situations.LABELS.items())
    lines += ["", f"## {_('Reading the CSV files')}", "", _(READING)]
    for name, columns in _columns(source).items():
        lines += ["", f"## {name}", "", _(FILES[name]), ""]
        lines += _rows((_("column"), _("meaning")), ((c, _meaning(c)) for c in columns))
    return ("\n".join(lines) + "\n").encode()


READING = FILES["*"]


def _rows(head: Iterable[Any], rows: Iterable[Iterable[Any]]) -> list[str]:
    titles = [_plain(h) for h in head]
    out = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    return out + ["| " + " | ".join(map(_plain, row)) + " |" for row in rows]


def _plain(value: Any) -> str:
    """A value on one line of a Markdown table."""
    text = " ".join(str(value).split())
    for sign in "\\|<>*`#[]":
        text = text.replace(sign, "\\" + sign)
    return text
