"""Events of a game, each with the audience that may see it, and moments of a game."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Self

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
