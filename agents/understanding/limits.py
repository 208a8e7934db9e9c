"""Limits on the processing of one statement, so that no text can block a worker.

Python's `re` holds the interpreter lock while it matches. The patterns are written so that none
backtracks exponentially (tests/agents/test_understanding_cost.py); what remains grows with the
square of the length at most, which `MAX_TOKENS` bounds.
"""

from __future__ import annotations

import re
from time import monotonic, thread_time

from agents.understanding.speech_acts import SpeechAct

MAX_TOKENS = 180  # words and punctuation marks; the longest own statements have about 90
# Processor time of one statement. The costliest known text takes 0.05 s. The limit is far above it,
# because a garbage collection in this thread counts too, and a game must not depend on that.
MAX_CPU_S = 5.0
_TOKEN = re.compile(r"\w+|[^\w\s]")


class TooCostlyError(Exception):
    """Raised when a statement has used up its processor time."""


class CpuBudget:
    """The processor time that this thread may still spend on one statement.

    Processor time is read only after MAX_CPU_S of wall-clock time, because a reading can take
    0.25 ms: with every sentence, 6 % of a game.
    """

    def __init__(self) -> None:
        self._free_until = monotonic() + MAX_CPU_S
        self._ends_at = 0.0

    def check(self) -> None:
        """Raise TooCostlyError if the time is used up."""
        if monotonic() < self._free_until:
            return
        self._ends_at = self._ends_at or thread_time() + MAX_CPU_S
        if thread_time() > self._ends_at:
            raise TooCostlyError


def is_short_enough(text: str) -> bool:
    """Return whether `text` has at most MAX_TOKENS tokens."""
    return all(number < MAX_TOKENS for number, _ in enumerate(_TOKEN.finditer(text)))


def unread_acts(speaker: int) -> tuple[SpeechAct]:
    """Return the acts of a statement of `speaker` that exceeds the limits."""
    return (SpeechAct("unread", speaker),)
