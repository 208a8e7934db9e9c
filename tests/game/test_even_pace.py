"""Timing in blind games reveals little about who is a person."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from game import clock

OPENED_AT = timezone.now()
CHANCES = [n / 1000 for n in range(1000)]
SHORT, LONG = "Not me.", "and so on " * 40


def seconds(text: str, limit: float) -> list[float]:
    ends = [clock.statement_end("even", OPENED_AT, text, chance, limit) for chance in CHANCES]
    return [(end - OPENED_AT).total_seconds() for end in ends]


@pytest.mark.parametrize("limit", [20, 60, 180])
@pytest.mark.parametrize("text", [SHORT, LONG])
def test_agent_statements_appear_before_the_visible_deadline(text: str, limit: float) -> None:
    assert max(seconds(text, limit)) < limit


def test_some_agents_take_as_long_as_people() -> None:
    durations = seconds(SHORT, 180)
    slow = [duration for duration in durations if duration > 40]
    assert 0.08 < len(slow) / len(durations) < 0.15
    assert sum(duration > 120 for duration in durations) > 20  # up to the limit of the window
    assert min(durations) < 8


def test_other_paces_are_deterministic() -> None:
    ends = {clock.statement_end("natural", OPENED_AT, LONG, chance) for chance in (0.0, 0.5, 0.99)}
    assert ends == {OPENED_AT + timedelta(seconds=clock.PACES["natural"].max_statement)}
