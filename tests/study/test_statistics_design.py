"""Tests of the design of a comparison, its error over raters and games, and the test over games."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from tests.bench import level
from tests.study.making import dimension, dimension_result, mark
from webapp.statistics.comparison_design import choose_design
from webapp.statistics.marks import Mark
from webapp.statistics.rank_tests import rank_sum
from webapp.statistics.rating_results import compute_statistics


def marks_of_games(rows: dict[str, tuple[int, ...]], **more: str) -> list[Mark]:
    """Return the marks of four raters for the only unit of games "a1", ... of each condition."""
    return [
        mark(
            value,
            game=f"{side}{number}",
            unit=f"{side}{number}",
            condition=side,
            rater=f"r{n}",
            **more,
        )
        for side, values in rows.items()
        for number, value in enumerate(values)
        for n in range(4)
    ]


@pytest.mark.parametrize(("n", "m"), [(4, 4), (4, 16), (7, 9)])
@pytest.mark.parametrize("seed", range(3))
def test_rank_sum_matches_brunner_munzel_and_full_enumeration(n: int, m: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 6, n + m) + rng.integers(0, 2, n + m) / 3
    values[:2] = 0, 7  # SciPy has no statistic for separated samples.
    values[n : n + 2] = 0, 7
    result = rank_sum(values[:n], values[n:])
    statistic = lambda first, second: -stats.brunnermunzel(first, second).statistic  # noqa: E731
    assert abs(result["test"]["value"]) == pytest.approx(abs(statistic(values[:n], values[n:])))
    assert result["test"]["method"] == "exact"
    if n + m == 8:
        with np.errstate(all="ignore"):
            statistics = [
                statistic(np.delete(values, list(chosen)), values[list(chosen)])
                for chosen in combinations(range(8), 4)
            ]
        reached = np.abs(np.nan_to_num(statistics, nan=99)) >= abs(result["test"]["value"]) - 1e-9
        expected = reached.mean()
        assert result["test"]["p_permutation"]["value"] == pytest.approx(expected, abs=1e-9)


def test_unequal_variances_do_not_inflate_rejections() -> None:
    """With 4 against 16 games and sixfold deviation Mann-Whitney rejects 14 %."""
    rng = np.random.default_rng(5)
    rejected = sum(
        rank_sum(rng.normal(0, 6, 4), rng.normal(0, 1, 16))["test"]["p"]["value"] < 0.05
        for _run in range(150)
    )
    assert rejected <= 15


def test_games_with_one_condition_are_compared_over_games() -> None:
    """Four raters agree on the order of conditions, but three games each prove little."""
    result = dimension_result(marks_of_games({"a": (1, 2, 2), "b": (4, 5, 5)}))["comparisons"][0]
    assert (result["design"], result["by"], result["n_a"], result["n_b"]) == (
        "unpaired",
        "game",
        3,
        3,
    )
    # With equal raters the test is Welch's t over games.
    welch = stats.ttest_ind([4, 5, 5], [1, 2, 2], equal_var=False)
    assert result["test"]["p"]["value"] == pytest.approx(welch.pvalue)
    assert result["effect"]["value"] == 1
    assert result["effect"]["ci"]["value"] == [pytest.approx(2 * 0.025 ** (1 / 3) - 1), 1.0]
    assert result["difference"]["value"] == pytest.approx(14 / 3 - 5 / 3)
    assert result["population"] == "new_raters_and_games"
    assert result["care"] == []


def test_games_of_one_deal_are_pairs() -> None:
    marks = [
        mark(value, game=f"{side}{n}", deal=f"d{n}", unit=f"{side}{n}", condition=side)
        for side, values in {"a": (1, 2, 3, 1, 2, 4), "b": (2, 3, 5, 2, 4, 5)}.items()
        for n, value in enumerate(values)
    ]
    result = dimension_result(marks)["comparisons"][0]
    assert (result["design"], result["by"], result["within"], result["n"]) == (
        "paired", "deal", False, 6,
    )  # fmt: skip
    assert result["test"]["why"] == "few_raters"  # One rater does not represent others.
    assert result["population"] == "these_raters"
    assert result["difference"]["value"] == pytest.approx(8 / 6)
    alone = stats.ttest_1samp([1, 1, 2, 1, 2, 1], 0).confidence_interval()
    assert result["difference"]["ci"]["value"] == pytest.approx([alone.low, alone.high])


def test_seats_of_one_game_are_pairs_and_swapped_games_are_one() -> None:
    """Each deal is played twice with swapped conditions, which is one pair."""
    marks = [
        mark(value, game=f"g{deal}{is_swapped}", deal=f"d{deal}", unit=f"u{deal}{is_swapped}{side}",
             condition=side)
        for deal, is_swapped in product(range(6), (0, 1))
        for side, value in (("a", 2), ("b", 4 if is_swapped else 3))
    ]  # fmt: skip
    result = dimension_result(marks)["comparisons"][0]
    assert (result["design"], result["by"], result["within"], result["n"]) == (
        "paired",
        "deal",
        True,
        6,
    )
    assert result["difference"]["value"] == 1.5
    separate = [Mark(**{**vars(m), "deal": ""}) for m in marks]
    assert dimension_result(separate)["comparisons"][0]["n"] == 12


def test_games_of_one_deal_and_condition_are_one_observation() -> None:
    twice = [
        mark(value, game=f"{side}{n}", deal=f"{side}{n // 2}", unit=f"{side}{n}", condition=side)
        for side, values in {"a": (1, 3, 2, 2), "b": (4, 4, 5, 3)}.items()
        for n, value in enumerate(values)
    ]
    result = dimension_result(twice)
    comparison = result["comparisons"][0]
    assert (comparison["by"], comparison["n_a"], comparison["n_b"]) == ("deal", 2, 2)
    assert result["conditions"][0]["ci"]["clusters"] == 2
    assert result["conditions"][0]["games"] == 4


def test_design_ignores_values_and_reports_omitted_games() -> None:
    both = {(0, 0, False), (0, 0, True), (1, 1, False), (1, 1, True), (2, 2, True)}
    result = choose_design(both)
    assert (result.kind, result.pairs, result.left_out) == ("paired", (0, 1), 1)
    single = choose_design({(0, 0, False), (0, 0, True), (1, 1, False), (2, 2, True)})
    assert (single.kind, single.first, single.second, single.left_out) == (
        "unpaired", (1,), (2,), 1,
    )  # fmt: skip
    assert choose_design({(0, 0, False), (0, 1, True)}).pairs == (0,)


def test_two_shared_deals_do_not_override_the_fresh_games() -> None:
    shared = {(deal, 2 * deal + side, bool(side)) for deal in range(2) for side in (0, 1)}
    fresh = {(n, 100 + n, n % 2 == 0) for n in range(10, 46)}
    result = choose_design(shared | fresh)
    assert (result.kind, len(result.first), len(result.second)) == ("unpaired", 18, 18)
    assert (choose_design(shared).kind, result.left_out) == ("paired", 4)
    assert choose_design(shared | {(8, 90, True), (9, 91, False)}).kind == "paired"


def test_separate_raters_per_condition_are_flagged() -> None:
    rows = marks_of_games({"a": (1, 2, 2, 3), "b": (4, 5, 5, 4)})
    separate = [Mark(**{**vars(m), "rater": f"{m.rater}{m.condition}"}) for m in rows]
    assert dimension_result(rows)["comparisons"][0]["care"] == []
    assert dimension_result(separate)["comparisons"][0]["care"] == ["raters_apart"]


def quasi_f(table: np.ndarray) -> tuple[float, float]:
    """Return the root of Clark's quasi-F of differences (raters, games) and the squared error."""
    raters, games = table.shape
    of_raters, of_games = table.mean(axis=1), table.mean(axis=0)
    rest = table - of_raters[:, None] - of_games[None, :] + table.mean()
    mean_squares = (
        games * of_raters.var(ddof=1),
        raters * of_games.var(ddof=1),
        (rest**2).sum() / (raters - 1) / (games - 1),
    )
    error = (mean_squares[0] + mean_squares[1] - mean_squares[2]) / raters / games
    return float(table.mean() / np.sqrt(error)), float(error)


@pytest.mark.parametrize("seed", range(4))
def test_complete_design_gives_clarks_quasi_f(seed: int) -> None:
    rng = np.random.default_rng(seed)
    raters, games = 6, 9
    effects = rng.normal(0, 1, raters)[:, None] + rng.normal(0, 1, games)
    rows = np.clip(
        np.rint(3 + rng.normal(0, 1, (2, raters, games)) + [[[0]], [[1]]] * effects), 1, 5
    )
    marks = [
        mark(int(rows[side, r, g]), game=f"g{g}", unit=f"{side}{g}", moment=f"{g}", rater=f"r{r}",
             condition="ab"[side])
        for side, r, g in product((0, 1), range(raters), range(games))
    ]  # fmt: skip
    result = dimension_result(marks)["comparisons"][0]["test"]
    t, error = quasi_f(rows[1] - rows[0])
    assert (result["value"], result["se"]["value"] ** 2) == pytest.approx((t, error), rel=1e-6)
    assert result["p"]["value"] == pytest.approx(2 * stats.t.sf(abs(t), result["df"]))
    assert 5 <= result["df"] <= 8


def test_planned_tests_form_a_family_and_margins_give_equivalence() -> None:
    rng = np.random.default_rng(1)
    marks = [
        mark(int(v), game=f"g{g}", unit=f"{key}{side}{g}", rater=f"r{r}", condition=side,
             dimension=key)
        for key, g, side, r in product(("interest", "wonder"), range(8), "abc", range(4))
        for v in [rng.integers(1, 6)]
    ]  # fmt: skip
    planned = [{"item": "wonder", "a": "b", "b": "a", "margin": 1.5},
               {"item": "interest", "a": "a", "b": "c", "margin": None}]  # fmt: skip
    result = compute_statistics(marks, [dimension(), dimension("wonder")], planned=planned)[
        "dimensions"
    ]
    rows = {(d["key"], c["a"], c["b"]): c for d in result for c in d["comparisons"]}
    families = {key for key, c in rows.items() if c["family"] == "confirmatory"}
    assert families == {("wonder", "a", "b"), ("interest", "a", "c")}
    assert {c["test"]["p_holm"]["tests"] for c in rows.values()} == {2, 4}
    tested = rows["wonder", "a", "b"]
    difference, test = tested["difference"]["value"], tested["test"]
    se, df = test["se"]["value"], test["df"]
    below, above = stats.t.sf((1.5 + difference) / se, df), stats.t.sf((1.5 - difference) / se, df)
    assert tested["equivalence"] == {"value": pytest.approx(max(below, above)), "margin": 1.5}


@pytest.mark.parametrize("name", list(level.DESIGNS))
@pytest.mark.parametrize("raters", [3, 10])
def test_true_null_is_rejected_at_most_at_its_level(name: str, raters: int) -> None:
    """A short run of `tests.bench level`. With raters taken for fixed it is 7 to 35 %."""
    result = level.tally(level.Case(name, level.DESIGNS[name], raters), 1000)
    assert result.rejected <= 7.2  # 5.0 and three standard errors.
    assert raters > 3 or result.games_alone > 10


@pytest.mark.parametrize(("games", "raters"), [(6, 8), (20, 3)])
def test_interval_of_a_mean_has_its_nominal_coverage(games: int, raters: int) -> None:
    assert 92 <= level.coverage(games, raters, 0.4, level.HIGH, 1000) <= 98.5
