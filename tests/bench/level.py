"""How often comparisons and intervals err where raters differ.

Ratings from 1 to 5 are drawn under a true null (and under a true effect, for the power), with
effects of raters, raters under a condition, deals, games, seats and units, and go through the
weights and the error that the results page uses, a thousand campaigns at a time.
`python -m tests.bench level` prints the tables of docs/statistics.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from math import erf, sqrt

import numpy as np
from scipy import stats

from webapp.statistics.compare import ConditionPair
from webapp.statistics.intervals import LEVEL
from webapp.statistics.marks import Codes, Columns, Numbers, renumber
from webapp.statistics.two_way import CrossedWeights, SquaredError
from webapp.study.rehearsal.opinions import SPREAD

ALPHA = 0.05
EFFECT = 0.6  # of the second condition, in steps before rounding; the residual's SD is 0.8
# Where one condition's mean lies: values pile up at an end of the scale.
MIDDLE, HIGH = 3.0, 4.4
SEED = 12
RUNS = 4000
PLANS = 20  # so often who rates what is drawn anew
RATERS = (2, 3, 5, 10, 20)
SLOPES = (0.0, 0.2, 0.4)  # SD of a rater's difference between two conditions


@dataclass(frozen=True)
class Plan:
    """What is rated by whom.

    For each rating its deal, game, seat, moment, unit, condition (0, 1) and rater. Drawn once; only
    the values are drawn anew.
    """

    deal: Codes
    game: Codes
    seat: Codes
    moment: Codes
    unit: Codes
    second: Codes
    rater: Codes


Row = tuple[int, int, int, int, int, int]  # deal, game, seat, moment, unit, condition


def apart(first: int, second: int, units: int = 8, more: int = 8) -> Iterator[Row]:
    """Each game has one condition. units, more: of each game of the first, of the second."""
    for game in range(first + second):
        side = int(game >= first)
        for k in range(more if side else units):
            unit = game * 100 + k
            yield game, game, game * 10 + k % 4, unit, unit, side


def dealt(deals: int, times: int = 1, units: int = 6) -> Iterator[Row]:
    """Each deal is played `times` under each condition."""
    for deal, side, again in product(range(deals), (0, 1), range(times)):
        game = (deal * 2 + side) * times + again
        for k in range(units):
            unit = game * 100 + k
            yield deal, game, game * 10 + k % 3, unit, unit, side


def seated(games: int, of_second: int, seats: int = 8, turns: int = 2) -> Iterator[Row]:
    """Seats of one game are under different conditions."""
    for game, seat, turn in product(range(games), range(seats), range(turns)):
        unit = (game * 10 + seat) * 10 + turn
        yield game, game, game * 10 + seat, unit, unit, int(seat < of_second)


def mirrored(deals: int, seats: int = 6) -> Iterator[Row]:
    """Each deal is played twice; who was under one condition is under the other then."""
    for deal, again, seat in product(range(deals), (0, 1), range(seats)):
        game = deal * 2 + again
        unit = game * 10 + seat
        yield deal, game, unit, unit, unit, (seat + again) % 2


def answered(games: int, moments: int = 6) -> Iterator[Row]:
    """Two answers to each moment, one under each condition."""
    for game, k, side in product(range(games), range(moments), (0, 1)):
        moment = game * 100 + k
        yield game, game, game * 10 + side, moment, moment * 2 + side, side


def planned(rows: Iterator[Row], raters: int, each: int, seed: int) -> Plan:
    """Every unit gets `each` of `raters`.

    Whose turn it is goes round, from a place drawn per moment, so a pair's sides have the same
    raters.
    """
    draw = np.random.default_rng(seed)
    start: dict[int, int] = {}
    found = [
        (*row, (start.setdefault(row[3], int(draw.integers(raters))) + k) % raters)
        for row in rows
        for k in range(each)
    ]
    columns = [renumber(np.array(column)) for column in zip(*found, strict=True)]
    deal, game, seat, moment, unit, second, rater = columns
    return Plan(deal, game, seat, moment, unit, second, rater)


def columns_of(plan: Plan) -> Columns:
    nothing = np.zeros(len(plan.second))
    return Columns(
        nothing, plan.second, plan.deal, plan.game, plan.moment, plan.unit, plan.rater, ("a", "b")
    )


def values(
    plan: Plan, draw: np.random.Generator, runs: int, slope: float = 0.0,
    effect: float = 0.0, centre: float = MIDDLE,
) -> Numbers:  # fmt: skip
    """(runs, n) ratings from 1 to 5. Seats differ within a game, conditions by seat there too."""
    wished = np.tile(centre + effect * plan.second, (runs, 1))
    groups = {part: getattr(plan, part) for part in ("rater", "deal", "game", "seat", "unit")}
    spread = {**SPREAD, "slope": slope / sqrt(2)}
    for part, codes in {**groups, "slope": plan.rater * 2 + plan.second}.items():
        wished += draw.normal(0, spread[part], (runs, int(codes.max()) + 1))[:, codes]
    wished += draw.normal(0, spread["rest"], wished.shape)
    return np.clip(np.rint(wished), 1, 5)


DESIGNS: dict[str, Callable[[], Iterator[Row]]] = {
    "within games": lambda: seated(10, 4),
    "teams": lambda: seated(10, 2),
    "answer pairs": lambda: answered(10),
    "unpaired": lambda: apart(10, 10),
    "by deal": lambda: dealt(10),
}


@dataclass(frozen=True)
class Case:
    """rows: what is rated. raters: how many there are; each: how many rate a unit."""

    name: str
    rows: Callable[[], Iterator[Row]]
    raters: int
    each: int = 3
    centre: float = MIDDLE
    slope: float = 0.4


OTHERS = (
    Case("within games, 4 games", lambda: seated(4, 4), 10),
    Case("within games, 20 games, 1 of 8 seats, near the top", lambda: seated(20, 1), 10, 3, HIGH),
    Case("by deal, seats swapped in a second game, 8 deals", lambda: mirrored(8), 10),
    Case("answer pairs, 6 games", lambda: answered(6), 10),
    Case("unpaired, 3 games against 3", lambda: apart(3, 3), 10),
    Case("unpaired, 6 against 6", lambda: apart(6, 6), 10),
    Case("unpaired, 10 against 10, everybody rates all", lambda: apart(10, 10), 10, 10),
    Case("unpaired, 10 against 10, near the top", lambda: apart(10, 10), 10, 3, HIGH),
    Case("unpaired, 4 against 12, long against short", lambda: apart(4, 12, 3, 16), 10),
)


@dataclass
class Tally:
    """Shares of campaigns. games_alone: rejected where raters are taken for fixed, as formerly."""

    rejected: float = 0.0
    games_alone: float = 0.0
    bootstrap: float = 0.0


def tally(case: Case, runs: int, effect: float = 0.0, draws: int = 0) -> Tally:
    """Return how often the test rejects; with `draws`, the pigeonhole bootstrap beside it."""
    draw = np.random.default_rng([SEED, case.raters, int(case.slope * 10), int(effect * 10)])
    outcome = Tally()
    for seed in range(PLANS):
        plan = planned(case.rows(), case.raters, min(case.each, case.raters), seed)
        two = ConditionPair.from_columns(columns_of(plan), 0, 1)
        given = values(plan, draw, runs // PLANS, case.slope, effect, case.centre)
        crossed = CrossedWeights.from_ratings(two.weights, two.second, plan.rater, plan.deal)
        difference = given @ two.weights
        outcome.rejected += _rejected(difference, crossed.error(given, least_raters=2))
        outcome.games_alone += _rejected(difference, crossed.error(given, least_raters=10**6))
        if draws:
            outcome.bootstrap += _pigeonhole(plan, two.weights, given, draw, draws)
    shares = (outcome.rejected, outcome.games_alone, outcome.bootstrap)
    return Tally(*(100 * share / PLANS for share in shares))


def _rejected(difference: Numbers, error: SquaredError) -> float:
    t = np.abs(difference) / np.sqrt(np.maximum(error.value, 1e-18))
    p = 2 * stats.t.sf(t, np.maximum(error.degrees_of_freedom, 0.1))
    return float(((p < ALPHA) & (error.value > 1e-18)).mean())


def _pigeonhole(
    plan: Plan, weights: Numbers, given: Numbers, draw: np.random.Generator, draws: int
) -> float:
    """Raters and games are drawn anew: how often the percentile interval leaves 0 out."""
    taken = np.abs(weights)
    for codes in (plan.rater, plan.deal):
        count = int(codes.max()) + 1
        taken = taken * draw.multinomial(count, np.full(count, 1 / count), draws)[:, codes]
    means = [
        given[:, own] @ taken[:, own].T / np.maximum(taken[:, own].sum(axis=1), 1e-9)
        for own in (plan.second == 0, plan.second == 1)
    ]
    low, high = np.quantile(means[1] - means[0], [0.025, 0.975], axis=1)
    return float(((low > 0) | (high < 0)).mean())


def coverage(games: int, raters: int, slope: float, centre: float, runs: int) -> float:
    """Return the share of intervals of a condition's mean that hold the truth, in percent."""
    draw = np.random.default_rng([SEED, games, raters])
    held = 0.0
    for seed in range(PLANS):
        plan = planned(apart(games, 0, 6), raters, 3, seed)
        n = len(plan.second)
        crossed = CrossedWeights.from_ratings(np.full(n, 1 / n), plan.second, plan.rater, plan.deal)
        given = values(plan, draw, runs // PLANS, slope, 0.0, centre)
        error, place = crossed.error(given), (given.mean(axis=1) - 1) / 4
        half = stats.t.ppf((1 + LEVEL) / 2, error.degrees_of_freedom) * np.sqrt(error.value)
        of_truth = (truth(slope, centre) - 1) / 4
        off = np.log(place / (1 - place)) - np.log(of_truth / (1 - of_truth))
        held += float((np.abs(off) <= half / (4 * place * (1 - place))).mean())
    return 100 * held / PLANS


def truth(slope: float, centre: float) -> float:
    """Return the expected value of a rating."""
    spread = sqrt(sum(sd**2 for part, sd in SPREAD.items() if part != "slope") + slope**2 / 2)
    return 1 + sum(0.5 * (1 - erf((k + 0.5 - centre) / spread / sqrt(2))) for k in range(1, 5))


def main(runs: int = RUNS) -> None:
    off = 1.96 * 100 * sqrt(ALPHA * (1 - ALPHA) / runs)
    print(f"{runs} campaigns a cell, so 5 % is known to ±{off:.1f}; seed {SEED}, alpha {ALPHA};")
    print(f"SDs {SPREAD}; effect {EFFECT}; rounded to 1…5; 10 games (10 of each if unpaired)\n")
    print("| design | slope SD | " + " | ".join(f"{r} raters" for r in RATERS) + " |")
    print("|---|---:|" + "---:|" * len(RATERS))
    for (name, rows), slope in product(DESIGNS.items(), SLOPES):
        cells = []
        for raters in RATERS:
            case = Case(name, rows, raters, slope=slope)
            null, true = tally(case, runs), tally(case, runs // 4, EFFECT)
            cells.append(f"{null.rejected:.1f} ({null.games_alone:.0f}; {true.rejected:.0f})")
        print(f"| {name} | {slope:g} | {' | '.join(cells)} |", flush=True)
    print("\n| other designs, 10 raters, slope SD 0.4 | type I | games alone | power |")
    print("|---|---:|---:|---:|")
    for case in OTHERS:
        null, true = tally(case, runs), tally(case, runs // 4, EFFECT)
        shares = f"{null.rejected:.1f} | {null.games_alone:.1f} | {true.rejected:.0f}"
        print(f"| {case.name} | {shares} |", flush=True)
    print("\n| pigeonhole bootstrap, slope SD 0.4 | 3 raters | 5 raters | 10 raters |")
    print("|---|---:|---:|---:|")
    for name in ("within games", "unpaired"):
        boots = [tally(Case(name, DESIGNS[name], r), 600, draws=400).bootstrap for r in (3, 5, 10)]
        print(f"| {name} | {' | '.join(f'{share:.1f}' for share in boots)} |", flush=True)
    print("\n| intervals of a mean that hold it | 6 games | 10 | 20 | 40 |\n|---|" + "---:|" * 4)
    for raters, slope, centre in product((3, 8, 30), (0.0, 0.4), (MIDDLE, HIGH)):
        held = [coverage(games, raters, slope, centre, runs) for games in (6, 10, 20, 40)]
        name = f"{raters} raters, slope SD {slope:g}, {'near the top' if centre > 4 else 'middle'}"
        print(f"| {name} | {' | '.join(f'{share:.1f}' for share in held)} |", flush=True)


if __name__ == "__main__":
    main()
