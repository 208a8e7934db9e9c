"""Faculties with their input and output: `Mind`, `Decision`, `Request`, `Reply`.

A mind has append-only notes, which are selected by time when they are read (`mind_at`). A request
is repeated once, as a repair, if its reply is unusable (`send_with_repair`).
"""

import tomllib
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

from agents.packs import Pack, pack_of
from agents.personas.big_five import Persona
from game.engine.events import BEFORE_FIRST_PHASE, Action, Moment
from game.engine.forms import Speech
from game.engine.ruleset import Ruleset
from game.engine.seeded_random import SeededRandom
from game.engine.visibility import View
from game.engine.windows import Answer, Window
from game.engine.wording import Picks

T = TypeVar("T")
_SWITCHES = tomllib.loads(Path(__file__).with_name("switches.toml").read_text("utf-8"))
SEAT_MARK = "/agent/"  # separates the game's seed from the seat's part in the seed of `rng`
FAILED = "failed"  # `faculty` of notes on failed preparations; their data: {"faculty", "cause"}


@dataclass(frozen=True)
class Note:
    """A note of a faculty."""

    faculty: str  # name of the faculty
    moment: Moment  # when the note's window opened, or when the round began that it prepares
    data: dict[str, Any]  # the content of the note, JSON-shaped
    window: str = ""  # key of the note's window, "" for a preparation of a round


@dataclass(frozen=True)
class Mind:
    """The notes that one seat may read at a moment, oldest first (`mind_at`)."""

    notes: tuple[Note, ...] = ()

    def of(self, faculty: str) -> tuple[Note, ...]:
        """Return the notes of one faculty, oldest first."""
        return tuple(n for n in self.notes if n.faculty == faculty)

    def latest(self, faculty: str) -> dict[str, Any]:
        """Return the newest note's data, {} if there is none."""
        notes = self.of(faculty)
        return notes[-1].data if notes else {}

    def plus(self, notes: Iterable[Note]) -> Self:
        return replace(self, notes=(*self.notes, *notes))


def mind_at(notes: Iterable[Note], moment: Moment, closed: Container[str]) -> Mind:
    """Return the mind at `moment`, when the windows with the keys in `closed` were closed.

    Notes prepared for a round are valid from the beginning of the round. Notes of a window are
    valid once that window is closed. If notes of open windows were valid, an answer would depend on
    the speed of other workers. The order of the notes does not depend on it either.
    """
    valid_notes = [n for n in notes if (n.window in closed if n.window else n.moment <= moment)]
    # The sort is stable: notes of one window keep the order in which they were made.
    return Mind(tuple(sorted(valid_notes, key=lambda n: (n.moment, bool(n.window), n.window))))


@dataclass(frozen=True)
class Switch:
    """One choice that a faculty offers."""

    name: str
    values: tuple[str, ...]  # the possible values. The first one is the default.
    source: str  # the section of the paper, or "ours"
    help: str  # what the switch decides, in a sentence

    @classmethod
    def load(cls, name: str) -> Self:
        """Return the switch of that name in `switches.toml`."""
        row = _SWITCHES[name]
        return cls(name, tuple(row["values"]), row["source"], row["help"])

    @property
    def default(self) -> str:
        return self.values[0]


@dataclass(frozen=True)
class Decision:
    """What one seat knows and may do when it answers a window, without the answer."""

    ruleset: Ruleset
    view: View  # the view when the window opened. It holds only what the seat may know.
    window: Window
    mind: Mind
    rng: SeededRandom  # generator seeded by (seed, seat, window)
    persona: Persona | None = None
    faculties: frozenset[str] = frozenset()  # names of the agent's faculties
    # How much of the talk a model's prompt holds, from the recipe (`recipe.CONTEXTS`).
    context: str = "whole"
    # Name -> value of the faculties' switches, from the recipe.
    switches: Mapping[str, str] = field(default_factory=dict)
    has_plain_speech: bool = False  # whether the house player speaks plainly, from the recipe
    # The contest table's profile of the seat, from the recipe.
    profile: Mapping[str, str] = field(default_factory=dict)
    shown_since_override: int | None = None  # replaces what `context` says for `shown_since`

    @property
    def pack(self) -> Pack:
        return pack_of(self.ruleset)

    @property
    def seat(self) -> int:
        return self.view.seat

    @property
    def other_seats(self) -> list[int]:
        """All other seats, whether their players are in the game or out."""
        return [s for s in range(1, len(self.view.state.seats) + 1) if s != self.seat]

    @property
    def living_others(self) -> list[int]:
        """The seats of the other players who are in the game."""
        return [seat for seat in self.view.state.living() if seat != self.seat]

    def switch_value(self, switch: Switch) -> str:
        """Return the value of a faculty's switch."""
        return self.switches.get(switch.name, switch.default)

    @property
    def moment(self) -> Moment:
        """The moment when the window opened."""
        return self.window.moment

    @property
    def shared_rng(self) -> SeededRandom:
        """The generator of the game, the same for all seats and windows."""
        return SeededRandom(self.rng.seed.partition(SEAT_MARK)[0])

    @property
    def round(self) -> int:
        """Number of the current or last round of talk over all days, from 1. 0 before the first."""
        return len(self.view.state.rounds)

    @property
    def round_start(self) -> Moment:
        """The moment when the current or last round of talk began."""
        return self.view.state.rounds[-1] if self.round else BEFORE_FIRST_PHASE

    @property
    def talks_today(self) -> int:
        """Number of the seat's turns in the talk of the day so far, passes included."""
        talk_phases = {name for name, phase in self.ruleset.wording.phases.items() if phase.is_talk}
        moments = (turn.moment for turn in self.view.turns if turn.seat == self.seat)
        return sum(m.day == self.view.state.day and m.phase in talk_phases for m in moments)

    @property
    def talks_left(self) -> int:
        """Number of turns that remain for the seat in the talk of the day, including this one."""
        limits = self.ruleset.talk_limits(self.window.kind, self.view.state.settings)
        if limits:  # a seat has at most one turn in each pass
            return min(limits.max_answers, limits.max_passes) - self.talks_today
        return max(1, self.ruleset.rounds) - self.talks_today

    @property
    def is_in_talk(self) -> bool:
        """Whether the window is a turn in the day's talk."""
        phase = self.ruleset.wording.phases.get(self.view.state.phase)
        return self.window.is_public_speech and phase is not None and phase.is_talk

    @property
    def is_whisper(self) -> bool:
        """Whether the window is a turn to speak to only some players."""
        return isinstance(self.window.legal, Speech) and not self.window.is_public_speech

    @property
    def purpose(self) -> Picks:
        """The purpose of a pick in the window (`Wording.picks_of`), "" for none."""
        return self.ruleset.wording.picks_of(self.window.kind)

    @property
    def shown_since(self) -> int:
        """Number of the first phase whose talk a request shows, 0 if it shows all.

        The context `summary` shows only the current round, `whole` the whole talk. All others show
        the last round and the current one (Humanized 2.2-2.4 use the dialogue of the last round).
        """
        rounds = self.view.state.rounds
        if self.shown_since_override is not None:
            return self.shown_since_override
        if self.context == "summary":
            return rounds[-1].phase_number if rounds else 0
        return rounds[-2].phase_number if self.context != "whole" and len(rounds) > 1 else 0


@dataclass(frozen=True)
class Request:
    """Request to a backend."""

    kind: str  # the window's kind (`statement`, `vote`, `divination`, `poll` …) or a faculty's own
    decision: Decision
    # Faculty name -> what that faculty adds to the request, JSON-shaped.
    brief: Mapping[str, Any] = field(default_factory=dict)
    temperature: float | None = None  # temperature of a model. None: the backend's default.


# Reply of a backend: {"text": str} | {"pass": "skip"|"over"} | {"targets": [...]}, and optionally
# "labels": [str], "notes": [{"faculty", "data"}], "exchange": the messages sent and received.
Reply = Mapping[str, Any]
# Function that sends a request and returns the reply. The first argument, the step, is the
# request's name within the window: a recorded step is never sent twice.
Send = Callable[[str, Request], Reply]

# Causes of a BackendError that are a mistake of the model, which a repair request can explain. The
# other causes are failures of the connection or the server.
MISTAKE_CAUSES = ("unusable", "illegal", "unspeakable", "empty", "refusal", "too_long")


class BackendError(Exception):
    """A backend gave no usable reply.

    Attributes:
        cause: one word, for the label in the log.
        detail: the problem in a sentence, for the reader who must fix it.
        exchange: the messages sent and received, if any.
    """

    def __init__(
        self, cause: str, detail: str = "", exchange: dict[str, Any] | None = None
    ) -> None:
        super().__init__(f"{cause}: {detail}" if detail else cause)
        self.cause, self.detail, self.exchange = cause, detail, exchange

    @property
    def is_mistake(self) -> bool:
        """Whether the model made a mistake that it could correct."""
        return self.cause in MISTAKE_CAUSES


@dataclass(frozen=True)
class UsableReply(Generic[T]):
    """A usable reply of a backend."""

    value: T  # the parsed reply
    reply: Reply
    # Whether the reply answers a repair request, which explains the mistake in the first reply.
    is_repaired: bool


def send_with_repair(
    send: Send, step: str, request: Request, parse_reply: Callable[[Reply], T]
) -> UsableReply[T]:
    """Send `request` and return the reply, parsed. Any failure gets a second attempt.

    If the model made a mistake, the second request is a repair and states it. If the connection
    failed, the second request equals the first. Raises the BackendError of the second attempt.

    Args:
        step: name of the request within the window. The attempts are recorded as its parts.
        parse_reply: returns the value of a reply. Raises BackendError for an unusable one.
    """
    reply: Reply = {}
    try:
        reply = send(f"{step}/first", request)
        return UsableReply(parse_reply(reply), reply, is_repaired=False)
    except BackendError as error:
        is_repair = error.is_mistake
        if is_repair:
            exchange = error.exchange or reply.get("exchange") or {}
            mistake = {
                "refused": error.detail or error.cause,
                "answered": exchange.get("answer", ""),
            }
            request = replace(request, brief={**request.brief, **mistake})
    reply = send(f"{step}/repair", request)
    return UsableReply(parse_reply(reply), reply, is_repaired=is_repair)


def request_note(
    send: Send,
    decision: Decision,
    faculty: str,
    brief: Mapping[str, Any],
    parse_reply: Callable[[Reply], dict[str, Any]],
    *,
    is_prepared: bool,
    step: str = "",
    kind: str = "",
) -> list[Note]:
    """Return the note of a faculty's own request, with one repair, or the note of its failure.

    Args:
        parse_reply: returns the note's data. Raises BackendError for an unusable reply.
        is_prepared: whether the note is made when a round opens, and not for one window.
        step: name of the step if the faculty makes several requests for the window.
        kind: of the request, if it is not the faculty's name.
    """
    request = Request(kind or faculty, decision, brief)
    moment = decision.round_start if is_prepared else decision.moment
    window = "" if is_prepared else decision.window.key
    try:
        result = send_with_repair(send, step or faculty, request, parse_reply)
    except BackendError as error:
        if is_prepared:
            return [failed_preparation_note(decision, faculty, error.cause)]
        return [Note(faculty, moment, {"failed": error.cause}, window)]
    data = {**result.value, "repaired": True} if result.is_repaired else result.value
    return [Note(faculty, moment, data, window)]


def failed_preparation_note(decision: Decision, faculty: str, cause: str) -> Note:
    """Return the note of a failed preparation of the current round.

    Without it, a game in which a faculty failed would look like one in which it worked.
    """
    return Note(FAILED, decision.round_start, {"faculty": faculty, "cause": cause})


class Faculty:
    """A part of an agent's mind. Each method does nothing unless overridden.

    Attributes:
        name: the key of its notes and of its part of a brief.
        switches: the choices that it offers to recipes.
        can_prepare: whether `prepare` may return notes.
    """

    name: str
    switches: tuple[Switch, ...] = ()
    can_prepare = False

    def is_due(self, decision: Decision) -> bool:
        """Return whether the faculty should have a note for the current round."""
        return False

    def prepare(self, decision: Decision, send: Send) -> list[Note]:
        """Return the notes made when a round opens. A failed request gives a note of FAILED."""
        return []

    def recall(self, decision: Decision) -> list[Note]:
        """Return the notes made before an answer without any request."""
        return []

    def consider(self, decision: Decision, send: Send) -> list[Note]:
        """Return the notes of separate requests that are sent right before an answer."""
        return []

    def decide(self, decision: Decision) -> Answer | None:
        """Return the answer, with its labels, if the faculty's notes decide it, else None."""
        return None

    def disguise(self, decision: Decision) -> Decision:
        """Return the decision without what a model must not see."""
        return decision

    def complaint(self, decision: Decision, action: Action) -> str:
        """Return the mistake in a model's answer, "" for none. The model may repair it once."""
        return ""

    def fallback_answer(self, decision: Decision) -> Answer | None:
        """Return the answer in place of a model's unusable one, None for the rules' fallback."""
        return None

    def brief(self, decision: Decision) -> dict[str, Any]:
        """Return the faculty's part of a request's brief, JSON-shaped, {} for none."""
        return {}

    def notes_from_reply(self, decision: Decision, reply: Reply) -> list[Note]:
        """Return the notes from a reply that holds more than the answer."""
        return []
