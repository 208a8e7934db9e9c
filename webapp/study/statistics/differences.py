"""The interval of a difference between two conditions: Student's t over the observations.

Not the bootstrap: over six games of each condition its 95 % interval holds the truth in less than
90 % of draws, over three in 80 % (docs/statistics.md); the observations are means of many ratings,
near enough to normal for t.
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy import stats

from webapp.study.statistics.bootstrap import LEVEL
from webapp.study.statistics.marks import Numbers
from webapp.study.statistics.outcomes import Outcome, span, unknown


def of_pairs(differences: Numbers) -> Outcome:
    """The interval of the mean difference: t with one less degrees of freedom than pairs."""
    if len(differences) < 2:
        return unknown("one_pair", clusters=len(differences))
    how = {"method": "t", "clusters": len(differences)}
    if np.ptp(differences) == 0:
        return span(differences[0], differences[0], **how, care=["no_spread_between"])
    found = stats.ttest_1samp(differences, 0).confidence_interval(LEVEL)
    return span(float(found.low), float(found.high), **how, care=[])


def of_groups(first: Numbers, second: Numbers) -> Outcome:
    """The interval of mean(second) - mean(first), each with a variance of its own (Welch)."""
    fewest = min(len(first), len(second))
    if fewest < 2:
        return unknown("one_on_a_side", clusters=fewest)
    how = {"method": "Welch t", "clusters": len(first) + len(second)}
    if np.ptp(first) == 0 and np.ptp(second) == 0:
        at = second[0] - first[0]
        return span(at, at, **how, care=["no_spread_between"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of one side without a spread
        found = stats.ttest_ind(second, first, equal_var=False).confidence_interval(LEVEL)
    return span(float(found.low), float(found.high), **how, care=[])
