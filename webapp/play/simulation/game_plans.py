"""The games of a batch: seed, settings, and the recipe of each seat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.personas.big_five import Persona
from agents.personas.styles import draw_style_character
from agents.recipe import OFFICE, Recipe
from game.engine.roles import Preset
from game.engine.ruleset import Ruleset
from game.engine.seeded_random import SeededRandom
from webapp.play.tables.seat_plans import Casting, casting_of_seats
from webapp.play.turns.casting import cast_seat


@dataclass(frozen=True)
class GamePlan:
    """One game of agents only."""

    ruleset: str
    seed: str
    settings: Mapping[str, Any]
    recipes: list[dict[str, Any]]  # as stored, in the order of the seats


# (number of the game in its batch, number of void games before it) -> the game
GamePlanner = Callable[[int, int], GamePlan]


def plan_games(
    ruleset: Ruleset,
    seed: str,
    recipe: Recipe,
    settings: Mapping[str, Any],
    profiles: Sequence[Mapping[str, str]] = (),
    styles: Sequence[str] = (),
    casting: Casting | None = None,
) -> GamePlanner:
    """Return a planner of games with the same recipe in every seat.

    Game i has the seed "`seed`/i".

    Args:
        casting: Choices that differ for a seat or for a dealt role.
        profiles: The players' profiles, dealt to random seats.
        styles: Owners' styles (`agents.personas.own_style`), dealt to random seats.
    """

    def plan(number: int, void_games: int) -> GamePlan:
        name = f"{seed}/{number}{_void_suffix(void_games)}"
        dealt_profiles = SeededRandom(name).shuffled("profiles", profiles)
        seats = SeededRandom(name).shuffled("own styles", range(1, len(ruleset.deck) + 1))
        style_by_seat = dict(zip(seats, styles, strict=False))
        casting_by_seat = casting_of_seats(casting or {}, ruleset.name, settings, name)

        def recipe_of(seat: int) -> Recipe:
            own = (
                replace(recipe, profile=dealt_profiles[seat - 1])
                if seat <= len(dealt_profiles)
                else recipe
            )
            style = style_by_seat.get(seat)
            own = replace(own, persona=Persona.of_style(style, f"{name}/{seat}")) if style else own
            choice = casting_by_seat.get(str(seat))
            voice = draw_style_character(own.faculties, name, seat)
            return cast_seat(own, f"{name}/{seat}", choice, voice) if choice else own

        return _build_plan(ruleset, name, settings, recipe_of)

    return plan


def plan_preset_games(
    ruleset: Ruleset,
    preset: Preset,
    seed: str,
    tested: Recipe,
    baseline: str,
    settings: Mapping[str, Any],
) -> GamePlanner:
    """Return a planner of a paper's setting. Game i has the deal i // repeats.

    Its seed is "`seed`/deal#repetition". `tested` plays the seats that the setting names, the
    backend `baseline` the others. If a single seat is tested, it changes with every deal.
    """
    untested = replace(tested, backend=baseline)
    count = len(ruleset.deck)

    def plan(number: int, void_games: int) -> GamePlan:
        deal, repetition = divmod(number, preset.repeats)
        seat = 1 + deal % count
        chosen = {**preset.settings, **settings}
        if preset.seat_setting:
            chosen[preset.seat_setting] = seat
        name = f"{seed}/{deal}#{repetition + 1}{_void_suffix(void_games)}"
        return _build_plan(ruleset, name, chosen, lambda s: recipe_of(s, seat))

    def recipe_of(number: int, seat: int) -> Recipe:
        match preset.tested:
            case "all":
                return tested
            case "office":
                return replace(untested, backends={OFFICE: tested.backend})
        return tested if number == seat else untested

    return plan


def _build_plan(
    ruleset: Ruleset, seed: str, settings: Mapping[str, Any], recipe: Callable[[int], Recipe]
) -> GamePlan:
    seats = range(1, len(ruleset.deck) + 1)
    recipes = {seat: recipe(seat) for seat in seats}
    cast_recipes = [
        recipe_of_seat.cast(
            f"{seed}/{seat}", draw_style_character(recipe_of_seat.faculties, seed, seat)
        ).data()
        for seat, recipe_of_seat in recipes.items()
    ]
    return GamePlan(ruleset.name, seed, settings, cast_recipes)


def _void_suffix(void_games: int) -> str:
    return f".{void_games}" if void_games else ""
