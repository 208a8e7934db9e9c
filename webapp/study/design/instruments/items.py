"""The items of instruments: those of raters and those of participants, with their bounds.

Constructors and `from_json` do not validate (see `instruments`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any, Self

from django.utils.translation import gettext_lazy as _
from pydantic import BeforeValidator, StrictBool, StrictInt, model_validator

from webapp.study.design import validation_errors
from webapp.study.design.setting_fields import ForbiddenField, Key, NonBlankText, one_of, setting
from webapp.study.games import situations

GUESS_ANSWERS = ("human", "role")  # kinds of answers: guesses about another player
# Kinds of answers with a scale: as the answer itself, or for how sure the participant is.
SCALED_ANSWERS = ("scale", *GUESS_ANSWERS)
MAX_TEXT_CHARS, MAX_ASK_IF_CHARS = 2000, 300
# Limits of a scale's values, of its steps, and of a number.
MAX_VALUE, MAX_STEPS, MAX_NUMBER = 100, 20, 1_000_000
MIN_OPTIONS, MAX_OPTIONS, MAX_OPTION_CHARS = 2, 20, 200

Pole = Annotated[NonBlankText, setting(_("Text"), max_length=200)]


@dataclass(frozen=True)
class Dimension:
    """One item of an instrument for raters."""

    key: Key
    label: Annotated[NonBlankText, setting(_("Name"), max_length=60)]
    question: Annotated[NonBlankText, setting(_("Question"), max_length=400)]
    low_pole: Pole
    high_pole: Pole
    min: Annotated[StrictInt, setting(_("Lowest value"), ge=0)] = 1
    max: Annotated[StrictInt, setting(_("Highest value"), ge=1)] = 5
    # The situation of a statement in which the item is asked, "" for always. Items about players
    # can require a profile instead.
    situation: Annotated[
        str, one_of("", *situations.ALL_LABELS), setting(_("When it is asked"))
    ] = ""
    # Whether it ranks all players of a game. The first has the value `max`.
    rank: Annotated[
        StrictBool,
        setting(
            _("Rank all players of a game"),
            _("From 1 to the number of players. The highest value means first place."),
        ),
    ] = False
    # Whether all roles, night actions and votes are shown, because the item needs them.
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
    """An item for participants of a study, with more kinds of answers than a scale."""

    question: Annotated[NonBlankText, setting(_("Question"), max_length=MAX_TEXT_CHARS)]
    low_pole: Pole = ""
    high_pole: Pole = ""
    situation: ForbiddenField = ""
    rank: ForbiddenField = False
    deeds: ForbiddenField = False
    # `scale`; `slider`, a long scale without an initial value; `text` of at most `longest`
    # characters; `number`, a whole one from `min` to `max`; `one` or `many` of `options`; `human`
    # (person or computer player) or `role` of another player; `info`, a text to read. `human` and
    # `role` also ask how sure the participant is, on the item's scale.
    answer: Annotated[str, one_of(*FIELDS_OF_ANSWER), setting(_("Type of answer"))] = "scale"
    options: Annotated[
        tuple[Option, ...], setting(_("Options"), min_length=MIN_OPTIONS, max_length=MAX_OPTIONS)
    ] = ()
    longest: Annotated[StrictInt, setting(_("Maximum length (characters)"), ge=1, le=5000)] = 1000
    required: Annotated[StrictBool, setting(_("Required"))] = True
    # Whether `human` and `role` offer "can't tell".
    unsure: Annotated[StrictBool, setting(_("Offer “I can’t tell”"))] = False
    page_break: Annotated[StrictBool, setting(_("Start a new page"))] = False
    table_row: Annotated[StrictBool, setting(_("Join with the previous question in a table"))] = (
        False
    )
    # Condition on earlier answers (`sessions.question_conditions`), "" for always.
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

    @property
    def is_guess(self) -> bool:
        """Whether the answer is a guess about another player."""
        return self.answer in GUESS_ANSWERS

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
