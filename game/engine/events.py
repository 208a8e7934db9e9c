"""Events of a game, the audiences that may see them, the actions in them, and moments.

`forms` decides which actions are allowed.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Literal, Self

from game.engine.text_checks import count_words, tidy

ActionKind = Literal["say", "skip", "over", "nothing", "pick", "abstain", "rate"]
PASSES: tuple[ActionKind, ...] = ("skip", "over")
UNCERTAIN = "uncertain"  # the role in a rating by a player who cannot tell
Option = int | str  # a seat (1..n), or a word such as "left"
Data = Mapping[str, Any]  # JSON-shaped: str keys; str, int, bool, None, lists and dicts as values


@dataclass(frozen=True)
class Audience:
    """The viewers who may ever see an event.

    Attributes:
        kind: `public`: everyone. `seats`: only these seats. `moderator`: no one at the table while
            the game runs, everyone after its end. `record`: no player, ever (straw polls: SPEC
            1.1), except the seat that gave an answer to a question that only people get.
        seats: numbers from 1, ascending.
    """

    kind: str
    seats: tuple[int, ...] = ()

    def __str__(self) -> str:
        is_addressed = self.kind == "seats" or self.seats
        return f"{self.kind}:{'.'.join(map(str, self.seats))}" if is_addressed else self.kind

    @classmethod
    @cache  # there are few audiences, and every event of every log has one
    def parse(cls, text: str) -> Self:
        """Parse the text form of an audience, as `str` prints it."""
        kind, _, seats = text.partition(":")
        if kind not in ("public", "seats", "moderator", "record"):
            raise ValueError(f"no such audience: {text}")
        return cls(kind, tuple(int(s) for s in seats.split(".") if s))


PUBLIC = Audience("public")
MODERATOR = Audience("moderator")
RECORD = Audience("record")


def only_seats(*seats: int) -> Audience:
    """Return the audience of these seats (1..n) alone."""
    return Audience("seats", tuple(sorted(seats)))


def record_audience(seat: int) -> Audience:
    """Return the audience of an answer that only `seat` may ever see, also after the game."""
    return Audience("record", (seat,))


@dataclass(frozen=True)
class Event:
    """One event of a game.

    Attributes:
        data: JSON-shaped. `text` is a player's statement, `sha256` its hash, which stays when the
            text is erased.
        labels: marks on an answer that the player did not freely produce (`game.engine.labels`).
    """

    kind: str
    audience: Audience
    data: Data = field(default_factory=dict)
    labels: tuple[str, ...] = ()

    def canonical_data(self) -> dict[str, Any]:
        """Return the fields that the digest covers: all but the text."""
        return {
            "kind": self.kind,
            "audience": str(self.audience),
            "data": {k: v for k, v in self.data.items() if k != "text"},
            "label": ", ".join(self.labels),
        }

    def is_equal_in_digest(self, event: Self) -> bool:
        """Return whether both have equal `canonical_data`. Events without text compare faster."""
        ours, theirs = self.data, event.data
        if "text" in ours or "text" in theirs:
            return self.canonical_data() == event.canonical_data()
        own_fields = (self.kind, self.audience, self.labels, ours)
        return own_fields == (event.kind, event.audience, event.labels, theirs)

    def __getitem__(self, name: str) -> Any:
        return self.data[name]


def text_hash(text: str) -> str:
    """Return the SHA-256 of a text, as events carry it."""
    return hashlib.sha256(text.encode()).hexdigest()


def digest(events: Iterable[Event]) -> str:
    """Return the SHA-256 (hex) of the canonical log."""
    lines = (
        json.dumps(e.canonical_data(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        for e in events
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@dataclass(frozen=True)
class Rating:
    """One seat's belief about another: a role's key or UNCERTAIN, and the confidence in it."""

    seat: int
    role: str
    confidence: int


@dataclass(frozen=True)
class Action:
    """The action of one seat in answer to a question.

    Attributes:
        kind: the seat speaks (`say`), passes (`skip`, `over`, `nothing`), picks, abstains or rates.
            The log stores it as `manner`.
        text: the statement; for a choice, its reason.
        targets: seats (1..n), or words if the window's options are words; for a statement, the
            addressed seat.
        ratings: one for each player whose rating changes.
    """

    kind: ActionKind
    text: str = ""
    targets: tuple[Option, ...] = ()
    ratings: tuple[Rating, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form that events carry."""
        data: dict[str, Any] = {"manner": self.kind}
        if self.kind == "say" or self.text:
            digest, words = text_hash(self.text), count_words(self.text)
            data |= {"text": self.text, "sha256": digest, "words": words}
        if self.kind == "pick" or (self.kind == "say" and self.targets):
            data["targets"] = list(self.targets)
        if self.kind == "rate":
            data["ratings"] = [dict(vars(rating)) for rating in self.ratings]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the action of a JSON form made by `to_json`."""
        ratings = tuple(Rating(**row) for row in data.get("ratings", ()))
        return cls(data["manner"], data.get("text", ""), tuple(data.get("targets", ())), ratings)


def say(text: str, to: Option | None = None) -> Action:
    return Action("say", text=tidy(text), targets=() if to is None else (to,))


def pick(*targets: Option) -> Action:
    return Action("pick", targets=targets)


def rate(*ratings: Rating) -> Action:
    return Action("rate", ratings=ratings)


NOTHING = Action("nothing")
ABSTAIN = Action("abstain")


@dataclass(frozen=True, order=True)
class Moment:
    """A moment of a game. Moments are ordered by their phase in the log, then by their pass.

    Attributes:
        phase_number: counts the phases of the game from 1; 0 before the first.
        pass_: the pass of talk in the phase, from 1; 0 for the whole phase.
        day, phase, round: as the ruleset named them when the phase opened. They do not affect the
            order.
    """

    phase_number: int = 0
    pass_: int = 0
    day: int = field(default=0, compare=False)
    phase: str = field(default="", compare=False)
    round: int = field(default=0, compare=False)

    @property
    def phase_start(self) -> Self:
        """The moment at which this moment's phase opened."""
        return replace(self, pass_=0)


BEFORE_FIRST_PHASE = Moment()
