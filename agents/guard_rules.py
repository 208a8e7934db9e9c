"""The guard: which words a rule speaks instead of the model, and when (Guarded 4.4, SPEC 2.8).

It is a pure function of a situation. `agents.faculties.guard` reads the situation from the talk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agents.packs import Part
from agents.personas.styles import Key

ENDS: tuple[Key, ...] = ("closing_first", "closing", "resignation_first", "resignation", "farewell")
MOST_ADDRESSED = 4  # how often a day whoever addresses the agent gets an answer of the model


@dataclass(frozen=True)
class Line:
    """A prepared line to speak.

    target: the seat that it names, 0 for none. finds_hunted: of a report, whether it says that the
    target is hunted.
    """

    key: Key
    target: int = 0
    finds_hunted: bool = False


@dataclass(frozen=True)
class Situation:
    """Knowledge of the guard before the agent speaks. Seats of others are in ascending order.

    Attributes:
        talk: k, the number of the agent's own talk of the day, this one included.
        talks: n, the talks that the ruleset allows it a day.
        day: 0 for a day without a vote, else the number of the day, from 1.
        part: of the agent's role.
        other_seats: the living but the agent.
        undecided: those of them who have announced no vote today, speak on, and were not asked yet.
        is_undecided: whether that holds for the agent.
        against: S, the votes that others announced against the agent.
        addressed: whether exactly one talk since its last one addresses it, and it has answered
            fewer than MOST_ADDRESSED such talks today.
        lookers: the others who claim the role that looks at night.
        accusers: those of them who report the agent as hunted.
        finders: those of them who report anybody as hunted.
        has_claimed: whether the agent claims that role.
        result: its own newest look, as the line of a report; none if there is none to tell.
        is_first: whether nobody has spoken today.
        is_closed: whether it has ended its talk of the day.
        vote_asked: whether its words had to name a vote in an earlier talk of the day.
    """

    talk: int
    talks: int
    day: int
    part: Part | None
    other_seats: tuple[int, ...]
    undecided: tuple[int, ...]
    is_undecided: bool = True
    against: int = 0
    addressed: bool = False
    lookers: tuple[int, ...] = ()
    accusers: tuple[int, ...] = ()
    finders: tuple[int, ...] = ()
    has_claimed: bool = False
    result: Line | None = None
    is_first: bool = False
    is_closed: bool = False
    vote_asked: bool = False

    @property
    def alive(self) -> int:
        return len(self.other_seats) + 1

    @property
    def open(self) -> int:
        """U: the undecided, the agent included."""
        return len(self.undecided) + self.is_undecided

    @property
    def names_vote(self) -> bool:
        """Whether the model's words have to name a vote: with two talks left, later three.

        With few talks a prepared line may take that talk. Then the next words of the model name it,
        and never the first talk of a day, which reports and greetings take.
        """
        begin = max(2, self.talks - (2 if self.day == 1 else 3))
        return self.day > 0 and self.talk >= begin and not self.vote_asked


Toss = Callable[[], bool]
Draw = Callable[[Sequence[int]], int]


def choose(now: Situation, toss: Toss, draw: Draw) -> Line | None:
    """Return the line to speak, None if the model speaks. The first case that matches wins.

    Args:
        toss: returns the result of a coin toss.
        draw: returns one of the seats.
    """
    return next((line for case in CASES if (line := case(now, toss, draw))), None)


def _closed(now: Situation, toss: Toss, draw: Draw) -> Line | None:
    """Return the line of an agent that has ended its talk."""
    return Line("over") if now.is_closed else None


def _greet(now: Situation, toss: Toss, draw: Draw) -> Line | None:
    """Return the line of a day without a vote."""
    if now.day > 0:
        return None
    return Line("greeting" if now.talk == 1 else "over")


def _end(now: Situation, toss: Toss, draw: Draw) -> Line | None:
    """Return a line that brings the talk to its end: an inquiry for a vote, or the closing.

    Whoever is addressed gets an answer first.
    """
    if now.addressed:
        return None
    first_day = now.day == 1
    if first_day and now.talk == now.talks - 1 and now.against < 2 and now.undecided:
        return Line("inquiry", draw(now.undecided))
    if now.talk <= now.talks - (1 if first_day else 2) + now.open:
        return None
    if now.part == "helper" and now.day == 2:
        return Line("farewell")
    if now.against > now.alive // 2:
        return Line("resignation_first" if first_day else "resignation")
    return Line("closing_first" if first_day else "closing")


def _lie(now: Situation, toss: Toss, draw: Draw) -> Line | None:
    """Return a line by which the hunted or their helper pose as the role that looks."""
    if now.day != 1 or now.has_claimed:
        return None
    if now.part == "wolf" and now.talk < now.talks - 1 and len(now.lookers) == 1:
        return Line("counter", now.lookers[0]) if now.lookers == now.accusers else None
    if now.part != "helper":
        return None
    is_early = now.talk == 1 and len(now.lookers) < 2 and toss()
    if is_early or (now.talk == 2 and not now.lookers):
        return Line("report", draw(now.other_seats), finds_hunted=True)
    if now.talk == 2 and len(now.lookers) == 1 and now.lookers == now.finders:
        return Line("counter", now.lookers[0])
    return None


def _report(now: Situation, toss: Toss, draw: Draw) -> Line | None:
    """Return the report of the agent's own look, as the first words of a day."""
    return now.result if now.talk == 1 else None


def _pose(now: Situation, toss: Toss, draw: Draw) -> Line | None:
    """Return the line by which the helper of the hunted reveals itself on the second day."""
    return Line("pose") if (now.part, now.day, now.talk) == ("helper", 2, 1) else None


def _open(now: Situation, toss: Toss, draw: Draw) -> Line | None:
    """Return the line of whoever speaks first on a day."""
    return Line("morning_first" if now.day == 1 else "morning") if now.is_first else None


# In the paper's order.
CASES: tuple[Callable[[Situation, Toss, Draw], Line | None], ...] = (
    _closed, _greet, _end, _lie, _report, _pose, _open,
)  # fmt: skip
