"""Tests of a ruleset's settings on the form, at the command and in the game."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from game import lobby
from game.engine.declarations import Setting, effective_settings
from game.models import Game
from tests.game.table import new_game

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = Setting("motto", "Motto", "A few words.", "all for one", max_characters=12)
FILLED = {"ruleset": "two-days", "mode": "watch", "pace": "instant", "method": "full"}
RULES = {"rule_election": "on", "rule_candidates": "2", "rule_speaks": "last"}
ELECTION = Setting("election", "Election", "", True)
CANDIDATES = Setting(
    "candidates", "Candidates", "", 2, min_value=1, max_value=5, needs=("election", True)
)
SPEAKS = Setting("speaks", "Speaks", "", "last", choices=(("first", "first"), ("last", "last")))


@pytest.mark.parametrize(
    ("setting", "value", "error"),
    [
        (ELECTION, False, ""),
        (ELECTION, 1, "election must be true or false"),
        (CANDIDATES, 1, ""),
        (CANDIDATES, 5, ""),
        (CANDIDATES, 6, "candidates must be from 1 to 5"),
        (CANDIDATES, 0, "candidates must be from 1 to 5"),
        (CANDIDATES, True, "candidates must be a whole number"),
        (CANDIDATES, "2", "candidates must be a whole number"),
        (SPEAKS, "first", ""),
        (SPEAKS, "never", "speaks must be one of first, last"),
        (TEXT, "one for all!", ""),
        (TEXT, "one for all!!", "motto can have at most 12 characters"),
    ],
)
def test_setting_accepts_or_rejects_values(setting: Setting, value: object, error: str) -> None:
    assert setting.value_error(value) == error


def test_setting_takes_effect_only_with_its_needed_setting() -> None:
    rules = [ELECTION, CANDIDATES, SPEAKS]
    assert effective_settings(rules, {}) == {"election": True, "candidates": 2, "speaks": "last"}
    assert effective_settings(rules, {"candidates": 4})["candidates"] == 4
    assert effective_settings(rules, {"candidates": 4, "election": False})["candidates"] == 2


def test_game_stores_the_effective_settings() -> None:
    game = new_game(ruleset="two-days", settings={"election": False, "candidates": 4})
    expected = {"election": False, "candidates": 2, "speaks": "last", "blind": False}
    assert game.settings == {**expected, "rate_people": False, "ask_why": False}


@pytest.mark.parametrize(
    "settings", [{"candidates": 6}, {"speaks": "never"}, {"election": "yes"}, {"unknown": 1}]
)
def test_table_with_an_invalid_setting_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(lobby.BadSetup, match=next(iter(settings))):
        new_game(ruleset="two-days", settings=settings)
    assert not Game.objects.exists()


def test_form_has_one_field_per_setting() -> None:
    page = Client().get("/tables/new?ruleset=two-days").content.decode()
    fields = {
        (name, kind)
        for tag in re.findall(r"<input[^>]*>", page)
        if (match := re.search(r'name="rule_(\w+)"', tag))
        for name, kind in [(match[1], re.findall(r'type="(\w+)"', tag)[0])]
    }
    own_fields = {("election", "checkbox"), ("candidates", "number"), ("speaks", "radio")}
    assert fields == own_fields | {("rate_people", "checkbox"), ("ask_why", "checkbox")}
    assert "Applies only when “Elect a mayor” is set to on." in page


def test_form_choices_reach_the_game() -> None:
    choices = {**RULES, "rule_candidates": "3", "rule_speaks": "first"}
    assert Client().post("/tables/new", {**FILLED, **choices}).status_code == 302
    settings = Game.objects.get().settings
    assert (settings["candidates"], settings["speaks"]) == (3, "first")
    Client().post("/tables/new", {**FILLED, "rule_candidates": "3"})  # the box is not ticked
    settings = Game.objects.latest("pk").settings
    assert (settings["election"], settings["candidates"]) == (False, 2)


@pytest.mark.parametrize(
    ("invalid", "field_id"),
    [
        ({"rule_candidates": "6"}, "id_rule_candidates"),
        ({"rule_candidates": "0"}, "id_rule_candidates"),
        ({"rule_candidates": "two"}, "id_rule_candidates"),
        ({"rule_speaks": "never"}, "id_rule_speaks_0"),
    ],
)
def test_form_shows_an_error_beside_an_invalid_value(
    invalid: dict[str, str], field_id: str
) -> None:
    response = Client().post("/tables/new", {**FILLED, **RULES, **invalid})
    page = response.content.decode()
    assert response.status_code == 422
    assert f'href="#{field_id}"' in page
    assert f'id="{field_id}"' in page
    assert not Game.objects.exists()


@pytest.mark.parametrize(
    ("option", "error"),
    [
        ("candidates=6", "candidates must be from 1 to 5"),
        ("candidates=two", "--set candidates takes a whole number, not 'two'"),
        ("election=yes", "--set election takes true or false, not 'yes'"),
        ("speaks=never", "speaks must be one of first, last"),
        (
            "unknown=1",
            "two-days has no setting 'unknown'; known: ask_why, candidates, election, rate_people,"
            " speaks",
        ),
    ],
)
def test_simulate_refuses_an_invalid_value_with_an_explanation(option: str, error: str) -> None:
    with pytest.raises(CommandError, match=re.escape(error)):
        call_command("simulate", ruleset="two-days", games=1, seed="s", set=[option])


def test_simulate_uses_the_given_settings() -> None:
    options = ["candidates=3", "speaks=first"]
    call_command("simulate", ruleset="two-days", games=1, seed="s", set=options, concurrency=1)
    settings = Game.objects.get().settings
    assert (settings["candidates"], settings["speaks"]) == (3, "first")
