"""How often the tests and intervals of a study's results err: guesses, scales, votes by game.

Values are drawn under a true null, with effects of deals, games and people, and go through
`outcomes.estimates`, as the results page does. `python -m tests.bench.outcomes 4000` draws 4000
studies a row; the table is that of docs/statistics.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import erf, sqrt

import numpy as np

from webapp.study.outcomes.estimates import Groups, Observation, compare_sides, estimate, grouped
from webapp.study.outcomes.rows import COMPUTER, PERSON, GameRow

ALPHA = 0.05
SEED = 21
SPREAD = {"deal": 0.3, "game": 0.4, "person": 0.5}  # of the latent scale, beside the rest's 1
SCALE = (1, 5)


@dataclass(frozen=True)
class Case:
    """A study: games of each condition, people and seats a game; shared: repetition i of each
    condition has the same deal; each: how many games one person plays, one condition after the
    other where `crossed`, else all in one. centre: the latent mean; share: guesses, else a scale.
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
    """The share of studies in which the test rejects the true null, and in which the interval of
    the first condition (in `within`: of all) holds the truth."""
    draw, games = np.random.default_rng(SEED), games_of(case)
    groups: Groups = grouped(games)
    sides = (COMPUTER, PERSON) if case.within else ("a", "b")
    rejected = held = 0
    for _run in range(runs):
        found = drawn(case, games, draw)
        (one,) = compare_sides(found, sides, groups)
        rejected += "p" in one["test"] and one["test"]["p"]["value"] < ALPHA
        own = found if case.within else [o for o in found if o.side == "a"]
        low, high = estimate(own, groups, share=case.share)["ci"]["value"]
        held += low <= truth(case) <= high
    return rejected / runs, held / runs


def main(runs: int) -> None:
    print("| design | type I | interval holds the truth |\n|---|---:|---:|")
    for case in CASES:
        wrong, held = errors(case, runs)
        print(f"| {case.name} | {100 * wrong:.1f} % | {100 * held:.1f} % |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
