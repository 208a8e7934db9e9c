"""Instruments: questions for raters and participants (docs/instruments.md).

Built-in instruments are TOML files in this folder. A campaign stores a copy of its instrument. A
study stores those that it has changed in its design, and copies of the others when it opens.
`items` and `instrument` have the classes.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from webapp.study.design.instruments.instrument import (
    PARTICIPANT_UNITS,
    Instrument,
    ParticipantInstrument,
)
from webapp.study.design.instruments.items import Dimension, Item, Option

__all__ = [
    "PARTICIPANT_KEYS", "Dimension", "Instrument", "Item", "Option", "blank_instrument",
    "for_participants", "for_raters", "get", "resolve", "why_not_askable",
]  # fmt: skip
FOLDER = Path(__file__).parent
# Keys of the built-in instruments, in the order in which they are offered.
RATER_KEYS = (
    "guarded", "speech", "contest-5", "contest-7", "contest-8", "contest-13", "players",
    "engagement",
)  # fmt: skip
PARTICIPANT_KEYS = (
    "background", "who-is-human", "role-guess", "impressions", "interview", "interview-known",
    "chatbots",
)  # fmt: skip


@cache
def _built_in() -> dict[str, Instrument]:
    instruments_by_key = {}
    for path in sorted(FOLDER.glob("*.toml")):
        data = tomllib.loads(path.read_text("utf-8"))
        for instrument_data in _ranking_variants(data) if "seats" in data else [data]:
            instrument = Instrument.from_json(instrument_data)
            instruments_by_key[instrument.key] = instrument
    return instruments_by_key


def _ranking_variants(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the data of a ranking instrument for every number of seats in `data["seats"]`.

    An item can require a number of seats (`least_seats`). The example of the file has places (1 is
    first). Instruments have ranks (the number of seats is first).
    """
    for seats in data["seats"]:
        items = [d for d in data["dimensions"] if d.get("least_seats", 0) <= seats]
        keys = {d["key"] for d in items}
        letters = f"{items[0]['label'][0]}–{items[-1]['label'][0]}"
        example = data["example"]
        yield {
            "key": f"{data['key']}-{seats}",
            "title": data["title"].format(items=letters, seats=seats),
            "unit": data["unit"],
            "intro": data["intro"].format(seats=seats),
            "dimensions": [
                {k: v for k, v in item.items() if k != "least_seats"}
                | {"min": 1, "max": seats, "rank": True}
                for item in items
            ],
            "example": {
                **example,
                "values": {k: seats + 1 - v for k, v in example["values"].items() if k in keys},
                "why": {k: v for k, v in example["why"].items() if k in keys},
            },
        }


def for_raters() -> list[Instrument]:
    return [_built_in()[key] for key in RATER_KEYS]


def for_participants() -> list[Instrument]:
    """Return the built-in instruments that a study can ask its participants."""
    participant_instruments = [_built_in()[key] for key in PARTICIPANT_KEYS]
    return [*participant_instruments, *(i for i in for_raters() if not why_not_askable(i))]


def why_not_askable(instrument: Instrument) -> str:
    """Return why participants cannot answer an instrument after their game, "" if they can."""
    if instrument.unit == "utterance":
        return _("“{title}” is about single statements.").format(title=instrument.title)
    if any(d.rank or d.deeds or d.situation for d in instrument.dimensions):
        return _("“{title}” ranks players or reveals all roles. Only raters can see that.").format(
            title=instrument.title
        )
    return ""


def get(key: str) -> Instrument:
    """Return the built-in instrument of that key, or raise LookupError."""
    if key not in _built_in():
        raise LookupError(_("There is no questionnaire called “{key}”.").format(key=key[:40]))
    return _built_in()[key]


def resolve(
    key_or_data: str | Mapping[str, Any], frozen_instruments: Mapping[str, Any]
) -> Instrument:
    """Return an instrument from its key or its (checked) data, or raise LookupError.

    `frozen_instruments` (key -> data) are those of the study's opening, which precede today's
    (`Study.instruments_at_opening`).
    """
    if not isinstance(key_or_data, str):
        return Instrument.from_json(key_or_data)
    if key_or_data in frozen_instruments:
        return Instrument.from_json(frozen_instruments[key_or_data])
    return get(key_or_data)


def blank_instrument(unit: str = "utterance") -> Instrument:
    """Return an empty instrument to start from."""
    if unit in PARTICIPANT_UNITS:
        item = Item(key="item_1", label="", question="")
        return ParticipantInstrument(key="own", title="", unit=unit, intro="", dimensions=(item,))
    dimension = Dimension(key="item_1", label="", question="", low_pole="", high_pole="")
    return Instrument(key="own", title="", unit=unit, intro="", dimensions=(dimension,))
