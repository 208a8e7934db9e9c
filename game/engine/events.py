"""Events: what happened, in order, each with the audience that may know of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

Data = Mapping[str, Any]  # JSON-shaped: str keys; str, int, bool, None, lists and dicts as values


@dataclass(frozen=True)
class Audience:
    """The viewers who may ever see an event.

    `public`: everyone. `seats`: those seats. `moderator`: nobody at the table while the game
    runs, everyone after its end. `record`: never a player (straw polls: SPEC 1.1), but for those
    `seats` whose own it is (what only people are asked).
    """

    kind: str
    seats: tuple[int, ...] = ()

    def __str__(self) -> str:
        is_addressed = self.kind == "seats" or self.seats
        return f"{self.kind}:{'.'.join(map(str, self.seats))}" if is_addressed else self.kind

    @classmethod
    @cache  # there are few, and every event of every log has one
    def parse(cls, text: str) -> Audience:
        """Return the audience that `str` printed as `text`."""
        kind, _, seats = text.partition(":")
        if kind not in ("public", "seats", "moderator", "record"):
            raise ValueError(f"no such audience: {text}")
        return cls(kind, tuple(int(s) for s in seats.split(".") if s))


PUBLIC = Audience("public")
MODERATOR = Audience("moderator")
RECORD = Audience("record")


def to(*seats: int) -> Audience:
    """Only these seats (1..n)."""
    return Audience("seats", tuple(sorted(seats)))


def own(seat: int) -> Audience:
    """On record, and only this seat ever sees it, after the game too."""
    return Audience("record", (seat,))


@dataclass(frozen=True)
class Event:
    """One thing that happened.

    `data["text"]`, where there is one, is a player's own words; `data["sha256"]` stays when the
    words are erased. `labels` say what was not freely produced by the player; docs/architecture.md
    lists them.
    """

    kind: str
    audience: Audience
    data: Data = field(default_factory=dict)
    labels: tuple[str, ...] = ()

    def canonical(self) -> dict[str, Any]:
        """Return the event as the digest counts it: without words, ids and clock times."""
        data = {k: v for k, v in self.data.items() if k != "text"}
        return {
            "kind": self.kind,
            "audience": str(self.audience),
            "data": data,
            "label": ", ".join(self.labels),
        }

    def repeats(self, event: Event) -> bool:
        """Return whether it is the same event as far as the digest counts (`canonical`)."""
        ours, theirs = self.data, event.data
        if "text" in ours or "text" in theirs:
            return self.canonical() == event.canonical()
        same = (self.kind, self.audience, self.labels) == (event.kind, event.audience, event.labels)
        return same and ours == theirs

    def __getitem__(self, name: str) -> Any:
        return self.data[name]


def text_hash(text: str) -> str:
    """SHA-256 of a text, as events carry it."""
    return hashlib.sha256(text.encode()).hexdigest()


def digest(events: Iterable[Event]) -> str:
    """SHA-256 (hex) of the canonical log."""
    lines = (
        json.dumps(e.canonical(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        for e in events
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
