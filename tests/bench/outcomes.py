"""Error rates of tests and intervals in study results: guesses, scales, votes by game.

Values are drawn under a true null, with effects of deals, games and people, and analyzed like on
the results page. `python -m tests.bench.outcomes 4000` draws 4000 studies per row and prints the
tables of docs/statistics.md. The second table covers intervals of few games, of shares near 0 and
1, and of groups with different numbers of games.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import erf, sqrt
from statistics import NormalDist

import numpy as np

from webapp.study.results.estimates import Groups, compare_sides, estimate, group_games
from webapp.study.results.study_rows import COMPUTER, PERSON, GameRow, Observation

ALPHA = 0.05
SEED = 21
SPREAD = {"deal": 0.3, "game": 0.4, "person": 0.5}  # SDs on the latent scale; the residual's is 1
SCALE = (1, 5)


@dataclass(frozen=True)
class Case:
    """A simulated study.

    Attributes:
        games: Games of each condition.
        people: People per game.
        seats: Seats per game.
        shared: Whether repetition i of each condition has the same deal.
        each: Number of games per person.
        crossed: Whether a person plays in both conditions.
        centre: Latent mean.
        share: Whether values are guesses instead of a scale.
        within: Whether sides are kinds of players instead of conditions.
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
    """Return the games of both conditions with their people."""
    rows = []
    for side, number in ((s, n) for s in "ab" for n in range(case.games)):
        deal = f"{number}" if case.shared else f"{side}{number}"
        block = number if case.crossed else f"{side}{number // case.each}"
        people = tuple(f"P{block}-{k}" for k in range(case.people))
        if case.each == 1:
            people = tuple(f"P{side}{number}-{k}" for k in range(case.people))
        rows.append(GameRow(f"{side}{number:03}", deal, side, people))
    return rows


def draw_observations(
    case: Case, games: list[GameRow], rng: np.random.Generator
) -> list[Observation]:
    """Draw each person's values in each game. Sides are kinds if `within`, else conditions."""
    effects: dict[str, float] = {}

    def effect(kind: str, name: str) -> float:
        key = f"{kind}/{name}"
        if key not in effects:
            effects[key] = float(rng.normal(0, SPREAD[kind]))
        return effects[key]

    observations = []
    for game in games:
        for person in game.people:
            latent = case.centre + effect("deal", game.deal) + effect("game", game.code)
            latent += effect("person", person)
            for seat in range(case.seats - 1 if case.share else 1):
                value = latent + rng.normal()
                observed = (
                    float(value > 0) if case.share else float(np.clip(np.rint(3 + value), *SCALE))
                )
                side = game.condition
                if case.within:
                    side = PERSON if seat < case.people - 1 else COMPUTER
                observations.append(Observation(observed, game.code, person, side))
    return observations


def truth(case: Case) -> float:
    """Return the expected value of one observation under the null."""
    spread = sqrt(1 + sum(v * v for v in SPREAD.values()))
    below: Callable[[float], float] = lambda z: 0.5 * (1 + erf(z / sqrt(2)))  # noqa: E731
    if case.share:
        return below(case.centre / spread)
    steps = range(SCALE[0], SCALE[1])
    return SCALE[0] + sum(1 - below((s + 0.5 - 3 - case.centre) / spread) for s in steps)


def errors(case: Case, runs: int) -> tuple[float, float]:
    """Return (share of rejected true nulls, share of intervals that contain the truth).

    The interval is that of the first condition, or of all observations if `within`.
    """
    rng, games = np.random.default_rng(SEED), games_of(case)
    groups: Groups = group_games(games)
    sides = (COMPUTER, PERSON) if case.within else ("a", "b")
    rejected = covered = interval_count = 0
    for _run in range(runs):
        observations = draw_observations(case, games, rng)
        (comparison,) = compare_sides(observations, sides, groups)
        rejected += "p" in comparison["test"] and comparison["test"]["p"]["value"] < ALPHA
        relevant = observations if case.within else [o for o in observations if o.side == "a"]
        if interval := estimate(relevant, groups, is_share=case.share)["ci"]["value"]:
            interval_count += 1
            covered += interval[0] <= truth(case) <= interval[1]
    return rejected / runs, covered / interval_count if interval_count else 1.0


SIZES = ((1,) * 2, (1,) * 3, (1,) * 4, (1,) * 6, (1,) * 10, (2,) * 6, (5, 1, 1, 1), (10, 1, 1),
         (4, 4, 1, 1), (3, 2, 1, 1, 1, 1))  # fmt: skip
SEATS, SHARES = (1, 3, 7), (0.05, 0.5, 0.9, 0.95)


@dataclass(frozen=True)
class Few:
    """A design with few games.

    Attributes:
        sizes: Number of games of each group. Games of a group share a deal.
        seats: Guesses per game.
        share: Share of correct guesses, None for a scale.
    """

    sizes: tuple[int, ...]
    seats: int
    share: float | None = None


def coverage(case: Few, runs: int) -> tuple[float, float, float]:
    """Return (share of studies with an interval, share that contains the truth, mean width)."""
    deal, own = SPREAD["deal"], SPREAD["game"]
    rng, spread = np.random.default_rng(SEED), sqrt(1 + deal**2 + own**2)
    games = [GameRow(f"{g}-{n}", f"{g}", "a") for g, k in enumerate(case.sizes) for n in range(k)]
    groups = group_games(games)
    truth = 3.0 if case.share is None else case.share
    centre = 0.0 if case.share is None else NormalDist().inv_cdf(case.share) * spread
    ends = []
    for _run in range(runs):
        deal_generator = rng.normal(0, deal, len(case.sizes))
        observations = []
        for game in games:
            values = centre + deal_generator[int(game.deal)] + rng.normal(0, own)
            values = values + rng.normal(0, 1, case.seats)
            scaled = np.clip(np.rint(3 + values), *SCALE) if case.share is None else values > 0
            observations += [Observation(float(v), game.code, "") for v in scaled]
        ends.append(estimate(observations, groups, is_share=case.share is not None)["ci"]["value"])
    intervals = [interval for interval in ends if interval]
    if not intervals:
        return 0.0, 1.0, 0.0
    covered = sum(low <= truth <= high for low, high in intervals)
    width = sum(high - low for low, high in intervals) / len(intervals)
    return len(intervals) / runs, covered / len(intervals), width


def main(runs: int) -> None:
    print("| design | type I | interval holds the truth |\n|---|---:|---:|")
    for case in CASES:
        error_rate, covered = errors(case, runs)
        print(f"| {case.name} | {100 * error_rate:.1f} % | {100 * covered:.1f} % |", flush=True)
    print("\n| games by group | values a game | share | has an interval | holds | width |")
    print("|---|---:|---:|---:|---:|---:|")
    for few in (Few(z, n, p) for z in SIZES for p in (*SHARES, None) for n in SEATS):
        share, covered, width = coverage(few, runs)
        sizes = ", ".join(map(str, few.sizes))
        kind = "a scale" if few.share is None else f"{few.share:g}"
        print(f"| {sizes} | {few.seats} | {kind} | {100 * share:.0f} % | {100 * covered:.1f} % |"
              f" {width:.2f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
