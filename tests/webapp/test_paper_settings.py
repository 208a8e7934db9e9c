"""Tests of a paper's settings in a batch: models, endings and number of games (SPEC 2.9)."""

from __future__ import annotations

import json
from io import StringIO
from itertools import pairwise
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from agents.recipe import Recipe
from game import selectors
from game.engine import rulesets, visibility
from game.engine.declarations import Preset
from game.models import Game
from tests.endpoint import Endpoint
from webapp.play.models import LLMCall
from webapp.play.simulation.game_plans import plan_preset_games

pytestmark = pytest.mark.django_db(transaction=True)

SHERIFF = rulesets.get("sheriff")
PRESETS = {preset.key: preset for preset in SHERIFF.presets}


def play_batch(setting: str, **options: object) -> list[dict[str, Any]]:
    out = StringIO()
    arguments = {"ruleset": "sheriff", "setting": setting, "seed": "paper", **options}
    call_command("simulate", stdout=out, stderr=StringIO(), **arguments)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_presets_have_the_numbers_and_endings_of_the_paper() -> None:
    games = {key: preset.deals * preset.repeats for key, preset in PRESETS.items()}
    assert games == {
        "heterogeneous": 30,
        "homogeneous": 30,
        "homogeneous-election": 10,
        "heterogeneous-swapped": 30,
        "heterogeneous-elected": 30,
        "human-evaluation": 40,
        "human-baseline": 20,
    }
    passes = {key for key, preset in PRESETS.items() if preset.settings["sheriff_dies"] == "passes"}
    assert passes == {"homogeneous-election", "human-evaluation"}
    for preset in PRESETS.values():
        for setting in SHERIFF.settings:
            if setting.key in preset.settings:
                assert not setting.value_error(preset.settings[setting.key])


def plan_of(preset: Preset, number: int) -> Any:
    return plan_preset_games(SHERIFF, preset, "s", Recipe("m", "helmsman"), "house", {})(number, 0)


def test_tested_seat_rotates_with_every_deal() -> None:
    for key in ("heterogeneous", "heterogeneous-elected"):
        preset = PRESETS[key]
        for number in range(30):
            plan = plan_of(preset, number)
            seats = [n for n, r in enumerate(plan.recipes, 1) if r["backend"] == "m"]
            assert seats == [plan.settings[preset.seat_setting]] == [1 + number // 3 % 7]
    assert all(r["backend"] == "m" for r in plan_of(PRESETS["homogeneous"], 4).recipes)


def test_games_of_one_deal_share_roles_but_not_courses() -> None:
    games = play_batch("homogeneous-election", games=2) + play_batch("homogeneous", games=4)
    games = [game for game in games if game["counts"]]
    deals = [list(game["roles"].values()) for game in games]
    assert deals[0] == deals[2] == deals[3] == deals[4] != deals[1] == deals[5]
    assert len({game["digest"] for game in games}) == 6
    names = [game["seed"].partition(".")[0] for game in games[2:]]
    assert names == ["paper/0#1", "paper/0#2", "paper/0#3", "paper/1#1"]


def test_tested_model_plays_the_sheriff(endpoint: Endpoint) -> None:
    (result, *_) = play_batch("heterogeneous", games=1, backend="openai", method="helmsman")
    game = Game.objects.get(code=result["game"])
    model_seats = set(
        LLMCall.objects.filter(game=game).exclude(backend="house").values_list("seat")
    )
    assert model_seats == {(1,)}
    view = selectors.view_for(game, visibility.MODERATOR)
    assert [e["seat"] for e in view.events if e.kind == "badge_given"] == [1]


def test_elected_seat_switches_to_the_tested_model(endpoint: Endpoint) -> None:
    (result,) = play_batch("heterogeneous-swapped", games=1, backend="openai", seed="swap")
    game = Game.objects.get(code=result["game"])
    view = selectors.view_for(game, visibility.MODERATOR)
    (badge_event,) = [e for e in view.events if e.kind == "badge_given"]
    rows = LLMCall.objects.filter(game=game, purpose=LLMCall.ANSWER)
    before = rows.filter(kind__in=("candidacy", "election"))
    assert set(before.values_list("backend", flat=True)) <= {"house"}
    after = rows.filter(kind__in=("first_side", "summing_up"))
    assert {(row.seat, row.backend) for row in after} == {(badge_event["seat"], "openai")}
    assert set(rows.filter(backend="openai").values_list("seat", flat=True)) == {
        badge_event["seat"]
    }


def test_void_game_is_reported_and_repeated() -> None:
    """In some of these games the drawn Sheriff is killed in the first night."""
    games = play_batch("homogeneous", games=9, seed="void")
    voids = [game for game in games if not game["counts"]]
    assert voids, "none of these was void: take another seed"
    assert len(games) == 9 + len(voids)
    for game, following in pairwise(games):
        if not game["counts"]:
            assert game["ending"] == "void"
            stem = following["seed"].rpartition(".")[0]
            assert game["seed"] in (stem, f"{stem}.{int(following['seed'].rpartition('.')[2]) - 1}")
            assert following["roles"] == game["roles"]


def test_preset_with_people_is_refused_for_a_batch() -> None:
    with pytest.raises(CommandError, match="human-evaluation is played with a person"):
        play_batch("human-evaluation")
    with pytest.raises(CommandError, match="no paper's setting 'x'; known: heterogeneous"):
        play_batch("x")
