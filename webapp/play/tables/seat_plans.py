"""Plans the seats of a new table: who sits where, and the recipes of the computer players."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.personas.characters import CHARACTERS, assign_characters
from agents.personas.own_style import parse_own_style
from agents.personas.styles import draw_style_character
from agents.recipe import Recipe
from game.engine import rulesets
from game.engine.declarations import effective_settings
from game.engine.position import Position
from game.engine.seeded_random import SeededRandom
from game.lobby import BadSetup, SeatPlan
from game.models import Player
from webapp.play.turns.casting import cast_seat

# Seat, as text -> choices. A design may name roles in place of seats (`casting_of_seats`).
Casting = Mapping[str, Mapping[str, Any]]
# Numbers of pictures in static/portraits that match each character's age and kind.
CHARACTER_PORTRAITS = {
    "lady": 22,
    "fisherman": 3,
    "rancher": 2,
    "child": 24,
    "mascot": 6,
    "judge": 8,
    "student": 17,
    "cook": 12,
    "librarian": 18,
    "magician": 1,
}
MAX_DEALS = 1000  # deals tried until one has the wished role, which at least every 13th has


def draw_seat_plans(
    ruleset: str,
    seed: str,
    guests: int,
    *,
    is_host_playing: bool,
    recipe: Recipe,
    casting: Casting,
    use_characters: bool,
    is_blind: bool = False,
) -> tuple[list[SeatPlan], int]:
    """Draw all seats from the seed. Return their plans, and the host's seat (0 for none).

    Args:
        use_characters: About half of the computer players are written characters. At a blind table
            a distinctive voice would reveal that its player is no person.
        is_blind: The table is blind. Its host's seat has a recipe like all others, because
            another player has that seat once the game begins (`lobby.start`).
    """
    count = len(rulesets.get(ruleset).table_names)
    order = SeededRandom(seed).shuffled("who sits where", range(count))  # host, guests, agents
    people = is_host_playing + guests
    agent_seats = [index + 1 for index in order[people:]] if use_characters else []
    drawn_recipes = draw_recipes(recipe, seed, casting, count, agent_seats)
    plans = [SeatPlan(Player.AGENT, drawn.data()) for drawn in drawn_recipes]
    if is_host_playing:
        stand_in = {"plain": True} if recipe.has_plain_speech else None
        host_plan = plans[order[0]]
        plans[order[0]] = SeatPlan(Player.PERSON, host_plan.recipe if is_blind else stand_in)
    for index in order[is_host_playing:people]:
        plans[index] = SeatPlan(Player.OPEN, plans[index].recipe)
    if use_characters:
        plans = with_character_names(plans, drawn_recipes)
    return with_seat_names(plans, ruleset), order[0] + 1 if is_host_playing else 0


def draw_recipes(
    recipe: Recipe, seed: str, casting: Casting, count: int, agent_seats: Sequence[int]
) -> list[Recipe]:
    """Return a computer player's recipe for each of `count` seats, those of people included.

    Only `agent_seats` may get written characters.
    """
    voices = assign_characters(seed, agent_seats)
    for seat in agent_seats:
        if key := draw_style_character(recipe.faculties, seed, seat):
            voices[seat] = key
    return [
        cast_seat(recipe, f"{seed}/{seat}", casting.get(str(seat), {}), voices.get(seat, ""))
        for seat in range(1, count + 1)
    ]


def deal_roles(ruleset: str, settings: Mapping[str, Any], seed: str) -> tuple[str, ...]:
    """Return the role that each seat is dealt in a game of this seed, in seat order."""
    rules = rulesets.get(ruleset)
    values = {"blind": False, **settings, **effective_settings(rules.settings, settings)}
    roles = Position.start(rules, seed, values).state.roles
    return tuple(roles[seat] for seat in sorted(roles))


def draw_seed(ruleset: str, settings: Mapping[str, Any], role: str = "") -> str:
    """Return a new random seed. If `role` is given, the seed deals it to a host who plays."""
    count = len(rulesets.get(ruleset).table_names)
    for _ in range(MAX_DEALS if role else 1):
        seed = secrets.token_hex(16)
        own_seat = SeededRandom(seed).shuffled("who sits where", range(count))[0]
        if not role or deal_roles(ruleset, settings, seed)[own_seat] == role:
            return seed
    raise BadSetup(f"nobody is dealt {role!r} in this game")


def casting_of_seats(
    casting: Casting, ruleset: str, settings: Mapping[str, Any], seed: str
) -> Casting:
    """Return the casting with seats in place of roles, as a game of this seed deals them.

    A choice for the seat takes precedence over the same choice for its role.
    """
    if all(key.isdecimal() for key in casting):
        return casting
    roles = deal_roles(ruleset, settings, seed)
    return {
        str(seat): {**casting.get(role, {}), **casting.get(str(seat), {})}
        for seat, role in enumerate(roles, 1)
    }


def with_character_names(plans: Sequence[SeatPlan], recipes: Sequence[Recipe]) -> list[SeatPlan]:
    """Give computer players who are written characters the characters' names and portraits.

    If a character occurs twice, the second one keeps the name and portrait of the seat.
    """
    renamed_plans = []
    taken_names: set[str] = set()
    for plan, recipe in zip(plans, recipes, strict=True):
        key = recipe.persona.character if recipe.persona else ""
        character = CHARACTERS.get(key)
        if recipe.persona and recipe.persona.style:
            character = parse_own_style(recipe.persona.style).character
        name = character.table_name if character else ""
        if plan.kind == Player.AGENT and character and (name.casefold() or key) not in taken_names:
            taken_names.add(name.casefold() or key)
            plan = replace(plan, name=name, portrait=CHARACTER_PORTRAITS.get(key, plan.portrait))
        renamed_plans.append(plan)
    return renamed_plans


def with_seat_names(plans: Sequence[SeatPlan], ruleset: str) -> list[SeatPlan]:
    """Give every player without a name the name of the seat."""
    names = rulesets.get(ruleset).table_names
    return [replace(p, name=p.name or name) for p, name in zip(plans, names, strict=True)]
