"""Agreement of raters with each other (alpha, ICC, Kendall's W) and with themselves.

A unit rated m times (m >= 2) adds each ordered pair of its values to the coincidence matrix o with
weight 1/(m-1). With n_c the row sums and n their total,

    alpha = 1 - (n-1) * sum_ck o_ck d_ck / sum_ck n_c n_k d_ck.

d is a squared distance between positions: 0/1 (nominal), the values (interval), or the mid-ranks
n_1 + … + n_(c-1) + n_c/2 (ordinal). Because o is a sum over units, a bootstrap draw is a weighted
sum of the clusters' matrices: 2000 draws cost one matrix product, not 2000 analyses.

SciPy, pandas and pingouin are imported inside functions: a web process imports this module, through
`rater_behavior`.
"""

from collections.abc import Sequence
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

from webapp.statistics.intervals import (
    BOOTSTRAP_DRAWS,
    CONFIDENCE_LEVEL,
    FEW_CLUSTERS,
    bootstrap_draws,
)
from webapp.statistics.marks import (
    Codes,
    Columns,
    Mark,
    Numbers,
    count_groups,
    deduplicate,
    renumber,
    select_counted,
)
from webapp.statistics.reported_statistics import (
    Outcome,
    defined,
    defined_interval,
    undefined,
    undefined_with_interval,
    warning_keys,
)

MEASUREMENT_LEVELS = ("ordinal", "nominal", "interval")  # the first one is reported
MIN_DEFINED_SHARE = 0.95  # with a smaller share of defined draws, there is no interval
MAIN_ICC = "ICC(A,1)"  # two-way, absolute agreement, one rater: Shrout and Fleiss' ICC(2,1)
MIN_ICC_RATINGS = 5

Pair = tuple[int, int]  # (first value, repeated value) of one rater


def krippendorff(ratings: Columns) -> Outcome:
    """Return alpha of one dimension over all conditions, with its interval, for each level."""
    has_several = np.bincount(ratings.unit)[ratings.unit] > 1
    overlapping = ratings.select(has_several)  # the ratings of units that have more than one
    basis: Outcome = {
        "units": count_groups(overlapping.unit),
        "ratings": len(overlapping.values),
        "raters": count_groups(overlapping.rater),
    }
    if reason := _undefined_reason(ratings, overlapping):
        return basis | dict.fromkeys(MEASUREMENT_LEVELS, undefined_with_interval(reason))
    # Games are independent, units of one game are not.
    over = "games" if count_groups(overlapping.deal) > 1 else "units"
    clusters = overlapping.deal if over == "games" else overlapping.unit
    scale, matrices = coincidences(overlapping.values, overlapping.unit, clusters)
    levels = {level: _alpha(matrices, scale, level, over) for level in MEASUREMENT_LEVELS}
    return basis | levels


def _undefined_reason(ratings: Columns, overlapping: Columns) -> str:
    if not len(ratings.values):
        return "no_ratings"
    if count_groups(ratings.rater) < 2:
        return "one_rater"
    if not len(overlapping.values):
        return "no_overlap"
    return "no_variation" if np.ptp(overlapping.values) == 0 else ""


def coincidences(values: Numbers, units: Codes, clusters: Codes) -> tuple[Numbers, Numbers]:
    """Return the values that occur, in order, and the coincidence matrix of each cluster.

    Their shapes are (V,) and (clusters, V, V). Every unit must have two or more ratings, and lie in
    one cluster.
    """
    scale, codes = np.unique(values, return_inverse=True)
    counts = np.zeros((count_groups(units), len(scale)))
    np.add.at(counts, (units, codes), 1)
    weights = 1 / (counts.sum(axis=1) - 1)
    cluster_of_unit = np.zeros(len(counts), dtype=np.intp)
    cluster_of_unit[units] = renumber(clusters)
    matrices = np.zeros((count_groups(cluster_of_unit), len(scale), len(scale)))
    for cluster in range(len(matrices)):
        chosen = cluster_of_unit == cluster
        inside, weight = counts[chosen], weights[chosen]
        matrices[cluster] = inside.T @ (inside * weight[:, None]) - np.diag(weight @ inside)
    return scale, matrices


def alphas(matrices: Numbers, scale: Numbers, level: str) -> Numbers:
    """Return alpha of each coincidence matrix (B, V, V), NaN if no disagreement is expected."""
    totals = matrices.sum(axis=2)
    distance = _distances(totals, scale, level)
    n = totals.sum(axis=1)
    observed = (matrices * distance).sum(axis=(1, 2))
    expected = np.einsum("bc,bk,bck->b", totals, totals, distance)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 0, 1 - (n - 1) * observed / expected, np.nan)


def _distances(totals: Numbers, scale: Numbers, level: str) -> Numbers:
    """Return squared distances between the values, of the shape (B, V, V) or (1, V, V)."""
    if level == "nominal":
        return (1 - np.eye(len(scale)))[None]
    midpoints = totals.cumsum(axis=1) - totals / 2 if level == "ordinal" else scale[None]
    return (midpoints[:, :, None] - midpoints[:, None, :]) ** 2


def _alpha(matrices: Numbers, scale: Numbers, level: str, over: str) -> Outcome:
    """Return alpha with its interval."""
    value = float(alphas(matrices.sum(axis=0)[None], scale, level)[0])
    clusters = len(matrices)
    if clusters < 2:
        return defined(value, ci=undefined("one_cluster", over=over, clusters=clusters))
    drawn = drawn_alphas(matrices, scale, level)
    return defined(value, ci=resampled_interval(drawn, clusters, over=over))


def drawn_alphas(matrices: Numbers, scale: Numbers, level: str) -> Numbers:
    """Return alpha of each bootstrap draw of the clusters, NaN where it is undefined."""
    flat, size = matrices.reshape(len(matrices), -1), len(scale)
    blocks = [
        alphas((cluster_counts @ flat).reshape(-1, size, size), scale, level)
        for cluster_counts in bootstrap_draws(len(matrices))
    ]
    return np.concatenate(blocks)


def resampled_interval(drawn: Numbers, clusters: int, **facts: Any) -> Outcome:
    """Return the middle 95 % of a coefficient's draws, NaN where the coefficient is undefined.

    The interval is undefined if too many of the draws are. `facts` are stored with it; `over` names
    the clusters.
    """
    valid = drawn[~np.isnan(drawn)]
    facts |= {"clusters": clusters, "draws": BOOTSTRAP_DRAWS, "defined": len(valid)}
    if len(valid) < MIN_DEFINED_SHARE * BOOTSTRAP_DRAWS:
        return undefined("unstable", **facts)
    over_units = facts.get("over") == "units"
    warnings = warning_keys(few_clusters=clusters < FEW_CLUSTERS, over_units=over_units)
    low, high = np.quantile(valid, [(1 - CONFIDENCE_LEVEL) / 2, (1 + CONFIDENCE_LEVEL) / 2])
    return defined_interval(float(low), float(high), **facts, care=warnings)


def intraclass(ratings: Columns) -> Outcome:
    """Return ICC(A,1) with its 95 % interval, and all six kinds under "all".

    The coefficients are defined for a complete design only.
    """
    import pandas as pd
    import pingouin

    if reason := _no_icc_reason(ratings):
        return undefined(reason)
    pingouin.options["round.column.CI95"] = None  # its default gives two digits only
    rows = {"unit": ratings.unit, "rater": ratings.rater, "value": ratings.values}
    with catch_warnings(), np.errstate(all="ignore"):
        simplefilter("ignore")
        table = pingouin.intraclass_corr(pd.DataFrame(rows), "unit", "rater", "value")
    kinds = {row.Type: _icc_outcome(float(row.ICC), row.CI95) for row in table.itertuples()}
    size = {"units": count_groups(ratings.unit), "raters": count_groups(ratings.rater)}
    return {**kinds[MAIN_ICC], "type": MAIN_ICC, **size, "all": kinds}


def _no_icc_reason(ratings: Columns) -> str:
    n, units, raters = len(ratings.values), count_groups(ratings.unit), count_groups(ratings.rater)
    reasons = {
        "no_ratings": n == 0,
        "one_rater": raters == 1,
        "incomplete_design": n < units * raters,
        "one_unit": units == 1,
        "too_few_ratings": n < MIN_ICC_RATINGS,
        "no_variation": n > 0 and bool(np.ptp(ratings.values) == 0),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _icc_outcome(value: float, ends: Numbers) -> Outcome:
    if not np.isfinite(value):
        return undefined("no_variation")
    if not np.isfinite(ends).all():
        return defined(value, ci=undefined("no_interval"))
    return defined(value, ci=defined_interval(float(ends[0]), float(ends[1])))


def mean_kendall_w(ratings: Columns, *, is_ranking: bool) -> Outcome:
    """Return the mean over games of Kendall's W, corrected for ties.

    A rater counts in a game after rating every unit that has a rating in it. A game counts if at
    least two raters do. W is undefined if the dimension does not rank the units of a game.
    """
    if not is_ranking:
        return undefined("not_ranked")
    game_values = [
        value
        for game in range(count_groups(ratings.game))
        if (value := _game_kendall_w(ratings.select(ratings.game == game))) is not None
    ]
    if not game_values:
        return undefined("no_complete_rankings")
    return defined(float(np.mean(game_values)), games=len(game_values))


def _game_kendall_w(ratings: Columns) -> float | None:
    """Return W over the raters who rated every unit of a game, None with fewer than two."""
    units = count_groups(ratings.unit)
    complete = np.bincount(ratings.rater)[ratings.rater] == units
    chosen = ratings.select(complete)
    if units < 2 or not complete.any() or count_groups(chosen.rater) < 2:
        return None
    table = np.zeros((count_groups(chosen.rater), units))
    table[chosen.rater, chosen.unit] = chosen.values
    return kendall_w(table)


def kendall_w(table: Numbers) -> float | None:
    """Return W of (raters, items) values, from mid-ranks, None if every rater ties all items."""
    from scipy.stats import rankdata

    m, n = table.shape
    ranks = rankdata(table, axis=1)
    tie_sizes = [np.unique(row, return_counts=True)[1] for row in ranks]
    ties = sum(int((sizes**3 - sizes).sum()) for sizes in tie_sizes)
    denominator = m**2 * (n**3 - n) - m * ties
    if denominator == 0:
        return None
    spread = ((ranks.sum(axis=0) - m * (n + 1) / 2) ** 2).sum()
    return float(12 * spread / denominator)


def self_pairs(marks: Sequence[Mark]) -> dict[tuple[str, str], list[Pair]]:
    """Return (rater, dimension) -> pairs of answered repeats with the first ratings."""
    first_values = {
        (mark.game, mark.unit, mark.rater, mark.dimension): mark.value
        for mark in deduplicate(select_counted(marks))
    }
    pairs_by_rater: dict[tuple[str, str], list[Pair]] = {}
    for mark in marks:
        first = first_values.get((mark.game, mark.unit, mark.rater, mark.dimension))
        is_counted = mark.is_repeat and not mark.is_attention and not mark.excluded
        if is_counted and mark.value is not None and first is not None:
            pairs_by_rater.setdefault((mark.rater, mark.dimension), []).append((first, mark.value))
    return pairs_by_rater


def self_agreement(pairs: Sequence[Pair]) -> Outcome:
    """Return n, the shares equal and within one step, the mean distance, and weighted kappa."""
    if not pairs:
        none = undefined("no_repeats")
        return {"n": 0, "exact": none, "within_one": none, "distance": none, "kappa": none}
    table = np.array(sorted(pairs), dtype=np.float64)
    distances = np.abs(table[:, 0] - table[:, 1])
    return {
        "n": len(pairs),
        "exact": defined((distances == 0).mean()),
        "within_one": defined((distances <= 1).mean()),
        "distance": defined(distances.mean()),
        "kappa": _weighted_kappa(table),
    }


def _weighted_kappa(table: Numbers) -> Outcome:
    """Return Cohen's kappa with quadratic weights.

    Kappa is 1 - mean of (a-b)^2 over pairs / mean of (a-b)^2 over all a with all b.
    """
    a, b = table[:, 0], table[:, 1]
    expected = a.var() + b.var() + (a.mean() - b.mean()) ** 2
    if expected == 0:
        return undefined("no_spread_in_repeats")
    return defined(1 - ((a - b) ** 2).mean() / expected)
