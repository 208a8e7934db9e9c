"""Means, spread and counts of one dimension under one condition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from webapp.statistics.intervals import mean_interval
from webapp.statistics.marks import MISSING, STATUSES, Columns, Mark, count_groups
from webapp.statistics.reported_statistics import Outcome, defined, share, unknown


def describe(ratings: Columns, low: int, high: int) -> Outcome:
    """Return n, games, raters, units, mean, sd (n-1), ci and counts per scale value.

    The ci is of 95 %, over raters and games (over deals if games share them).
    """
    values, n = ratings.values, len(ratings.values)
    if not n:
        none = unknown("no_ratings")
        figures = {"mean": none, "sd": none, "ci": none}
    else:
        figures = {
            "mean": defined(values.mean()),
            "sd": defined(values.std(ddof=1)) if n > 1 else unknown("one_rating"),
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


def count_missing(marks: Sequence[Mark]) -> Outcome:
    """Return the number of `marks` with each status, and the share without a value."""
    counts_by_status = Counter(mark.status for mark in marks)
    without = sum(counts_by_status[status] for status in MISSING)
    return {
        **{status: counts_by_status[status] for status in STATUSES},
        "share_missing": share(without, len(marks), "nothing_due"),
    }
