"""Recipes: switches declared by faculties, and loading of old recipes."""

from __future__ import annotations

from typing import Any

import pytest

from agents.backends import HOUSE
from agents.recipe import METHODS, BadRecipe, Recipe, parse_switches


def test_only_non_default_switches_are_stored() -> None:
    recipe = Recipe(method="helmsman", switches={"reasoning": "apart", "sorting": "on"})
    assert recipe.data() == {
        "backend": HOUSE, "method": "helmsman", "switches": {"reasoning": "apart"}
    }  # fmt: skip
    assert Recipe.of(recipe.data()) == recipe
    assert recipe.switch_values == {"reasoning": "apart", "sorting": "on"}


@pytest.mark.parametrize(
    ("stored", "switches"),
    [
        ({"method": "helmsman", "sorting": False}, {"sorting": "off"}),
        ({"method": "helmsman", "sorting": True}, {}),
        ({"method": "helmsman", "reasoning": "each"}, {"reasoning": "each"}),
        ({"method": "full", "reasoning": "each", "sorting": False}, {}),
        ({}, {}),
    ],
)
def test_old_recipes_with_one_field_per_switch_load(
    stored: dict[str, Any], switches: dict[str, str]
) -> None:
    recipe = Recipe.of(stored)
    assert recipe.switches == switches
    assert Recipe.of(recipe.data()) == recipe


def test_stored_office_backend_becomes_a_backends_entry() -> None:
    assert Recipe.of({"office": "other"}).backends == {"office": "other"}
    assert Recipe.of({"office": "other"}).built_in().backends == {}


def test_unknown_switch_error_lists_the_known_ones() -> None:
    with pytest.raises(BadRecipe, match="known: reasoning, sorting"):
        Recipe(method="helmsman", switches={"manners": "soft"})
    with pytest.raises(BadRecipe, match="known: together, apart, each, none"):
        Recipe(method="helmsman", switches={"reasoning": "never"})
    with pytest.raises(BadRecipe, match="known: none"):
        Recipe(method="baseline", switches={"reasoning": "each"})


@pytest.mark.parametrize("texts", [["reasoning"], ["=each"], ["reasoning="], ["a=b", "a=c"]])
def test_invalid_switch_text_is_rejected(texts: list[str]) -> None:
    with pytest.raises(BadRecipe):
        parse_switches(texts)


def test_other_method_keeps_only_its_own_switches() -> None:
    recipe = Recipe(method="helmsman", switches={"reasoning": "each"})
    assert recipe.with_method("full").switches == {}
    assert recipe.with_method("full").context == "whole"
    assert recipe.with_method("helmsman", {"sorting": "off"}).switches == {
        "reasoning": "each", "sorting": "off"
    }  # fmt: skip


def test_every_switch_has_a_source_and_distinct_values() -> None:
    for method in METHODS.values():
        names = [switch.name for switch in method.switches]
        assert len(set(names)) == len(names)
        for switch in method.switches:
            assert switch.source
            assert switch.help
            assert len(set(switch.values)) == len(switch.values) >= 2
