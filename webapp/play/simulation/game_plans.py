"""The games of a batch: seed, settings, and the recipe of each seat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.personas.big_five import Persona
from agents.personas.styles import character_of
from agents.recipe import OFFICE, Recipe
from game.engine.roles import Preset
from game.engine.ruleset import Ruleset
from game.engine.seeded_random import SeededRandom
from webapp.play.tables.seat_plans import Casting, casting_of_seats
from webapp.play.turns.casting import cast_seat


@dataclass(frozen=True)
class GamePlan:
    """One game of agents only. recipes: in the order of the seats, as stored."""

    ruleset: str
    seed: str
    settings: Mapping[str, Any]
    recipes: list[dict[str, Any]]


# (number of the game in its batch, how many void games preceded it) -> the game
Planned = Callable[[int, int], GamePlan]


def alike(
    ruleset: Ruleset,
    seed: str,
    recipe: Recipe,
    settings: Mapping[str, Any],
    profiles: Sequence[Mapping[str, str]] = (),
    styles: Sequence[str] = (),
    casting: Casting | None = None,
) -> Planned:
    """Plan game i from the seed "`seed`/i", with the same recipe in every seat.

    casting: what differs in a seat, or for who is dealt a role. `profiles` and owners' `styles`
    (`agents.personas.own_style`) are dealt to the seats by lot, as far as they go.
    """

    def plan(number: int, voids: int) -> GamePlan:
        name = f"{seed}/{number}{_again(voids)}"
        dealt = SeededRandom(name).shuffled("profiles", profiles)
        seats = SeededRandom(name).shuffled("own styles", range(1, len(ruleset.deck) + 1))
        styled = dict(zip(seats, styles, strict=False))
        by_seat = casting_of_seats(casting or {}, ruleset.name, settings, name)

        def recipe_of(seat: int) -> Recipe:
            own = replace(recipe, profile=dealt[seat - 1]) if seat <= len(dealt) else recipe
            style = styled.get(seat)
            own = replace(own, persona=Persona.of_style(style, f"{name}/{seat}")) if style else own
            choice = by_seat.get(str(seat))
            voice = character_of(own.faculties, name, seat)
            return cast_seat(own, f"{name}/{seat}", choice, voice) if choice else own

        return _plan(ruleset, name, settings, recipe_of)

    return plan


def of_preset(
    ruleset: Ruleset,
    preset: Preset,
    seed: str,
    tested: Recipe,
    baseline: str,
    settings: Mapping[str, Any],
) -> Planned:
    """Plan game i of a paper's setting: deal i // repeats, "`seed`/deal#repetition".

    `tested` gets the seats that the setting names, the backend `baseline` the others. If one seat
    is tested, it changes with every deal.
    """
    untested = replace(tested, backend=baseline)
    count = len(ruleset.deck)

    def plan(number: int, voids: int) -> GamePlan:
        deal, repetition = divmod(number, preset.repeats)
        seat = 1 + deal % count
        chosen = {**preset.settings, **settings}
        if preset.seat_setting:
            chosen[preset.seat_setting] = seat
        name = f"{seed}/{deal}#{repetition + 1}{_again(voids)}"
        return _plan(ruleset, name, chosen, lambda s: _recipe(s, seat))

    def _recipe(number: int, seat: int) -> Recipe:
        match preset.tested:
            case "all":
                return tested
            case "office":
                return replace(untested, backends={OFFICE: tested.backend})
        return tested if number == seat else untested

    return plan


def _plan(
    ruleset: Ruleset, seed: str, settings: Mapping[str, Any], recipe: Callable[[int], Recipe]
) -> GamePlan:
    seats = range(1, len(ruleset.deck) + 1)
    recipes = {seat: recipe(seat) for seat in seats}
    cast_recipes = [
        one.cast(f"{seed}/{seat}", character_of(one.faculties, seed, seat)).data()
        for seat, one in recipes.items()
    ]
    return GamePlan(ruleset.name, seed, settings, cast_recipes)


def _again(voids: int) -> str:
    """Return the suffix of the seed of a game that replaces a void one."""
    return f".{voids}" if voids else ""
