"""The power of a study's planned tests, by simulated answers to its questions.

Games are those of the design: conditions, deals, people seated by its rules. Guesses, votes and
scales follow the assumptions of simulated raters (`opinions`), once with the stated effect and once
with none, and go through the comparison of the results page. Nothing is read from the database.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from statistics import NormalDist
from typing import Any

from django.utils.translation import gettext as _

from game.engine import rulesets
from webapp.study.design.conditions import ConditionPlan, build_conditions
from webapp.study.design.stages import Design
from webapp.study.design.value_checks import Refused
from webapp.study.planning.planned_tests import items_by_key, sides_by_test
from webapp.study.rehearsal.campaign_runs import (
    describe_test,
    mean_difference,
    rejection_rate,
)
from webapp.study.rehearsal.opinions import SPREAD, Opinions, OpinionSubject, round_to_scale
from webapp.study.rehearsal.process import Assumptions
from webapp.study.results.study_rows import (
    ACCURATE,
    COMPUTER,
    PERSON,
    RIGHT,
    TOLD_APART,
    GameRow,
)

THROUGH = "the comparison of the results page, on simulated answers"
SHARES = (RIGHT, TOLD_APART, ACCURATE)
LATENT = (-2, 2)  # a latent scale of STEPS steps around 0: the answer is whether it is above 0


@dataclass(frozen=True, kw_only=True)
class PowerOptions(Assumptions):
    """Options of a rehearsal of tests. The favored condition of `effect` is the test's second.

    item and between: the test ("" and (): all that are planned). share: of guesses or votes that
    are right without an effect. Of shares, effect and noise are steps of a latent normal scale.
    """

    effect: float = 0.6
    runs: int = 100
    item: str = ""
    between: tuple[str, ...] = ()
    alpha: float = 0.05
    share: float = 0.5


@dataclass(frozen=True)
class SimulatedGame:
    """A game, its people by name, and the seats of computer players."""

    row: GameRow
    seats: tuple[str, ...]  # of each seat who sits there, "" for a computer player


def rehearse_tests(
    design: Design, options: PowerOptions, say: Callable[[str], None]
) -> dict[str, Any]:
    """Return assumptions, games, people, and power and type I error of each test.

    `say` is called with lines about the progress. Raises Refused if no test is planned or chosen,
    or if there is none of that name.
    """
    began = time.monotonic()
    cells = build_conditions(design)
    tests = _tests(design, cells, options)
    games = simulated_games(design, cells)
    people = {name for game in games for name in game.row.people}
    rows = []
    for number, (item, a, b) in enumerate(tests, 1):
        rows.append(_rehearse(design, games, (item, a, b), options))
        say(f"test {number} of {len(tests)}")
    names = ("effect", "noise", "careless", "dropout", "seed", "share")
    assumed = {name: getattr(options, name) for name in names}
    spread = {part: sd for part, sd in SPREAD.items() if part != "rest"}
    return {
        "runs": options.runs,
        "through": THROUGH,
        "assumed": {**assumed, "spread": spread},
        "games": len(games),
        "people": len(people),
        "tests": rows,
        "seconds": round(time.monotonic() - began, 1),
    }


def _tests(
    design: Design, cells: list[ConditionPlan], options: PowerOptions
) -> list[tuple[str, str, str]]:
    """Return the chosen test, else the planned ones that can be simulated. Raises Refused."""
    sides = sides_by_test(design, cells)
    simulable = [name for name in sides if name.split("/")[0] in (*SHARES, name)]
    names = ", ".join(simulable) or "–"
    if not options.item:
        planned = [(t.item, t.a, t.b) for t in design.analysis.tests if t.item in simulable]
        if not planned:
            text = _("No test is planned that can be simulated; these can: {names}.")
            raise Refused([text.format(names=names)])
        return planned
    if options.item not in simulable:
        text = _("“{name}” is no test that can be simulated; these are: {names}.")
        raise Refused([text.format(name=options.item, names=names)])
    conditions = sides[options.item]
    a, b = options.between or conditions[:2]
    if a == b or not {a, b} <= set(conditions):
        text = _("Choose two conditions of these: {names}.")
        raise Refused([text.format(names=", ".join(conditions))])
    return [(options.item, a, b)]


def simulated_games(design: Design, cells: list[ConditionPlan]) -> list[SimulatedGame]:
    """Return all games, their people seated in turn as far as the design's rules allow."""
    rules = design.assignment
    played: dict[str, list[GameRow]] = {}  # of those who have games left
    games: list[SimulatedGame] = []
    for number in range(rules.games):
        for cell in cells:
            deal = str(number) if rules.deals == "shared" else f"{number}/{cell.index}"
            row = GameRow(f"{number:04}/{cell.index}", deal, cell.name)
            sitting: list[str] = []
            for _seat in range(cell.table.people):
                fitting = (
                    name for name, own in played.items() if _may_join(design, row, sitting, own)
                )
                name = next((n for n in fitting if n not in sitting), f"P{len(played) + 1:04}")
                sitting.append(name)
                played.setdefault(name, [])
            row = GameRow(row.code, deal, cell.name, tuple(sitting))
            for name in sitting:
                played[name].append(row)
            seats = len(rulesets.get(cell.table.ruleset).deck)
            games.append(SimulatedGame(row, (*sitting, *[""] * (seats - len(sitting)))))
    return games


def _may_join(design: Design, row: GameRow, sitting: list[str], own: list[GameRow]) -> bool:
    rules = design.assignment
    return (
        len(own) < rules.games_each
        and not (rules.distinct_conditions and any(g.condition == row.condition for g in own))
        and not any(game.deal == row.deal for game in own)
        and not (rules.meet_once and any(set(game.people) & set(sitting) for game in own))
    )


def _rehearse(
    design: Design, games: list[SimulatedGame], test: tuple[str, str, str], options: PowerOptions
) -> dict[str, Any]:
    """Return one test's power, type I error and mean difference."""
    from webapp.study.results.estimates import compare_sides, grouped

    item, a, b = test
    groups = grouped([game.row for game in games])
    outcomes: dict[float, list[dict[str, Any]]] = {options.effect: [], 0.0: []}
    for run in range(options.runs):
        for effect, comparisons in outcomes.items():
            # The same deviations with and without the effect.
            opinions = Opinions(f"{options.seed}/{run}", b, effect, options.noise)
            answers = list(_Answers(design, item, options, opinions).of(games))
            compared = compare_sides(answers, (a, b), groups)
            none = {"test": {"value": None, "why": "nothing_comparable"}}
            comparisons.append(compared[0] if compared else none)
    return {
        "test": {"item": item, "a": a, "b": b, "alpha": options.alpha, **describe_test(outcomes)},
        "power": rejection_rate(outcomes[options.effect], options.alpha),
        "type_i_error": rejection_rate(outcomes[0.0], options.alpha),
        "difference": mean_difference(outcomes[options.effect]),
    }


class _Answers:
    """The simulated answers of one run that a test compares, as observations."""

    def __init__(
        self, design: Design, test: str, options: PowerOptions, opinions: Opinions
    ) -> None:
        self.measure, _slash, self.of_item = test.partition("/")
        self.options, self.opinions = options, opinions
        self.item = items_by_key(design).get(test)
        self.each_game = design.assignment.games_each == 1 or any(
            stage.each_game for stage in design.stages if getattr(stage, "instruments", ())
        )
        noise = options.noise**2
        sds = (sd**2 for part, sd in SPREAD.items() if part not in ("rest", "slope"))
        spread = math.sqrt(sum(sds) + SPREAD["slope"] ** 2 / 2 + noise)
        self.centre = NormalDist().inv_cdf(min(0.99, max(0.01, options.share))) * spread

    def of(self, games: list[SimulatedGame]) -> Iterator[Any]:
        from webapp.study.results.estimates import Observation

        conditions: dict[str, set[str]] = {}
        for game in games:
            for name in game.row.people:
                conditions.setdefault(name, set()).add(game.row.condition)
        answered: set[str] = set()
        for game in games:
            for name in game.row.people:
                person = Random(f"{self.opinions.seed}/person/{name}")
                leaves, careless = person.random(), person.random()
                if leaves < self.options.dropout or (name in answered and not self.each_game):
                    continue
                answered.add(name)
                anywhere = not self.each_game and len(conditions[name]) > 1
                alike = person.random() if careless < self.options.careless else None
                for side, value in self._values(game, name, alike, person):
                    if not anywhere:
                        yield Observation(value, game.row.code, name, side)

    def _values(
        self, game: SimulatedGame, name: str, alike: float | None, draw: Random
    ) -> Iterator[tuple[str, float]]:
        """Yield (condition or kind, value) of what somebody answers about a game."""
        condition = game.row.condition
        if self.measure not in SHARES:
            assert self.item
            low, high = self.item.min, self.item.max
            wished = low + alike * (high - low) if alike is not None else self._opinion(
                game, name, name, condition, draw, (low, high)
            )  # fmt: skip
            yield condition, float(round_to_scale(wished, low, high))
            return
        if self.measure == ACCURATE:
            yield condition, self._hit(game, name, name, condition, alike, draw)
            return
        for number, occupant in enumerate(game.seats):
            kind = PERSON if occupant else COMPUTER
            if occupant == name or (self.of_item.endswith(f"/{COMPUTER}") and occupant):
                continue
            side = kind if self.measure == TOLD_APART else condition
            yield side, self._hit(game, name, str(number), side, alike, draw)

    def _hit(
        self, game: SimulatedGame, name: str, seat: str, side: str, alike: float | None,
        draw: Random,
    ) -> float:  # fmt: skip
        """Return 1 for a right guess or vote, else 0. Careless people choose by lot."""
        if alike is not None:
            return float(draw.random() < self.options.share)
        return float(self.centre + self._opinion(game, name, seat, side, draw, LATENT) > 0)

    def _opinion(
        self, game: SimulatedGame, name: str, seat: str, side: str, draw: Random,
        scale: tuple[int, int],
    ) -> float:  # fmt: skip
        row = game.row
        about = OpinionSubject(side, row.deal, row.code, seat, f"{row.code}/{seat}")
        return self.opinions.of(name, about, self.measure, *scale, draw)
