"""Tests of Variation and Memorability by hand (Humanized G.2, G.3, Algorithms 5 and 6)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.lab.making import game
from webapp.measures.game_record import GameRecord, Statement
from webapp.measures.judged_variety import (
    Highlight,
    NotSpoken,
    check_spoken,
    matrix_difference,
    memorability,
    opinion_matrix,
    sentence_deviation,
    variation,
)

# Seats 1 and 2 hold one role each, 3 and 4 share "villager", 5 is the Werewolf.
ROLES = {1: "seer", 2: "guard", 3: "villager", 4: "villager", 5: "werewolf"}


def make_record() -> GameRecord:
    statements = (
        Statement(1, 1, 1, "Alpha", "I am the Seer, and Eta is no wolf."),
        Statement(1, 1, 5, "Eta", "Nonsense!"),
    )
    return replace(game(statements=statements), roles=ROLES)


def test_matrix_difference_weighs_empty_cells_1_and_conflicts_2() -> None:
    first = opinion_matrix([(1, 2, "seer"), (1, 3, "werewolf"), (2, 3, "mason")])
    second = opinion_matrix([(1, 2, "seer"), (1, 3, "tanner"), (3, 1, "seer")])
    # (1, 2) equal: 0; (1, 3) differs: 2; (2, 3) and (3, 1) are empty once: 1 each.
    assert matrix_difference(first, second) == matrix_difference(second, first) == 4


def test_last_opinion_of_a_round_counts() -> None:
    assert opinion_matrix([(1, 2, "seer"), (1, 2, "werewolf")]) == {(1, 2): "werewolf"}


def test_variation_is_the_mean_over_all_ordered_pairs_of_rounds() -> None:
    # Differences of three rounds: 1 (a, b), 2 (a, c), 1 (b, c). Twice their sum over 9, not over 6
    # or 3: the diagonal counts.
    a, b, c = (
        opinion_matrix([]),
        opinion_matrix([(1, 2, "seer")]),
        opinion_matrix([(1, 2, "seer"), (2, 1, "mason")]),
    )
    assert variation([a, b, c]).value == pytest.approx(8 / 9)
    assert variation([a]).value is None


def test_holders_of_a_role_share_their_sentences() -> None:
    # Five units: seer 2, guard 0, villagers (3 of seat 3, 1 of seat 4) 2 each, werewolf 4: mean 2,
    # squares 0 + 4 + 0 + 0 + 4 = 8, by 4: 2, root 1.4142. Counted by seat it would be 1.5811.
    lines = [*[Highlight(1, "a", 5)] * 2, *[Highlight(3, "b", 5)] * 3, Highlight(4, "c", 5)]
    lines += [Highlight(5, "d", 5)] * 4
    assert sentence_deviation(lines, make_record()) == pytest.approx(2**0.5)


def test_memorability_is_100_n_over_the_sum_of_sds() -> None:
    first_game = [Highlight(5, "d", 5)] * 5  # units 0, 0, 0, 0, 5: SD 2.2361
    second_game = [Highlight(1, "a", 5)]  # units 1, 0, 0, 0, 0: SD .4472
    figure = memorability([(make_record(), first_game), (make_record(), second_game)])
    assert figure.value == pytest.approx(200 / (5**0.5 + 0.2**0.5))
    assert figure.n == 2


def test_memorability_is_undefined_where_every_sd_is_zero() -> None:
    one_each = [Highlight(seat, "a", 5) for seat in ROLES]
    figure = memorability([(make_record(), one_each)])
    assert figure.value is None
    assert "same number" in figure.reason


def test_unspoken_sentence_is_refused() -> None:
    check_spoken(Highlight(1, "i am the seer and ETA is no wolf", 9), make_record())
    check_spoken(Highlight(1, "Eta is no wolf", 9), make_record())
    with pytest.raises(NotSpoken, match="Eta did not say: I am the Seer"):
        check_spoken(Highlight(5, "I am the Seer", 9), make_record())
    with pytest.raises(NotSpoken):
        check_spoken(Highlight(1, "!", 9), make_record())
