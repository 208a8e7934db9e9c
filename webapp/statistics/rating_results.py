"""All statistics of a campaign's ratings, as one JSON-shaped dict (docs/statistics.md)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from webapp.statistics import VERSION
from webapp.statistics.agreement import (
    intraclass,
    krippendorff,
    mean_kendall_w,
    self_agreement,
    self_pairs,
)
from webapp.statistics.compare import (
    ConditionPair,
    compare_conditions,
    compare_ratings,
    split_families,
)
from webapp.statistics.intervals import (
    BOOTSTRAP_DRAWS,
    BOOTSTRAP_SEED,
    CONFIDENCE_LEVEL,
    mean_interval,
)
from webapp.statistics.marks import (
    Columns,
    Mark,
    build_columns,
    count_groups,
    count_missing,
    deduplicate,
    select_counted,
    sort_marks,
)
from webapp.statistics.rank_tests import ZERO_METHOD
from webapp.statistics.rater_behavior import THRESHOLDS, describe_raters
from webapp.statistics.reported_statistics import Outcome, defined, defined_share, undefined

# Fates of a turn (`TurnOutcome.fate`).
WORDS, FAILED, PASSED, REMOVED = "words", "failed", "passed", "removed"
FATES = (WORDS, FAILED, PASSED, REMOVED)
HIDDEN = "untold"  # a turn of a blind table that is not revealed yet
# Causes of a failed turn.
TIMED_OUT, REFUSED, UNUSABLE = "timed_out", "refused", "unusable"
CAUSES = (TIMED_OUT, REFUSED, UNUSABLE)
# Variants of the sensitivity analysis.
WITH_EXCLUDED, CHECKS_PASSED = "with_excluded", "checks_passed"
FIRST_HALF, SECOND_HALF = "first_half", "second_half"


def compute_statistics(
    marks: Sequence[Mark],
    dimensions: Sequence[Mapping[str, Any]],
    turns: "Iterable[TurnOutcome]" = (),
    planned: Sequence[Mapping[str, Any]] = (),
) -> Outcome:
    """Return the statistics of `marks`, with one entry for each of `dimensions`.

    Args:
        marks: Marks of other dimensions count for attention checks only.
        dimensions: {"key", "label", "low_pole", "high_pole", "min", "max", "rank"} each.
        planned: The confirmatory tests: {"item", "a", "b", "margin"} each. A margin is None or a
            number of steps.

    Raises:
        ValueError: A mark's scale is not its dimension's.
    """
    ordered = sort_marks(marks)
    _check_scales(ordered, dimensions)
    keys = [dimension["key"] for dimension in dimensions]
    rated = [mark for mark in ordered if not mark.is_attention and mark.dimension in keys]
    conditions = sorted({mark.condition for mark in rated})
    results = [_describe_dimension(rated, dimension, conditions) for dimension in dimensions]
    comparisons = [(result["key"], pair) for result in results for pair in result["comparisons"]]
    split_families(comparisons, planned)
    return {
        "version": VERSION,
        "settings": {
            "seed": BOOTSTRAP_SEED,
            "draws": BOOTSTRAP_DRAWS,
            "level": CONFIDENCE_LEVEL,
            "zero_method": ZERO_METHOD,
            "thresholds": dict(THRESHOLDS),
        },
        "totals": _count_marks(ordered, rated),
        "missing": count_missing(select_counted(rated)),
        "conditions": conditions,
        "selection": _count_turns(turns),
        "sensitivity": _compare_variants(ordered, dimensions, conditions),
        "dimensions": results,
        "raters": describe_raters(ordered, keys),
    }


def reported_comparison(marks: Sequence[Mark], dimension: str, a: str, b: str) -> Outcome:
    """Return the comparison of two conditions in a dimension, as `compute_statistics` reports it.

    Nothing else is computed, because simulations repeat it a thousand times. Raise LookupError if a
    condition has no rating.
    """
    rated = [m for m in sort_marks(marks) if m.dimension == dimension and not m.is_attention]
    conditions = sorted({mark.condition for mark in rated})
    if missing := {a, b} - set(conditions):
        raise LookupError(", ".join(sorted(missing)))
    ratings = build_columns(deduplicate(select_counted(rated)), conditions)
    codes = conditions.index(a), conditions.index(b)
    return compare_ratings(ConditionPair.from_columns(ratings, *codes))


def _check_scales(marks: Sequence[Mark], dimensions: Sequence[Mapping[str, Any]]) -> None:
    scales = {d["key"]: (int(d["min"]), int(d["max"])) for d in dimensions}
    for mark in marks:
        scale = scales.get(mark.dimension, (mark.low, mark.high))
        if not mark.is_attention and (mark.low, mark.high) != scale:
            raise ValueError(
                f"{mark.assignment}: {mark.dimension} goes from {scale[0]} to {scale[1]}, "
                f"this rating from {mark.low} to {mark.high}"
            )


def _count_marks(ordered: Sequence[Mark], rated: Sequence[Mark]) -> Outcome:
    first_marks = select_counted(rated)
    answered = [mark for mark in first_marks if mark.value is not None]
    counted_marks = deduplicate(first_marks)
    return {
        "marks": len(ordered),
        "kept": len(counted_marks),
        "duplicates": len(answered) - len(counted_marks),
        "repeats": sum(mark.is_repeat and not mark.excluded for mark in rated),
        "attention": sum(mark.is_attention for mark in ordered),
        "excluded": sum(mark.excluded for mark in ordered),
        "games": len({mark.game for mark in counted_marks}),
        "units": len({(mark.game, mark.unit) for mark in counted_marks}),
        "raters": len({mark.rater for mark in counted_marks}),
        "care": ["duplicates"] if len(counted_marks) < len(answered) else [],
    }


def _describe_dimension(
    rated: Sequence[Mark], dimension: Mapping[str, Any], conditions: Sequence[str]
) -> Outcome:
    low, high = int(dimension["min"]), int(dimension["max"])
    is_ranking = bool(dimension.get("rank"))
    own = [mark for mark in rated if mark.dimension == dimension["key"]]
    first_marks = select_counted(own)
    ratings = build_columns(deduplicate(first_marks), conditions)
    repeated = [pair for pairs in self_pairs(own).values() for pair in pairs]
    field_names = ("key", "label", "low_pole", "high_pole")
    return {
        **{name: str(dimension.get(name, "")) for name in field_names},
        "min": low,
        "max": high,
        "rank": is_ranking,
        "overall": describe_ratings(ratings, low, high),
        "conditions": [
            {
                "condition": name,
                **describe_ratings(ratings.select(ratings.condition == code), low, high),
                "missing": count_missing([mark for mark in first_marks if mark.condition == name]),
            }
            for code, name in enumerate(conditions)
        ],
        "missing": count_missing(first_marks),
        "alpha": krippendorff(ratings),
        "icc": intraclass(ratings),
        "kendall_w": mean_kendall_w(ratings, is_ranking=is_ranking),
        "comparisons": compare_conditions(ratings),
        "self_agreement": self_agreement(repeated),
    }


def _compare_variants(
    ordered: Sequence[Mark], dimensions: Sequence[Mapping[str, Any]], conditions: Sequence[str]
) -> list[Outcome]:
    """Repeat the comparisons with other ratings counted: do they depend on what was left out?"""
    fact_keys, test_keys = ("a", "b", "design", "by", "difference"), ("value", "why", "p")
    rows = []
    for variant, marks in _iter_variants(ordered):
        for dimension in dimensions:
            own = [m for m in marks if m.dimension == dimension["key"]]
            counted = deduplicate(select_counted(own))
            for comparison in compare_conditions(build_columns(counted, conditions)):
                facts = {key: comparison[key] for key in fact_keys}
                test = {k: comparison["test"][k] for k in test_keys if k in comparison["test"]}
                rows.append({"item": dimension["key"], "variant": variant, **facts, "test": test})
    return rows


def _iter_variants(ordered: Sequence[Mark]) -> Iterator[tuple[str, Sequence[Mark]]]:
    """Yield (variant, marks), without variants that would count the same ratings.

    The variants are: with excluded raters; without raters who failed an attention check; the first
    and the second half of each rater's units in the order shown, which differ if raters drift.
    """
    if any(mark.excluded for mark in ordered):
        yield WITH_EXCLUDED, [replace(mark, excluded=False) for mark in ordered]
    failed = {m.rater for m in ordered if m.is_attention and m.passed is False and not m.excluded}
    if failed:
        yield CHECKS_PASSED, [mark for mark in ordered if mark.rater not in failed]
    indices_by_rater: dict[str, set[int]] = defaultdict(set)
    for mark in select_counted(ordered):
        indices_by_rater[mark.rater].add(mark.presentation_index)
    last_of_first_half = {
        rater: sorted(indices)[(len(indices) - 1) // 2]
        for rater, indices in indices_by_rater.items()
    }
    if any(len(indices) > 1 for indices in indices_by_rater.values()):
        halves = [(m, last_of_first_half[m.rater]) for m in ordered if m.rater in indices_by_rater]
        yield FIRST_HALF, [mark for mark, last in halves if mark.presentation_index <= last]
        yield SECOND_HALF, [mark for mark, last in halves if mark.presentation_index > last]


@dataclass(frozen=True)
class TurnOutcome:
    """One turn to speak of a player whose statements are rated."""

    condition: str
    # `words` (there is a text to rate), `failed` (a model's request failed), `passed` (nothing was
    # said, and no request failed), `removed` (the text was removed), `untold` (in no share, because
    # it would reveal who is a computer player).
    fate: str
    cause: str = ""


def _count_turns(turns: Iterable[TurnOutcome]) -> Outcome:
    """Return, by condition, the number of turns with each fate, and the share that failed.

    A turn in which a model failed has no text and is not rated. A model that fails often is thus
    judged by its other turns (selection by success). "care" has a warning if any turn failed.
    """
    counts_by_condition: dict[str, Counter[str]] = defaultdict(Counter)
    for turn in turns:
        counts_by_condition[turn.condition].update((turn.fate, turn.cause))
    rows: list[Outcome] = []
    for condition, counts in sorted(counts_by_condition.items()):
        count = sum(counts[fate] for fate in FATES)
        row = {"condition": condition, "turns": count}
        row |= {fate: counts[fate] for fate in (*FATES, HIDDEN)}
        causes = {cause: counts[cause] for cause in CAUSES}
        share = defined_share(counts[FAILED], count, "no_turns")
        rows.append({**row, "causes": causes, "share_failed": share})
    warnings = ["selection_by_success"] if any(row[FAILED] for row in rows) else []
    return {"conditions": rows, "care": warnings}


def describe_ratings(ratings: Columns, low: int, high: int) -> Outcome:
    """Return n, games, raters, units, mean, sd (n-1), ci and counts per scale value."""
    values, n = ratings.values, len(ratings.values)
    figures = dict.fromkeys(("mean", "sd", "ci"), undefined("no_ratings"))
    if n:
        figures = {
            "mean": defined(values.mean()),
            "sd": defined(values.std(ddof=1)) if n > 1 else undefined("one_rating"),
            "ci": mean_interval(ratings, low, high),
        }
    counts = np.bincount(values.astype(np.intp) - low, minlength=high - low + 1)
    return {
        "n": n,
        "games": count_groups(ratings.game),
        "raters": count_groups(ratings.rater),
        "units": count_groups(ratings.unit),
        **figures,
        "counts": {str(low + step): int(count) for step, count in enumerate(counts)},
    }
