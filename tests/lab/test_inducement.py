"""Vote inducing by hand (Impressions 8, 9.1, 9.2). Five seats; 4 and 5 are of one team."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.lab.making import day, game
from webapp.measures.game_record import GameRecord, Inducement
from webapp.measures.inducement import find_attempts, inducement_figures, success_by_callers

# Seat 4 calls on 2, then 5 does; seat 1 hints at 5. Votes: 2 has three, 5 one; 3 abstains.
VOTES = {1: 5, 2: None, 3: 2, 4: 2, 5: 2}
MADE = (Inducement(1, 4, 2, "call"), Inducement(1, 5, 2, "call"), Inducement(1, 1, 5, "hint"))


def induced(*made: Inducement, exiled: int = 2) -> GameRecord:
    return game(day(votes=VOTES), inducements=made, exiles=frozenset({(1, exiled)}))


def test_attempt_succeeds_when_its_target_is_exiled_that_day() -> None:
    assert [a.exiled for a in find_attempts(induced(*MADE))] == [True, True, False]
    tomorrow = replace(induced(*MADE), exiles=frozenset({(2, 2)}))
    assert not any(a.exiled for a in find_attempts(tomorrow))


def test_votes_for_the_target_exclude_the_callers_own() -> None:
    first, second, third = find_attempts(induced(*MADE))
    assert (first.from_allies, first.from_others) == (1, 1)  # seat 5, then 3
    assert (second.from_allies, second.from_others) == (1, 1)
    assert (third.from_allies, third.from_others) == (0, 0)  # its own vote alone


def test_margin_is_measured_to_the_next_candidate() -> None:
    assert [a.margin for a in find_attempts(induced(*MADE))] == [2, 2, -2]


def test_callers_of_one_target_are_counted_and_ordered() -> None:
    assert [(a.callers, a.earlier) for a in find_attempts(induced(*MADE))] == [
        (2, False),
        (2, True),
        (1, False),
    ]


def test_day_without_a_vote_has_no_attempt() -> None:
    assert list(find_attempts(induced(Inducement(2, 4, 2, "call")))) == []


def test_figures_are_by_role_and_manner() -> None:
    table = inducement_figures([induced(*MADE), induced(MADE[0], exiled=3)])
    wolves = table["werewolf, call"]
    assert (wolves["attempts"].value, wolves["successes"].value) == (3, 2)
    assert wolves["success rate"].value == pytest.approx(2 / 3)
    assert table["seer, hint"]["successes"].value == 0
    assert table["werewolf, any manner"]["attempts"].value == 3


def test_success_by_callers_counts_each_target_of_a_day_once() -> None:
    found = success_by_callers([induced(*MADE), induced(MADE[0], exiled=3)])
    assert {callers: (f.value, f.n) for callers, f in found.items()} == {1: (0, 2), 2: (1, 1)}
