"""How raters went about it: straight-lining, speed, attention, repeats, and the flags."""

from __future__ import annotations

from typing import Any

import pytest

from tests.study.making import dimension, mark
from webapp.statistics.marks import Mark
from webapp.statistics.raters import THRESHOLDS
from webapp.statistics.rating_results import compute_statistics

KEYS = ("interest", "wonder")


def about(marks: list[Mark], name: str = "r1") -> dict[str, Any]:
    found = compute_statistics(marks, [dimension(key) for key in KEYS])["raters"]
    return next(rater for rater in found if rater["rater"] == name)


def items(values: list[tuple[int, int]], **given: Any) -> list[Mark]:
    """One item after the other, each rated on both dimensions."""
    return [
        mark(value, unit=f"u{at:02}", dimension=key, presentation_index=at, **given)
        for at, pair in enumerate(values)
        for key, value in zip(KEYS, pair, strict=True)
    ]


def flags(found: dict[str, Any]) -> set[str]:
    assert all(flag["why"] == f"flag_{flag['key']}" for flag in found["flags"])
    return {flag["key"] for flag in found["flags"]}


def test_run_continues_over_items_in_presentation_order() -> None:
    found = about(items([(1, 2), (2, 2), (2, 4), (4, 3), (3, 3)])[::-1])
    assert found["straight"]["longest_run"] == 4  # 1 [2 2 2 2] 4 4 3 3 3
    assert found["straight"]["flat"] == {"value": 0.4, "part": 2, "whole": 5}
    assert flags(found) == set()


def test_straight_lining_rater_gets_each_flag() -> None:
    found = about(items([(3, 3)] * 8))
    assert found["straight"]["longest_run"] == 16
    assert found["straight"]["spread"]["value"] == 0.0
    assert flags(found) == {"long_run", "flat_items", "no_spread"}


def test_single_answers_are_not_flat_and_few_items_not_flagged() -> None:
    single = about([mark(3, unit=f"u{at}") for at in range(4)])
    assert single["straight"]["flat"] == {"value": None, "why": "no_ratings", "part": 0, "whole": 0}
    assert flags(single) == set()


def test_time_is_measured_per_item_not_per_row() -> None:
    quick = items([(1, 2), (3, 4), (2, 5)], active_ms=2999)
    slow = items([(1, 2), (3, 4)], active_ms=3000)
    renamed = [Mark(**{**vars(one), "assignment": f"slow {one.unit}"}) for one in slow]
    found = about([*quick, *renamed])
    assert found["speed"]["median_ms"]["value"] == 2999
    assert found["speed"]["fast"] == {"value": 0.6, "part": 3, "whole": 5}
    assert flags(found) == {"fast"}
    untimed = about(items([(1, 2)], active_ms=None))
    assert untimed["speed"]["median_ms"] == {"value": None, "why": "no_times"}


def test_check_fails_with_one_wrong_row_and_is_open_without_answer() -> None:
    def check(name: str, passed: bool | None, key: str = "interest") -> Mark:
        value = None if passed is None else 2
        seen = {"assignment": name, "dimension": key, "unit": name}
        return mark(value, is_attention=True, passed=passed, **seen)

    checks = [check("one", True), check("one", False, "wonder"), check("two", True)]
    open_ones = [check("three", None), check("four", None)]
    found = about([*checks, *open_ones, mark(3)])
    counts = {"passed": 1, "failed": 1, "unanswered": 2, "total": 4}
    assert found["attention"] == counts
    assert "attention" in flags(found)
    assert (found["answered"], found["skipped"]) == (1, 0)  # checks are no ratings
    assert "attention" not in flags(about([check("two", True)]))


def test_repeat_is_compared_with_the_first_rating_of_the_dimension() -> None:
    first = items([(1, 5), (2, 4), (3, 3)])
    again = [
        Mark(**{**vars(one), "value": value, "is_repeat": True, "assignment": f"again {one.unit}"})
        for one, value in zip(first, (1, 4, 4, 4, 5, 1), strict=True)
    ]
    found = compute_statistics([*first, *again], [dimension(key) for key in KEYS])
    own = found["raters"][0]["self_agreement"]
    # Distances 0 1 2 0 2 2.
    assert (own["n"], own["exact"]["value"], own["within_one"]["value"]) == (
        6,
        pytest.approx(2 / 6),
        0.5,
    )
    assert own["distance"]["value"] == pytest.approx(7 / 6)
    # Interest: (1 1) (2 4) (3 5). Observed (0 + 4 + 4)/3; all nine crossings: 60/9.
    kappa = found["dimensions"][0]["self_agreement"]["kappa"]["value"]
    crossings = [(a - b) ** 2 for a in (1, 2, 3) for b in (1, 4, 5)]
    assert kappa == pytest.approx(1 - (8 / 3) / (sum(crossings) / 9))
    assert found["dimensions"][1]["self_agreement"]["n"] == 3


def test_unsteady_rater_is_flagged_and_unmatched_repeat_is_ignored() -> None:
    first = [mark(1, unit=f"u{at}") for at in range(3)]
    again = [mark(4, unit=f"u{at}", is_repeat=True) for at in range(4)]
    again.append(mark(1, unit="u0", is_repeat=True, is_attention=True, passed=True))
    found = about([*first, *again])
    assert found["self_agreement"]["n"] == 3
    assert flags(found) == {"unsteady"}
    assert about(first)["self_agreement"]["exact"] == {"value": None, "why": "no_repeats"}


def test_excluded_rater_is_described_separately() -> None:
    marks = [mark(3, unit=f"u{at}", excluded=True) for at in range(6)]
    marks += [mark(3, unit=f"u{at}", excluded=True, is_repeat=True) for at in range(2)]
    found = about([*marks, mark(2, rater="other")])
    assert found["excluded"] is True
    assert found["answered"] == 6
    assert found["self_agreement"]["n"] == 2
    assert "no_spread" in flags(found)
    assert about([*marks, mark(2, rater="other")], "other")["excluded"] is False


def test_rater_with_half_unanswered_is_flagged() -> None:
    gone = [mark(None, unit=f"v{at}", status="not_reached") for at in range(3)]
    answered = [mark(at + 1, unit=f"u{at}") for at in range(3)]
    found = about([*answered, *gone])
    assert (found["not_reached"], found["share_missing"]["value"]) == (3, 0.5)
    assert flags(found) == {"unanswered"}
    assert flags(about([*answered, *gone[:2]])) == set()


def test_results_state_the_thresholds() -> None:
    stated = compute_statistics([], [])["settings"]["thresholds"]
    assert stated == THRESHOLDS
    assert stated["fast_ms"] == 3000


def test_sensitivity_repeats_comparisons_with_other_selections() -> None:
    rows = [
        mark(2 + (side == "b") * (at > 3), unit=f"{side}{at}", game=f"g{at}", rater=f"r{who}",
             condition=side, presentation_index=at, excluded=who == 3)
        for at in range(8) for side in "ab" for who in range(5)
    ]  # fmt: skip
    check = mark(1, rater="r4", unit="c", is_attention=True, passed=False, presentation_index=9)
    found = compute_statistics([*rows, check], [dimension()])["sensitivity"]
    differences = {row["variant"]: row["difference"]["value"] for row in found}
    assert differences == {
        "with_excluded": 0.5, "checks_passed": 0.5, "first_half": 0.0, "second_half": 1.0,
    }  # fmt: skip
    assert compute_statistics(rows[:1], [dimension()])["sensitivity"] == []
