"""Pace and time limits: how long windows stay open. The engine itself knows no clock."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

from game.engine.words import count_words

CLOCKS = ("statement", "vote", "night", "poll")
# Pace -> seconds of a night at least, seconds a statement takes at least and per word, and a
# vote among agents alone. `none` is for simulations.
PACES: dict[str, tuple[float, float, float, float]] = {
    "none": (0, 0, 0, 0),
    "instant": (1.5, 0.15, 0, 0),
    "natural": (6, 2.0, 0.2, 4),
}
LONGEST_STATEMENT = 16.0  # seconds


def now() -> datetime:
    return timezone.now()


def night_ends(pace: str, phase_at: datetime) -> datetime:
    """The earliest end of a night that began at `phase_at`, whoever acts in it."""
    return phase_at + timedelta(seconds=PACES[pace][0])


def vote_ends(pace: str, opened_at: datetime) -> datetime:
    return opened_at + timedelta(seconds=PACES[pace][3])


def statement_ends(pace: str, opened_at: datetime, text: str) -> datetime:
    """When an agent that began at `opened_at` has said `text`: it depends on the length."""
    _, least, per_word, _ = PACES[pace]
    seconds = min(least + per_word * count_words(text), LONGEST_STATEMENT)
    return opened_at + timedelta(seconds=seconds)
