"""The classes of instruments and their items, with the bounds of their fields.

Only `Instrument.check` validates. Constructors and `from_json` do not, so that stored instruments
stay readable if the bounds change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Annotated, Any, ClassVar, Literal, Self

from django.utils.translation import gettext_lazy as _
from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from game.engine.seeded_random import SeededRandom
from webapp.study.design import validation_errors
from webapp.study.design.setting_fields import ForbiddenField, Key, NonBlankText, one_of, setting
from webapp.study.design.validation_errors import LocatedText
from webapp.study.games import situations

PARTICIPANT_UNITS = ("session", "seat")
# Kinds of answers with a scale: as the answer itself, or for how sure the participant is.
SCALED_ANSWERS = ("scale", "human", "role")
MAX_ITEMS, MAX_LINES, MAX_TEXT_CHARS, MAX_ASK_IF_CHARS = 12, 40, 2000, 300
MAX_VALUE, MAX_STEPS, MAX_NUMBER = 100, 20, 1_000_000  # of a scale, of a scale, of a number
MAX_OPTIONS, MAX_OPTION_CHARS = 20, 200

Pole = Annotated[NonBlankText, setting(_("Text"), max_length=200)]
Talk = Annotated[str, setting(max_length=MAX_TEXT_CHARS)]
Speaker = Annotated[NonBlankText, setting(_("Next speaker"), max_length=MAX_TEXT_CHARS)]


@dataclass(frozen=True)
class Dimension:
    """One item of an instrument for raters.

    Attributes:
        situation: The situation of a statement in which the item is asked, "" for always. Items
            about players can require a profile instead.
        rank: Whether it ranks all players of a game. The first has the value `max`.
        deeds: Whether all roles, night actions and votes are shown, because the item needs them.
    """

    key: Key
    label: Annotated[NonBlankText, setting(_("Name"), max_length=60)]
    question: Annotated[NonBlankText, setting(_("Question"), max_length=400)]
    low_pole: Pole
    high_pole: Pole
    min: Annotated[StrictInt, setting(_("Lowest value"), ge=0)] = 1
    max: Annotated[StrictInt, setting(_("Highest value"), ge=1)] = 5
    situation: Annotated[
        str, one_of("", *situations.ALL_LABELS), setting(_("When it is asked"))
    ] = ""
    rank: Annotated[
        StrictBool,
        setting(
            _("Rank all players of a game"),
            _("From 1 to the number of players. The highest value means first place."),
        ),
    ] = False
    deeds: Annotated[
        StrictBool,
        setting(
            _("Reveal roles, night actions and votes"),
            _("For questions about players and games that cannot be judged without them."),
        ),
    ] = False

    @property
    def values(self) -> range:
        """The possible values, lowest first."""
        return range(self.min, self.max + 1)

    def place_of(self, value: int) -> int:
        """Return the place, from 1, that a rank stands for."""
        return self.max + 1 - value

    @model_validator(mode="after")
    def _check_values(self) -> Self:
        is_number = isinstance(self, Item) and self.answer == "number"
        max_value = MAX_NUMBER if is_number else MAX_VALUE
        if not self.min < self.max <= max_value:
            sentence = _(
                "enter whole numbers: a lowest value, and a greater highest value of at most {most}"
            )
            validation_errors.raise_errors([((), sentence.format(most=max_value))])
        is_slider = isinstance(self, Item) and self.answer == "slider"
        if not (is_number or is_slider) and self.max - self.min >= MAX_STEPS:
            sentence = _("the maximum is {most} steps per scale")
            validation_errors.raise_errors([((), sentence.format(most=MAX_STEPS))])
        return self


@dataclass(frozen=True)
class Option:
    """An option of an item."""

    key: Key
    label: Annotated[
        NonBlankText,
        setting(max_length=MAX_OPTION_CHARS),
        BeforeValidator(lambda text: text.strip() if isinstance(text, str) else text),
    ]


# Kind of answer -> the fields that it uses. Others are ignored.
FIELDS_OF_ANSWER: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((*SCALED_ANSWERS, "slider"), ("min", "max", "low_pole", "high_pole")),
    "info": (),
    "text": ("longest",),
    "number": ("min", "max"),
    **dict.fromkeys(("one", "many"), ("options",)),
}


@dataclass(frozen=True)
class Item(Dimension):
    """An item for participants of a study, with more kinds of answers than a scale.

    Attributes:
        answer: `scale`; `slider`, a long scale without an initial value; `text` of at most
            `longest` characters; `number`, a whole one from `min` to `max`; `one` or `many` of
            `options`; `human` (person or computer player) or `role` of another player; `info`, a
            text to read. `human` and `role` also ask how sure the participant is, on the item's
            scale.
        unsure: Whether `human` and `role` offer "can't tell".
        page_break: Whether a new page begins here.
        table_row: Whether the scale is in one table with the item before.
        ask_if: Condition on earlier answers (`sessions.question_conditions`), "" for always.
    """

    question: Annotated[NonBlankText, setting(_("Question"), max_length=MAX_TEXT_CHARS)]
    low_pole: Pole = ""
    high_pole: Pole = ""
    situation: ForbiddenField = ""
    rank: ForbiddenField = False
    deeds: ForbiddenField = False
    answer: Annotated[str, one_of(*FIELDS_OF_ANSWER), setting(_("Type of answer"))] = "scale"
    options: Annotated[
        tuple[Option, ...], setting(_("Options"), min_length=2, max_length=MAX_OPTIONS)
    ] = ()
    longest: Annotated[StrictInt, setting(_("Maximum length (characters)"), ge=1, le=5000)] = 1000
    required: Annotated[StrictBool, setting(_("Required"))] = True
    unsure: Annotated[StrictBool, setting(_("Offer “I can’t tell”"))] = False
    page_break: Annotated[StrictBool, setting(_("Start a new page"))] = False
    table_row: Annotated[StrictBool, setting(_("Join with the previous question in a table"))] = (
        False
    )
    ask_if: Annotated[
        str,
        setting(
            _("Ask only if"),
            _(
                "Leave empty to always ask. Enter a condition on answers of an earlier page,"
                " such as: often == “daily” and age >= 18"
            ),
            max_length=MAX_ASK_IF_CHARS,
        ),
    ] = ""

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Item:
        """Return the item of stored data."""
        options = tuple(Option(**option) for option in row.get("options", ()))
        return cls(**{**row, "options": options})

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form that `from_json` reads, without default values."""
        defaults = {f.name: f.default for f in fields(self)}
        data = {name: value for name, value in asdict(self).items() if value != defaults[name]}
        return data | ({"options": list(data["options"])} if self.options else {})

    @property
    def has_scale(self) -> bool:
        """Whether the item has a scale: as its answer, or for how sure the participant is."""
        return self.answer in SCALED_ANSWERS

    def is_row_after(self, before: Item) -> bool:
        """Return whether the item can be in one table with the previous item."""
        names = ("answer", "min", "max", "low_pole", "high_pole")
        has_same_scale = all(getattr(self, name) == getattr(before, name) for name in names)
        return has_same_scale and self.answer == "scale" and not self.page_break

    @model_validator(mode="before")
    @classmethod
    def _drop_unused_fields(cls, row: Any) -> Any:
        answer = row.get("answer", "scale") if isinstance(row, Mapping) else None
        if not isinstance(answer, str):
            return row
        used_fields = FIELDS_OF_ANSWER.get(answer, ())
        unused_fields = {n for names in FIELDS_OF_ANSWER.values() for n in names} - {*used_fields}
        # A used field that is missing gets an invalid value, so that its bounds are checked.
        defaults = {"low_pole": "", "high_pole": "", "options": ()}
        return {name: defaults[name] for name in used_fields if name in defaults} | {
            name: value for name, value in row.items() if name not in unused_fields
        }

    @model_validator(mode="after")
    def _check_options(self) -> Self:
        if len({option.key for option in self.options}) < len(self.options):
            validation_errors.raise_errors([(("options",), _("two options have the same key"))])
        return self


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

    Attributes:
        order: For participants only. `rotated`: each starts at a drawn item, seat and option.
        direction: For participants only. `drawn`: half of them see the ends of scales exchanged.
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
    order: ForbiddenField = "fixed"
    direction: ForbiddenField = "fixed"

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Instrument:
        """Return the instrument of stored `data` that passed `check`."""
        example_data = data.get("example") or {}
        lines = tuple(ExampleLine(**line) for line in example_data.get("context", ()))
        names = ("speaker", "text", "values", "why")
        example = Example(lines, **{k: example_data[k] for k in names if k in example_data})
        texts = {k: data.get(k, "") for k in ("key", "title", "unit", "intro")}
        given_options = {k: data[k] for k in ("order", "direction") if k in data}
        rows = data["dimensions"]
        if texts["unit"] in PARTICIPANT_UNITS:
            items = tuple(map(Item.from_json, rows))
            return ParticipantInstrument(
                **texts, dimensions=items, example=example, **given_options
            )
        dimensions = tuple(Dimension(**row) for row in rows)
        return Instrument(**texts, dimensions=dimensions, example=example, **given_options)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form that `from_json` reads."""
        data = asdict(self)
        del data["order"], data["direction"]
        example = {**data["example"], "context": list(data["example"]["context"])}
        dimensions = list(data["dimensions"])
        return data | {"dimensions": dimensions, "example": example if self.example else {}}

    @property
    def is_for_participants(self) -> bool:
        """Whether it is for participants of a study only, not for raters of a campaign."""
        return self.unit in PARTICIPANT_UNITS

    @property
    def is_about_game(self) -> bool:
        """Whether participants are asked it about the game they played."""
        return self.unit in ("game", "player", "seat")

    @property
    def is_about_each_player(self) -> bool:
        """Whether participants are asked it about every other player at their table."""
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
        drawn = SeededRandom(seed).below(f"direction/{pseudonym}/{self.key}", 2)
        return self.direction == "drawn" and drawn == 1

    @property
    def is_ranking(self) -> bool:
        """Whether it ranks the players of a game."""
        return {d.rank for d in self.dimensions} == {True}

    def dimensions_in(self, situations: tuple[str, ...] | list[str] = ()) -> tuple[Dimension, ...]:
        """Return the dimensions asked of a unit in these situations."""
        return tuple(d for d in self.dimensions if d.situation in ("", *situations))

    def dimensions_of(self, kind: str, situations: Sequence[str] = ()) -> tuple[Dimension, ...]:
        """Return the dimensions asked of a unit in these situations.

        Args:
            kind: Kind of the unit. An "attention" check has dimensions of no situation.
        """
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
    def _check_combinations(self) -> Self:
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
        if item.answer in ("human", "role") and self.unit != "seat":
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
