"""Computes the error of a mean, or of a difference of two means, over raters and games at once.

An estimate is a weighted sum of ratings. Raters and games (deals, if games share one) are both
samples: another campaign has others. V_R is the sum of squares of raters' parts of the estimate,
V_G that of games' parts, and C that of the parts of one rater in one game. The squared error is
V_R + V_G - C, as in quasi-F tests (Clark 1973) and in two-way clustered errors (Cameron, Gelbach
and Miller 2011), never less than V_R or V_G. Subtracting means biases the sums of squares; this is
corrected as if all raters (games) of a condition had the same variance. The degrees of freedom are
the harmonic mean of those of V_R and V_G, weighted by V_R and V_G. Of the rules that were simulated
(docs/statistics.md), this one holds level and coverage with as few as three raters.

Values may be arrays (..., n): many campaigns of one design at a time, for simulations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from webapp.statistics.comparison_design import MIN_RATERS
from webapp.statistics.marks import Codes, Numbers, count_groups, renumber

MIN_SQUARED_ERROR = 1e-18  # a smaller one is a rounding error
# Share of raters' and games' own variance in C, above which C cannot be estimated.
MAX_MIXED_SHARE = 0.95


@dataclass(frozen=True)
class Stratum:
    """Clusters whose parts of an estimate have one variance.

    Attributes:
        factor: Makes their sum of squares an unbiased variance.
        freedom: Its degrees of freedom.
    """

    clusters: Codes
    factor: float
    freedom: float


def build_strata(loads: Numbers) -> list[Stratum]:
    """Return the strata of clusters with these weights (conditions, clusters).

    If every cluster belongs to one condition, each condition is a stratum (Welch).
    """
    count = loads.shape[1]
    spread = np.zeros((count, count))  # of parts, in units of the variance of a cluster's effect
    for load in loads:
        share = np.abs(load) / (np.abs(load).sum() or 1.0)
        centred = np.eye(count) - share[None, :] - share[:, None] + (share**2).sum()
        spread += load[:, None] * centred * load[None, :]
    apart = len(loads) > 1 and bool(((loads != 0).sum(axis=0) == 1).all())
    members = [np.flatnonzero(load) for load in loads] if apart else [np.arange(count)]
    return [_stratum(loads, spread, own) for own in members]


def _stratum(loads: Numbers, spread: Numbers, own: Codes) -> Stratum:
    part = spread[np.ix_(own, own)]
    expected = float(np.trace(part))
    if len(own) < 2 or expected < MIN_SQUARED_ERROR:
        return Stratum(own, 0.0, 0.0)
    factor = float((loads[:, own] ** 2).sum()) / expected
    return Stratum(own, factor, expected**2 / float((part**2).sum()))


@dataclass(frozen=True)
class Error:
    """The squared error of an estimate and its degrees of freedom."""

    squared: Numbers
    freedom: Numbers


@dataclass(frozen=True)
class Crossed:
    """Weights of ratings in an estimate, and their raters and games.

    Attributes:
        rows: Indices of the ratings with a weight. The others are left out.
        weights: Those of the first condition of a difference are negative.
        second: The condition of each rating (0 or 1), all 0 for a mean.
        rater, game: The clusters of each rating.
    """

    rows: Codes
    weights: Numbers
    second: Codes
    rater: Codes
    game: Codes

    @classmethod
    def of(cls, weights: Numbers, second: Codes, rater: Codes, game: Codes) -> Crossed:
        rows = np.flatnonzero(weights)
        codes = (renumber(one[rows]) for one in (rater, game))
        return cls(rows, weights[rows], second[rows], *codes)

    @property
    def raters(self) -> int:
        return count_groups(self.rater)

    @property
    def games(self) -> int:
        return count_groups(self.game)

    @property
    def few_raters(self) -> bool:
        """Whether a condition has too few raters to generalize to others."""
        return self._fewest_raters < MIN_RATERS

    @property
    def _fewest_raters(self) -> int:
        return int((self._loads(self.rater) != 0).sum(axis=1).min())

    def _loads(self, codes: Codes) -> Numbers:
        loads = np.zeros((int(self.second.max()) + 1, count_groups(codes)))
        np.add.at(loads, (self.second, codes), self.weights)
        return loads

    def error(self, values: Numbers, least_raters: int = MIN_RATERS) -> Error:
        """Return the error of the weighted sum of `values` (..., n).

        It is over games alone if a condition has fewer raters than `least_raters`.
        """
        parts = self._parts(values[..., self.rows])
        of_games, games_freedom = self._clustered_variance(parts, self.game)
        if self._fewest_raters < least_raters:
            return Error(of_games, games_freedom)
        of_raters, raters_freedom = self._clustered_variance(parts, self.rater)
        cell = renumber(self.rater * self.games + self.game)
        squares = (_sums(parts, cell) ** 2).sum(axis=-1)
        of_cells, in_cells = self._centred_share(cell)
        rater_factor, game_factor = (
            share * in_cells / load
            for share, load in map(self._centred_share, (self.rater, self.game))
        )
        both = np.zeros_like(squares)
        if rater_factor + game_factor < MAX_MIXED_SHARE * of_cells:
            own = squares - rater_factor * of_raters - game_factor * of_games
            both = own / (of_cells - rater_factor - game_factor)
        both = np.clip(both, 0, np.minimum(of_raters, of_games))
        total = np.maximum(of_raters + of_games, MIN_SQUARED_ERROR)
        freedom = total / (
            of_raters / np.maximum(raters_freedom, MIN_SQUARED_ERROR)
            + of_games / np.maximum(games_freedom, MIN_SQUARED_ERROR)
            + MIN_SQUARED_ERROR
        )
        return Error(of_raters + of_games - both, freedom)

    def _centred_share(self, codes: Codes) -> tuple[float, float]:
        """Return the share of clusters' own variance that remains after centring, and the load²."""
        squares = self._loads(codes) ** 2
        shares = np.sqrt(squares)
        shares /= shares.sum(axis=1, keepdims=True)
        remaining = squares * (1 - 2 * shares + (shares**2).sum(axis=1, keepdims=True))
        return float(remaining.sum() / squares.sum()), float(squares.sum())

    def _parts(self, values: Numbers) -> Numbers:
        """Return each rating's part of the deviation of the estimate from its expectation."""
        parts = np.array(values, dtype=np.float64)
        for side in range(int(self.second.max()) + 1):
            own = self.second == side
            share = np.abs(self.weights[own])
            parts[..., own] -= (parts[..., own] @ share / share.sum())[..., None]
        centred: Numbers = parts * self.weights
        return centred

    def _clustered_variance(self, parts: Numbers, codes: Codes) -> tuple[Numbers, Numbers]:
        """Return the variance over these clusters, and its degrees of freedom."""
        squares = _sums(parts, codes) ** 2
        strata = build_strata(self._loads(codes))
        variances = [one.factor * squares[..., one.clusters].sum(axis=-1) for one in strata]
        total = np.sum(variances, axis=0)
        lost = np.sum(
            [
                v**2 / max(s.freedom, MIN_SQUARED_ERROR)
                for v, s in zip(variances, strata, strict=True)
            ],
            axis=0,
        )
        return total, total**2 / np.maximum(lost, MIN_SQUARED_ERROR**2)


def _sums(parts: Numbers, codes: Codes) -> Numbers:
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    sums: Numbers = np.add.reduceat(parts[..., order], starts, axis=-1)
    return sums
