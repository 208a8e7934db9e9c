"""Exact probabilities over the deals of a large deck, without a row per deal.

The *outer* roles (the hunted team) are enumerated: 2,860 assignments for the deck of 13 seats. The
other roles are *inner*. Given an outer assignment, a fact or clue may depend on the role of one
more seat, so the weight of a deal is a product of one factor per seat. The sum of these products
over all deals runs seat by seat, over how many of each inner role are given (docs/deduction.md).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, prod
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from agents.deduction.deals import Belief, Deals, Logs, Mask, build_rows, count_deals

Floats = NDArray[np.float64]
TINY = np.finfo(float).tiny  # the smallest divisor


class NotFactored(ValueError):
    """A value depends on the inner roles of more than one seat. The message names two of them."""


StateIndex = tuple[slice, ...]  # an index of an array of states


class Option(NamedTuple):
    """An inner role that the next seat may get."""

    role: int
    before: StateIndex  # the states in which the next seat may get the role
    after: StateIndex  # the states that follow from these, in the same order


@dataclass(frozen=True, eq=False)
class FactoredDeals(Deals):
    """Outer assignments (`rows`), and the ways to distribute the inner roles.

    A *state* counts how many cards of each inner role are already distributed. The most frequent
    inner role needs no count, because the others and the number of seats determine it.
    """

    # Number of the most frequent inner role, which stands for all of them in `rows`.
    placeholder: int
    inner_roles: tuple[int, ...]  # numbers of the inner roles
    # Shape of an array with an element for each state: an axis for each counted role, from none of
    # its cards to all.
    state_shape: tuple[int, ...]
    # One option for each inner role; the first, `placeholder`, does not change the state.
    options: tuple[Option, ...]

    @property
    def start_state(self) -> tuple[int, ...]:
        """The state with no inner role distributed."""
        return (0,) * len(self.state_shape)

    def uniform(self) -> "FactoredBelief":
        return FactoredBelief(self)

    def holds(self, seat: int, *roles: str) -> Mask:
        return cast(Mask, self._of_role(seat, np.array([role in roles for role in self.roles])))

    def by_role(self, seat: int, figures: Mapping[str, float], default: float) -> Logs:
        table = np.log([figures.get(role, default) for role in self.roles])
        return cast(Logs, self._of_role(seat, table))

    def _of_role(self, seat: int, table: NDArray[Any]) -> "Factor":
        is_constant = (table == table[0]).all()
        return Factor(self, table[None, :1]) if is_constant else Factor(self, table[None], seat)


class Factor(NDArrayOperatorsMixin):
    """A value for every deal, by the outer assignment and the role of at most one seat.

    Elementwise numpy functions treat it as the array of these values.

    Attributes:
        values: (1 or outer assignments, 1 or roles).
        seat: the seat on whose role the value depends besides the outer assignment, 0 for none.
    """

    def __init__(self, deals: FactoredDeals, values: NDArray[Any], seat: int = 0) -> None:
        self.deals, self.values, self.seat = deals, values, seat

    def setflags(self, *, write: bool) -> None:
        self.values.setflags(write=write)

    def __array_ufunc__(self, ufunc: Any, method: str, /, *inputs: Any, **kwargs: Any) -> Any:
        if method != "__call__" or kwargs:
            return NotImplemented
        return _apply_elementwise(ufunc, inputs)

    def __array_function__(self, function: Any, _types: Any, args: Any, kwargs: Any) -> Any:
        if function is not np.where or kwargs:
            return NotImplemented
        return _apply_elementwise(function, args)

    @property
    def outer(self) -> "Factor":
        """The same value by the outer assignment alone, or itself if the inner role matters."""
        inner = self.values[:, list(self.deals.inner_roles)]
        if not self.seat or (inner != inner[:, :1]).any():
            return self
        values = select_roles(self.values, self.deals.rows[:, self.seat - 1])
        return Factor(self.deals, values[:, None])


def select_roles(values: NDArray[Any], roles: NDArray[np.int8]) -> NDArray[Any]:
    """Return `values` (1 or n, roles) at the role of each of n outer assignments."""
    return values[0, roles] if len(values) == 1 else values[np.arange(len(roles)), roles]


def _apply_elementwise(function: Callable[..., NDArray[Any]], inputs: Sequence[Any]) -> Factor:
    """Return the elementwise `function` of factors and numbers, or raise NotFactored."""
    for attempt in range(2):
        factors = [value for value in inputs if isinstance(value, Factor)]
        seats = sorted({factor.seat for factor in factors} - {0})
        if len(seats) < 2:
            break
        if attempt:
            raise NotFactored(f"a clue depends on the inner roles of seats {seats[0]}, {seats[1]}")
        inputs = [value.outer if isinstance(value, Factor) else value for value in inputs]
    values = function(*(v.values if isinstance(v, Factor) else v for v in inputs))
    return Factor(factors[0].deals, values, seats[0] if seats else 0)


class FactoredBelief(Belief):
    """Weights of outer assignments, and in each a weight of every seat's role.

    Evidence is a list of sums of log-likelihoods, with the shape of `Factor.values`: of those that
    depend on no seat's role, then of those that depend on the role of seat 1, 2 …
    """

    def __init__(self, deals: FactoredDeals) -> None:
        self.deals: FactoredDeals = deals
        self._facts: list[Floats] = [np.zeros((1, 1))] * (deals.rows.shape[1] + 1)
        self._clues = self._facts.copy()

    def keep_only(self, mask: Mask) -> None:
        _add_evidence(self._facts, np.where(mask, 0.0, -np.inf))

    def add_clue(self, logs: Logs) -> None:
        _add_evidence(self._clues, logs)

    @property
    def remaining_count(self) -> int:
        result = _sum_weights(self.deals, self._facts)
        return 0 if result is None else round(exp(result[0]))

    def shares(self) -> Floats:
        evidence = [facts + clues for facts, clues in zip(self._facts, self._clues, strict=True)]
        result = _sum_weights(self.deals, evidence) or _sum_weights(self.deals, self._clues)
        assert result is not None, "the clues alone leave no deal"
        return result[1]


def _add_evidence(evidence: list[Floats], logs: Any) -> None:
    """Add a factor of log-likelihoods to the evidence of its seat."""
    evidence[logs.seat] = evidence[logs.seat] + logs.values


def _sum_weights(deals: FactoredDeals, evidence: Sequence[Floats]) -> tuple[float, Floats] | None:
    """Return the log of the sum of the weights of all deals, and the share of those with each role.

    The shares have the shape (seats, roles). The result is None if no deal is possible.
    """
    rows, base = deals.rows, np.zeros(len(deals.rows)) + evidence[0][:, 0]
    of_seats = [values + np.zeros(len(deals.roles)) for values in evidence[1:]]
    for roles, values in zip(rows.T, of_seats, strict=True):
        base += np.where(roles == deals.placeholder, 0.0, select_roles(values, roles))
    possible = np.flatnonzero(base > -np.inf)
    rows = rows[possible]
    logs = _option_logs(deals, rows, [v if len(v) == 1 else v[possible] for v in of_seats])
    heaviest = logs.max(axis=1)
    factors = np.exp(logs - np.where(heaviest == -np.inf, 0.0, heaviest)[:, None])
    completions, scales = _sum_completions(deals, factors)
    totals = base[possible] + heaviest.sum(axis=0) + scales
    top = totals.max(initial=-np.inf)
    if top == -np.inf:
        return None
    weights = np.exp(totals - top)
    total = weights.sum()
    table = _shares_by_role(deals, rows, weights / total, factors, completions)
    return float(top + np.log(total)), table


def _option_logs(
    deals: FactoredDeals, rows: NDArray[np.int8], of_seats: Sequence[Floats]
) -> Floats:
    """Return (seats, options, outer assignments): the log weight of each option of each seat.

    A seat with an outer role takes the first option, which changes no state, with weight 1.
    """
    roles = [option.role for option in deals.options]
    logs: Floats = np.full((len(of_seats), len(roles), len(rows)), -np.inf)
    for seat_logs, seat_roles, values in zip(logs, rows.T, of_seats, strict=True):
        is_inner = seat_roles == deals.placeholder
        seat_logs[:] = np.where(is_inner, values[:, roles].T, -np.inf)
        seat_logs[0, ~is_inner] = 0.0
    return logs


def _sum_completions(deals: FactoredDeals, factors: Floats) -> tuple[Floats, Floats]:
    """Sum over the ways to complete each state, last seat first, by the weights of `_option_logs`.

    At each seat the sums of an outer assignment are divided by the greatest of them, so that they
    do not underflow.

    Returns:
        (seats + 1, *shape of the states, outer assignments): the scaled sums; (outer assignments,):
        the log of the sum over all ways, -inf if there is none.
    """
    completions = np.empty((len(factors) + 1, *deals.state_shape, factors.shape[2]))
    completions[-1] = 0.0
    completions[(-1,) * (1 + len(deals.state_shape))] = 1.0  # the state with all roles distributed
    axes = tuple(range(len(deals.state_shape)))
    scale = np.zeros(factors.shape[2])
    for seat in reversed(range(len(factors))):
        sums = completions[seat]  # the first option keeps the state
        np.multiply(factors[seat, 0], completions[seat + 1], out=sums)
        for option, factor in zip(deals.options[1:], factors[seat, 1:], strict=True):
            sums[option.before] += factor * completions[seat + 1][option.after]
        greatest = sums.max(axis=axes)
        sums /= np.where(greatest > 0, greatest, 1.0)
        with np.errstate(divide="ignore"):
            scale += np.log(greatest)
    with np.errstate(divide="ignore"):
        return completions, scale + np.log(completions[(0, *deals.start_state)])


def _shares_by_role(
    deals: FactoredDeals,
    rows: NDArray[np.int8],
    weights: Floats,
    factors: Floats,
    completions: Floats,
) -> Floats:
    """Return the shares of `_sum_weights`, by the ways to each state and on from it.

    `weights` is the share of each outer assignment in the sum of all weights.
    """
    table = np.zeros((len(factors), len(deals.roles)))
    reached = np.zeros_like(completions[0])
    reached[deals.start_state] = 1.0
    axes = tuple(range(len(deals.state_shape)))
    for seat, seat_roles in enumerate(rows.T):
        is_inner = seat_roles == deals.placeholder
        table[seat] += np.bincount(seat_roles[~is_inner], weights[~is_inner], len(deals.roles))
        next_reached, shares = factors[seat, 0] * reached, []  # the first option keeps the state
        shares.append((next_reached * completions[seat + 1]).sum(axis=axes))
        for option, factor in zip(deals.options[1:], factors[seat, 1:], strict=True):
            flow = factor * reached[option.before]
            next_reached[option.after] += flow
            flow *= completions[seat + 1][option.after]
            shares.append(flow.sum(axis=axes))
        sums = np.sum(shares, axis=0)
        scaled = np.where(is_inner, weights / np.where(sums > 0, sums, 1.0), 0.0)
        for option, share in zip(deals.options, shares, strict=True):
            table[seat, option.role] += share @ scaled
        next_reached /= np.maximum(next_reached.max(axis=axes), TINY)
        reached = next_reached
    return table


def count_weights(deck: Sequence[str], outer: Sequence[str]) -> int:
    """Return the number of outer assignments times states, which sets time and memory."""
    inner = [deck.count(role) for role in set(deck) - set(outer)]
    states = prod(count + 1 for count in inner) // (max(inner, default=0) + 1)
    return states * count_deals([role if role in outer else "" for role in deck])


@lru_cache(maxsize=8)
def factor_deals(deck: tuple[str, ...], outer: tuple[str, ...]) -> FactoredDeals:
    """Return the deals of `deck`, with the roles in `outer` as its outer roles."""
    roles = tuple(sorted(set(deck)))
    counts = [deck.count(role) for role in roles]
    inner = sorted((n for n, r in enumerate(roles) if r not in outer), key=lambda n: -counts[n])
    placeholder = inner[0] if inner else -1
    shape = tuple(counts[number] + 1 for number in inner[1:])
    all_states = (slice(None),) * len(shape)
    options = [Option(placeholder, all_states, all_states)]
    for axis, number in enumerate(inner[1:]):
        before, after = list(all_states), list(all_states)
        before[axis], after[axis] = slice(None, -1), slice(1, None)
        options.append(Option(number, tuple(before), tuple(after)))
    row_counts = [0 if number in inner else count for number, count in enumerate(counts)]
    if inner:
        row_counts[placeholder] = sum(counts[number] for number in inner)
    rows = build_rows(row_counts)
    return FactoredDeals(roles, rows, placeholder, tuple(inner), shape, tuple(options))
