"""Tests of rater statistics: straight-lining, speed, attention checks, repeats and flags."""

from __future__ import annotations

from typing import Any

import pytest

from tests.study.making import dimension, mark
from webapp.statistics.marks import Mark
from webapp.statistics.rater_behavior import THRESHOLDS
from webapp.statistics.rating_results import compute_statistics

KEYS = ("interest", "wonder")


def rater_result(marks: list[Mark], name: str = "r1") -> dict[str, Any]:
    result = compute_statistics(marks, [dimension(key) for key in KEYS])["raters"]
    return next(rater for rater in result if rater["rater"] == name)


def marks_of_items(values: list[tuple[int, int]], **changes: Any) -> list[Mark]:
    """Return the marks of items in order, each rated on both dimensions."""
    return [
        mark(value, unit=f"u{n:02}", dimension=key, presentation_index=n, **changes)
        for n, pair in enumerate(values)
        for key, value in zip(KEYS, pair, strict=True)
    ]


def flag_keys(result: dict[str, Any]) -> set[str]:
    assert all(flag["why"] == f"flag_{flag['key']}" for flag in result["flags"])
    return {flag["key"] for flag in result["flags"]}


def test_run_continues_over_items_in_presentation_order() -> None:
    result = rater_result(marks_of_items([(1, 2), (2, 2), (2, 4), (4, 3), (3, 3)])[::-1])
    assert result["straight"]["longest_run"] == 4  # 1 [2 2 2 2] 4 4 3 3 3
    assert result["straight"]["flat"] == {"value": 0.4, "part": 2, "whole": 5}
    assert flag_keys(result) == set()


def test_straight_lining_rater_gets_each_flag() -> None:
    result = rater_result(marks_of_items([(3, 3)] * 8))
    assert result["straight"]["longest_run"] == 16
    assert result["straight"]["spread"]["value"] == 0.0
    assert flag_keys(result) == {"long_run", "flat_items", "no_spread"}


def test_single_answers_are_not_flat_and_few_items_not_flagged() -> None:
    single = rater_result([mark(3, unit=f"u{n}") for n in range(4)])
    assert single["straight"]["flat"] == {"value": None, "why": "no_ratings", "part": 0, "whole": 0}
    assert flag_keys(single) == set()


def test_time_is_measured_per_item_not_per_row() -> None:
    quick = marks_of_items([(1, 2), (3, 4), (2, 5)], active_ms=2999)
    slow = marks_of_items([(1, 2), (3, 4)], active_ms=3000)
    renamed = [Mark(**{**vars(one), "assignment": f"slow {one.unit}"}) for one in slow]
    result = rater_result([*quick, *renamed])
    assert result["speed"]["median_ms"]["value"] == 2999
    assert result["speed"]["fast"] == {"value": 0.6, "part": 3, "whole": 5}
    assert flag_keys(result) == {"fast"}
    untimed = rater_result(marks_of_items([(1, 2)], active_ms=None))
    assert untimed["speed"]["median_ms"] == {"value": None, "why": "no_times"}


def test_check_fails_with_one_wrong_row_and_is_open_without_answer() -> None:
    def check(name: str, passed: bool | None, key: str = "interest") -> Mark:
        value = None if passed is None else 2
        fields = {"assignment": name, "dimension": key, "unit": name}
        return mark(value, is_attention=True, passed=passed, **fields)

    checks = [check("one", True), check("one", False, "wonder"), check("two", True)]
    open_ones = [check("three", None), check("four", None)]
    result = rater_result([*checks, *open_ones, mark(3)])
    counts = {"passed": 1, "failed": 1, "unanswered": 2, "total": 4}
    assert result["attention"] == counts
    assert "attention" in flag_keys(result)
    assert (result["answered"], result["skipped"]) == (1, 0)  # Checks are not ratings.
    assert "attention" not in flag_keys(rater_result([check("two", True)]))


def test_repeat_is_compared_with_the_first_rating_of_the_dimension() -> None:
    first = marks_of_items([(1, 5), (2, 4), (3, 3)])
    repeats = [
        Mark(**{**vars(one), "value": value, "is_repeat": True, "assignment": f"again {one.unit}"})
        for one, value in zip(first, (1, 4, 4, 4, 5, 1), strict=True)
    ]
    results = compute_statistics([*first, *repeats], [dimension(key) for key in KEYS])
    agreement = results["raters"][0]["self_agreement"]
    # Distances 0 1 2 0 2 2.
    assert (agreement["n"], agreement["exact"]["value"], agreement["within_one"]["value"]) == (
        6,
        pytest.approx(2 / 6),
        0.5,
    )
    assert agreement["distance"]["value"] == pytest.approx(7 / 6)
    # Interest: (1 1) (2 4) (3 5). Observed (0 + 4 + 4)/3; all nine crossings: 60/9.
    kappa = results["dimensions"][0]["self_agreement"]["kappa"]["value"]
    crossings = [(a - b) ** 2 for a in (1, 2, 3) for b in (1, 4, 5)]
    assert kappa == pytest.approx(1 - (8 / 3) / (sum(crossings) / 9))
    assert results["dimensions"][1]["self_agreement"]["n"] == 3


def test_unsteady_rater_is_flagged_and_unmatched_repeat_is_ignored() -> None:
    first = [mark(1, unit=f"u{n}") for n in range(3)]
    repeats = [mark(4, unit=f"u{n}", is_repeat=True) for n in range(4)]
    repeats.append(mark(1, unit="u0", is_repeat=True, is_attention=True, passed=True))
    result = rater_result([*first, *repeats])
    assert result["self_agreement"]["n"] == 3
    assert flag_keys(result) == {"unsteady"}
    assert rater_result(first)["self_agreement"]["exact"] == {"value": None, "why": "no_repeats"}


def test_excluded_rater_is_described_separately() -> None:
    marks = [mark(3, unit=f"u{n}", excluded=True) for n in range(6)]
    marks += [mark(3, unit=f"u{n}", excluded=True, is_repeat=True) for n in range(2)]
    result = rater_result([*marks, mark(2, rater="other")])
    assert result["excluded"] is True
    assert result["answered"] == 6
    assert result["self_agreement"]["n"] == 2
    assert "no_spread" in flag_keys(result)
    assert rater_result([*marks, mark(2, rater="other")], "other")["excluded"] is False


def test_rater_with_half_unanswered_is_flagged() -> None:
    missing = [mark(None, unit=f"v{n}", status="not_reached") for n in range(3)]
    answered = [mark(n + 1, unit=f"u{n}") for n in range(3)]
    result = rater_result([*answered, *missing])
    assert (result["not_reached"], result["share_missing"]["value"]) == (3, 0.5)
    assert flag_keys(result) == {"unanswered"}
    assert flag_keys(rater_result([*answered, *missing[:2]])) == set()


def test_results_state_the_thresholds() -> None:
    thresholds = compute_statistics([], [])["settings"]["thresholds"]
    assert thresholds == THRESHOLDS
    assert thresholds["fast_ms"] == 3000


def test_sensitivity_repeats_comparisons_with_other_selections() -> None:
    rows = [
        mark(2 + (side == "b") * (n > 3), unit=f"{side}{n}", game=f"g{n}", rater=f"r{number}",
             condition=side, presentation_index=n, excluded=number == 3)
        for n in range(8) for side in "ab" for number in range(5)
    ]  # fmt: skip
    check = mark(1, rater="r4", unit="c", is_attention=True, passed=False, presentation_index=9)
    rows_by_variant = compute_statistics([*rows, check], [dimension()])["sensitivity"]
    differences = {row["variant"]: row["difference"]["value"] for row in rows_by_variant}
    assert differences == {
        "with_excluded": 0.5, "checks_passed": 0.5, "first_half": 0.0, "second_half": 1.0,
    }  # fmt: skip
    assert compute_statistics(rows[:1], [dimension()])["sensitivity"] == []
