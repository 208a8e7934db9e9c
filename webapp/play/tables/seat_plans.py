"""Who sits where at a new table: people, and the computer players with their recipes and names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.characters import CHARACTERS
from agents.characters import seated as seated_characters
from agents.recipe import Recipe
from game.engine import rulesets
from game.engine.seeded_random import SeededRandom
from game.models import Player
from game.services import SeatPlan
from webapp.play.turns.casting import PORTRAITS, cast

Casting = Mapping[str, Mapping[str, Any]]  # by seat, as text


def drawn(
    ruleset: str,
    seed: str,
    guests: int,
    *,
    seated: bool,
    recipe: Recipe,
    casting: Casting,
    characters: bool,
    blind: bool = False,
) -> tuple[list[SeatPlan], int]:
    """Return who sits where, drawn from the seed.

    And the host's seat, 0 for none.

    About half of the computer players are written characters, unless not `characters`: at a
    blind table a voice like theirs would tell who is no person.

    Args:
        blind: Whether the table is blind. Its host's seat has a recipe like all others, because
            another player has that seat once the game begins (`lobby.start`).
    """
    count = len(rulesets.get(ruleset).table_names)
    order = SeededRandom(seed).shuffled("who sits where", range(count))
    computers = [at + 1 for at in order[seated + guests :]] if characters else []
    recipes_drawn = recipes(recipe, seed, casting, count, computers)
    plans = [SeatPlan(Player.AGENT, each.data()) for each in recipes_drawn]
    mine = order[0] if seated else -1
    if seated:
        stand_in = {"plain": True} if recipe.plain else None
        plans[mine] = SeatPlan(Player.PERSON, plans[mine].recipe if blind else stand_in)
    for seat in order[seated : seated + guests]:
        plans[seat] = SeatPlan(Player.OPEN, plans[seat].recipe)
    return with_names(
        as_themselves(plans, recipes_drawn) if characters else plans, ruleset
    ), mine + 1


def recipes(
    recipe: Recipe, seed: str, casting: Casting, count: int, computers: Sequence[int]
) -> list[Recipe]:
    """What a computer player in each of `count` seats would be made of, whoever sits there.

    Of the seats `computers` some are written characters.
    """
    voices = seated_characters(seed, computers)
    return [
        cast(recipe, f"{seed}/{seat}", casting.get(str(seat), {}), voices.get(seat, ""))
        for seat in range(1, count + 1)
    ]


def as_themselves(plans: Sequence[SeatPlan], recipes: Sequence[Recipe]) -> list[SeatPlan]:
    """Written characters among the computer players come under their own names and with portraits
    that fit; the second of two that are the same keeps what is the seat's.
    """
    renamed_plans, taken_characters = [], set[str]()
    for plan, recipe in zip(plans, recipes, strict=True):
        key = recipe.persona.character if recipe.persona else ""
        if plan.kind == Player.AGENT and key and key not in taken_characters:
            taken_characters.add(key)
            plan = replace(plan, name=CHARACTERS[key].called, portrait=PORTRAITS[key])
        renamed_plans.append(plan)
    return renamed_plans


def with_names(plans: Sequence[SeatPlan], ruleset: str) -> list[SeatPlan]:
    """Return whoever has no name gets the seat's."""
    names = rulesets.get(ruleset).table_names
    return [replace(p, name=p.name or name) for p, name in zip(plans, names, strict=True)]
