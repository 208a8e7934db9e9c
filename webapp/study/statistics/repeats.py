"""How far raters agree with themselves: the repeated rating beside the first one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from webapp.study.statistics.marks import Mark, Numbers, first_shown, once
from webapp.study.statistics.outcomes import Outcome, known, unknown

Pair = tuple[int, int]


def self_pairs(marks: Sequence[Mark]) -> dict[tuple[str, str], list[Pair]]:
    """(rater, dimension) → (first value, repeated value) for each repeat with both answered."""
    first = {
        (mark.game, mark.unit, mark.rater, mark.dimension): mark.value
        for mark in once(first_shown(marks))
    }
    found: dict[tuple[str, str], list[Pair]] = {}
    for mark in marks:
        if not mark.is_repeat or mark.is_attention or mark.excluded or mark.value is None:
            continue
        before = first.get((mark.game, mark.unit, mark.rater, mark.dimension))
        if before is not None:
            found.setdefault((mark.rater, mark.dimension), []).append((before, mark.value))
    return found


def self_agreement(pairs: Sequence[Pair]) -> Outcome:
    """n, the share equal and within one step, the mean distance, and weighted kappa."""
    if not pairs:
        none = unknown("no_repeats")
        return {"n": 0, "exact": none, "within_one": none, "distance": none, "kappa": none}
    table = np.array(sorted(pairs), dtype=np.float64)
    apart = np.abs(table[:, 0] - table[:, 1])
    return {
        "n": len(pairs),
        "exact": known((apart == 0).mean()),
        "within_one": known((apart <= 1).mean()),
        "distance": known(apart.mean()),
        "kappa": _weighted_kappa(table),
    }


def _weighted_kappa(table: Numbers) -> Outcome:
    """Cohen's kappa with quadratic weights: 1 - mean (a-b)^2 / mean of it over all a with all b."""
    a, b = table[:, 0], table[:, 1]
    expected = a.var() + b.var() + (a.mean() - b.mean()) ** 2
    if expected == 0:
        return unknown("no_spread_in_repeats")
    return known(1 - ((a - b) ** 2).mean() / expected)
