"""Repeats the comparisons with other ratings counted: do they depend on what was left out?

Variants are: with excluded raters; without raters who failed an attention check; the first and the
second half of what each rater was shown (drift). A variant that would count the same ratings is
left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from webapp.statistics.compare import compare_conditions
from webapp.statistics.marks import Mark, build_columns, deduplicate, select_first
from webapp.statistics.reported_statistics import Outcome

WITH_EXCLUDED, CHECKS_PASSED = "with_excluded", "checks_passed"
FIRST_HALF, SECOND_HALF = "first_half", "second_half"


def sensitivity(
    ordered: Sequence[Mark], dimensions: Sequence[Mapping[str, Any]], conditions: Sequence[str]
) -> list[Outcome]:
    """Return a row for each item, pair of conditions and variant: difference and test."""
    rows = []
    for variant, marks in _variants(ordered):
        for dimension in dimensions:
            own = [m for m in marks if m.dimension == dimension["key"]]
            counted = deduplicate(select_first(own))
            for one in compare_conditions(build_columns(counted, conditions)) if counted else ():
                facts = {name: one[name] for name in ("a", "b", "design", "by", "difference")}
                test = {k: one["test"][k] for k in ("value", "why", "p") if k in one["test"]}
                rows.append({"item": dimension["key"], "variant": variant, **facts, "test": test})
    return rows


def _variants(ordered: Sequence[Mark]) -> Iterator[tuple[str, Sequence[Mark]]]:
    if any(mark.excluded for mark in ordered):
        yield WITH_EXCLUDED, [replace(mark, excluded=False) for mark in ordered]
    failed = {m.rater for m in ordered if m.is_attention and m.passed is False and not m.excluded}
    if failed:
        yield CHECKS_PASSED, [mark for mark in ordered if mark.rater not in failed]
    indices_by_rater: dict[str, set[int]] = defaultdict(set)
    for mark in select_first(ordered):
        indices_by_rater[mark.rater].add(mark.presentation_index)
    middle = {
        rater: sorted(indices)[(len(indices) - 1) // 2]
        for rater, indices in indices_by_rater.items()
    }
    halves = [m for m in ordered if m.rater in middle]
    if any(len(indices) > 1 for indices in indices_by_rater.values()):
        yield FIRST_HALF, [m for m in halves if m.presentation_index <= middle[m.rater]]
        yield SECOND_HALF, [m for m in halves if m.presentation_index > middle[m.rater]]
