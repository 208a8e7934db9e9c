"""Instruments: what raters and participants are asked, as data. docs/study.md has the schema.

A campaign keeps a copy of its own, and so does a study where its researcher changed one, so that a
later change here changes neither.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from game.engine.seeded_random import SeededRandom
from webapp.study.instruments import checking, item_checks
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
class Option:
    """One of the answers to choose from."""

    key: str
    label: str


@dataclass(frozen=True)
class Item(Dimension):
    """An item put to participants of a study, which more can answer than a scale.

    answer: `scale`; `text` of `longest` characters at most; `number`, a whole one from `min` to
    `max`; `one` or `many` of `options`; `human` (a person or a computer player) and `role` (one of
    the game's), both of another player and with how sure one is: the item's scale and poles are
    that. unsure: of these two, "can't tell" may be chosen as well.
    """

    answer: str = "scale"
    options: tuple[Option, ...] = ()
    longest: int = 1000
    required: bool = True
    unsure: bool = False

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Item:
        """The item of stored data."""
        options = tuple(Option(**option) for option in row.get("options", ()))
        return cls(**{"low_pole": "", "high_pole": "", **row, "options": options})

    def data(self) -> dict[str, Any]:
        """The JSON form that `of` reads: what is left out is as it usually is."""
        usual = {f.name: f.default for f in fields(self)} | {"low_pole": "", "high_pole": ""}
        found = {k: v for k, v in asdict(self).items() if v != usual[k]}
        if self.options:
            found["options"] = list(found["options"])
        return found

    @property
    def scaled(self) -> bool:
        """Whether it has a scale: as its answer, or for how sure one is."""
        return self.answer in ("scale", "human", "role")


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
    """What is asked of one unit: an utterance, a player over a game, or a game; of participants
    `session` (nobody in particular) or `seat` (every other player of their game).

    Of participants' alone: `order`, `rotated` where everybody begins at a drawn item, seat and
    option of person or computer player, and goes round; `direction`, `drawn` where half of them
    see the scales' ends exchanged.
    """

    key: str
    title: str
    unit: str
    intro: str
    dimensions: tuple[Dimension, ...]
    example: Example = Example()
    order: str = "fixed"
    direction: str = "fixed"

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
        ways = {k: data[k] for k in ("order", "direction") if k in data}
        items = plain["unit"] in item_checks.UNITS
        rows = tuple(Item.of(d) if items else Dimension(**d) for d in data["dimensions"])
        return cls(**plain, dimensions=rows, example=example, **ways)

    def data(self) -> dict[str, Any]:
        """The JSON form that `of` reads."""
        found = asdict(self)
        if self.for_participants:
            del found["example"]
            return found | {"dimensions": [item.data() for item in self.items]}
        del found["order"], found["direction"]
        found["dimensions"] = list(found["dimensions"])
        found["example"] = (
            {**found["example"], "context": list(found["example"]["context"])}
            if self.example
            else {}
        )
        return found

    @property
    def for_participants(self) -> bool:
        """Whether participants of a study alone can be asked it: no campaign can."""
        return self.unit in item_checks.UNITS

    @property
    def of_a_game(self) -> bool:
        """Whether participants are asked it of the game they played."""
        return self.unit in ("game", "player", "seat")

    @property
    def of_seats(self) -> bool:
        """Whether participants are asked it of every other player at their table."""
        return self.unit in ("player", "seat")

    @property
    def items(self) -> tuple[Item, ...]:
        """What participants are asked."""
        return tuple(d if isinstance(d, Item) else Item(**asdict(d)) for d in self.dimensions)

    def items_for(self, seed: str, pseudonym: str) -> tuple[Item, ...]:
        """The items in the order in which that participant of a study with that seed meets them."""
        if self.order == "fixed":
            return self.items
        draw = SeededRandom(seed).below(f"order/{pseudonym}/{self.key}", len(self.items))
        return self.items[draw:] + self.items[:draw]

    def turned_for(self, seed: str, pseudonym: str) -> bool:
        """Whether that participant sees the ends of the scales exchanged."""
        drawn = SeededRandom(seed).below(f"direction/{pseudonym}/{self.key}", 2)
        return self.direction == "drawn" and drawn == 1

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
        unit = data.get("unit") if isinstance(data, Mapping) else ""
        return item_checks.faults(data) if unit in item_checks.UNITS else checking.faults(data)


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


PARTICIPANTS = (
    "background", "who-is-human", "role-guess", "impressions", "interview", "interview-known",
    "chatbots",
)  # fmt: skip


def all() -> list[Instrument]:
    """The built-in instruments of raters."""
    return [_built_in()[key] for key in ORDER]


def of_participants() -> list[Instrument]:
    """The built-in instruments that a study can ask its participants."""
    own = [_built_in()[key] for key in PARTICIPANTS]
    return [*own, *(i for i in all() if not not_askable(i))]


def not_askable(instrument: Instrument) -> str:
    """Why participants can't be asked the instrument after their game; "" where they can."""
    if instrument.unit == "utterance":
        return _("“{title}” is about single utterances.").format(title=instrument.title)
    if any(d.rank or d.deeds or d.situation for d in instrument.dimensions):
        return _(
            "“{title}” puts players in order, or shows what everybody was: only raters see that."
        ).format(title=instrument.title)
    return ""


def get(key: str) -> Instrument:
    """The built-in instrument of that key. Raises LookupError."""
    if key not in _built_in():
        raise LookupError(_("There is no instrument called “{key}”.").format(key=key[:40]))
    return _built_in()[key]


def named(one: str | Mapping[str, Any], kept: Mapping[str, Any]) -> Instrument:
    """The instrument of a key, as it was `kept` (key -> data) or else as it is built in, or that of
    whole data which `Instrument.check` passed. Raises LookupError."""
    if isinstance(one, str):
        return Instrument.of(kept[one]) if one in kept else get(one)
    return Instrument.of(one)


def blank(unit: str = "utterance") -> Instrument:
    """One to begin an own instrument with."""
    kind = Item if unit in item_checks.UNITS else Dimension
    first = kind("item_1", "", "", "", "")
    return Instrument("own", "", unit, "", (first,))
