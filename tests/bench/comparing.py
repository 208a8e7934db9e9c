"""How often the comparison of two conditions errs: the design's p, the model's and the interval.

Ratings from 1 to 5 are drawn under a true null (and under a true effect, for the power), with
effects of raters, deals, games, seats and units, and go through the code that the results page
uses. `python -m tests.bench.comparing 4000 200` draws 4000 times for the p of record and 200 times
for the model; the table is that of docs/statistics.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from webapp.statistics.compare import Two, compared
from webapp.statistics.marks import Codes, Columns, Numbers, dense
from webapp.statistics.mixed import mixed_model
from webapp.study.rehearsal.opinions import SPREAD

ALPHA = 0.05
EFFECT = 0.6  # of the second condition, in steps before rounding; the residual's SD is 0.8
# Where one condition's mean lies: values pile up at an end of the scale.
MIDDLE, HIGH = 3.0, 4.4
SEED = 12


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
    columns = [dense(np.array(column)) for column in zip(*found, strict=True)]
    deal, game, seat, moment, unit, second, rater = columns
    return Plan(deal, game, seat, moment, unit, second, rater)


def columns_of(plan: Plan) -> Columns:
    nothing = np.zeros(len(plan.second))
    return Columns(
        nothing, plan.second, plan.deal, plan.game, plan.moment, plan.unit, plan.rater, ("a", "b")
    )


def values(plan: Plan, draw: np.random.Generator, effect: float, centre: float) -> Numbers:
    """Ratings from 1 to 5. Seats differ within a game, so conditions by seat differ there too."""
    parts = ("rater", "deal", "game", "seat", "unit")
    wished = centre + effect * plan.second
    for part in parts:
        codes: Codes = getattr(plan, part)
        wished = wished + draw.normal(0, SPREAD[part], int(codes.max()) + 1)[codes]
    return np.clip(np.rint(wished + draw.normal(0, SPREAD["rest"], len(codes))), 1, 5)


@dataclass(frozen=True)
class Case:
    """rows: what is rated.

    raters: how many there are; each: how many rate a unit. centre: where the first condition's mean
    lies. model: whether the model, which is slow, is fitted as well.
    """

    name: str
    rows: Callable[[], Iterator[Row]]
    raters: int
    each: int
    centre: float = MIDDLE
    model: bool = False


PLANS = 20  # so often who rates what is drawn anew


CASES = (
    Case("unpaired, 3 games against 3", lambda: apart(3, 3), 8, 3),
    Case("unpaired, 4 against 4", lambda: apart(4, 4), 8, 3, model=True),
    Case("unpaired, 6 against 6", lambda: apart(6, 6), 8, 3, model=True),
    Case("unpaired, 6 against 6, everybody rates all", lambda: apart(6, 6), 8, 8),
    Case("unpaired, 10 against 10", lambda: apart(10, 10), 12, 3, model=True),
    Case("unpaired, 10 against 10, near the top", lambda: apart(10, 10), 12, 3, HIGH),
    Case("unpaired, 4 against 12, long against short", lambda: apart(4, 12, 3, 16), 10, 3),
    Case("by deal, 6 deals", lambda: dealt(6), 8, 3),
    Case("by deal, 10 deals", lambda: dealt(10), 12, 3, model=True),
    Case("by deal, 10 deals, each twice", lambda: dealt(10, 2), 12, 2),
    Case("by game, 6 games, 4 of 8 seats", lambda: seated(6, 4), 8, 3),
    Case("by game, 10 games, 1 of 8 seats", lambda: seated(10, 1), 12, 3, model=True),
    Case("by game, 20 games, 1 of 8 seats, near the top", lambda: seated(20, 1), 12, 3, HIGH),
    Case("by deal, 8 deals, seats swapped in a second game", lambda: mirrored(8), 12, 3),
    Case("by pair of answers, 6 games", lambda: answered(6), 8, 3),
    Case("by pair of answers, 10 games", lambda: answered(10), 12, 3, model=True),
    Case("by pair of answers, 20 games, near the top", lambda: answered(20), 12, 3, HIGH),
)  # fmt: skip


@dataclass
class Tally:
    """What came out of draws. covered: intervals of the difference that hold 0."""

    rng: int = 0
    rejected: int = 0
    covered: int = 0
    least_p: float = 1.0


def record(case: Case, rng: int, effect: float) -> Tally:
    """What the test of record and its interval find."""
    found = Tally()
    for two in drawn(case, rng, effect):
        one = compared(two)
        test, interval = one["test"], one["difference"]["ci"]["value"]
        found.rng += 1
        found.least_p = two.design.least_p
        found.rejected += test["value"] is not None and test["p"]["value"] < ALPHA
        found.covered += bool(interval) and interval[0] <= 0 <= interval[1]
    return found


def models(case: Case, rng: int, effect: float) -> tuple[Tally, int]:
    """What the model finds, and how often it is undefined."""
    found, undefined = Tally(), 0
    for two in drawn(case, rng, effect):
        model = mixed_model(two.ratings, two.second, two.design)
        if model["value"] is None:
            undefined += 1
            continue
        low, high = model["ci"]["value"]
        found.rng += 1
        found.rejected += model["p"]["value"] < ALPHA
        found.covered += low <= 0 <= high
    return found, undefined


def drawn(case: Case, rng: int, effect: float) -> Iterator[Two]:
    """`draws` campaigns of the design."""
    draw = np.random.default_rng([SEED, int(effect * 100)])
    for seed in range(PLANS):
        plan = planned(case.rows(), case.raters, case.each, seed)
        two = Two.of(columns_of(plan), 0, 1)
        for _ in range(rng // PLANS):
            given = values(plan, draw, effect, case.centre)
            yield replace(two, ratings=replace(two.ratings, values=given))


def main() -> None:
    report(400, 0)


def report(rng: int, fits: int) -> None:
    """Half the draws for the power; the model in `fits` draws of the cases that have one."""
    print(f"{rng} draws a row (power: {rng // 2}), seed {SEED}, alpha {ALPHA};")
    print(f"SDs {SPREAD}; effect {EFFECT}; rounded to 1…5")
    print("| design | smallest p | type I | power | interval holds 0 |")
    print("|---|---:|---:|---:|---:|")
    for case in CASES:
        null, true = record(case, rng, 0.0), record(case, rng // 2, EFFECT)
        told = (share(null.rejected, null), share(true.rejected, true), share(null.covered, null))
        print(f"| {case.name} | {null.least_p:.2g} | {' | '.join(told)} |", flush=True)
    if not fits:
        return
    print(f"\n{fits} draws a row (power: {fits // 5})")
    print("| model in | type I | power | interval holds 0 | undefined |")
    print("|---|---:|---:|---:|---:|")
    for case in (case for case in CASES if case.model):
        (null, none), (true, _) = models(case, fits, 0.0), models(case, fits // 5, EFFECT)
        told = (share(null.rejected, null), share(true.rejected, true), share(null.covered, null))
        print(f"| {case.name} | {' | '.join(told)} | {none} of {fits} |", flush=True)


def share(count: int, of: Tally) -> str:
    return f"{100 * count / of.rng:.1f} %" if of.rng else "–"


if __name__ == "__main__":
    report(int(sys.argv[1]), int(sys.argv[2]))
