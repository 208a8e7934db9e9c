"""Pace and time limits: how long windows stay open. The engine itself knows no clock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from game.engine.text_checks import count_words

CLOCKS = ("statement", "vote", "night", "poll")


@dataclass(frozen=True)
class Pace:
    """The times of a pace, in seconds: of a night, of a vote among agents, and of a statement.

    even: people's statements take at least as long as agents', so that time reveals little of who
    is a person; the time then varies by the share `varies`, drawn for each statement. lingers: the
    share of statements that take any time up to the limit, as people's do who think first.
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


BRISK, QUICK = "brisk", "quick"
# From slow to quick: what somebody alone with computer players may change while the game runs.
LADDER = ("slow", "natural", BRISK, QUICK)


def now() -> datetime:
    return timezone.now()


def even(pace: str) -> bool:
    """Return whether people's statements take as long as agents' do."""
    return PACES[pace].even


def night_ends(pace: str, phase_at: datetime) -> datetime:
    """Return the earliest end of a night that began at `phase_at`."""
    return phase_at + timedelta(seconds=PACES[pace].night)


def vote_ends(pace: str, opened_at: datetime) -> datetime:
    return opened_at + timedelta(seconds=PACES[pace].vote)


LINGERS = 180.0  # most seconds of a lingering statement if statements have no limit
LATEST = 0.95  # at an even pace no statement is held back beyond this share of its limit


def statement_ends(
    pace: str, opened_at: datetime, text: str, chance: float = 0.5, limit: float = 0
) -> datetime:
    """Return when a statement is finished whose speaker began at `opened_at`, by its length.

    chance: a number in [0, 1) drawn for this statement. limit: seconds within which it must be
    made, 0 for none.
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
