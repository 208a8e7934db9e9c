"""The effect of the choices for one computer player on the table's recipe."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.personas.big_five import Persona
from agents.recipe import Recipe

# Values of the choice "persona": the scores of the five sliders, and a style that the host wrote.
OWN_PERSONA, OWN_STYLE = "own", "style"


def cast_seat(recipe: Recipe, seed: str, choice: Mapping[str, Any], character: str = "") -> Recipe:
    """Return the table's recipe with the choices for one seat.

    Args:
        seed: Draws the persona if neither `choice` nor `character` has one.
        choice: What `cast_form.CastForm.chosen_casting` returned for the seat. A design may add
            `persona_seed`, which replaces `seed` for the words of the persona, so that all games
            have the same description.
        character: The key of a written character, for a choice without a persona; "" for none.
    """
    words_seed = str(choice.get("persona_seed") or seed)
    recipe = replace(
        recipe.with_method(choice.get("method") or recipe.method, choice.get("switches")),
        backend=choice.get("backend") or recipe.backend,
        temperature=choice.get("temperature", recipe.temperature),
        profile=choice.get("profile") or recipe.profile,
    )
    kind, _sep, key = str(choice.get("persona", "")).partition(":")
    if kind == "profile":
        recipe = replace(recipe, persona=Persona.profile(key, words_seed))
    elif kind == "character":
        recipe = replace(recipe, persona=Persona.of_character(key, words_seed))
    elif kind == OWN_PERSONA:
        recipe = replace(recipe, persona=Persona(dict(choice["scores"]), words_seed))
    elif kind == OWN_STYLE:
        recipe = replace(recipe, persona=Persona.of_style(choice["style"], words_seed))
    return recipe.cast(seed, character)
