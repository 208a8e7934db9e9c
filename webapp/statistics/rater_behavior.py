"""The behaviour of each rater: gaps, straight-lining, speed, attention, self-agreement.

All marks of a rater count here, even excluded ones, because researchers look here for the reason of
an exclusion. Flags mark raters that a researcher should check; they exclude no rater.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from statistics import median, pstdev

from webapp.statistics.agreement import Pair, self_agreement, self_pairs
from webapp.statistics.marks import Mark, count_missing
from webapp.statistics.reported_statistics import FLAGS, Outcome, defined, defined_share, undefined

THRESHOLDS: dict[str, float] = {
    # An item is fast if it was answered in less time: it was hardly read.
    "fast_ms": 3000,
    # A rater gets a flag if at least this share of the items is fast.
    "fast_share": 0.5,
    # A rater gets a flag for this many equal values in a row.
    "long_run": 15,
    # A rater gets a flag if at least this share of the items is flat: one value in all dimensions.
    "flat_share": 0.8,
    # Fast and flat items of a rater with fewer items give no flag.
    "least_items": 5,
    # Equal or missing answers of a rater with fewer answers (given, or due) give no flag.
    "least_answers": 5,
    # A rater gets a flag if a smaller share of the repeats is within one step of the first rating.
    "within_one": 0.5,
    # The self-agreement of a rater with fewer repeats gives no flag.
    "least_repeats": 3,
    # A rater gets a flag if at least this share of the ratings due is missing.
    "unanswered_share": 0.5,
}


def describe_raters(marks: Sequence[Mark], dimensions: Sequence[str]) -> list[Outcome]:
    """Return one entry for each rater, sorted by name. `dimensions` are in the order shown."""
    marks_by_rater: dict[str, list[Mark]] = defaultdict(list)
    for mark in marks:
        marks_by_rater[mark.rater].append(mark)
    repeated: dict[str, list[Pair]] = defaultdict(list)
    # As if nobody was excluded, because repeats may show the reason of an exclusion. Other marks
    # are not copied: of 100,000 marks, that would take 2.5 s.
    as_included = [replace(mark, excluded=False) if mark.excluded else mark for mark in marks]
    for (rater, _), pairs in self_pairs(as_included).items():
        repeated[rater] += pairs
    index_by_dimension = {key: index for index, key in enumerate(dimensions)}
    return [
        _describe_rater(name, marks_by_rater[name], repeated[name], index_by_dimension)
        for name in sorted(marks_by_rater)
    ]


def _describe_rater(
    name: str,
    marks: Sequence[Mark],
    repeated: Sequence[Pair],
    index_by_dimension: Mapping[str, int],
) -> Outcome:
    def order_shown(mark: Mark) -> tuple[int, str, str, int]:
        dimension_index = index_by_dimension[mark.dimension]
        return mark.presentation_index, mark.assignment, mark.unit, dimension_index

    rated = [m for m in marks if not m.is_attention and m.dimension in index_by_dimension]
    first = [mark for mark in rated if not mark.is_repeat]
    answered = sorted((mark for mark in rated if mark.value is not None), key=order_shown)
    agreement = {key: value for key, value in self_agreement(repeated).items() if key != "kappa"}
    outcome: Outcome = {
        "rater": name,
        "excluded": bool(marks) and all(mark.excluded for mark in marks),
        **count_missing(first),
        "straight": _describe_straightness(answered),
        "speed": _describe_speed(answered),
        "attention": _count_checks(marks),
        "self_agreement": agreement,
    }
    outcome["flags"] = [{"key": key, "why": f"flag_{key}"} for key in _find_flags(outcome)]
    return outcome


def _describe_straightness(answered: Sequence[Mark]) -> Outcome:
    """Return the longest run of equal values in the order shown, flat items, and the spread.

    An item is flat if all its dimensions have the same value.
    """
    values = [mark.value for mark in answered if mark.value is not None]
    runs = [len(list(run)) for _, run in groupby(values)]
    items = [
        {mark.value for mark in item}
        for item in _group_by_assignment(answered)
        if len(item) > 1  # one answer is always equal to itself
    ]
    flat = sum(len(item) == 1 for item in items)
    spread = undefined("one_rating" if values else "no_ratings")
    return {
        "answers": len(values),
        "longest_run": max(runs, default=0),
        "flat": defined_share(flat, len(items), "no_ratings"),
        "spread": defined(pstdev(values)) if len(values) > 1 else spread,
    }


def _group_by_assignment(marks: Sequence[Mark]) -> list[list[Mark]]:
    marks_by_item: dict[str, list[Mark]] = defaultdict(list)
    for mark in marks:
        marks_by_item[mark.assignment].append(mark)
    return list(marks_by_item.values())


def _describe_speed(answered: Sequence[Mark]) -> Outcome:
    """Return the median time of an item in ms, and the share of fast items."""
    timed = [mark for mark in answered if mark.active_ms is not None]
    times = [max(mark.active_ms or 0 for mark in item) for item in _group_by_assignment(timed)]
    fast = sum(time < THRESHOLDS["fast_ms"] for time in times)
    return {
        "median_ms": defined(median(times)) if times else undefined("no_times"),
        "fast": defined_share(fast, len(times), "no_times"),
    }


def _count_checks(marks: Sequence[Mark]) -> Outcome:
    """Return the numbers of passed, failed and unanswered checks. One wrong answer is a fail."""
    checks = _group_by_assignment([mark for mark in marks if mark.is_attention])
    outcomes = [[mark.passed for mark in check if mark.passed is not None] for check in checks]
    passed = sum(bool(outcome) and all(outcome) for outcome in outcomes)
    failed = sum(not all(outcome) for outcome in outcomes)
    return {
        "passed": passed,
        "failed": failed,
        "unanswered": len(checks) - passed - failed,
        "total": len(checks),
    }


def _find_flags(outcome: Outcome) -> list[str]:
    """Return the keys of FLAGS that apply to a rater."""
    limits, straight, repeated = THRESHOLDS, outcome["straight"], outcome["self_agreement"]
    flat, fast, gaps = straight["flat"], outcome["speed"]["fast"], outcome["share_missing"]
    is_flagged = {
        "long_run": straight["longest_run"] >= limits["long_run"],
        "flat_items": _reaches(flat, limits["flat_share"], limits["least_items"]),
        "no_spread": straight["answers"] >= limits["least_answers"]
        and straight["spread"]["value"] == 0,
        "fast": _reaches(fast, limits["fast_share"], limits["least_items"]),
        "attention": outcome["attention"]["failed"] > 0,
        "unsteady": repeated["n"] >= limits["least_repeats"]
        and repeated["within_one"]["value"] < limits["within_one"],
        "unanswered": _reaches(gaps, limits["unanswered_share"], limits["least_answers"]),
    }
    return [key for key in FLAGS if is_flagged[key]]


def _reaches(share_outcome: Outcome, limit: float, min_whole: float) -> bool:
    """Return whether a share of at least `min_whole` is at the limit or above."""
    return (
        share_outcome["value"] is not None
        and share_outcome["whole"] >= min_whole
        and share_outcome["value"] >= limit
    )
