"""Tests of means, intervals, excluded rows, and results that are numbers or reasons."""

from __future__ import annotations

import json
import random
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats
from scipy.special import expit, logit

from tests.study.making import campaign_marks, dimension, dimension_result, mark
from webapp.statistics.intervals import bootstrap_draws, interval_on_scale
from webapp.statistics.marks import Mark
from webapp.statistics.rating_results import compute_statistics
from webapp.statistics.reported_statistics import REASONS, defined, undefined

# How often each of five games is in the first three draws: published intervals rest on it.
FIRST_DRAWS = [[0, 2, 0, 3, 0], [3, 0, 1, 0, 1], [1, 1, 1, 1, 1]]


def test_mean_and_deviation_match_values_computed_by_hand() -> None:
    values = [1, 2, 4, 5]
    marks = [mark(value, unit=f"u{n}", game=f"g{n}") for n, value in enumerate(values)]
    row = dimension_result(marks)["conditions"][0]
    assert row["mean"] == {"value": 3.0}
    assert row["sd"]["value"] == pytest.approx((10 / 3) ** 0.5, abs=1e-12)  # (4+1+1+4)/(4-1)
    assert row["counts"] == {"1": 1, "2": 1, "3": 0, "4": 1, "5": 1}
    assert (row["n"], row["games"], row["raters"], row["units"]) == (4, 4, 1, 4)


@pytest.mark.parametrize(("mean", "high"), [(1.0, 5.0), (5.0, 5.0), (1.0, inf)])
def test_mean_at_an_end_of_the_scale_has_no_interval(mean: float, high: float) -> None:
    assert interval_on_scale(mean, 0.1, 1, high) is None


def test_interval_covers_raters_and_games_and_stays_on_the_scale() -> None:
    """In a complete design it is Student's t with the error of the quasi-F, on the logit."""
    table = np.array(
        [[5, 4, 5, 5, 4, 5], [5, 5, 5, 4, 5, 5], [3, 4, 5, 5, 4, 5], [5, 5, 4, 5, 5, 5]]
    )
    marks = [
        mark(int(value), rater=f"r{r}", unit=f"u{g}", game=f"g{g}")
        for (r, g), value in np.ndenumerate(table)
    ]
    interval = dimension_result(marks)["conditions"][0]["ci"]
    raters, games = table.mean(axis=1), table.mean(axis=0)
    residuals = table - raters[:, None] - games[None, :] + table.mean()
    squares = 6 * raters.var(ddof=1), 4 * games.var(ddof=1), (residuals**2).sum() / 15
    error = max(squares[0] + squares[1] - squares[2], squares[0], squares[1]) / 24
    df = (squares[0] + squares[1]) / (squares[0] / 3 + squares[1] / 5)
    share = (table.mean() - 1) / 4
    half = stats.t.ppf(0.975, df) * np.sqrt(error) / (4 * share * (1 - share))
    ends = 1 + 4 * expit(logit(share) + np.array([-half, half]))
    assert interval["value"] == pytest.approx(list(ends), abs=1e-6)
    assert interval["value"][1] < 5
    assert (interval["raters"], interval["clusters"]) == (4, 6)
    assert (interval["population"], interval["care"]) == ("new_raters_and_games", [])


def test_interval_of_two_raters_is_limited_to_these_raters() -> None:
    marks = [
        mark(value, unit=f"u{n}", game=f"g{n}", rater=f"r{n % 2}")
        for n, value in enumerate([1, 3, 4, 4])
    ]
    interval = dimension_result(marks)["conditions"][0]["ci"]
    assert interval["population"] == "these_raters"
    assert interval["care"] == ["few_groups", "these_raters"]
    assert next(bootstrap_draws(5))[:3].tolist() == FIRST_DRAWS


def test_bootstrap_draws_are_independent_of_the_block_size(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = np.concatenate(list(bootstrap_draws(7)))
    monkeypatch.setattr("webapp.statistics.intervals.BLOCK_SIZE", 70)
    assert (np.concatenate(list(bootstrap_draws(7))) == draws).all()


def test_single_game_has_no_interval_and_single_rating_no_deviation() -> None:
    row = dimension_result([mark(4)])["conditions"][0]
    assert row["mean"]["value"] == 4.0
    assert row["sd"] == {"value": None, "why": "one_rating"}
    assert row["ci"]["why"] == "one_game"


def test_repeats_checks_and_excluded_rows_are_not_counted() -> None:
    marks = campaign_marks(4, 8, ["interest"], games=4)
    cell = {"rater": "rater 000", "unit": "unit 000", "moment": "moment 000", "game": "game 00"}
    extra = [
        mark(5, **cell, condition="baseline", is_repeat=True, presentation_index=90),
        mark(1, **cell, condition="baseline", is_attention=True, passed=False),
        mark(5, rater="r9", unit="unit 001", game="game 00", condition="full", excluded=True),
        mark(None, rater="r9", unit="unit 002", game="game 01", condition="full", excluded=True),
    ]
    without, with_them = dimension_result(marks), dimension_result(marks + extra)
    assert with_them["self_agreement"]["n"] == 1
    for name in without.keys() - {"self_agreement"}:
        assert with_them[name] == without[name], name
    totals = compute_statistics(marks + extra, [dimension()])["totals"]
    assert (totals["repeats"], totals["attention"], totals["excluded"]) == (1, 1, 2)
    assert totals["kept"] == len(marks)


def test_first_rating_counts_if_a_unit_is_rated_twice() -> None:
    marks = [mark(2, presentation_index=4), mark(5, presentation_index=9, assignment="again")]
    results = compute_statistics(marks, [dimension()])
    assert results["dimensions"][0]["overall"]["mean"]["value"] == 2.0
    assert (results["totals"]["duplicates"], results["totals"]["care"]) == (1, ["duplicates"])


def test_units_of_equal_name_in_two_games_are_distinct() -> None:
    row = dimension_result([mark(2, game="g1", rater="x"), mark(5, game="g2", rater="y")])
    assert row["overall"]["units"] == 2
    assert row["alpha"]["ordinal"]["why"] == "no_overlap"


def test_missing_ratings_are_counted_by_status_and_not_as_zero() -> None:
    statuses = ["answered", "skipped", "not_reached", "timed_out", "timed_out"]
    marks = [
        mark(0 if status == "answered" else None, unit=f"u{n}", status=status, low=0, high=10)
        for n, status in enumerate(statuses)
    ]
    results = dimension_result(marks, min=0, max=10)
    missing = results["conditions"][0]["missing"]
    assert [missing[status] for status in dict.fromkeys(statuses)] == [1, 1, 1, 2]
    assert missing["share_missing"] == {"value": 0.8, "part": 4, "whole": 5}
    assert results["conditions"][0]["mean"]["value"] == 0.0
    assert results["conditions"][0]["counts"] == {str(n): int(n == 0) for n in range(11)}


def test_empty_input_has_a_result() -> None:
    results = compute_statistics([], [dimension()])
    assert (
        results["conditions"] == results["raters"] == results["dimensions"][0]["conditions"] == []
    )
    assert results["missing"]["share_missing"]["why"] == "nothing_due"
    assert results["dimensions"][0]["overall"]["mean"]["why"] == "no_ratings"


def test_mark_off_its_scale_or_without_answer_is_rejected() -> None:
    for wrong in ({"value": 6}, {"value": 0}, {"value": 3, "status": "skipped"}):
        with pytest.raises(ValueError, match="r1-m-u1"):
            mark(**wrong)
    with pytest.raises(ValueError, match="answered with the value None"):
        mark(None, status="answered")
    with pytest.raises(ValueError, match="no such status"):
        mark(None, status="lost")
    with pytest.raises(ValueError, match="goes from 1 to 5"):
        dimension_result([mark(3, high=7)])


def test_result_is_a_number_or_a_known_reason() -> None:
    with pytest.raises(ValueError, match="nan"):
        defined(float("nan"))
    with pytest.raises(KeyError):
        undefined("because")
    assert json.dumps(defined(np.float64(-0.0))) == '{"value": 0.0}'


marks_of_any_kind = some.lists(
    some.builds(
        mark,
        some.none() | some.integers(0, 10),
        rater=some.sampled_from("rs"),
        unit=some.sampled_from("uvw"),
        game=some.sampled_from(["g", "h"]),
        moment=some.sampled_from("mn"),
        condition=some.sampled_from("abc"),
        dimension=some.sampled_from(["interest", "wonder", "other"]),
        low=some.just(0),
        high=some.just(10),
        is_repeat=some.booleans(),
        is_attention=some.booleans(),
        passed=some.none() | some.booleans(),
        presentation_index=some.integers(1, 3),
        active_ms=some.none() | some.integers(0, 9000),
        excluded=some.booleans(),
    ),
    max_size=30,
)


@settings(max_examples=15, deadline=None)
@given(marks_of_any_kind, some.randoms(use_true_random=False))
def test_results_are_plain_json_and_independent_of_row_order(
    marks: list[Mark], chance: random.Random
) -> None:
    dimensions = [dimension(key, min=0, max=10) for key in ("interest", "wonder")]
    results = compute_statistics(marks, dimensions)
    written = json.dumps(results, allow_nan=False)
    assert json.loads(written) == results
    for reason in _reasons(results):
        assert reason in REASONS
    shuffled = chance.sample(marks, len(marks))
    assert json.dumps(compute_statistics(shuffled, dimensions), allow_nan=False) == written


def _reasons(result: Any) -> list[str]:
    if isinstance(result, dict):
        reasons = [result["why"]] if "why" in result else []
        reasons += result.get("care", [])
        if "value" in result and result["value"] is None:
            assert "why" in result
        return reasons + [reason for part in result.values() for reason in _reasons(part)]
    parts = result if isinstance(result, list) else []
    return [reason for part in parts for reason in _reasons(part)]
