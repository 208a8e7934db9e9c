"""Error rates of comparisons and intervals with different raters.

Ratings from 1 to 5 are drawn under a true null (and under a true effect, for the power), with
effects of raters, raters within a condition, deals, games, seats and units. They are analyzed with
the weights and errors of the results page, a thousand campaigns at a time.
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
from webapp.statistics.intervals import CONFIDENCE_LEVEL
from webapp.statistics.marks import Codes, Columns, Numbers, renumber
from webapp.statistics.raters_and_games import CrossedWeights, SquaredError
from webapp.study.rehearsal.opinions import SPREAD

ALPHA = 0.05
# The shift of the second condition, in scale steps before rounding. The residual SD is 0.8.
EFFECT = 0.6
# Means of one condition. Values pile up at the end of the scale for HIGH.
MIDDLE, HIGH = 3.0, 4.4
SEED = 12
RUNS = 4000
PLANS = 20  # number of drawn rating plans
RATERS = (2, 3, 5, 10, 20)
SLOPES = (0.0, 0.2, 0.4)  # SD of a rater's difference between two conditions


@dataclass(frozen=True)
class Plan:
    """Rating plan: deal, game, seat, moment, unit, condition (0, 1) and rater of each rating.

    A plan is drawn once, and only the values are drawn again.
    """

    deal: Codes
    game: Codes
    seat: Codes
    moment: Codes
    unit: Codes
    second: Codes
    rater: Codes


Row = tuple[int, int, int, int, int, int]  # deal, game, seat, moment, unit, condition


def unpaired(first: int, second: int, units: int = 8, more: int = 8) -> Iterator[Row]:
    """Each game has one condition, with `units` (first) or `more` (second) units per game."""
    for game in range(first + second):
        side = int(game >= first)
        for k in range(more if side else units):
            unit = game * 100 + k
            yield game, game, game * 10 + k % 4, unit, unit, side


def by_deal(deals: int, times: int = 1, units: int = 6) -> Iterator[Row]:
    """Each deal is played `times` under each condition."""
    for deal, side, repetition in product(range(deals), (0, 1), range(times)):
        game = (deal * 2 + side) * times + repetition
        for k in range(units):
            unit = game * 100 + k
            yield deal, game, game * 10 + k % 3, unit, unit, side


def within_games(games: int, of_second: int, seats: int = 8, turns: int = 2) -> Iterator[Row]:
    """Seats of one game have different conditions."""
    for game, seat, turn in product(range(games), range(seats), range(turns)):
        unit = (game * 10 + seat) * 10 + turn
        yield game, game, game * 10 + seat, unit, unit, int(seat < of_second)


def swapped_seats(deals: int, seats: int = 6) -> Iterator[Row]:
    """Each deal is played twice with swapped conditions of the seats."""
    for deal, repetition, seat in product(range(deals), (0, 1), range(seats)):
        game = deal * 2 + repetition
        unit = game * 10 + seat
        yield deal, game, unit, unit, unit, (seat + repetition) % 2


def answer_pairs(games: int, moments: int = 6) -> Iterator[Row]:
    """Two answers to each moment, one in each condition."""
    for game, k, side in product(range(games), range(moments), (0, 1)):
        moment = game * 100 + k
        yield game, game, game * 10 + side, moment, moment * 2 + side, side


def assign_raters(rows: Iterator[Row], raters: int, each: int, seed: int) -> Plan:
    """Give every unit `each` of `raters` raters.

    Raters rotate from a start drawn per moment, so both sides of a pair have the same raters.
    """
    rng = np.random.default_rng(seed)
    start: dict[int, int] = {}
    assignments = [
        (*row, (start.setdefault(row[3], int(rng.integers(raters))) + k) % raters)
        for row in rows
        for k in range(each)
    ]
    columns = [renumber(np.array(column)) for column in zip(*assignments, strict=True)]
    deal, game, seat, moment, unit, second, rater = columns
    return Plan(deal, game, seat, moment, unit, second, rater)


def columns_of(plan: Plan) -> Columns:
    nothing = np.zeros(len(plan.second))
    return Columns(
        nothing, plan.second, plan.deal, plan.game, plan.moment, plan.unit, plan.rater, ("a", "b")
    )


def values(
    plan: Plan, rng: np.random.Generator, runs: int, slope: float = 0.0,
    effect: float = 0.0, centre: float = MIDDLE,
) -> Numbers:  # fmt: skip
    """Draw (runs, n) ratings from 1 to 5 with the effects of `plan`."""
    latent = np.tile(centre + effect * plan.second, (runs, 1))
    groups = {part: getattr(plan, part) for part in ("rater", "deal", "game", "seat", "unit")}
    spread = {**SPREAD, "slope": slope / sqrt(2)}
    for part, codes in {**groups, "slope": plan.rater * 2 + plan.second}.items():
        latent += rng.normal(0, spread[part], (runs, int(codes.max()) + 1))[:, codes]
    latent += rng.normal(0, spread["rest"], latent.shape)
    return np.clip(np.rint(latent), 1, 5)


DESIGNS: dict[str, Callable[[], Iterator[Row]]] = {
    "within games": lambda: within_games(10, 4),
    "teams": lambda: within_games(10, 2),
    "answer pairs": lambda: answer_pairs(10),
    "unpaired": lambda: unpaired(10, 10),
    "by deal": lambda: by_deal(10),
}


@dataclass(frozen=True)
class Case:
    """A design: rated `rows`, number of `raters`, and `each`, the raters per unit."""

    name: str
    rows: Callable[[], Iterator[Row]]
    raters: int
    each: int = 3
    centre: float = MIDDLE
    slope: float = 0.4


OTHER_CASES = (
    Case("within games, 4 games", lambda: within_games(4, 4), 10),
    Case(
        "within games, 20 games, 1 of 8 seats, near the top",
        lambda: within_games(20, 1),
        10,
        3,
        HIGH,
    ),
    Case("by deal, seats swapped in a second game, 8 deals", lambda: swapped_seats(8), 10),
    Case("answer pairs, 6 games", lambda: answer_pairs(6), 10),
    Case("unpaired, 3 games against 3", lambda: unpaired(3, 3), 10),
    Case("unpaired, 6 against 6", lambda: unpaired(6, 6), 10),
    Case("unpaired, 10 against 10, everybody rates all", lambda: unpaired(10, 10), 10, 10),
    Case("unpaired, 10 against 10, near the top", lambda: unpaired(10, 10), 10, 3, HIGH),
    Case("unpaired, 4 against 12, long against short", lambda: unpaired(4, 12, 3, 16), 10),
)


@dataclass
class Tally:
    """Shares of campaigns. `games_alone`: rejections with raters as fixed, as in the past."""

    rejected: float = 0.0
    games_alone: float = 0.0
    bootstrap: float = 0.0


def tally(case: Case, runs: int, effect: float = 0.0, draws: int = 0) -> Tally:
    """Return how often the test rejects, and the pigeonhole bootstrap if `draws` is set."""
    rng = np.random.default_rng([SEED, case.raters, int(case.slope * 10), int(effect * 10)])
    outcome = Tally()
    for seed in range(PLANS):
        plan = assign_raters(case.rows(), case.raters, min(case.each, case.raters), seed)
        pair = ConditionPair.from_columns(columns_of(plan), 0, 1)
        ratings = values(plan, rng, runs // PLANS, case.slope, effect, case.centre)
        crossed = CrossedWeights.from_ratings(pair.weights, pair.side, plan.rater, plan.deal)
        difference = ratings @ pair.weights
        outcome.rejected += _rejection_share(difference, crossed.error(ratings, least_raters=2))
        outcome.games_alone += _rejection_share(
            difference, crossed.error(ratings, least_raters=10**6)
        )
        if draws:
            outcome.bootstrap += _pigeonhole(plan, pair.weights, ratings, rng, draws)
    shares = (outcome.rejected, outcome.games_alone, outcome.bootstrap)
    return Tally(*(100 * share / PLANS for share in shares))


def _rejection_share(difference: Numbers, error: SquaredError) -> float:
    t = np.abs(difference) / np.sqrt(np.maximum(error.value, 1e-18))
    p = 2 * stats.t.sf(t, np.maximum(error.degrees_of_freedom, 0.1))
    return float(((p < ALPHA) & (error.value > 1e-18)).mean())


def _pigeonhole(
    plan: Plan, weights: Numbers, ratings: Numbers, rng: np.random.Generator, draws: int
) -> float:
    """Resample raters and games: the share of percentile intervals that exclude 0."""
    resampled = np.abs(weights)
    for codes in (plan.rater, plan.deal):
        count = int(codes.max()) + 1
        resampled = resampled * rng.multinomial(count, np.full(count, 1 / count), draws)[:, codes]
    means = [
        ratings[:, side_mask]
        @ resampled[:, side_mask].T
        / np.maximum(resampled[:, side_mask].sum(axis=1), 1e-9)
        for side_mask in (plan.second == 0, plan.second == 1)
    ]
    low, high = np.quantile(means[1] - means[0], [0.025, 0.975], axis=1)
    return float(((low > 0) | (high < 0)).mean())


def coverage(games: int, raters: int, slope: float, centre: float, runs: int) -> float:
    """Return the percentage of intervals of a condition's mean that contain the truth."""
    rng = np.random.default_rng([SEED, games, raters])
    covered = 0.0
    for seed in range(PLANS):
        plan = assign_raters(unpaired(games, 0, 6), raters, 3, seed)
        n = len(plan.second)
        crossed = CrossedWeights.from_ratings(np.full(n, 1 / n), plan.second, plan.rater, plan.deal)
        ratings = values(plan, rng, runs // PLANS, slope, 0.0, centre)
        error, position = crossed.error(ratings), (ratings.mean(axis=1) - 1) / 4
        half = stats.t.ppf((1 + CONFIDENCE_LEVEL) / 2, error.degrees_of_freedom) * np.sqrt(
            error.value
        )
        of_truth = (truth(slope, centre) - 1) / 4
        off = np.log(position / (1 - position)) - np.log(of_truth / (1 - of_truth))
        covered += float((np.abs(off) <= half / (4 * position * (1 - position))).mean())
    return 100 * covered / PLANS


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
    for case in OTHER_CASES:
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
        rates = [coverage(games, raters, slope, centre, runs) for games in (6, 10, 20, 40)]
        name = f"{raters} raters, slope SD {slope:g}, {'near the top' if centre > 4 else 'middle'}"
        print(f"| {name} | {' | '.join(f'{share:.1f}' for share in rates)} |", flush=True)


if __name__ == "__main__":
    main()
