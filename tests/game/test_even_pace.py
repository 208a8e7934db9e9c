"""At a blind table time is to tell little of who is a person."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from game import clock

AT = timezone.now()
CHANCES = [n / 1000 for n in range(1000)]
SHORT, LONG = "Not me.", "and so on " * 40


def seconds(text: str, limit: float) -> list[float]:
    ends = [clock.statement_end("even", AT, text, chance, limit) for chance in CHANCES]
    return [(end - AT).total_seconds() for end in ends]


@pytest.mark.parametrize("limit", [20, 60, 180])
@pytest.mark.parametrize("text", [SHORT, LONG])
def test_nobody_is_heard_after_the_deadline_that_all_see(text: str, limit: float) -> None:
    assert max(seconds(text, limit)) < limit


def test_some_computer_players_take_as_long_as_people_who_think_first() -> None:
    found = seconds(SHORT, 180)
    slow = [one for one in found if one > 40]
    assert 0.08 < len(slow) / len(found) < 0.15
    assert sum(one > 120 for one in found) > 20  # up to the limit, not to a length of their own
    assert min(found) < 8


def test_other_paces_know_no_chance() -> None:
    ends = {clock.statement_end("natural", AT, LONG, chance) for chance in (0.0, 0.5, 0.99)}
    assert ends == {AT + timedelta(seconds=clock.PACES["natural"].longest)}
