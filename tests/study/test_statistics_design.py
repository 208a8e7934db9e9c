"""Which design a comparison has, Mann–Whitney's test against tables and all choices, the model."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from tests.bench import comparing
from tests.study.making import mark, one
from webapp.statistics import mixed
from webapp.statistics.compare import Two
from webapp.statistics.comparison_design import design
from webapp.statistics.marks import Mark
from webapp.statistics.rank_tests import rank_sum

# Hollander and Wolfe (1973), p. 69: permeability of the chorioamnion; R's own example.
TERM = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
EARLY = [1.15, 0.88, 0.90, 0.74, 1.21]


def played(rows: dict[str, tuple[int, ...]], **more: str) -> list[Mark]:
    """Games by condition, named "a1" …: the values of four raters of its only unit each."""
    return [
        mark(value, game=f"{side}{at}", unit=f"{side}{at}", condition=side, rater=f"r{who}", **more)
        for side, values in rows.items()
        for at, value in enumerate(values)
        for who in range(4)
    ]


def test_hollander_and_wolfes_permeability() -> None:
    found = rank_sum(np.array(TERM), np.array(EARLY))
    assert (found["test"]["u_a"], found["test"]["u_b"]) == (35, 15)
    assert found["test"]["p"]["value"] == pytest.approx(0.2544122544, abs=1e-9)  # R: 2 x 0.1272
    assert found["effect"]["value"] == pytest.approx((15 - 35) / 50)


@pytest.mark.parametrize(("n", "critical"), [(4, 0), (5, 2), (6, 5), (8, 13), (10, 23)])
def test_the_printed_critical_values_of_u(n: int, critical: int) -> None:
    """The tables of U for two-sided .05: the greatest U that is significant."""

    def p(u: int) -> float:
        # With u of the pairs the other way round: shift the first u // n … of the second down.
        first = np.arange(n, dtype=float)
        second = np.full(n, n + 1.0) + np.arange(n)
        for at in range(u // n):
            second[at] = -1.0 - at
        if u % n:
            second[u // n] = first[n - u % n] - 0.5
        test = rank_sum(first, second)["test"]
        assert test["value"] == u
        return float(test["p"]["value"])

    assert p(critical) <= 0.05 < p(critical + 1)


@pytest.mark.parametrize(("n", "m"), [(1, 4), (2, 6), (3, 3), (4, 7), (6, 6)])
@pytest.mark.parametrize("seed", range(3))
def test_p_with_ties_is_that_of_all_choices_of_games(n: int, m: int, seed: int) -> None:
    values = np.random.default_rng(seed).integers(1, 5, n + m).astype(float)
    values[0] = 5
    ranks = stats.rankdata(values)
    sums = np.array([ranks[list(chosen)].sum() for chosen in combinations(range(n + m), m)])
    found = ranks[n:].sum()
    expected = min(1, 2 * min((sums <= found + 1e-9).mean(), (sums >= found - 1e-9).mean()))
    test = rank_sum(values[:n], values[n:])["test"]
    assert test["p"]["value"] == pytest.approx(expected, abs=1e-12)
    assert test["method"] == "exact"


@pytest.mark.parametrize(("n", "m"), [(5, 9), (20, 30), (60, 60)])
def test_p_without_ties_is_scipys(n: int, m: int) -> None:
    drawn = np.random.default_rng(n).normal(0, 1, n + m)
    first, second = drawn[:n], drawn[n:] + 0.4
    how = "exact" if n + m <= 100 else "asymptotic"
    theirs = stats.mannwhitneyu(first, second, method=how, use_continuity=False)
    test = rank_sum(first, second)["test"]
    assert test["p"]["value"] == pytest.approx(theirs.pvalue, abs=1e-9)
    assert test["method"] == ("exact" if how == "exact" else "normal approximation")


def test_games_of_one_condition_each_are_compared_as_games_and_not_by_raters() -> None:
    """Four raters agree that every game of b is better: three games each prove little."""
    found = one(played({"a": (1, 2, 2), "b": (4, 5, 5)}))["comparisons"][0]
    assert (found["design"], found["by"], found["n_a"], found["n_b"]) == ("unpaired", "game", 3, 3)
    assert found["test"]["p"]["value"] == pytest.approx(0.1)
    assert found["effect"]["value"] == 1
    assert found["difference"]["value"] == pytest.approx(14 / 3 - 5 / 3)
    assert found["difference"]["ci"]["method"] == "Welch t"
    assert found["care"] == ["out_of_reach"]
    turned = one(played({"a": (4, 5, 5, 5), "b": (1, 2, 2, 1)}))["comparisons"][0]
    assert turned["effect"]["value"] == -1
    assert turned["test"]["p"]["value"] == pytest.approx(2 / 70)
    assert turned["care"] == []


def test_games_of_one_deal_are_pairs() -> None:
    marks = [
        mark(value, game=f"{side}{at}", deal=f"d{at}", unit=f"{side}{at}", condition=side)
        for side, values in {"a": (1, 2, 3, 1, 2, 4), "b": (2, 3, 5, 2, 4, 5)}.items()
        for at, value in enumerate(values)
    ]
    found = one(marks)["comparisons"][0]
    assert (found["design"], found["by"], found["within"], found["n"]) == (
        "paired", "deal", False, 6,
    )  # fmt: skip
    assert found["test"]["p"]["value"] == 2 / 2**6
    assert found["difference"]["value"] == pytest.approx(8 / 6)


def test_seats_of_one_game_under_two_conditions_are_pairs_and_swapped_games_are_one() -> None:
    """Each deal is played twice, the conditions swapped: one pair a deal, not two."""
    marks = [
        mark(value, game=f"g{deal}{again}", deal=f"d{deal}", unit=f"u{deal}{again}{side}",
             condition=side)
        for deal, again in product(range(6), (0, 1))
        for side, value in (("a", 2), ("b", 4 if again else 3))
    ]  # fmt: skip
    found = one(marks)["comparisons"][0]
    assert (found["design"], found["by"], found["within"], found["n"]) == (
        "paired",
        "deal",
        True,
        6,
    )
    assert found["difference"]["value"] == 1.5
    apart = [Mark(**{**vars(m), "deal": ""}) for m in marks]
    assert one(apart)["comparisons"][0]["n"] == 12


def test_games_of_one_deal_and_one_condition_are_one_observation() -> None:
    twice = [
        mark(value, game=f"{side}{at}", deal=f"{side}{at // 2}", unit=f"{side}{at}", condition=side)
        for side, values in {"a": (1, 3, 2, 2), "b": (4, 4, 5, 3)}.items()
        for at, value in enumerate(values)
    ]
    found = one(twice)
    comparison = found["comparisons"][0]
    assert (comparison["by"], comparison["n_a"], comparison["n_b"]) == ("deal", 2, 2)
    assert found["conditions"][0]["ci"]["clusters"] == 2
    assert found["conditions"][0]["games"] == 4


def test_the_design_never_looks_at_values_and_says_what_it_leaves_out() -> None:
    both = {(0, 0, False), (0, 0, True), (1, 1, False), (1, 1, True), (2, 2, True)}
    found = design(both)
    assert (found.kind, found.pairs, found.left_out) == ("paired", (0, 1), 1)
    single = design({(0, 0, False), (0, 0, True), (1, 1, False), (2, 2, True)})
    assert (single.kind, single.first, single.second, single.left_out) == (
        "unpaired", (1,), (2,), 1,
    )  # fmt: skip
    assert design({(0, 0, False), (0, 1, True)}).pairs == (0,)


@pytest.mark.parametrize(
    ("first", "second", "reached"),
    [(3, 3, False), (3, 4, False), (4, 4, True), (3, 5, True), (1, 39, False), (1, 40, True)],
)
def test_how_many_games_it_takes(first: int, second: int, reached: bool) -> None:
    places = {(at, at, at >= first) for at in range(first + second)}
    assert design(places).can_reach is reached
    low, high = [1] * first, [2] * second
    p = rank_sum(np.array(low) + np.arange(first) / 100, np.array(high) + np.arange(second) / 100)
    assert (p["test"]["p"]["value"] < 0.05) is reached


def test_raters_of_one_condition_each_are_said_to_be() -> None:
    rows = played({"a": (1, 2, 2, 3), "b": (4, 5, 5, 4)})
    apart = [Mark(**{**vars(m), "rater": f"{m.rater}{m.condition}"}) for m in rows]
    assert one(rows)["comparisons"][0]["care"] == []
    assert one(apart)["comparisons"][0]["care"] == ["raters_apart"]


def test_the_model_is_statsmodels_and_has_no_part_in_holm() -> None:
    draw = np.random.default_rng(3)
    plan = comparing.planned(comparing.apart(5, 5, 5, 5), 6, 3, 1)
    values = comparing.values(plan, draw, 0.6, 3.0)
    marks = [
        mark(int(value), game=f"g{game}", unit=f"u{unit}", rater=f"r{rater}", condition="ab"[side])
        for value, game, unit, rater, side in zip(
            values, plan.game, plan.unit, plan.rater, plan.second, strict=True
        )
    ]
    found = one(marks)["comparisons"][0]
    model = found["model"]
    assert (model["df"], list(model["variances"])) == (8, ["rater", "game", "unit", "rest"])
    # R, lme4: nothing else than generalized least squares under these variances.
    two = Two.of(comparing.columns_of(plan), 0, 1)
    cover = sum(
        v * (codes[:, None] == codes)
        for v, codes in zip(
            model["variances"].values(), (plan.rater, plan.game, plan.unit), strict=False
        )
    ) + model["variances"]["rest"] * np.eye(len(values))
    fixed = np.column_stack([np.ones(len(values)), two.second])
    weight = np.linalg.inv(fixed.T @ np.linalg.solve(cover, fixed))
    estimate = weight @ fixed.T @ np.linalg.solve(cover, values)
    assert model["value"] == pytest.approx(estimate[1], abs=1e-3)
    assert model["se"]["value"] == pytest.approx(np.sqrt(weight[1, 1]), abs=1e-3)
    assert found["test"]["p_holm"] == {"value": found["test"]["p"]["value"], "tests": 1}
    assert "p_holm" not in model


@pytest.mark.parametrize("seed", range(3))
def test_the_models_variances_are_those_of_the_greatest_likelihood(seed: int) -> None:
    """Where a variance is nil, too: an optimizer that stops beside it changes the coefficient."""
    draw = np.random.default_rng(seed)
    plan = comparing.planned(comparing.apart(3, 3, 6, 6), 8, 2, seed)
    lenient = draw.normal(0, 0.6, 1 + plan.rater.max())
    values = np.clip(np.rint(3 + lenient[plan.rater] + draw.normal(0, 1, len(plan.rater))), 1, 5)
    marks = [
        mark(int(value), game=f"g{game}", unit=f"u{unit}", rater=f"r{rater}", condition="ab"[side])
        for value, game, unit, rater, side in zip(
            values, plan.game, plan.unit, plan.rater, plan.second, strict=True
        )
    ]
    model = one(marks)["comparisons"][0]["model"]
    found = np.array(list(model["variances"].values()))
    assert len(found) == 4
    codes = (plan.rater, plan.game, plan.unit)
    reached = restricted(values, plan.second, codes, found)
    for at, step in product(range(4), (-0.5, -0.1, 0.1, 0.5)):
        beside = found.copy()
        beside[at] = max(beside[at] + step * found.sum(), 0 if at < 3 else 0.05)
        assert restricted(values, plan.second, codes, beside) <= reached + 1e-3
    for at in range(3):
        beside = found.copy()
        beside[at] = 0
        assert restricted(values, plan.second, codes, beside) <= reached + 1e-3


def restricted(
    values: np.ndarray, second: np.ndarray, codes: tuple[np.ndarray, ...], variances: np.ndarray
) -> float:
    """The restricted log-likelihood, but for a constant."""
    parts = zip(variances[:-1], codes, strict=True)
    cover = sum(v * (c[:, None] == c) for v, c in parts) + variances[-1] * np.eye(len(values))
    fixed = np.column_stack([np.ones(len(values)), second])
    inverse = np.linalg.inv(cover)
    weight = fixed.T @ inverse @ fixed
    rest = values - fixed @ np.linalg.solve(weight, fixed.T @ inverse @ values)
    logs = np.linalg.slogdet(cover)[1] + np.linalg.slogdet(weight)[1]
    return float(-(logs + rest @ inverse @ rest) / 2)


def test_the_model_says_why_it_is_undefined(monkeypatch: pytest.MonkeyPatch) -> None:
    few = one(played({"a": (1,), "b": (4,)}))["comparisons"][0]["model"]
    assert few == {"value": None, "why": "model_few_games"}
    flat = one(played({"a": (3, 3), "b": (3, 3)}))["comparisons"][0]["model"]
    assert flat["why"] == "no_variation"
    monkeypatch.setattr(mixed, "MOST", 1)
    big = one(played({"a": (1, 2), "b": (3, 4)}))["comparisons"][0]["model"]
    assert big["why"] == "model_too_large"


@pytest.mark.parametrize("name", ["unpaired, 6 against 6", "by deal, 10 deals"])
def test_a_true_null_is_rejected_in_no_more_than_its_share(name: str) -> None:
    """A short run of `tests.bench.comparing`: pairing raters rejects a third of these."""
    case = next(case for case in comparing.CASES if case.name == name)
    found = comparing.record(case, 400, 0.0)
    assert found.rejected <= 34  # of 400: 99 % of runs at 5 % have fewer than 32
