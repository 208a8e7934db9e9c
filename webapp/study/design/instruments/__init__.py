"""Instruments: questions for raters and participants (docs/instruments.md).

Only `Instrument.check` validates. Constructors and `from_json` do not, so that stored instruments
stay readable if the bounds change. Built-in instruments are TOML files in this folder. A campaign
stores a copy of its instrument. A study stores those that it has changed in its design, and copies
of the others when it opens.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from django.utils.translation import gettext_lazy as _
from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    StrictInt,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from game.engine.seeded_random import SeededRandom
from webapp.study.design import validation_errors
from webapp.study.design.instruments.items import MAX_TEXT_CHARS, Dimension, Item, Option
from webapp.study.design.setting_fields import ForbiddenField, Key, NonBlankText, one_of, setting
from webapp.study.design.validation_errors import LocatedText
from webapp.study.games import situations

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
PARTICIPANT_UNITS = ("session", "seat")
MAX_ITEMS, MAX_LINES = 12, 40

Talk = Annotated[str, setting(max_length=MAX_TEXT_CHARS)]
Speaker = Annotated[NonBlankText, setting(_("Next speaker"), max_length=MAX_TEXT_CHARS)]


@dataclass(frozen=True)
class ExampleLine:
    """A line of talk."""

    speaker: Speaker
    text: Talk


@dataclass(frozen=True)
class Example:
    """A worked example: a text in context, the values that a rater gave, and the reasons."""

    context: Annotated[tuple[ExampleLine, ...], setting(max_length=MAX_LINES)] = ()
    speaker: Annotated[Speaker, Field(validate_default=True)] = ""
    text: Annotated[Talk, setting(_("Statement"))] = ""
    values: Mapping[str, StrictInt] = field(default_factory=dict)
    why: Mapping[str, Talk] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.text or self.values or self.context)


@dataclass(frozen=True)
class Instrument:
    """The questions about one unit: an utterance, a player over a game, or a game.

    For participants the unit may also be `session` (about no player) or `seat` (every other player
    of their game).
    """

    # Pydantic applies it to the nested dataclasses as well.
    __pydantic_config__: ClassVar = ConfigDict(extra="forbid")

    key: Key
    title: Annotated[NonBlankText, setting(_("Title"), max_length=120)]
    unit: Annotated[
        str, one_of("utterance", "player", "game", *PARTICIPANT_UNITS), setting(_("Unit of rating"))
    ]
    intro: Annotated[str, setting(_("Introduction for raters"), max_length=4000, default="")]
    dimensions: Annotated[tuple[Dimension, ...], setting(min_length=1, max_length=MAX_ITEMS)]
    example: Annotated[Example, BeforeValidator(lambda value: value or Example())] = Example()
    # For participants only. `rotated`: each starts at a drawn item, seat and option.
    order: ForbiddenField = "fixed"
    # For participants only. `drawn`: half of them see the ends of scales exchanged.
    direction: ForbiddenField = "fixed"

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Instrument:
        """Return the instrument of stored `data` that passed `check`."""
        example_data = data.get("example") or {}
        lines = tuple(ExampleLine(**line) for line in example_data.get("context", ()))
        names = ("speaker", "text", "values", "why")
        example = Example(lines, **{k: example_data[k] for k in names if k in example_data})
        texts = {k: data.get(k, "") for k in ("key", "title", "unit", "intro")}
        options = {k: data[k] for k in ("order", "direction") if k in data}
        rows = data["dimensions"]
        if texts["unit"] in PARTICIPANT_UNITS:
            items = tuple(map(Item.from_json, rows))
            return ParticipantInstrument(**texts, dimensions=items, example=example, **options)
        dimensions = tuple(Dimension(**row) for row in rows)
        return Instrument(**texts, dimensions=dimensions, example=example, **options)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form that `from_json` reads."""
        data = asdict(self)
        del data["order"], data["direction"]
        example = {**data["example"], "context": list(data["example"]["context"])}
        dimensions = list(data["dimensions"])
        return data | {"dimensions": dimensions, "example": example if self.example else {}}

    @property
    def is_for_participants(self) -> bool:
        """Whether only participants of a study answer the instrument, not raters of a campaign."""
        return self.unit in PARTICIPANT_UNITS

    @property
    def is_about_game(self) -> bool:
        """Whether participants answer the instrument about the game they played."""
        return self.unit in ("game", "player", "seat")

    @property
    def is_about_each_player(self) -> bool:
        """Whether participants answer the instrument about every other player at their table."""
        return self.unit in ("player", "seat")

    @property
    def items(self) -> tuple[Item, ...]:
        """The items that participants are asked."""
        return tuple(d if isinstance(d, Item) else Item(**asdict(d)) for d in self.dimensions)

    def items_for(self, seed: str, pseudonym: str) -> tuple[Item, ...]:
        """Return the items in the order for that participant of a study with that seed."""
        if self.order == "fixed":
            return self.items
        draw = SeededRandom(seed).below(f"order/{pseudonym}/{self.key}", len(self.items))
        return self.items[draw:] + self.items[:draw]

    def is_reversed_for(self, seed: str, pseudonym: str) -> bool:
        """Return whether that participant sees the ends of the scales exchanged."""
        purpose = f"direction/{pseudonym}/{self.key}"
        return self.direction == "drawn" and SeededRandom(seed).below(purpose, 2) == 1

    @property
    def is_ranking(self) -> bool:
        """Whether raters rank the players of a game."""
        return {d.rank for d in self.dimensions} == {True}

    def dimensions_in(self, situations: tuple[str, ...] | list[str] = ()) -> tuple[Dimension, ...]:
        """Return the dimensions asked of a unit in these situations."""
        return tuple(d for d in self.dimensions if d.situation in ("", *situations))

    def dimensions_of(self, kind: str, situations: Sequence[str] = ()) -> tuple[Dimension, ...]:
        """As `dimensions_in`. An "attention" check has the dimensions of no situation."""
        if kind == "attention":
            return self.dimensions_in() or self.dimensions
        return self.dimensions_in(tuple(situations))

    @staticmethod
    def check(data: Any) -> list[str]:
        """Return the errors in `data` as sentences, [] if it is a valid instrument.

        Rules on several fields are checked only if each field is valid.
        """
        unit = data.get("unit") if isinstance(data, Mapping) else ""
        try:
            (_PARTICIPANT_TYPE if unit in PARTICIPANT_UNITS else _RATER_TYPE).validate_python(data)
        except ValidationError as error:
            return validation_errors.error_sentences(error, str(_("the questionnaire")))
        return []

    @model_validator(mode="after")
    def _check_combinations(self) -> Instrument:
        validation_errors.raise_errors([*self._item_errors(), *self._example_errors()])
        return self

    def _item_errors(self) -> Iterator[LocatedText]:
        location = ("dimensions",)
        if len({d.key for d in self.dimensions}) < len(self.dimensions):
            yield location, _("two items have the same key")
        for index, d in enumerate(self.dimensions):
            if d.situation in situations.KEYS and self.unit != "utterance":
                yield (*location, index, "situation"), _("only statements can have a situation")
            if d.situation == situations.PROFILE and self.unit != "player":
                yield (*location, index, "situation"), _("only players have a profile")
            if d.rank and self.unit != "player":
                yield (*location, index, "rank"), _("only players can be ranked")
            if d.deeds and self.unit == "utterance":
                text = _("statements are shown without roles and actions")
                yield (*location, index, "deeds"), text
            if isinstance(d, Item):
                yield from self._participant_errors(index, d)
        ranked = [d for d in self.dimensions if d.rank]
        if ranked and not self.is_ranking:
            yield location, _("use rankings for all items or for none of them")
        elif len({(d.min, d.max) for d in ranked}) > 1:
            yield location, _("rankings of the same players must have the same scale")
        elif ranked and ranked[0].min != 1:
            yield location, _("a ranking must go from 1 to the number of players")

    def _participant_errors(self, index: int, item: Item) -> Iterator[LocatedText]:
        location = ("dimensions", index)
        if item.is_guess and self.unit != "seat":
            yield (*location, "answer"), _("this needs questions about every other player")
        if item.table_row and not (index and item.is_row_after(self.items[index - 1])):
            text = _("all scales of a table need the same steps and the same labels at their ends")
            yield (*location, "table_row"), text
        for name in ("ask_if", "page_break"):
            if getattr(item, name) and self.order != "fixed":
                yield (*location, name), _("this needs the same order for all participants")
            if getattr(item, name) and self.is_about_each_player and (index or name == "ask_if"):
                yield (*location, name), _("this is not possible for questions about players")

    def _example_errors(self) -> Iterator[LocatedText]:
        """Yield the errors in the example's values. Items with a situation need no value."""
        values, location = self.example.values, ("example", "values")
        if self.example == Example():
            return
        if {*values, *self.example.why} - {d.key for d in self.dimensions}:
            yield (location, _("there is a value or a reason for an item that does not exist"))
        for d in self.dimensions:
            if d.key not in values and not d.situation:
                yield location, _("“{item}” has no value").format(item=d.label)
            elif d.key in values and values[d.key] not in d.values:
                sentence = _("“{item}” cannot be {value}")
                yield location, sentence.format(item=d.label, value=values[d.key])


@dataclass(frozen=True)
class ParticipantInstrument(Instrument):
    """An instrument for participants of a study only."""

    dimensions: Annotated[tuple[Item, ...], setting(min_length=1, max_length=MAX_ITEMS)]
    example: ForbiddenField = Example()
    order: Literal["fixed", "rotated"] = "fixed"
    direction: Literal["fixed", "drawn"] = "fixed"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form that `from_json` reads."""
        data = asdict(self)
        del data["example"]
        return data | {"dimensions": [item.to_json() for item in self.items]}


_RATER_TYPE: TypeAdapter[Any] = TypeAdapter(Instrument)
_PARTICIPANT_TYPE: TypeAdapter[Any] = TypeAdapter(ParticipantInstrument)


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
