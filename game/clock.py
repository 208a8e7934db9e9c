"""Pace and time limits: how long windows stay open. The engine itself has no clock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from game.engine.text_checks import count_words

CLOCKS = ("statement", "vote", "night", "poll")
MAX_LINGERING_S = 180.0  # of a lingering statement if statements have no limit
MAX_LIMIT_SHARE = 0.95  # at an even pace no statement is held back beyond this share of its limit


@dataclass(frozen=True)
class Pace:
    """The times of a pace, in seconds.

    Attributes:
        night: minimum time of a night.
        vote: minimum time of a vote among agents.
        statement: fixed part of the time of an agent's statement.
        word: part for each word of it.
        longest: maximum time of it.
        variation: the share by which the time of a statement varies, drawn for each one.
        lingering_share: the share of statements that take any time up to the limit, as those of
            people do who think first.
        is_even: whether people's statements take at least as long as agents', so that time reveals
            little of who is a person.
    """

    night: float
    vote: float
    statement: float
    word: float
    longest: float
    variation: float = 0.0
    lingering_share: float = 0.0
    is_even: bool = False


PACES = {
    "none": Pace(0, 0, 0, 0, 0),  # for simulations
    "instant": Pace(1.5, 0, 0.15, 0, 16),
    "slow": Pace(8, 6, 3.0, 0.32, 26),
    "natural": Pace(6, 4, 2.0, 0.2, 16),
    "brisk": Pace(3, 2, 0.8, 0.08, 6),
    "quick": Pace(0, 0, 0, 0, 0),  # one person: lines come together (`speaking_pace.events_shown`)
    # For blind tables.
    "even": Pace(20, 15, 12.0, 0.6, 60, variation=0.6, lingering_share=0.15, is_even=True),
}
BRISK, QUICK = "brisk", "quick"
# From slow to quick: the paces between which a person alone with agents may change during the game.
PACE_STEPS = ("slow", "natural", BRISK, QUICK)


def now() -> datetime:
    return timezone.now()


def is_even(pace: str) -> bool:
    """Return whether people's statements take as long as agents' do."""
    return PACES[pace].is_even


def night_end(pace: str, phase_at: datetime) -> datetime:
    """Return the earliest end of a night that began at `phase_at`."""
    return phase_at + timedelta(seconds=PACES[pace].night)


def vote_end(pace: str, opened_at: datetime) -> datetime:
    """Return the earliest end of a vote among agents that opened at `opened_at`."""
    return opened_at + timedelta(seconds=PACES[pace].vote)


def statement_end(
    pace: str, opened_at: datetime, text: str, chance: float = 0.5, limit: float = 0
) -> datetime:
    """Return when the speaker of `text`, who began at `opened_at`, has finished.

    Args:
        chance: a number in [0, 1) drawn for this statement.
        limit: seconds within which the statement must be made, 0 for no limit.
    """
    times = PACES[pace]
    seconds = min(times.statement + times.word * count_words(text), times.longest)
    latest = MAX_LIMIT_SHARE * (limit or MAX_LINGERING_S)
    if chance < times.lingering_share:
        seconds += max(0.0, latest - seconds) * chance / times.lingering_share
    else:
        drawn = (chance - times.lingering_share) / (1 - times.lingering_share)
        seconds *= 1 + times.variation * (2 * drawn - 1)
    if times.is_even and seconds > latest:
        seconds = latest * (1 + chance) / 2
    return opened_at + timedelta(seconds=seconds)
