"""The error of a mean, or of a difference of two means, over raters and games at once.

An estimate is a weighted sum of ratings. Raters and games (deals, where games share one) are both a
sample: another campaign has others. With V_R the sum of squares of raters' parts of the estimate,
V_G that of games' parts and C that of what is one rater's in one game alone, the squared error is
V_R + V_G - C, as in quasi-F tests (Clark 1973) and in two-way clustered errors (Cameron, Gelbach
and Miller 2011), never less than V_R or V_G. Sums of squares are freed of the bias that means taken
out bring, as if raters (games) of a condition were alike in variance. The degrees of freedom are
the harmonic mean of those of V_R and V_G, weighted by V_R and V_G: of the rules that were simulated
(docs/statistics.md) the one that holds the level and the coverage with three raters already.

Values may be arrays (..., n): many campaigns of one design at a time, for simulations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from webapp.statistics.comparison_design import LEAST_RATERS
from webapp.statistics.marks import Codes, Numbers, dense, how_many

NOTHING = 1e-18  # a squared error below it is a rounding
MIXED = 0.95  # the share of raters' and games' own variance in C from which C is not told apart


@dataclass(frozen=True)
class Stratum:
    """Clusters whose parts of an estimate have one variance.

    factor: turns their sum of squares into a variance without bias. freedom: its degrees.
    """

    clusters: Codes
    factor: float
    freedom: float


def strata_of(loads: Numbers) -> list[Stratum]:
    """Return the strata of clusters with these weights (conditions, clusters).

    Where each cluster is of one condition, each condition is a stratum (Welch).
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
    if len(own) < 2 or expected < NOTHING:
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
    """Weights of ratings in an estimate, and how ratings cluster.

    second: of each rating its condition (0, 1), all 0 for a mean. Weights of the first condition of
    a difference are negative. Ratings of no weight are left out (`rows` are the others).
    """

    rows: Codes
    weights: Numbers
    second: Codes
    rater: Codes
    game: Codes

    @classmethod
    def of(cls, weights: Numbers, second: Codes, rater: Codes, game: Codes) -> Crossed:
        rows = np.flatnonzero(weights)
        codes = (dense(one[rows]) for one in (rater, game))
        return cls(rows, weights[rows], second[rows], *codes)

    @property
    def raters(self) -> int:
        return how_many(self.rater)

    @property
    def games(self) -> int:
        return how_many(self.game)

    @property
    def few_raters(self) -> bool:
        """Whether the raters of a condition are too few to stand for others."""
        return self._raters_of_a_condition < LEAST_RATERS

    @property
    def _raters_of_a_condition(self) -> int:
        return int((self._loads(self.rater) != 0).sum(axis=1).min())

    def _loads(self, codes: Codes) -> Numbers:
        loads = np.zeros((int(self.second.max()) + 1, how_many(codes)))
        np.add.at(loads, (self.second, codes), self.weights)
        return loads

    def error(self, values: Numbers, least_raters: int = LEAST_RATERS) -> Error:
        """Return the error of the weighted sum of `values` (..., n).

        It is over games alone where a condition has fewer raters than `least_raters`.
        """
        parts = self._parts(values[..., self.rows])
        of_games, games_freedom = self._clustered(parts, self.game)
        if self._raters_of_a_condition < least_raters:
            return Error(of_games, games_freedom)
        of_raters, raters_freedom = self._clustered(parts, self.rater)
        cell = dense(self.rater * self.games + self.game)
        squares = (_sums(parts, cell) ** 2).sum(axis=-1)
        of_cells, in_cells = self._centring(cell)
        mine, theirs = (
            share * in_cells / load for share, load in map(self._centring, (self.rater, self.game))
        )
        both = np.zeros_like(squares)
        if mine + theirs < MIXED * of_cells:
            both = (squares - mine * of_raters - theirs * of_games) / (of_cells - mine - theirs)
        both = np.clip(both, 0, np.minimum(of_raters, of_games))
        total = np.maximum(of_raters + of_games, NOTHING)
        freedom = total / (
            of_raters / np.maximum(raters_freedom, NOTHING)
            + of_games / np.maximum(games_freedom, NOTHING)
            + NOTHING
        )
        return Error(of_raters + of_games - both, freedom)

    def _centring(self, codes: Codes) -> tuple[float, float]:
        """Return the share of clusters' own variance that centring leaves, and the squared load."""
        squares = self._loads(codes) ** 2
        shares = np.sqrt(squares)
        shares /= shares.sum(axis=1, keepdims=True)
        remaining = squares * (1 - 2 * shares + (shares**2).sum(axis=1, keepdims=True))
        return float(remaining.sum() / squares.sum()), float(squares.sum())

    def _parts(self, values: Numbers) -> Numbers:
        """Each rating's part of the deviation of the estimate from what it estimates."""
        parts = np.array(values, dtype=np.float64)
        for side in range(int(self.second.max()) + 1):
            own = self.second == side
            share = np.abs(self.weights[own])
            parts[..., own] -= (parts[..., own] @ share / share.sum())[..., None]
        centred: Numbers = parts * self.weights
        return centred

    def _clustered(self, parts: Numbers, codes: Codes) -> tuple[Numbers, Numbers]:
        """Return the variance and its degrees of freedom."""
        squares = _sums(parts, codes) ** 2
        strata = strata_of(self._loads(codes))
        variances = [one.factor * squares[..., one.clusters].sum(axis=-1) for one in strata]
        total = np.sum(variances, axis=0)
        lost = np.sum(
            [v**2 / max(s.freedom, NOTHING) for v, s in zip(variances, strata, strict=True)], axis=0
        )
        return total, total**2 / np.maximum(lost, NOTHING**2)


def _sums(parts: Numbers, codes: Codes) -> Numbers:
    """Return the sum of each cluster 0…k-1, (..., k)."""
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    sums: Numbers = np.add.reduceat(parts[..., order], starts, axis=-1)
    return sums
