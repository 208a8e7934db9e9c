"""Plans the games of a batch: the seed, the settings, and the recipe of each seat."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from agents.personas.big_five import Persona
from agents.personas.styles import draw_style_character
from agents.recipe import OFFICE, Recipe
from game.engine.declarations import Preset
from game.engine.ruleset import Ruleset
from game.engine.seeded_random import SeededRandom
from webapp.play.tables.seat_plans import Casting, casting_of_seats
from webapp.play.turns.casting import cast_seat


@dataclass(frozen=True)
class GamePlan:
    ruleset: str
    seed: str
    settings: Mapping[str, Any]
    recipes: list[dict[str, Any]]  # recipes as stored, in the order of the seats


# (number of the game in its batch, number of void games with that number before it) -> the game
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
    """Return a planner of games with the same recipe in every seat. Game i has the seed "`seed`/i".

    `casting` differs for a seat or a dealt role. The players' `profiles`, and owners' `styles`
    (`agents.personas.own_style`), are dealt to random seats.
    """

    def plan(number: int, void_games: int) -> GamePlan:
        game_seed = f"{seed}/{number}{_void_suffix(void_games)}"
        dealt_profiles = SeededRandom(game_seed).shuffled("profiles", profiles)
        seats = SeededRandom(game_seed).shuffled("own styles", range(1, len(ruleset.deck) + 1))
        style_by_seat = dict(zip(seats, styles, strict=False))
        casting_by_seat = casting_of_seats(casting or {}, ruleset.name, settings, game_seed)

        def recipe_of(seat: int) -> Recipe:
            result, seat_seed = recipe, f"{game_seed}/{seat}"
            if seat <= len(dealt_profiles):
                result = replace(result, profile=dealt_profiles[seat - 1])
            if style := style_by_seat.get(seat):
                result = replace(result, persona=Persona.of_style(style, seat_seed))
            if choice := casting_by_seat.get(str(seat)):
                character = draw_style_character(result.faculties, game_seed, seat)
                result = cast_seat(result, seat_seed, choice, character)
            return result

        return _build_plan(ruleset, game_seed, settings, recipe_of)

    return plan


def plan_preset_games(
    ruleset: Ruleset,
    preset: Preset,
    seed: str,
    tested: Recipe,
    baseline: str,
    settings: Mapping[str, Any],
) -> GamePlanner:
    """Return a planner of a paper's setting, which repeats each deal `preset.repeats` times.

    A game has the seed "`seed`/deal#repetition". If a single seat is tested, it changes with every
    deal. The other seats have the backend `baseline`.
    """
    untested = replace(tested, backend=baseline)
    seats = len(ruleset.deck)

    def plan(number: int, void_games: int) -> GamePlan:
        deal, repetition = divmod(number, preset.repeats)
        tested_seat = 1 + deal % seats
        game_settings = {**preset.settings, **settings}
        if preset.seat_setting:
            game_settings[preset.seat_setting] = tested_seat
        game_seed = f"{seed}/{deal}#{repetition + 1}{_void_suffix(void_games)}"
        return _build_plan(ruleset, game_seed, game_settings, partial(recipe_of, tested_seat))

    def recipe_of(tested_seat: int, seat: int) -> Recipe:
        match preset.tested:
            case "all":
                return tested
            case "office":
                return replace(untested, backends={OFFICE: tested.backend})
        return tested if seat == tested_seat else untested

    return plan


def _build_plan(
    ruleset: Ruleset, seed: str, settings: Mapping[str, Any], recipe_of: Callable[[int], Recipe]
) -> GamePlan:
    recipes = []
    for seat in range(1, len(ruleset.deck) + 1):
        recipe = recipe_of(seat)
        character = draw_style_character(recipe.faculties, seed, seat)
        recipes.append(recipe.cast(f"{seed}/{seat}", character).data())
    return GamePlan(ruleset.name, seed, settings, recipes)


def _void_suffix(void_games: int) -> str:
    return f".{void_games}" if void_games else ""
