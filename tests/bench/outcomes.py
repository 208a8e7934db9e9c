"""How often the tests and intervals of a study's results err: guesses, scales, votes by game.

Values are drawn under a true null, with effects of deals, games and people, and go through
`outcomes.estimates`, as the results page does. `python -m tests.bench.outcomes 4000` draws 4000
studies a row; the tables are those of docs/statistics.md. The second is of intervals alone: of few
games, of shares near 0 and 1, and of groups that hold more games than others.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import erf, sqrt
from statistics import NormalDist

import numpy as np

from webapp.study.results.estimates import Groups, Observation, compare_sides, estimate, group_games
from webapp.study.results.study_rows import COMPUTER, PERSON, GameRow

ALPHA = 0.05
SEED = 21
SPREAD = {"deal": 0.3, "game": 0.4, "person": 0.5}  # of the latent scale, beside the rest's 1
SCALE = (1, 5)


@dataclass(frozen=True)
class Case:
    """A study: games of each condition, people and seats a game.

    Shared: repetition i of each condition has the same deal; each: how many games one person plays,
    one condition after the other where `crossed`, else all in one. centre: the latent mean; share:
    guesses, else a scale.
    """

    name: str
    games: int
    people: int = 3
    seats: int = 8
    shared: bool = False
    each: int = 1
    crossed: bool = False
    centre: float = 0.3
    share: bool = True
    within: bool = False


CASES = (
    Case("guesses, 4 games against 4", 4),
    Case("guesses, 6 against 6", 6),
    Case("guesses, 10 against 10", 10),
    Case("guesses, 10 against 10, nearly all right", 10, centre=1.6),
    Case("guesses, 10 against 10, one person a game", 10, people=1),
    Case("guesses, 6 shared deals", 6, shared=True),
    Case("guesses, 10 shared deals", 10, shared=True),
    Case("a scale, 6 against 6", 6, share=False),
    Case("a scale, 10 shared deals", 10, shared=True, share=False),
    Case("a scale, 8 people a side, five games each", 40, people=1, each=5, share=False),
    Case("a scale, 8 people, both conditions", 8, people=1, each=2, crossed=True, share=False),
    Case("people told apart, 6 games", 3, within=True),
    Case("people told apart, 10 games", 5, within=True),
    Case("people told apart, 20 games", 10, within=True, centre=-0.5),
)


def games_of(case: Case) -> list[GameRow]:
    """Both conditions' games, with who plays in them."""
    found = []
    for side, number in ((s, n) for s in "ab" for n in range(case.games)):
        deal = f"{number}" if case.shared else f"{side}{number}"
        block = number if case.crossed else f"{side}{number // case.each}"
        people = tuple(f"P{block}-{k}" for k in range(case.people))
        if case.each == 1:
            people = tuple(f"P{side}{number}-{k}" for k in range(case.people))
        found.append(GameRow(f"{side}{number:03}", deal, side, people))
    return found


def drawn(case: Case, games: list[GameRow], draw: np.random.Generator) -> list[Observation]:
    """Each person's values in each game; in `within` sides are kinds, else conditions."""
    effects: dict[str, float] = {}

    def effect(kind: str, name: str) -> float:
        key = f"{kind}/{name}"
        if key not in effects:
            effects[key] = float(draw.normal(0, SPREAD[kind]))
        return effects[key]

    found = []
    for game in games:
        for who in game.people:
            latent = case.centre + effect("deal", game.deal) + effect("game", game.code)
            latent += effect("person", who)
            for seat in range(case.seats - 1 if case.share else 1):
                value = latent + draw.normal()
                told = (
                    float(value > 0) if case.share else float(np.clip(np.rint(3 + value), *SCALE))
                )
                side = game.condition
                if case.within:
                    side = PERSON if seat < case.people - 1 else COMPUTER
                found.append(Observation(told, game.code, who, side))
    return found


def truth(case: Case) -> float:
    """The expected value of one observation under the null."""
    spread = sqrt(1 + sum(v * v for v in SPREAD.values()))
    below: Callable[[float], float] = lambda z: 0.5 * (1 + erf(z / sqrt(2)))  # noqa: E731
    if case.share:
        return below(case.centre / spread)
    steps = range(SCALE[0], SCALE[1])
    return SCALE[0] + sum(1 - below((s + 0.5 - 3 - case.centre) / spread) for s in steps)


def errors(case: Case, runs: int) -> tuple[float, float]:
    """The share of studies in which the test rejects the true null, and of those that have an
    interval of the first condition (in `within`: of all) that of those in which it holds the
    truth."""
    draw, games = np.random.default_rng(SEED), games_of(case)
    groups: Groups = group_games(games)
    sides = (COMPUTER, PERSON) if case.within else ("a", "b")
    rejected = held = told = 0
    for _run in range(runs):
        found = drawn(case, games, draw)
        (one,) = compare_sides(found, sides, groups)
        rejected += "p" in one["test"] and one["test"]["p"]["value"] < ALPHA
        own = found if case.within else [o for o in found if o.side == "a"]
        if interval := estimate(own, groups, is_share=case.share)["ci"]["value"]:
            told += 1
            held += interval[0] <= truth(case) <= interval[1]
    return rejected / runs, held / told if told else 1.0


SIZES = ((1,) * 2, (1,) * 3, (1,) * 4, (1,) * 6, (1,) * 10, (2,) * 6, (5, 1, 1, 1), (10, 1, 1),
         (4, 4, 1, 1), (3, 2, 1, 1, 1, 1))  # fmt: skip
SEATS, SHARES = (1, 3, 7), (0.05, 0.5, 0.9, 0.95)


@dataclass(frozen=True)
class Few:
    """Groups of so many games, each of so many guesses.

    Share: how many are right, None for a scale that is answered once a guess. Games of a group
    differ as those of one deal.
    """

    sizes: tuple[int, ...]
    seats: int
    share: float | None = None


def coverage(case: Few, runs: int) -> tuple[float, float, float]:
    """The share of studies that have an interval.

    Of these, that of intervals that hold the truth; and their mean width.
    """
    deal, own = SPREAD["deal"], SPREAD["game"]
    draw, spread = np.random.default_rng(SEED), sqrt(1 + deal**2 + own**2)
    games = [GameRow(f"{g}-{n}", f"{g}", "a") for g, k in enumerate(case.sizes) for n in range(k)]
    groups = group_games(games)
    truth = 3.0 if case.share is None else case.share
    centre = 0.0 if case.share is None else NormalDist().inv_cdf(case.share) * spread
    ends = []
    for _run in range(runs):
        deal_generator = draw.normal(0, deal, len(case.sizes))
        found = []
        for game in games:
            values = centre + deal_generator[int(game.deal)] + draw.normal(0, own)
            values = values + draw.normal(0, 1, case.seats)
            said = np.clip(np.rint(3 + values), *SCALE) if case.share is None else values > 0
            found += [Observation(float(v), game.code, "") for v in said]
        ends.append(estimate(found, groups, is_share=case.share is not None)["ci"]["value"])
    told = [interval for interval in ends if interval]
    if not told:
        return 0.0, 1.0, 0.0
    held = sum(low <= truth <= high for low, high in told)
    width = sum(high - low for low, high in told) / len(told)
    return len(told) / runs, held / len(told), width


def main(runs: int) -> None:
    print("| design | type I | interval holds the truth |\n|---|---:|---:|")
    for case in CASES:
        wrong, held = errors(case, runs)
        print(f"| {case.name} | {100 * wrong:.1f} % | {100 * held:.1f} % |", flush=True)
    print("\n| games by group | values a game | share | has an interval | holds | width |")
    print("|---|---:|---:|---:|---:|---:|")
    for few in (Few(z, n, p) for z in SIZES for p in (*SHARES, None) for n in SEATS):
        told, held, width = coverage(few, runs)
        sizes = ", ".join(map(str, few.sizes))
        what = "a scale" if few.share is None else f"{few.share:g}"
        print(f"| {sizes} | {few.seats} | {what} | {100 * told:.0f} % | {100 * held:.1f} % |"
              f" {width:.2f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
