"""Tests of vote inducing by hand (Impressions 8, 9.1, 9.2). Seats 4 and 5 are one team."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.lab.making import day, game
from webapp.measures.game_record import GameRecord, Inducement
from webapp.measures.inducement import find_attempts, inducement_figures, success_by_callers

# Seat 4 calls on 2, then 5 does; seat 1 hints at 5. Votes: 2 has three, 5 one; 3 abstains.
VOTES = {1: 5, 2: None, 3: 2, 4: 2, 5: 2}
ATTEMPTS = (Inducement(1, 4, 2, "call"), Inducement(1, 5, 2, "call"), Inducement(1, 1, 5, "hint"))


def make_game(*attempts: Inducement, exiled_seat: int = 2) -> GameRecord:
    return game(day(votes=VOTES), inducements=attempts, exiles=frozenset({(1, exiled_seat)}))


def test_attempt_succeeds_when_its_target_is_exiled_that_day() -> None:
    assert [attempt.was_exiled for attempt in find_attempts(make_game(*ATTEMPTS))] == [
        True,
        True,
        False,
    ]
    exile_next_day = replace(make_game(*ATTEMPTS), exiles=frozenset({(2, 2)}))
    assert not any(attempt.was_exiled for attempt in find_attempts(exile_next_day))


def test_votes_for_the_target_exclude_the_callers_own() -> None:
    first, second, third = find_attempts(make_game(*ATTEMPTS))
    assert (first.from_allies, first.from_others) == (1, 1)  # seat 5, then 3
    assert (second.from_allies, second.from_others) == (1, 1)
    assert (third.from_allies, third.from_others) == (0, 0)  # only the caller's own vote


def test_margin_is_measured_to_the_next_candidate() -> None:
    assert [attempt.margin for attempt in find_attempts(make_game(*ATTEMPTS))] == [
        2,
        2,
        -2,
    ]


def test_callers_of_one_target_are_counted_and_ordered() -> None:
    assert [
        (attempt.callers, attempt.has_predecessor)
        for attempt in find_attempts(make_game(*ATTEMPTS))
    ] == [
        (2, False),
        (2, True),
        (1, False),
    ]


def test_day_without_a_vote_has_no_attempt() -> None:
    assert list(find_attempts(make_game(Inducement(2, 4, 2, "call")))) == []


def test_figures_are_by_role_and_manner() -> None:
    table = inducement_figures([make_game(*ATTEMPTS), make_game(ATTEMPTS[0], exiled_seat=3)])
    wolves = table["werewolf, call"]
    assert (wolves["attempts"].value, wolves["successes"].value) == (3, 2)
    assert wolves["success rate"].value == pytest.approx(2 / 3)
    assert table["seer, hint"]["successes"].value == 0
    assert table["werewolf, any manner"]["attempts"].value == 3


def test_success_by_callers_counts_each_target_of_a_day_once() -> None:
    figures = success_by_callers([make_game(*ATTEMPTS), make_game(ATTEMPTS[0], exiled_seat=3)])
    assert {callers: (figure.value, figure.n) for callers, figure in figures.items()} == {
        1: (0, 2),
        2: (1, 1),
    }
