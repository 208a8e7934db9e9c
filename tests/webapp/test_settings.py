"""A ruleset's settings: choices, texts, bounds, needs; on the form, at the command, in the game."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from game import services
from game.engine.roles import Setting, effective_settings
from game.models import Game
from tests.game.table import new_game

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = Setting("motto", "Motto", "A few words.", "all for one", longest=12)
FILLED = {"ruleset": "two-days", "mode": "watch", "pace": "instant", "method": "full"}
RULES = {"rule_election": "on", "rule_candidates": "2", "rule_speaks": "last"}
ELECTION = Setting("election", "Election", "", True)
CANDIDATES = Setting("candidates", "Candidates", "", 2, least=1, most=5, needs=("election", True))
SPEAKS = Setting("speaks", "Speaks", "", "last", choices=(("first", "first"), ("last", "last")))


@pytest.mark.parametrize(
    ("setting", "value", "why"),
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
def test_setting_accepts_or_rejects_values(setting: Setting, value: object, why: str) -> None:
    assert setting.value_error(value) == why


def test_setting_takes_effect_only_with_its_needed_setting() -> None:
    rules = [ELECTION, CANDIDATES, SPEAKS]
    assert effective_settings(rules, {}) == {"election": True, "candidates": 2, "speaks": "last"}
    assert effective_settings(rules, {"candidates": 4})["candidates"] == 4
    assert effective_settings(rules, {"candidates": 4, "election": False})["candidates"] == 2


def test_game_stores_the_effective_settings() -> None:
    game = new_game(ruleset="two-days", settings={"election": False, "candidates": 4})
    kept = {"election": False, "candidates": 2, "speaks": "last", "blind": False}
    assert game.settings == {**kept, "rate_people": False, "ask_why": False}


@pytest.mark.parametrize(
    "given", [{"candidates": 6}, {"speaks": "never"}, {"election": "yes"}, {"unknown": 1}]
)
def test_table_with_an_invalid_setting_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(services.BadSetup, match=next(iter(given))):
        new_game(ruleset="two-days", settings=given)
    assert not Game.objects.exists()


def test_form_has_one_field_per_setting() -> None:
    page = Client().get("/tables/new?ruleset=two-days").content.decode()
    fields = {
        (name, kind)
        for tag in re.findall(r"<input[^>]*>", page)
        if (found := re.search(r'name="rule_(\w+)"', tag))
        for name, kind in [(found[1], re.findall(r'type="(\w+)"', tag)[0])]
    }
    own = {("election", "checkbox"), ("candidates", "number"), ("speaks", "radio")}
    assert fields == own | {("rate_people", "checkbox"), ("ask_why", "checkbox")}
    assert "Counts only with “Elect a mayor”: on." in page


def test_form_choices_reach_the_game() -> None:
    chosen = {**RULES, "rule_candidates": "3", "rule_speaks": "first"}
    assert Client().post("/tables/new", {**FILLED, **chosen}).status_code == 302
    settings = Game.objects.get().settings
    assert (settings["candidates"], settings["speaks"]) == (3, "first")
    Client().post("/tables/new", {**FILLED, "rule_candidates": "3"})  # the box is not ticked
    settings = Game.objects.latest("pk").settings
    assert (settings["election"], settings["candidates"]) == (False, 2)


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ({"rule_candidates": "6"}, "id_rule_candidates"),
        ({"rule_candidates": "0"}, "id_rule_candidates"),
        ({"rule_candidates": "two"}, "id_rule_candidates"),
        ({"rule_speaks": "never"}, "id_rule_speaks_0"),
    ],
)
def test_form_shows_an_error_beside_an_invalid_value(wrong: dict[str, str], place: str) -> None:
    answer = Client().post("/tables/new", {**FILLED, **RULES, **wrong})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert f'href="#{place}"' in page
    assert f'id="{place}"' in page
    assert not Game.objects.exists()


@pytest.mark.parametrize(
    ("given", "why"),
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
def test_simulate_refuses_an_invalid_value_with_an_explanation(given: str, why: str) -> None:
    with pytest.raises(CommandError, match=re.escape(why)):
        call_command("simulate", ruleset="two-days", games=1, seed="s", set=[given])


def test_simulate_uses_the_given_settings() -> None:
    sets = ["candidates=3", "speaks=first"]
    call_command("simulate", ruleset="two-days", games=1, seed="s", set=sets, concurrency=1)
    settings = Game.objects.get().settings
    assert (settings["candidates"], settings["speaks"]) == (3, "first")
