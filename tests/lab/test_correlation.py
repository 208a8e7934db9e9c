"""Tests of the three readings of Helmsman's correlation, by hand (4.3; SPEC 3)."""

from __future__ import annotations

import pytest

from tests.lab.making import day, game
from webapp.measures.correlation import (
    POOLED,
    mean_pairs,
    program_correlation,
    program_row,
    single_pairs,
    spearman,
)

# Person 2, agents 1, 3, 4, 5.
SCORES = {
    2: {1: 9, 3: 7, 4: 5, 5: 3},
    1: {2: 5, 3: 8, 4: 8, 5: 2},
    3: {1: 6, 4: 7},
}
PERSON = frozenset({2})


def test_ties_share_their_ranks() -> None:
    # Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: means 2.5; covariance sum 2.25 + 0 + 0 + 2.25 = 4.5;
    # squares 4.5 and 5: 4.5 / sqrt(22.5).
    assert spearman([1, 2, 2, 3], [1, 2, 3, 4]) == pytest.approx(4.5 / 22.5**0.5)


def test_constant_series_has_no_coefficient() -> None:
    assert spearman([5, 5, 5], [1, 2, 3]) is None
    assert spearman([1, 2, 3], [5, 5, 5]) is None
    assert spearman([1], [2]) is None


def test_single_pairs_cover_third_players_scored_by_both() -> None:
    # With agent 1: 3 (7, 8), 4 (5, 8), 5 (3, 2). With agent 3: 1 (9, 6), 4 (5, 7). 4, 5: nothing.
    record = game(day(SCORES), people=PERSON)
    assert sorted(single_pairs(record)) == [(3, 2), (5, 7), (5, 8), (7, 8), (9, 6)]


def test_pooled_mean_ranks_the_person_against_the_mean_of_the_agents() -> None:
    # Targets of person 2: 1 (9; agent 3: 6), 3 (7; agent 1: 8), 4 (5; agents 1 and 3: 8, 7, mean
    # 7.5), 5 (3; agent 1: 2). The person's ranks 4, 3, 2, 1; the agents' 2, 4, 3, 1. Deviations
    # 1.5, .5, -.5, -1.5 and -.5, 1.5, .5, -1.5: products -.75, .75, -.25, 2.25 = 2; squares 5, 5.
    record = game(day(SCORES), people=PERSON)
    assert sorted(mean_pairs(record)) == [(3, 2), (5, 7.5), (7, 8), (9, 6)]
    figure = POOLED["pooled_mean"]([record, record])
    assert (figure.value, figure.n) == (pytest.approx(2 / 5), 8)


def test_pooled_single_ranks_the_pairs_of_all_games_together() -> None:
    # One game: the person's ranks 1, 2.5, 2.5, 4, 5; the agents' 1, 3, 4.5, 4.5, 2.
    # Deviations from 3: -2, -.5, -.5, 1, 2 and -2, 0, 1.5, 1.5, -1: products 4, 0, -.75, 1.5, -2 =
    # 2.75; squares 9.5 and 9.5. So 2.75 / 9.5. Twice the same game ranks the same way.
    record = game(day(SCORES), people=PERSON)
    assert POOLED["pooled_single"]([record]).value == pytest.approx(2.75 / 9.5)
    over_two_games = POOLED["pooled_single"]([record, record])
    assert (over_two_games.value, over_two_games.n) == (
        pytest.approx(2.75 / 9.5),
        10,
    )


def test_dead_players_and_days_without_a_vote_have_no_pairs() -> None:
    day_without_5 = day(SCORES, living=(1, 2, 3, 4))
    record = game(day_without_5, day(SCORES, votes={}), people=PERSON)
    assert sorted(single_pairs(record)) == [(5, 7), (5, 8), (7, 8), (9, 6)]


def test_program_row_marks_self_and_unscored_and_keeps_the_dead() -> None:
    record = game(day(SCORES), people=PERSON)
    assert program_row(record, day(SCORES), 2) == [9, 0, 7, 5, 3]
    assert program_row(record, day(SCORES, living=(1, 2, 3)), 3) == [6, -1, 0, 7, -1]


def test_program_correlation_averages_rows_over_days_and_living_agents() -> None:
    # Person [9, 0, 7, 5, 3], ranks 5, 1, 4, 3, 2.
    # Agent 1 [0, 5, 8, 8, 2], ranks 1, 3, 4.5, 4.5, 2: deviations of the person 2, -2, 1, 0, -1, of
    # the agent -2, 0, 1.5, 1.5, -1: -4 + 0 + 1.5 + 0 + 1 = -1.5; squares 10 and 9.5.
    # Agent 3 [6, -1, 0, 7, -1], ranks 4, 1.5, 3, 5, 1.5: deviations 1, -1.5, 0, 2, -1.5: 2 + 3 + 0
    # + 0 + 1.5 = 6.5; squares 10 and 9.5. Agents 4 and 5 have scored nobody.
    agent_1, agent_3 = -1.5 / 95**0.5, 6.5 / 95**0.5
    figure = program_correlation(game(day(SCORES), people=PERSON))
    assert figure.value == pytest.approx((agent_1 + agent_3) / 2)
    assert (figure.n, figure.omitted["rows of players who scored nobody"]) == (2, 2)
    # On a second day agent 3 is dead: three rows, of which agent 1's counts twice. The dead stay in
    # the rows of the living.
    over_two_days = program_correlation(
        game(day(SCORES), day(SCORES, living=(1, 2, 4, 5)), people=PERSON)
    )
    assert (over_two_days.value, over_two_days.n) == (pytest.approx((2 * agent_1 + agent_3) / 3), 3)


def test_constant_rows_are_left_out() -> None:
    # The row of a player is constant only where all the others have the score of oneself, 0.
    constant_row = {2: {1: 9, 3: 7, 4: 5, 5: 3}, 1: {2: 0, 3: 0, 4: 0, 5: 0}, 3: SCORES[3]}
    figure = program_correlation(game(day(constant_row), people=PERSON))
    assert (figure.value, figure.n) == (pytest.approx(6.5 / 95**0.5), 1)
    assert figure.omitted["undefined rows"] == 1


def test_game_without_a_person_has_no_correlation() -> None:
    record = game(day(SCORES))
    assert (POOLED["pooled_mean"]([record]).value, program_correlation(record).value) == (
        None,
        None,
    )
