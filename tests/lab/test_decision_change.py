"""Tests of DC and DC* by hand (Helmsman 3.2, D.5; SPEC 3)."""

from __future__ import annotations

import pytest

from tests.lab.making import ABSTAINED, MOVED, day, game
from webapp.measures.decision_change import day_change, decision_change, decision_change_by_person
from webapp.measures.game_record import Day


@pytest.mark.parametrize(
    ("changed_day", "dc", "dc_living", "star", "star_living"),
    [(MOVED, 2 / 4, 2 / 5, 3 / 4, 3 / 5), (ABSTAINED, 1 / 4, 1 / 5, 2 / 4, 2 / 5)],
)
def test_day_change_by_both_divisors(
    changed_day: Day, dc: float, dc_living: float, star: float, star_living: float
) -> None:
    assert day_change(changed_day, "over_others") == dc
    assert day_change(changed_day, "over_living") == dc_living
    assert day_change(changed_day, "over_others", star=True) == star
    assert day_change(changed_day, "over_living", star=True) == star_living


def test_game_averages_its_days_with_a_vote() -> None:
    record = game(MOVED, ABSTAINED, day(votes={}, pseudo_votes={2: 3}))
    figure = decision_change(record, "over_others")
    assert (figure.value, figure.n) == ((0.5 + 0.25) / 2, 2)
    assert decision_change(record, "over_living").value == pytest.approx((0.4 + 0.2) / 2)


def test_player_without_a_pseudo_vote_is_not_counted() -> None:
    # Without 3's answer 2 of 3 follow; over the living known, 2 of 4.
    day_without_3 = day(votes=dict(MOVED.votes), pseudo_votes={2: 3, 4: 2, 5: None})
    assert day_change(day_without_3, "over_others") == pytest.approx(2 / 3)
    assert day_change(day_without_3, "over_living") == 0.5
    figure = decision_change(game(day_without_3), "over_others")
    assert figure.omitted["players not asked before the Sheriff spoke"] == 1


def test_day_without_pseudo_votes_is_undefined() -> None:
    figure = decision_change(game(day()), "over_others")
    assert (figure.value, figure.n) == (None, 0)


def test_change_of_a_person_is_one_or_zero_per_day() -> None:
    # Person 2 follows on both days; person 4 on neither.
    assert decision_change_by_person(game(MOVED, ABSTAINED, people=frozenset({2}))).value == 1
    both = decision_change_by_person(game(MOVED, ABSTAINED, people=frozenset({2, 4})))
    assert (both.value, both.n) == (0.5, 4)
    sheriff = decision_change_by_person(game(MOVED, people=frozenset({1})))
    assert (sheriff.value, sheriff.n) == (None, 0)
