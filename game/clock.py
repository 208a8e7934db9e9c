"""Pace and time limits: how long windows stay open. The engine itself knows no clock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from game.engine.speech_text import count_words

CLOCKS = ("statement", "vote", "night", "poll")


@dataclass(frozen=True)
class Pace:
    """Seconds: of a night at least, of a vote among agents, and what saying something takes.

    even: people's statements take as long as agents' at least, so that time tells little of who
    is a person; the time then varies by `varies` of itself, drawn for each statement. lingers: the
    share of statements that take any time up to the limit, as those of people do who think first.
    """

    night: float
    vote: float
    statement: float
    word: float
    longest: float
    varies: float = 0.0
    lingers: float = 0.0
    even: bool = False


PACES = {
    "none": Pace(0, 0, 0, 0, 0),  # for simulations
    "instant": Pace(1.5, 0, 0.15, 0, 16),
    "slow": Pace(8, 6, 3.0, 0.32, 26),
    "natural": Pace(6, 4, 2.0, 0.2, 16),
    "brisk": Pace(3, 2, 0.8, 0.08, 6),
    "quick": Pace(0, 0, 0, 0, 0),  # one person: lines come together (`speaking_pace.events_shown`)
    "even": Pace(20, 15, 12.0, 0.6, 60, varies=0.6, lingers=0.15, even=True),  # for blind tables
}


QUICK = "quick"
# From slow to quick: what somebody alone with computer players may change while the game runs.
LADDER = ("slow", "natural", "brisk", QUICK)


def now() -> datetime:
    return timezone.now()


def even(pace: str) -> bool:
    """Return whether people's statements take the time that agents' take."""
    return PACES[pace].even


def night_ends(pace: str, phase_at: datetime) -> datetime:
    """Return the earliest end of a night that began at `phase_at`, whoever acts in it."""
    return phase_at + timedelta(seconds=PACES[pace].night)


def vote_ends(pace: str, opened_at: datetime) -> datetime:
    return opened_at + timedelta(seconds=PACES[pace].vote)


LINGERS = 180.0  # seconds at the most, where statements have no limit
LATEST = 0.95  # of its limit: no statement at an even pace is held back for longer


def statement_ends(
    pace: str, opened_at: datetime, text: str, chance: float = 0.5, limit: float = 0
) -> datetime:
    """When a speaker who began at `opened_at` has said `text`: it depends on the length.

    chance: a number in [0, 1) drawn for this statement. limit: seconds within which it has to be
    said, 0 for none.
    """
    its = PACES[pace]
    seconds = min(its.statement + its.word * count_words(text), its.longest)
    latest = LATEST * (limit or LINGERS)
    if chance < its.lingers:
        seconds += max(0.0, latest - seconds) * chance / its.lingers
    else:
        drawn = (chance - its.lingers) / (1 - its.lingers)
        seconds *= 1 + its.varies * (2 * drawn - 1)
    if its.even and seconds > latest:
        seconds = latest * (1 + chance) / 2
    return opened_at + timedelta(seconds=seconds)
