"""Instruments: what raters are asked, as data. docs/study.md has the schema.

A campaign keeps a copy of its own, so that a later change here changes no study.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from webapp.study.instruments import checking
from webapp.study.instruments.seat_rankings import rankings

FOLDER = Path(__file__).parent
KEY = re.compile(r"[a-z][a-z0-9_-]{0,39}")


@dataclass(frozen=True)
class Dimension:
    """One item. `situation`: asked only where that was found in the log; "" everywhere.

    rank: all players of a game are put in order; the first has the value `max`, and no two have the
    same. deeds: what everybody was, did at night and voted is shown, for the item asks about it.
    """

    key: str
    label: str
    question: str
    low_pole: str
    high_pole: str
    min: int = 1
    max: int = 5
    situation: str = ""
    rank: bool = False
    deeds: bool = False

    @property
    def values(self) -> range:
        """The values there are to choose from, lowest first."""
        return range(self.min, self.max + 1)

    def place(self, value: int) -> int:
        """The place, from 1, of whoever has this rank."""
        return self.max + 1 - value


@dataclass(frozen=True)
class ExampleLine:
    """A line of talk."""

    speaker: str
    text: str


@dataclass(frozen=True)
class Example:
    """A worked example: words in their context, the values somebody gave, and why."""

    context: tuple[ExampleLine, ...] = ()
    speaker: str = ""
    text: str = ""
    values: Mapping[str, int] = field(default_factory=dict)
    why: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.text or self.values or self.context)


@dataclass(frozen=True)
class Instrument:
    """What is asked of one unit: an utterance, a player over a game, or a game."""

    key: str
    title: str
    unit: str
    intro: str
    dimensions: tuple[Dimension, ...]
    example: Example = Example()

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Instrument:
        """The instrument of stored `data` that `check` finds nothing wrong with."""
        told = data.get("example") or {}
        example = Example(
            tuple(ExampleLine(**line) for line in told.get("context", ())),
            told.get("speaker", ""),
            told.get("text", ""),
            dict(told.get("values", {})),
            dict(told.get("why", {})),
        )
        plain = {k: data.get(k, "") for k in ("key", "title", "unit", "intro")}
        return cls(**plain, dimensions=tuple(Dimension(**d) for d in data["dimensions"]),
                   example=example)  # fmt: skip

    def data(self) -> dict[str, Any]:
        """The JSON form that `of` reads."""
        found = asdict(self)
        found["dimensions"] = list(found["dimensions"])
        found["example"] = (
            {**found["example"], "context": list(found["example"]["context"])}
            if self.example
            else {}
        )
        return found

    @property
    def ranks(self) -> bool:
        """Whether it orders the players of a game against each other."""
        return {d.rank for d in self.dimensions} == {True}

    def asked(self, situations: tuple[str, ...] | list[str] = ()) -> tuple[Dimension, ...]:
        """The dimensions asked of a unit in these situations."""
        return tuple(d for d in self.dimensions if d.situation in ("", *situations))

    def asked_of(self, kind: str, situations: Sequence[str] = ()) -> tuple[Dimension, ...]:
        """The dimensions asked of a unit of that kind; a check asks those of any situation."""
        if kind == "attention":
            return self.asked() or self.dimensions
        return self.asked(tuple(situations))

    @staticmethod
    def check(data: Any) -> list[str]:
        """What must be mended in `data`, in sentences; none where it is an instrument."""
        return checking.faults(data)


@cache
def _built_in() -> dict[str, Instrument]:
    found = {}
    for path in sorted(FOLDER.glob("*.toml")):
        data = tomllib.loads(path.read_text("utf-8"))
        for one in rankings(data) if "seats" in data else [data]:
            instrument = Instrument.of(one)
            found[instrument.key] = instrument
    return found


ORDER = (
    "guarded",
    "speech",
    "contest-5",
    "contest-7",
    "contest-8",
    "contest-13",
    "players",
    "engagement",
)


def all() -> list[Instrument]:
    """The built-in instruments."""
    return [_built_in()[key] for key in ORDER]


def get(key: str) -> Instrument:
    """The built-in instrument of that key. Raises LookupError."""
    if key not in _built_in():
        raise LookupError(_("There is no instrument called “{key}”.").format(key=key[:40]))
    return _built_in()[key]


def blank(unit: str = "utterance") -> Instrument:
    """One to begin an own instrument with."""
    first = Dimension("item_1", "", "", "", "")
    return Instrument("own", "", unit, "", (first,))
