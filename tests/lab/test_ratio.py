"""Tests of Ratio by hand: Helmsman 3.2, and the pooling of Table 25 (SPEC 3)."""

from __future__ import annotations

import pytest

from tests.lab.making import day, game
from webapp.measures.figure import mean_over_games
from webapp.measures.game_record import NotDefined
from webapp.measures.ratio import day_ratio, ratio, ratio_by_person, ratio_by_role

# Toward the Sheriff (1): 8, 6 and 10, for 4 has not scored them: 24 / 3 = 8.
# Among the others: 2 gives 6, 4; 3 gives 7; 4 gives 5, 9; 5 gives 3, 6, 6: 46 / 8 = 5.75. Were the
# judges' own means averaged, it would be (5 + 7 + 7 + 5) / 4 = 6; with the Sheriff's ten, 56 / 9.
GAPS = {
    1: {2: 10},
    2: {1: 8, 3: 6, 4: 4},
    3: {1: 6, 2: 7},
    4: {2: 5, 5: 9},
    5: {1: 10, 2: 3, 3: 6, 4: 6},
}
OF_GAPS = 8 / 5.75


def flat_scores(m: int, toward: int, living: tuple[int, ...] = (1, 2, 3, 4, 5)) -> dict:
    """Return scores in which everybody gives everybody `m`, and the Sheriff `toward`."""
    return {
        judge: {target: toward if target == 1 else m for target in living if target != judge}
        for judge in living
    }


def test_ratio_omits_unscored_pairs_and_the_scores_of_the_sheriff() -> None:
    assert day_ratio(day(GAPS), 1) == pytest.approx(OF_GAPS)


def test_left_out_pairs_are_counted() -> None:
    # Pairs of four judges and four targets: 16. Scored: 3 + 8 = 11.
    older_pairs = frozenset({(2, 1), (1, 2)})  # the Sheriff's own scores don't count
    figure = ratio(game(day(GAPS, older_score_pairs=older_pairs)))
    assert figure.omitted["unscored pairs"] == 5
    assert figure.omitted["pairs with an older score (kept)"] == 1


def test_dead_players_neither_score_nor_are_scored() -> None:
    # Without 5: toward 8, 6 -> 7; among 6, 4, 7, 5 -> 5.5.
    assert day_ratio(day(GAPS, living=(1, 2, 3, 4)), 1) == pytest.approx(7 / 5.5)


def test_games_average_their_days_and_weigh_the_same() -> None:
    # Days of 2, 1 and one without a vote (it would be 5): 1.5. One day of 0.5: 0.5. Together 1.
    first = game(
        day(flat_scores(4, 8)),
        day(flat_scores(6, 6)),
        day(flat_scores(2, 10), votes={}),
    )
    second = game(day(flat_scores(10, 5)), code="b")
    assert (ratio(first).value, ratio(first).n) == (1.5, 2)
    mean = mean_over_games([ratio(first), ratio(second)])
    assert (mean.value, mean.n, mean.unit) == (1.0, 2, "games")


def test_days_and_games_without_scores_are_left_out() -> None:
    partly_scored = ratio(game(day(flat_scores(4, 8)), day()))
    assert (partly_scored.value, partly_scored.n, partly_scored.omitted["undefined days"]) == (
        2.0,
        1,
        1,
    )
    unscored = ratio(game(day()))
    assert (unscored.value, unscored.n) == (None, 0)
    assert unscored.reason
    mean = mean_over_games([partly_scored, unscored])
    assert (mean.value, mean.n, mean.omitted["undefined games"]) == (2.0, 1, 1)


def test_scores_on_one_side_alone_give_no_ratio() -> None:
    assert day_ratio(day({2: {1: 8}}), 1) is None
    assert day_ratio(day({2: {3: 8}}), 1) is None


def test_each_day_uses_the_sheriff_of_that_day() -> None:
    # Day 1, Sheriff 1: 2. Day 2, Sheriff 2 among 2, 3, 4: 9 and 3 -> 6, over 4 and 8 -> 6: 1.
    second = day({3: {2: 9, 4: 4}, 4: {2: 3, 3: 8}}, living=(2, 3, 4), leader=2)
    assert ratio(game(day(flat_scores(4, 8)), second)).value == 1.5


def test_person_ratio_uses_their_own_scores_only() -> None:
    # Person 2 of GAPS: 8 over (6 + 4) / 2 = 1.6. Person 5: 10 over (3 + 6 + 6) / 3 = 2.
    assert ratio_by_person(game(day(GAPS), people=frozenset({2}))).value == pytest.approx(1.6)
    two_people = ratio_by_person(game(day(GAPS), people=frozenset({2, 5})))
    assert (two_people.value, two_people.n) == (pytest.approx(1.8), 2)


def test_person_who_is_sheriff_or_dead_has_no_ratio() -> None:
    figure = ratio_by_person(game(day(GAPS, living=(1, 2, 3, 4)), people=frozenset({1, 5})))
    assert (figure.value, figure.n) == (None, 0)


def test_ratio_of_another_player_counts_the_sheriff_among_the_others() -> None:
    # Toward 2: 1 gives 10, 3: 7, 4: 5, 5: 3 -> 6.25. Among 1, 3, 4, 5: 3 gives 1 a 6; 4 gives 5 a
    # 9; 5 gives 1 a 10, 3 a 6, 4 a 6 -> 37 / 5 = 7.4.
    assert day_ratio(day(GAPS), 2) == pytest.approx(6.25 / 7.4)


def test_player_days_are_pooled_by_role_and_badge() -> None:
    # Three days, in two games. Everybody gives m to all but the Sheriff, the seer.
    # Toward the Sheriff 8, among the others 4: the seer's ratio is 2; each other's is 4 or 8 from
    # the others' four judges: toward a guard 4, 4, 4, 4 -> 4; among 1, 3, 4, 5: 3 x 8 toward the
    # Sheriff and 9 x 4 = 60 / 12 = 5 -> 0.8. With 6 and 6: all 1.
    # Guard: 0.8 (game a), 1, 1 (game b, two days): pooled 2.8 / 3; were games weighed alike 0.9.
    games = [
        game(day(flat_scores(4, 8))),
        game(day(flat_scores(6, 6)), day(flat_scores(6, 6)), code="b"),
    ]
    table = ratio_by_role(games)
    assert table["guard"]["without badge"].value == pytest.approx(2.8 / 3)
    assert table["guard"]["without badge"].n == 3
    assert table["seer"]["with badge"].value == pytest.approx((2 + 1 + 1) / 3)
    assert set(table["seer"]) == {"with badge"}
    assert table["werewolf"]["without badge"].n == 6
    assert table["werewolf"]["without badge"].value == pytest.approx((2 * 0.8 + 4) / 6)


def test_player_day_uses_the_badge_of_that_day() -> None:
    second_day = day(flat_scores(6, 6, (2, 3, 4, 5)), living=(2, 3, 4, 5), leader=2)
    table = ratio_by_role([game(day(flat_scores(6, 6)), second_day, leader=2)])
    counts = {
        (role, badge): figure.n for role, row in table.items() for badge, figure in row.items()
    }
    assert counts["seer", "with badge"] == 1
    assert (counts["guard", "with badge"], counts["guard", "without badge"]) == (1, 1)


def test_game_without_a_sheriff_has_no_ratio() -> None:
    with pytest.raises(NotDefined, match="sheriff has no Sheriff, so ratio is not defined"):
        ratio(game(day(GAPS), has_leader=False))
