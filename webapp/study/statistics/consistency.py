"""The intraclass correlation, and Kendall's W where players are ranked."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pingouin
from scipy.stats import rankdata

from webapp.study.statistics.marks import Columns, Numbers, how_many
from webapp.study.statistics.outcomes import Outcome, known, span, unknown

MAIN = "ICC(A,1)"  # two-way, absolute agreement, one rater: Shrout and Fleiss' ICC(2,1)

pingouin.options["round.column.CI95"] = None  # its default gives intervals to two digits only


def intraclass(ratings: Columns) -> Outcome:
    """ICC(A,1) with its 95 % interval, and all six kinds under "all"; a complete design only."""
    why = _why_no_icc(ratings)
    if why:
        return unknown(why)
    rows = {"unit": ratings.unit, "rater": ratings.rater, "value": ratings.values}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        table = pingouin.intraclass_corr(pd.DataFrame(rows), "unit", "rater", "value")
    kinds = {
        row.Type: _kind(float(row.ICC), np.asarray(row.CI95, dtype=np.float64))
        for row in table.itertuples()
    }
    size = {"units": how_many(ratings.unit), "raters": how_many(ratings.rater)}
    return {**kinds[MAIN], "type": MAIN, **size, "all": kinds}


def _why_no_icc(ratings: Columns) -> str:
    """The reason why there is no ICC, or ""."""
    n, units, raters = len(ratings.values), how_many(ratings.unit), how_many(ratings.rater)
    reasons = {
        "no_ratings": n == 0,
        "one_rater": raters == 1,
        "incomplete_design": n < units * raters,
        "one_unit": units == 1,
        "too_few_ratings": n < 5,
        "no_variation": n > 0 and bool(np.ptp(ratings.values) == 0),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _kind(value: float, ends: Numbers) -> Outcome:
    if not np.isfinite(value):
        return unknown("no_variation")
    if not np.isfinite(ends).all():
        return known(value, ci=unknown("no_interval"))
    return known(value, ci=span(ends[0], ends[1]))


def concordance(ratings: Columns, ranked: bool) -> Outcome:
    """Kendall's W, corrected for ties, in each game two raters ranked whole; their mean.

    A rater counts in a game where he or she rated every unit anyone rated in that game.
    """
    if not ranked:
        return unknown("not_ranked")
    found = [
        value
        for game in range(how_many(ratings.game))
        if (value := _w_of_game(ratings.of(ratings.game == game))) is not None
    ]
    if not found:
        return unknown("no_complete_rankings")
    return known(float(np.mean(found)), games=len(found))


def _w_of_game(ratings: Columns) -> float | None:
    units = how_many(ratings.unit)
    complete = np.bincount(ratings.rater)[ratings.rater] == units
    chosen = ratings.of(complete)
    if units < 2 or not complete.any() or how_many(chosen.rater) < 2:
        return None
    table = np.zeros((how_many(chosen.rater), units))
    table[chosen.rater, chosen.unit] = chosen.values
    return kendall_w(table)


def kendall_w(table: Numbers) -> float | None:
    """W of (raters, things) values, from mid-ranks; None where every rater ties everything."""
    raters, things = table.shape
    ranks = rankdata(table, axis=1)
    ties = sum(_ties(row) for row in ranks)
    whole = raters**2 * (things**3 - things) - raters * ties
    if whole == 0:
        return None
    spread = ((ranks.sum(axis=0) - raters * (things + 1) / 2) ** 2).sum()
    return float(12 * spread / whole)


def _ties(ranks: Numbers) -> int:
    """The sum of t^3 - t over the groups of t equal ranks."""
    sizes = np.unique(ranks, return_counts=True)[1]
    return int((sizes**3 - sizes).sum())
