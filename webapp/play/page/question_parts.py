"""What the table waits for, and what it asks of the viewer."""

from __future__ import annotations

from dataclasses import dataclass, field

from webapp.play.page.transcript_parts import Seat


@dataclass(frozen=True)
class Awaited:
    """What the table waits for, in one sentence (`#awaited`, announced politely), and how many
    answers are in (`#count`, which is not announced)."""

    text: str
    mine: bool = False  # it is waiting for this viewer
    answered: int = 0
    asked: int = 0  # 0: no count to show
    deadline: str = ""  # ISO-8601 UTC, "" for none: the page counts down to it
    default: str = ""  # what happens at the deadline
    handed: bool = False  # a computer player answers for this viewer, who can take the seat back
    absent: bool = False  # the one who is awaited is away
    take_over: bool = False  # the host is away for long, and this viewer may host instead
    gone: str = ""  # to who is out and asked nothing more: what they see now; "" for the others


@dataclass(frozen=True)
class Option:
    value: str
    label: str
    seat: Seat | None = None  # whom it is, or stands for
    chosen: bool = False
    name: str = ""  # of that seat, where the label is a word of its own


@dataclass(frozen=True)
class TurnPanel:
    """The part of the composer that changes (`#turn`).

    The textarea itself (`#composer`) is never replaced by a push, so that a draft and the
    focus stay. `window` is "" while others speak: then one may draft, not send.
    """

    window: str
    max_words: int
    may_skip: bool = False
    may_over: bool = False
    hint: str = ""
    to: list[Option] = field(default_factory=list)  # whom one may address


@dataclass(frozen=True)
class RatingRow:
    """A player to be rated. role: the key last given, "" for none; confidence: 0 for none."""

    seat: Seat
    role: str
    confidence: int


@dataclass(frozen=True)
class Choice:
    """A form with `count` picks among `options`, or with ratings (`#choice`)."""

    window: str
    kind: str  # of the window; "guess" for a guess that is no question of the game's
    title: str
    help: str
    options: list[Option]
    count: int = 1  # 1: radio buttons; more: checkboxes, exactly `count`
    may_abstain: bool = False
    ballot: bool = False
    rows: list[RatingRow] = field(default_factory=list)  # where players are rated
    roles: list[tuple[str, str]] = field(default_factory=list)  # (key, name) for a rating
    confidences: list[int] = field(default_factory=list)
    why: int = 0  # in how many words one may say why; 0: nobody asks
    why_text: str = ""  # what one has said already
    answered: bool = False  # my answer is in; it can be changed until the window closes
    submit: str = ""
    rated: bool = False  # some of the rows have been filled before
    told: list[str] = field(default_factory=list)  # what others answered who were asked before
