"""Krippendorff's alpha for every level of measurement, with an interval, from coincidences.

A unit rated m times (m >= 2) adds each ordered pair of its values to the coincidence matrix o with
weight 1/(m-1). With n_c the row sums and n their total,

    alpha = 1 - (n-1) * sum_ck o_ck d_ck / sum_ck n_c n_k d_ck.

d is a squared distance between positions: 0/1 (nominal), the values (interval), or the mid-ranks
n_1 + … + n_(c-1) + n_c/2 (ordinal). Because o is a sum over units, a bootstrap draw is a weighted
sum of the clusters' matrices: 2000 draws cost one matrix product, not 2000 analyses.
"""

from __future__ import annotations

import numpy as np

from webapp.study.statistics.intervals import DRAWS, FEW, draws, percentiles
from webapp.study.statistics.marks import Codes, Columns, Numbers, dense, how_many
from webapp.study.statistics.outcomes import Outcome, known, span, unknown, warnings

LEVELS = ("ordinal", "nominal", "interval")  # the first is the one reported
LEAST_DEFINED = 0.95  # of the draws; below, no interval


def krippendorff(ratings: Columns) -> Outcome:
    """Alpha of one dimension over all conditions, for each level, and what it rests on."""
    found = _overlapping(ratings)
    basis = {
        "units": how_many(found.unit),
        "ratings": len(found.values),
        "raters": how_many(found.rater),
    }
    why = _why_none(ratings, found)
    if why:
        return {**basis, **{level: unknown(why, ci=unknown(why)) for level in LEVELS}}
    over = "games" if how_many(found.deal) > 1 else "units"
    clusters = found.deal if over == "games" else found.unit
    scale, matrices = coincidences(found.values, found.unit, clusters)
    return {
        **basis,
        **{level: _with_interval(matrices, scale, level, over) for level in LEVELS},
    }


def _overlapping(ratings: Columns) -> Columns:
    """Only the ratings of units that two or more raters rated."""
    if not len(ratings.values):
        return ratings
    return ratings.of(np.bincount(ratings.unit)[ratings.unit] > 1)


def _why_none(ratings: Columns, found: Columns) -> str:
    """The reason why alpha is undefined, or "" where it is defined."""
    if not len(ratings.values):
        return "no_ratings"
    if how_many(ratings.rater) < 2:
        return "one_rater"
    if not len(found.values):
        return "no_overlap"
    return "no_variation" if np.ptp(found.values) == 0 else ""


def coincidences(values: Numbers, units: Codes, clusters: Codes) -> tuple[Numbers, Numbers]:
    """The values that occur, ascending (V), and each cluster's coincidences (clusters, V, V).

    Every unit must have two ratings or more, and lie in one cluster.
    """
    scale, codes = np.unique(values, return_inverse=True)
    counts = np.zeros((how_many(units), len(scale)))
    np.add.at(counts, (units, codes), 1)
    weights = 1 / (counts.sum(axis=1) - 1)
    cluster_of_unit = np.zeros(len(counts), dtype=np.intp)
    cluster_of_unit[units] = dense(clusters)
    matrices = np.zeros((how_many(cluster_of_unit), len(scale), len(scale)))
    for cluster in range(len(matrices)):
        chosen = cluster_of_unit == cluster
        inside, weight = counts[chosen], weights[chosen]
        matrices[cluster] = inside.T @ (inside * weight[:, None]) - np.diag(weight @ inside)
    return scale, matrices


def alphas(matrices: Numbers, scale: Numbers, level: str) -> Numbers:
    """Alpha of each coincidence matrix (B, V, V); NaN where no disagreement is expected."""
    totals = matrices.sum(axis=2)
    distance = _distances(totals, scale, level)
    n = totals.sum(axis=1)
    observed = (matrices * distance).sum(axis=(1, 2))
    expected = np.einsum("bc,bk,bck->b", totals, totals, distance)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 0, 1 - (n - 1) * observed / expected, np.nan)


def _distances(totals: Numbers, scale: Numbers, level: str) -> Numbers:
    """Squared distances between the values, (B, V, V) or (1, V, V)."""
    if level == "nominal":
        return (1 - np.eye(len(scale)))[None]
    places = totals.cumsum(axis=1) - totals / 2 if level == "ordinal" else scale[None]
    return (places[:, :, None] - places[:, None, :]) ** 2


def _with_interval(matrices: Numbers, scale: Numbers, level: str, over: str) -> Outcome:
    value = float(alphas(matrices.sum(axis=0)[None], scale, level)[0])
    return known(value, ci=_interval(matrices, scale, level, over))


def _interval(matrices: Numbers, scale: Numbers, level: str, over: str) -> Outcome:
    clusters, size = len(matrices), len(scale)
    if clusters < 2:
        return unknown("one_cluster", over=over, clusters=clusters)
    flat = matrices.reshape(clusters, -1)
    drawn = np.concatenate(
        [alphas((taken @ flat).reshape(-1, size, size), scale, level) for taken in draws(clusters)]
    )
    defined = drawn[~np.isnan(drawn)]
    facts: Outcome = {
        "over": over,
        "clusters": clusters,
        "draws": DRAWS,
        "defined": len(defined),
    }
    if len(defined) < LEAST_DEFINED * DRAWS:
        return unknown("unstable", **facts)
    care = warnings(few_clusters=clusters < FEW, over_units=over == "units")
    return span(*percentiles(defined), **facts, care=care)
