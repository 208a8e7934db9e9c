"""The error of a mean, or of a difference of two means, over raters and games at once.

An estimate is a weighted sum of ratings. Raters and games (deals, if games share one) are both
samples: another campaign has others. docs/statistics.md ("Raters and games") has the formulas of
the error and of its degrees of freedom, and simulations of other rules.

Values may have the shape (..., n): ratings of many campaigns of one design, for simulations.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from webapp.statistics.comparison_design import MIN_RATERS_PER_CONDITION
from webapp.statistics.marks import Codes, Numbers, count_groups, renumber

MIN_SQUARED_ERROR = 1e-18  # smaller errors are rounding errors
# Share of raters' and games' own variance in C, above which C cannot be estimated.
MAX_MIXED_SHARE = 0.95


@dataclass(frozen=True)
class Stratum:
    """Clusters whose parts of an estimate have the same variance."""

    clusters: Codes
    factor: float  # times their sum of squares, it is an unbiased variance
    degrees_of_freedom: float


def build_strata(loads: Numbers) -> list[Stratum]:
    """Return the strata of clusters: one for each condition if no cluster has both (Welch).

    `loads` are the sums of the weights of each cluster, shape (conditions, clusters).
    """
    count = loads.shape[1]
    # The covariance of the clusters' parts, in units of the variance of a cluster's effect.
    part_covariance = np.zeros((count, count))
    for load in loads:
        share = np.abs(load) / (np.abs(load).sum() or 1.0)
        centred = np.eye(count) - share[None, :] - share[:, None] + (share**2).sum()
        part_covariance += load[:, None] * centred * load[None, :]
    apart = len(loads) > 1 and bool(((loads != 0).sum(axis=0) == 1).all())
    strata = []
    for clusters in map(np.flatnonzero, loads) if apart else [np.arange(count)]:
        covariance = part_covariance[np.ix_(clusters, clusters)]
        expected = float(np.trace(covariance))
        factor = freedom = 0.0
        if len(clusters) > 1 and expected >= MIN_SQUARED_ERROR:
            factor = float((loads[:, clusters] ** 2).sum()) / expected
            freedom = expected**2 / float((covariance**2).sum())
        strata.append(Stratum(clusters, factor, freedom))
    return strata


@dataclass(frozen=True)
class SquaredError:
    value: Numbers
    degrees_of_freedom: Numbers


@dataclass(frozen=True)
class CrossedWeights:
    """Weights of ratings in an estimate, and their raters and games."""

    rows: Codes  # indices of the ratings with a weight. The others are left out.
    weights: Numbers  # those of the first condition of a difference are negative
    condition_codes: Codes  # the condition of each rating (0 or 1), all 0 for a mean
    rater_codes: Codes
    game_codes: Codes

    @classmethod
    def from_ratings(
        cls, weights: Numbers, condition_codes: Codes, rater_codes: Codes, game_codes: Codes
    ) -> Self:
        """Return the weights of the ratings whose weight is not 0, with renumbered clusters."""
        rows = np.flatnonzero(weights)
        clusters = (renumber(codes[rows]) for codes in (rater_codes, game_codes))
        return cls(rows, weights[rows], condition_codes[rows], *clusters)

    @property
    def number_of_raters(self) -> int:
        return count_groups(self.rater_codes)

    @property
    def number_of_games(self) -> int:
        return count_groups(self.game_codes)

    @property
    def has_few_raters(self) -> bool:
        """Whether a condition has too few raters to generalize to others."""
        return self._fewest_raters < MIN_RATERS_PER_CONDITION

    @property
    def _fewest_raters(self) -> int:
        return int((self._loads(self.rater_codes) != 0).sum(axis=1).min())

    def _loads(self, codes: Codes) -> Numbers:
        """Return the sums of weights (conditions, clusters)."""
        loads = np.zeros((int(self.condition_codes.max()) + 1, count_groups(codes)))
        np.add.at(loads, (self.condition_codes, codes), self.weights)
        return loads

    def error(self, values: Numbers, least_raters: int = MIN_RATERS_PER_CONDITION) -> SquaredError:
        """Return the squared error of the weighted sum of `values`, shape (..., n).

        The error is over games alone if a condition has fewer raters than `least_raters`.
        """
        parts = self._parts(values[..., self.rows])
        of_games, games_freedom = self._clustered_variance(parts, self.game_codes)
        if self._fewest_raters < least_raters:
            return SquaredError(of_games, games_freedom)
        of_raters, raters_freedom = self._clustered_variance(parts, self.rater_codes)
        cell = renumber(self.rater_codes * self.number_of_games + self.game_codes)
        squares = (_cluster_sums(parts, cell) ** 2).sum(axis=-1)
        of_cells, in_cells = self._centred_share(cell)
        rater_factor, game_factor = (
            share * in_cells / load
            for share, load in map(self._centred_share, (self.rater_codes, self.game_codes))
        )
        shared = np.zeros_like(squares)
        if rater_factor + game_factor < MAX_MIXED_SHARE * of_cells:
            own = squares - rater_factor * of_raters - game_factor * of_games
            shared = own / (of_cells - rater_factor - game_factor)
        shared = np.clip(shared, 0, np.minimum(of_raters, of_games))
        total = np.maximum(of_raters + of_games, MIN_SQUARED_ERROR)
        degrees_of_freedom = total / (
            of_raters / np.maximum(raters_freedom, MIN_SQUARED_ERROR)
            + of_games / np.maximum(games_freedom, MIN_SQUARED_ERROR)
            + MIN_SQUARED_ERROR
        )
        return SquaredError(of_raters + of_games - shared, degrees_of_freedom)

    def _centred_share(self, codes: Codes) -> tuple[float, float]:
        """Return (share of clusters' variance left after centring, sum of squared loads)."""
        squares = self._loads(codes) ** 2
        shares = np.sqrt(squares)
        shares /= shares.sum(axis=1, keepdims=True)
        remaining = squares * (1 - 2 * shares + (shares**2).sum(axis=1, keepdims=True))
        return float(remaining.sum() / squares.sum()), float(squares.sum())

    def _parts(self, values: Numbers) -> Numbers:
        """Return each rating's part of the deviation of the estimate from its expectation."""
        parts = np.array(values, dtype=np.float64)
        for side in range(int(self.condition_codes.max()) + 1):
            own = self.condition_codes == side
            share = np.abs(self.weights[own])
            parts[..., own] -= (parts[..., own] @ share / share.sum())[..., None]
        centred: Numbers = parts * self.weights
        return centred

    def _clustered_variance(self, parts: Numbers, codes: Codes) -> tuple[Numbers, Numbers]:
        """Return the variance over these clusters, and its degrees of freedom."""
        squares = _cluster_sums(parts, codes) ** 2
        strata = build_strata(self._loads(codes))
        variances = [s.factor * squares[..., s.clusters].sum(axis=-1) for s in strata]
        total = np.sum(variances, axis=0)
        freedoms = [max(s.degrees_of_freedom, MIN_SQUARED_ERROR) for s in strata]
        lost = np.sum([v**2 / f for v, f in zip(variances, freedoms, strict=True)], axis=0)
        return total, total**2 / np.maximum(lost, MIN_SQUARED_ERROR**2)


def _cluster_sums(parts: Numbers, codes: Codes) -> Numbers:
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    sums: Numbers = np.add.reduceat(parts[..., order], starts, axis=-1)
    return sums
