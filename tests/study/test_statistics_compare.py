"""Tests of the signed-rank test against SciPy and textbooks, and of the pairing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tests.study.making import dimension, dimension_result, mark
from webapp.statistics.compare import adjust_p_values
from webapp.statistics.marks import Mark
from webapp.statistics.rank_tests import rank_sum, signed_rank
from webapp.statistics.rating_results import compute_statistics
from webapp.statistics.reported_statistics import defined

# Hollander and Wolfe (1973), p. 29: depression before and after tranquilizers; R's own example.
BEFORE = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
AFTER = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]


def marks_of_pairs(pairs: list[tuple[int, int]]) -> list[Mark]:
    """Return marks with one moment per game, rated under a and b."""
    return [
        mark(value, game=f"g{n:02}", moment=f"m{n}", unit=f"{side}{n}", condition=side)
        for n, pair in enumerate(pairs)
        for side, value in zip("ab", pair, strict=True)
    ]


def test_signed_rank_matches_hollander_and_wolfe() -> None:
    result = signed_rank(np.array(BEFORE) - np.array(AFTER))
    assert result["test"]["w_plus"] == 40
    assert result["test"]["value"] == 5
    assert result["test"]["p"]["value"] == pytest.approx(0.0390625, abs=1e-12)  # R: 2 x 0.01953
    assert result["test"]["method"] == "exact"


def test_signed_rank_drops_zeros_and_computes_the_effect() -> None:
    # |d| ranked: 0→1, 5 5→2.5 each, 7→4, 9→5, 10→6, 12→7, 15→8, 17→9, 20→10
    differences = np.array([15, -7, 5, 20, 0, -9, 17, -12, 5, -10], float)
    result = signed_rank(differences)
    assert (result["n"], result["zeros"]) == (10, 1)
    assert (result["test"]["w_plus"], result["test"]["w_minus"]) == (32, 22)
    assert result["effect"]["value"] == pytest.approx((32 - 22) / 54)
    assert result["difference"]["value"] == pytest.approx(2.4)


@pytest.mark.parametrize("n", [4, 6, 7, 50, 51, 80])
@pytest.mark.parametrize("zeros", [0, 2])
def test_signed_rank_p_value_matches_scipy(n: int, zeros: int) -> None:
    differences = np.random.default_rng(n).normal(0.2, 1, n)
    if n != 50:  # with zeros, SciPy has no exact p between 14 and 50 pairs
        differences[:zeros] = 0
    expected = stats.wilcoxon(differences, zero_method="pratt", method="auto")
    test = signed_rank(differences)["test"]
    assert test["value"] == pytest.approx(expected.statistic)
    assert test["p"]["value"] == pytest.approx(expected.pvalue, abs=1e-11)
    assert test["method"] == ("exact" if n <= 50 else "normal approximation")


@pytest.mark.parametrize("n", [1, 2, 5, 9, 14])
@pytest.mark.parametrize("seed", range(4))
def test_exact_p_value_with_ties_and_zeros_covers_all_signs(n: int, seed: int) -> None:
    differences = np.random.default_rng(seed).integers(-3, 5, n).astype(float)
    differences[0] = 2
    ranks = stats.rankdata(np.abs(differences)) * (differences != 0)
    signs = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    sums, positive_sum = signs @ ranks, ranks[differences > 0].sum()
    expected = min(1, 2 * min((sums <= positive_sum).mean(), (sums >= positive_sum).mean()))
    test = signed_rank(differences)["test"]
    assert test["p"]["value"] == pytest.approx(expected, abs=1e-12)


def test_four_equal_differences_have_an_exact_p_value() -> None:
    # Four differences of one size, all positive: two of 2^4 sign patterns are as extreme.
    test = signed_rank(np.array([1.0, 1, 1, 1]))["test"]
    assert (test["method"], test["p"]["value"]) == ("exact", 0.125)


@pytest.mark.parametrize(
    "sums",  # of three ratings; all ±1/3
    [
        [(3, 4), (8, 7), (13, 14), (5, 6), (10, 9), (12, 11)],
        # Means rounded before they are subtracted would make the falls 0.333333334.
        [(3, 4), (5, 6), (8, 9), (8, 7), (11, 10), (14, 13)],
    ],
)
def test_equal_differences_tie_despite_rounding(sums: list[tuple[int, int]]) -> None:
    """4/3 - 3/3 and 14/3 - 13/3 differ in the sixteenth digit, as means of three ratings do."""
    marks = [
        mark(value, game=f"g{n}", moment=f"m{n}", unit=f"{side}{n}", condition=side, rater=rater)
        for n, pair in enumerate(sums)
        for side, total in zip("ab", pair, strict=True)
        for rater, value in zip("xyz", thirds(total), strict=True)
    ]
    result = dimension_result(marks)["comparisons"][0]
    assert result["effect"]["value"] == 0, "three ranks of 3.5 in each direction"
    assert result["test"]["p"]["value"] == pytest.approx(1.0)


def thirds(total: int) -> list[int]:
    """Return three ratings from 1 to 5 with that sum."""
    return [total // 3, (total + 1) // 3, (total + 2) // 3]


def test_games_with_both_conditions_are_compared_as_pairs() -> None:
    result = dimension_result(marks_of_pairs([(1, 3), (2, 3), (4, 3), (2, 5), (1, 5), (2, 2)]))[
        "comparisons"
    ]
    assert len(result) == 1
    comparison = result[0]
    assert (comparison["a"], comparison["b"], comparison["by"]) == ("a", "b", "game")
    assert (comparison["n"], comparison["zeros"], comparison["care"]) == (6, 1, [])
    assert comparison["difference"]["value"] == pytest.approx((2 + 1 - 1 + 3 + 4 + 0) / 6)
    # Zero has rank 1, the two ones 2.5 each, then 4, 5, 6.
    assert comparison["effect"]["value"] == pytest.approx((4 + 2.5 + 5 + 6 - 2.5) / 20)


def test_raters_are_averaged_within_moments_and_moments_within_games() -> None:
    marks = [
        *(mark(1, rater=f"r{n}", unit="a1", moment="m1", condition="a") for n in range(9)),
        mark(3, unit="b1", moment="m1", condition="b"),
        mark(2, unit="a2", moment="m2", condition="a"),
        mark(5, unit="b2", moment="m2", condition="b"),
        mark(5, unit="a3", moment="m3", condition="a"),  # This moment has no b and is left out.
        *marks_of_pairs([(1, 1), (2, 2)])[2:],
    ]
    comparison = dimension_result(marks)["comparisons"][0]
    assert comparison["n"] == 2
    # Moments of g1: 3 - 1 and 5 - 2, whatever the number of raters; of the other game: 0.
    assert comparison["difference"]["value"] == pytest.approx((2.5 + 0) / 2)


def test_moments_are_averaged_if_none_has_both_conditions() -> None:
    marks = [
        mark(value, game=game, unit=f"{game}{n}", moment=f"{game}{n}", condition=condition)
        for game in ("g1", "g2")
        for n, (condition, value) in enumerate([("a", 1), ("a", 2), ("b", 4)])
    ]
    comparison = dimension_result(marks)["comparisons"][0]
    assert (comparison["by"], comparison["n"]) == ("game", 2)
    assert comparison["difference"]["value"] == 2.5


def test_undefined_comparison_has_a_reason() -> None:
    same = dimension_result(marks_of_pairs([(1, 1), (2, 2), (5, 5)]))["comparisons"][0]
    assert (same["test"]["why"], same["effect"]["why"]) == ("no_spread_between", "no_differences")
    assert same["difference"]["value"] == 0.0
    assert same["care"] == ["few_groups"]
    one_difference = dimension_result(marks_of_pairs([(1, 1), (2, 2), (4, 5)]))["comparisons"][0]
    assert one_difference["effect"]["why"] == "one_difference", "one sign would make the effect 1"
    assert (
        dimension_result(marks_of_pairs([(1, 1), (2, 3), (4, 5)]))["comparisons"][0]["effect"][
            "value"
        ]
        == 1
    )
    single = dimension_result(marks_of_pairs([(1, 2)]))["comparisons"][0]
    assert single["difference"]["ci"]["why"] == single["test"]["why"] == "one_pair"


def test_three_conditions_give_three_comparisons_and_one_gives_none() -> None:
    marks = [
        mark(value, game=f"g{n}", moment=f"m{n}", unit=f"{side}{n}", condition=side)
        for n in range(6)
        for side, value in zip("abc", (1, 2 + n % 2, 4), strict=True)
    ]
    result = dimension_result(marks)["comparisons"]
    assert [(pair["a"], pair["b"]) for pair in result] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert dimension_result([mark(2), mark(3, unit="v")])["comparisons"] == []


def test_holm_adjustment_matches_values_computed_by_hand() -> None:
    tests = [{"test": defined(1, p=defined(p)), "care": [], "least_p": 0.02}
             for p in (0.04, 0.01, 0.03)]  # fmt: skip
    adjust_p_values(tests[:2])
    assert [one["care"] for one in tests] == [[], [], []]
    adjust_p_values(tests)
    assert [one["test"]["p_holm"]["value"] for one in tests] == [0.06, 0.03, 0.06]
    assert [one["care"] for one in tests] == [["out_of_reach"]] * 3, "three times .02 exceeds .05"


def test_holm_adjustment_counts_all_tests_of_the_campaign() -> None:
    pairs = marks_of_pairs([(1, 3), (2, 3), (4, 3), (2, 5), (1, 5), (2, 2)])
    marks = [Mark(**{**vars(one), "rater": rater}) for one in pairs for rater in "xyz"]
    both = [*marks, *(Mark(**{**vars(one), "dimension": "wonder"}) for one in marks)]
    result = compute_statistics(both, [dimension(), dimension("wonder")])["dimensions"]
    test = result[1]["comparisons"][0]["test"]
    assert test["p_holm"] == {"value": pytest.approx(2 * test["p"]["value"]), "tests": 2}


def test_difference_uses_unrounded_and_ranks_use_rounded_means() -> None:
    result = signed_rank(np.array([1 / 3, 1 / 3 + 1e-13, -1 / 3, 1]))
    assert result["difference"]["value"] == pytest.approx(1 / 3, abs=1e-12)
    assert result["test"]["w_plus"] == 8, "the thirds are tied"
    two = rank_sum(np.array([1 / 3, 2 / 3]), np.array([1.0, 1 + 1 / 3]))
    assert two["difference"]["value"] == pytest.approx(2 / 3, abs=1e-12)
    pairs = [
        mark(value, unit=f"{game}{side}", game=game, condition=side, rater=f"r{n}")
        for game in ("g1", "g2", "g3")
        for side, values in (("a", (1, 1, 1)), ("b", (1, 1, 2)))
        for n, value in enumerate(values)
    ]
    (result,) = dimension_result(pairs)["comparisons"]
    assert result["difference"]["value"] == pytest.approx(1 / 3, abs=1e-12)
