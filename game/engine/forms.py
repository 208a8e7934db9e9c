"""The forms of an answer: a statement, a pick, ratings.

A form parses a page's post or a model's reply into an `Action`, and checks whether the rules allow
it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from game.engine.events import (
    ABSTAIN,
    NOTHING,
    PASSES,
    UNCERTAIN,
    Action,
    Option,
    Rating,
    pick,
    rate,
    say,
)
from game.engine.labels import OVER_EMPTY, OVER_SKIP, SHORTENED
from game.engine.seeded_random import SeededRandom
from game.engine.text_checks import (
    MAX_CHARACTERS,
    NO_LIMIT,
    count_words,
    find_mention,
    shorten,
    text_error,
    tidy,
)

TYPICAL_WORD_CHARACTERS = 6  # The length of an English word with its space.


class Illegal(Exception):
    """An answer or change that the rules do not allow.

    `code` is the key of the reason, and `params` are the figures in its sentence.
    """

    def __init__(self, code: str, **params: Any) -> None:
        super().__init__(code, params)
        self.code, self.params = code, params


class Form(ABC):
    """What a window accepts as an answer. The subclasses are Speech, Pick and Ratings.

    Attributes:
        name: its name in the log.
        is_revisable: whether a person may change the answer while the window is open.
        options: seats or words that an answer may name.
    """

    name: ClassVar[str]
    is_revisable: ClassVar[bool] = True
    options: tuple[Option, ...]

    def options_for(self, seat: int) -> tuple[Option, ...]:
        """Return the options that `seat` may name in its answer, by default all but itself."""
        return tuple(o for o in self.options if o != seat)

    @abstractmethod
    def parse(self, data: Mapping[str, Any]) -> Action:
        """Parse JSON-shaped `data` into an action, or raise Illegal, such as `bad_post`.

        Keys: `text`, `pass` ("skip", "over"), `to`, `targets`, `abstain`, `why`, `ratings`. Numbers
        may be strings, as a page's form sends them.
        """

    @abstractmethod
    def check(self, seat: int, action: Action) -> None:
        """Raise Illegal unless `seat` may do `action`."""

    def amend(
        self, seat: int, action: Action, names: Sequence[str]
    ) -> tuple[Action, tuple[str, ...]]:
        """Return the action as the rules accept it, and labels for what they changed in it."""
        return action, ()

    def draw_action(self, seat: int, rng: SeededRandom, purpose: str) -> Action:
        """Return a legal action: a drawn choice, NOTHING for forms that are no choice."""
        return NOTHING

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form that `window_opened` carries."""
        fields = {_STORED_KEYS.get(name, name): value for name, value in vars(self).items()}
        lists = {key: list(value) for key, value in fields.items() if isinstance(value, tuple)}
        return {"form": self.name, **fields, **lists}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "Form":
        """Return the form of a JSON form made by `to_json`."""
        form, names = _FORMS[data["form"]]
        values = {names[key]: value for key, value in data.items() if key in names}
        tuples = {name: tuple(v) for name, v in values.items() if isinstance(v, list)}
        return form(**values | tuples)


# Field -> its key in the log, if that differs. Other keys would change the digests of old games.
_STORED_KEYS = {
    "has_mentions": "mentions",
    "max_characters": "base",
    "max_characters_after": "after",
    "allow_self": "self_ok",
    "max_reason_words": "why",
    "min_confidence": "least",
    "max_confidence": "most",
}
# The log stores both Speech and Pick under all of these keys.
_STORED_DEFAULTS: dict[str, Any] = {
    "max_words": 0,
    "may_skip": False,
    "may_over": False,
    "options": [],
    "count": 1,
    "self_ok": False,
    "may_abstain": False,
}


@dataclass(frozen=True)
class Speech(Form):
    """A statement of limited length.

    Attributes:
        max_words: the limit in words; NO_LIMIT: characters count instead (SPEC 1.3).
        may_skip: whether the player may pass this time.
        may_over: whether the player may pass for the rest of the talk.
        options: the seats that may be addressed; empty if statements have no addressee.
        has_mentions: whether the first `@Name` of another player names the addressee. Then text
            beyond the limit is cut, and a Skip counts as Over if none is left.
        max_characters: the limit before the mention, without white space; NO_LIMIT for none.
        max_characters_after: the limit after the mention, counted in the same way.
    """

    name: ClassVar[str] = "speech"
    is_revisable: ClassVar[bool] = False

    max_words: int
    may_skip: bool = False
    may_over: bool = False
    options: tuple[Option, ...] = ()
    has_mentions: bool = False
    max_characters: int = NO_LIMIT
    max_characters_after: int = NO_LIMIT

    @property
    def likely_words(self) -> int:
        """The limit in words, estimated if characters are counted."""
        if self.max_words != NO_LIMIT:
            return self.max_words
        has_limit = self.max_characters != NO_LIMIT
        characters = self.max_characters if has_limit else MAX_CHARACTERS
        return max(1, characters // TYPICAL_WORD_CHARACTERS)

    def amend(
        self, seat: int, action: Action, names: Sequence[str]
    ) -> tuple[Action, tuple[str, ...]]:
        if not self.has_mentions:
            return action, ()
        if action.kind == "skip" and not self.may_skip:
            return Action("over"), (OVER_SKIP,)
        if action.kind != "say":
            return action, ()
        seats = {name: number for number, name in enumerate(names, 1) if number != seat}
        text = shorten(action.text, self.max_characters, self.max_characters_after, seats).strip()
        if not text:
            return Action("over"), (OVER_EMPTY,)
        start, end = find_mention(text, seats)
        mentioned = seats[text[start + 1 : end]] if start >= 0 else 0
        targets = (mentioned,) if mentioned in self.options else action.targets
        labels = (SHORTENED,) if text != action.text else ()
        return Action("say", text, targets), labels

    def parse(self, data: Mapping[str, Any]) -> Action:
        if data.get("pass") in PASSES:
            return Action(data["pass"])
        if data.get("pass"):
            raise Illegal("bad_post")
        if not isinstance(data.get("text"), str):
            raise Illegal("not_a_statement")
        if (self.may_skip or self.may_over) and data["text"].strip(" .!").casefold() in PASSES:
            raise Illegal("typed_pass")
        to = data.get("to")
        return say(data["text"], _match_options([to], self.options)[0] if to else None)

    def check(self, seat: int, action: Action) -> None:
        passes = {"skip": self.may_skip, "over": self.may_over}
        if action.kind in passes and not passes[action.kind]:
            raise Illegal("no_pass")
        if action.kind == "say":
            _check_words(action.text, self.max_words)
            if len(action.targets) > 1 or not set(action.targets) <= set(self.options_for(seat)):
                raise Illegal("not_an_option")
        elif action.kind not in (*passes, "nothing"):
            raise Illegal("not_a_statement")

    def to_json(self) -> dict[str, Any]:
        data = {**_STORED_DEFAULTS, **super().to_json()}
        if not self.has_mentions:  # logs without mentions stay as they were
            del data["mentions"], data["base"], data["after"]
        return data


@dataclass(frozen=True)
class Pick(Form):
    """A choice of exactly `count` different `options`.

    Attributes:
        max_reason_words: the limit of a reason; 0 if no reason is requested.
    """

    name: ClassVar[str] = "pick"

    options: tuple[Option, ...]
    count: int = 1
    allow_self: bool = False
    may_abstain: bool = False
    max_reason_words: int = 0

    def options_for(self, seat: int) -> tuple[Option, ...]:
        return tuple(o for o in self.options if self.allow_self or o != seat)

    def parse(self, data: Mapping[str, Any]) -> Action:
        action = self._parse_choice(data)
        if not self.max_reason_words:
            return action
        return replace(action, text=tidy(str(data.get("why") or ""), max_breaks=0))

    def _parse_choice(self, data: Mapping[str, Any]) -> Action:
        if data.get("abstain"):
            return ABSTAIN
        if data.get("pass") or (data.get("text") and not data.get("targets")):
            raise Illegal("not_a_choice")
        if not isinstance(data.get("targets"), list | tuple):
            raise Illegal("bad_post")
        return pick(*_match_options(data["targets"], self.options))

    def check(self, seat: int, action: Action) -> None:
        if action.kind not in ("pick", "abstain") or (action.text and not self.max_reason_words):
            raise Illegal("not_a_choice")
        if action.text:
            _check_words(action.text, self.max_reason_words)
        if action.kind == "abstain":
            if not self.may_abstain:
                raise Illegal("no_abstaining")
            return
        if len(action.targets) != self.count or len(set(action.targets)) != self.count:
            raise Illegal("wrong_count", count=self.count)
        if not set(action.targets) <= set(self.options_for(seat)):
            raise Illegal("not_an_option")

    def draw_action(self, seat: int, rng: SeededRandom, purpose: str) -> Action:
        return pick(*rng.sample(purpose, self.options_for(seat), self.count))

    def to_json(self) -> dict[str, Any]:
        data = {**_STORED_DEFAULTS, **super().to_json()}
        if not self.max_reason_words:  # logs without reasons stay as they were
            del data["why"]
        return data


@dataclass(frozen=True)
class Ratings(Form):
    """Ratings of the seats `options`: a role and a confidence for each.

    A seat that an answer omits keeps its rating.

    Attributes:
        roles: the role keys offered, besides UNCERTAIN.
        min_confidence, max_confidence: the bounds of a confidence, inclusive.
    """

    name: ClassVar[str] = "ratings"

    options: tuple[Option, ...]
    roles: tuple[str, ...]
    min_confidence: int = 5
    max_confidence: int = 10

    @property
    def choices(self) -> tuple[str, ...]:
        """What a player may be rated as: the roles and UNCERTAIN."""
        return (*self.roles, UNCERTAIN)

    def parse(self, data: Mapping[str, Any]) -> Action:
        rows = data.get("ratings")
        if not isinstance(rows, Mapping):
            raise Illegal("bad_post")
        return rate(*(self._parse_rating(seat, row) for seat, row in rows.items()))

    def _parse_rating(self, seat: Any, row: Any) -> Rating:
        (number,) = _match_options([seat], self.options)
        try:
            return Rating(int(number), str(row["role"]), int(row["confidence"]))
        except (KeyError, TypeError, ValueError):
            raise self._bounds_error() from None

    def check(self, seat: int, action: Action) -> None:
        if action.kind == "nothing":
            return
        if action.kind != "rate":
            raise Illegal("not_a_rating")
        rated = [rating.seat for rating in action.ratings]
        if len(set(rated)) != len(rated) or not set(rated) <= set(self.options_for(seat)):
            raise Illegal("not_an_option")
        for rating in action.ratings:
            is_in_bounds = self.min_confidence <= rating.confidence <= self.max_confidence
            if rating.role not in self.choices or not is_in_bounds:
                raise self._bounds_error()

    def _bounds_error(self) -> Illegal:
        return Illegal("bad_rating", least=self.min_confidence, most=self.max_confidence)


# Name of a form -> (its class, key in the log -> field).
_FORMS: dict[str, tuple[type[Form], dict[str, str]]] = {
    form.name: (form, {_STORED_KEYS.get(f.name, f.name): f.name for f in fields(form)})
    for form in (Speech, Pick, Ratings)
}


def speech(
    max_words: int, *, may_skip: bool = False, may_over: bool = False, to: Iterable[Option] = ()
) -> Speech:
    """Return the form of a statement without mentions. It may address one of the seats `to`."""
    return Speech(max_words, may_skip, may_over, tuple(to))


def speech_with_mentions(
    max_words: int, max_characters: int, max_characters_after: int, to: Iterable[Option]
) -> Speech:
    """Return the form of a statement in passes, with `@Name` for its addressee (SPEC 1.3)."""
    return Speech(
        max_words,
        may_skip=True,
        may_over=True,
        options=tuple(to),
        has_mentions=True,
        max_characters=max_characters,
        max_characters_after=max_characters_after,
    )


def picking(
    options: Iterable[Option],
    count: int = 1,
    *,
    allow_self: bool = False,
    may_abstain: bool = False,
) -> Pick:
    """Return the form of a choice of `count` options without a reason."""
    return Pick(tuple(options), count, allow_self, may_abstain)


def rating(options: Iterable[Option], roles: Iterable[str]) -> Ratings:
    """Return the form of ratings of the seats `options`. The `roles` may repeat, as in a deck."""
    return Ratings(tuple(options), tuple(dict.fromkeys(roles)))


def _check_words(text: str, max_words: int) -> None:
    """Raise Illegal unless `text` is valid and has at most `max_words` words."""
    if error_code := text_error(text, max_words):
        words = count_words(text) if error_code == "too_many_words" else 0
        raise Illegal(error_code, words=words, max_words=max_words)


def _match_options(values: Iterable[Any], options: Iterable[Option]) -> list[Option]:
    """Return the options whose text forms are the given values.

    Raise Illegal `not_an_option` for another seat or word, `bad_post` for anything else.
    """
    options_by_text = {str(option): option for option in options}
    texts = [str(value) for value in values]
    for text in texts:
        if text not in options_by_text:
            raise Illegal("not_an_option" if text.isdecimal() or text.isalpha() else "bad_post")
    return [options_by_text[text] for text in texts]
