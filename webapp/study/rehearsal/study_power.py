"""The power of a study's planned tests, by simulated answers to its questions.

The games are those of the design: its conditions and deals, with people seated by its rules.
Guesses, votes and values on scales follow from simulated opinions (`opinions`), once with the
stated effect and once without. The comparison of the results page tests them. The database is not
used.
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random
from statistics import NormalDist
from typing import Any

from django.utils.translation import gettext as _

from game.engine import rulesets
from webapp.study.design.conditions import ConditionPlan, build_conditions
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design
from webapp.study.planning.planned_tests import items_by_key, sides_by_test
from webapp.study.rehearsal.opinions import SPREAD, Opinions, OpinionSubject, round_to_scale
from webapp.study.rehearsal.power_figures import (
    UNDEFINED_COMPARISON,
    RehearsedTest,
    power_figures,
    simulate_comparisons,
)
from webapp.study.rehearsal.rehearsal_options import PowerOptions
from webapp.study.results import study_rows

METHOD = "the comparison of the results page, on simulated answers"
SHARE_MEASURES = (study_rows.RIGHT, study_rows.TOLD_APART, study_rows.ACCURATE)
LATENT_SCALE = (-2, 2)  # SCALE_STEPS steps around 0; a value above 0 is a hit
HIT_SHARE_RANGE = (0.01, 0.99)  # Shares are limited to it before their normal quantile is used.


@dataclass(frozen=True)
class SimulatedGame:
    """A game with the name of the person in each seat, "" for a computer player."""

    row: study_rows.GameRow
    seats: tuple[str, ...]


def rehearse_tests(
    design: Design, options: PowerOptions, on_progress: Callable[[str], None]
) -> dict[str, Any]:
    """Return the power and type I error of the planned or chosen tests, or raise `Refused`."""
    began = time.monotonic()
    conditions = build_conditions(design)
    tests = _choose_tests(design, conditions, options)
    games = simulate_games(design, conditions)
    people = {name for game in games for name in game.row.people}
    rows = []
    for number, test in enumerate(tests, 1):
        rows.append(_rehearse_test(design, games, test, options))
        on_progress(f"test {number} of {len(tests)}")
    return {
        "runs": options.runs,
        "through": METHOD,
        "assumed": options.describe("share"),
        "games": len(games),
        "people": len(people),
        "tests": rows,
        "seconds": round(time.monotonic() - began, 1),
    }


def _choose_tests(
    design: Design, conditions: list[ConditionPlan], options: PowerOptions
) -> list[RehearsedTest]:
    """Return the chosen test, or the planned ones. Raise `Refused` if they can't be simulated."""
    sides = sides_by_test(design, conditions)
    simulable = [name for name in sides if name.split("/")[0] in (*SHARE_MEASURES, name)]
    names = ", ".join(simulable) or "–"
    if not options.item:
        tests = (t for t in design.analysis.tests if t.item in simulable)
        planned = [RehearsedTest(t.item, t.a, t.b) for t in tests]
        if not planned:
            text = _("None of the planned tests can be simulated. Possible tests: {names}.")
            raise Refused([text.format(names=names)])
        return planned
    if options.item not in simulable:
        text = _("“{name}” can’t be simulated. Choose one of these tests: {names}.")
        raise Refused([text.format(name=options.item, names=names)])
    condition_names = sides[options.item]
    a, b = options.between or condition_names[:2]
    if a == b or not {a, b} <= set(condition_names):
        text = _("Choose two of these conditions: {names}.")
        raise Refused([text.format(names=", ".join(condition_names))])
    return [RehearsedTest(options.item, a, b)]


def simulate_games(design: Design, conditions: list[ConditionPlan]) -> list[SimulatedGame]:
    """Return all games. People join in turn, as far as the design's rules allow."""
    rules = design.assignment
    games_by_name: dict[str, list[study_rows.GameRow]] = {}  # person's name -> their games so far
    games: list[SimulatedGame] = []
    for number in range(rules.games):
        for condition in conditions:
            deal = str(number) if rules.deals == "shared" else f"{number}/{condition.index}"
            empty_game = study_rows.GameRow(f"{number:04}/{condition.index}", deal, condition.name)
            seated: list[str] = []
            for _seat in range(condition.table.people):
                fitting_names = (
                    name
                    for name, own_games in games_by_name.items()
                    if name not in seated and _can_join(design, empty_game, seated, own_games)
                )
                name = next(fitting_names, f"P{len(games_by_name) + 1:04}")
                seated.append(name)
                games_by_name.setdefault(name, [])
            row = replace(empty_game, people=tuple(seated))
            for name in seated:
                games_by_name[name].append(row)
            seats = len(rulesets.get(condition.table.ruleset).deck)
            games.append(SimulatedGame(row, (*seated, *[""] * (seats - len(seated)))))
    return games


def _can_join(
    design: Design, row: study_rows.GameRow, seated: list[str], own_games: list[study_rows.GameRow]
) -> bool:
    """Return whether a person with these earlier games may join a game with those `seated`."""
    rules = design.assignment
    return (
        len(own_games) < rules.games_each
        and not (rules.distinct_conditions and any(g.condition == row.condition for g in own_games))
        and not any(game.deal == row.deal for game in own_games)
        and not (rules.meet_once and any(set(game.people) & set(seated) for game in own_games))
    )


def _rehearse_test(
    design: Design, games: list[SimulatedGame], test: RehearsedTest, options: PowerOptions
) -> dict[str, Any]:
    from webapp.study.results.estimates import compare_sides, group_games

    groups = group_games([game.row for game in games])

    def compare(opinions: Opinions) -> dict[str, Any]:
        answers = list(_AnswerSimulation(design, test.item, options, opinions).answers(games))
        comparisons = compare_sides(answers, (test.a, test.b), groups)
        return comparisons[0] if comparisons else UNDEFINED_COMPARISON

    return power_figures(test, options, simulate_comparisons(test, options, compare))


@dataclass(frozen=True)
class _Respondent:
    """A simulated person who answers."""

    name: str
    rng: Random
    # Where on the scale (0 to 1) a careless person always answers; None for others.
    constant_answer: float | None


class _AnswerSimulation:
    """A simulation of the answers that a test compares, for one run."""

    def __init__(
        self, design: Design, test: str, options: PowerOptions, opinions: Opinions
    ) -> None:
        self.measure, _slash, self.subject = test.partition("/")
        self.options, self.opinions = options, opinions
        self.item = items_by_key(design).get(test)
        self.has_each_game = design.assignment.games_each == 1 or any(
            stage.each_game for stage in design.stages if getattr(stage, "instruments", ())
        )
        variances = (sd**2 for part, sd in SPREAD.items() if part not in ("rest", "slope"))
        spread = math.sqrt(sum(variances) + SPREAD["slope"] ** 2 / 2 + options.noise**2)
        low, high = HIT_SHARE_RANGE
        # On the latent scale: without an effect, options.share of the values are above 0.
        self.centre = NormalDist().inv_cdf(min(high, max(low, options.share))) * spread

    def answers(self, games: list[SimulatedGame]) -> Iterator[study_rows.Observation]:
        """Yield the answers of all people."""
        conditions_by_person: dict[str, set[str]] = {}
        for game in games:
            for name in game.row.people:
                conditions_by_person.setdefault(name, set()).add(game.row.condition)
        answered: set[str] = set()
        for game in games:
            for name in game.row.people:
                rng = Random(f"{self.opinions.seed}/person/{name}")
                leaves, careless = rng.random(), rng.random()
                if leaves < self.options.dropout or (name in answered and not self.has_each_game):
                    continue
                answered.add(name)
                if not self.has_each_game and len(conditions_by_person[name]) > 1:
                    continue  # an answer about several conditions belongs to none
                constant_answer = rng.random() if careless < self.options.careless else None
                person = _Respondent(name, rng, constant_answer)
                for side, value in self._values(game, person):
                    yield study_rows.Observation(value, game.row.code, name, side)

    def _values(self, game: SimulatedGame, person: _Respondent) -> Iterator[tuple[str, float]]:
        """Yield (side, value) of each answer of a person about a game.

        The side is a condition, or for TOLD_APART the kind of the player guessed about.
        """
        condition = game.row.condition
        if self.measure not in SHARE_MEASURES:
            assert self.item
            low, high = self.item.min, self.item.max
            if person.constant_answer is not None:
                opinion = low + person.constant_answer * (high - low)
            else:
                opinion = self._draw_opinion(game, person, person.name, condition, (low, high))
            yield condition, float(round_to_scale(opinion, low, high))
            return
        if self.measure == study_rows.ACCURATE:
            yield condition, self._draw_hit(game, person, person.name, condition)
            return
        for number, occupant in enumerate(game.seats):
            kind = study_rows.PERSON if occupant else study_rows.COMPUTER
            if occupant == person.name or (
                self.subject.endswith(f"/{study_rows.COMPUTER}") and occupant
            ):
                continue
            side = kind if self.measure == study_rows.TOLD_APART else condition
            yield side, self._draw_hit(game, person, str(number), side)

    def _draw_hit(self, game: SimulatedGame, person: _Respondent, seat: str, side: str) -> float:
        """Return 1 for a right guess or vote, else 0. Careless people choose at random."""
        if person.constant_answer is not None:
            return float(person.rng.random() < self.options.share)
        return float(self.centre + self._draw_opinion(game, person, seat, side, LATENT_SCALE) > 0)

    def _draw_opinion(
        self, game: SimulatedGame, person: _Respondent, seat: str, side: str, scale: tuple[int, int]
    ) -> float:
        """Return the person's opinion on the scale (its ends), not rounded."""
        row = game.row
        subject = OpinionSubject(side, row.deal, row.code, seat, f"{row.code}/{seat}")
        return self.opinions.value_for(person.name, subject, self.measure, *scale, person.rng)
