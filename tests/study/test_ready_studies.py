"""Tests that ready studies open, have their papers' settings and contain no priming questions."""

from __future__ import annotations

import json

import pytest

from agents.recipe import OFFICE, Recipe
from game.engine import rulesets
from game.engine.declarations import effective_settings
from tests.study import world
from webapp.study.design import instruments
from webapp.study.design.conditions import build_conditions
from webapp.study.design.stages import Design
from webapp.study.models import Study
from webapp.study.planning import ready, studies, study_plan
from webapp.study.sessions.slot_games import build_seat_plans

pytestmark = pytest.mark.django_db


def test_ready_studies_can_be_opened_unchanged() -> None:
    owner = world.create_researcher()
    sizes = {}
    for key, file in ready.all_ready().items():
        if file.design.rates_only:  # It needs games: tests/study/test_several_systems.py.
            continue
        study = studies.create(owner, file.name, design=file.design)
        plan = study_plan.build_plan(study)
        sizes[key] = (len(plan.conditions), plan.games, plan.people)
        assert plan.requests == 0, "ready studies use the built-in players"
        studies.open(study)
        assert study.state == Study.OPEN
    assert sizes == {
        "who-is-human": (1, 8, 24),
        "humanized": (5, 40, 40),
        "helmsman-evaluation": (1, 40, 8),
        "helmsman-baseline": (1, 20, 4),
        "village-evaluation": (1, 12, 12),
        # Experiments, with the papers' numbers of games.
        "humanized-methods": (5, 500, 0),
        "humanized-personas": (4, 200, 0),
        "helmsman-models": (5, 150, 0),
        "helmsman-roles": (4, 120, 0),
        "contest-league-5": (1, 120, 0),
        "contest-league-13": (1, 13, 0),
        "contest-self": (2, 60, 0),
        "inducing": (6, 360, 0),
    }


def test_helmsman_studies_have_the_papers_settings() -> None:
    ruleset = rulesets.get("sheriff")
    presets = {preset.key: preset for preset in ruleset.presets}
    for key in ("evaluation", "baseline"):
        file, preset = ready.get(f"helmsman-{key}"), presets[f"human-{key}"]
        during = {
            "rate_people": file.design.during.confidence,
            "poll_people": file.design.during.polls,
        }
        settings = effective_settings(ruleset.settings, {**file.design.table.settings, **during})
        assert settings == effective_settings(ruleset.settings, preset.settings)
        assert file.design.table.people == preset.people
        assert file.design.assignment.games == preset.deals


def test_helmsman_models_play_in_the_papers_five_settings() -> None:
    """The model of the first level is replaced by another model."""
    ruleset = rulesets.get("sheriff")
    data = ready.get("helmsman-models").design.to_json()
    model = data["factors"][0]["levels"][0]["table"]
    data["factors"][0]["levels"][0]["table"] = json.loads(
        json.dumps(model).replace('"house"', '"openai"')
    )
    tables = {
        condition.levels["setting"]: condition.table
        for condition in build_conditions(Design.from_json(data))
    }
    presets = {preset.key: preset for preset in ruleset.presets if not preset.people}
    assert set(tables) == set(presets)
    for name, preset in presets.items():
        table, seat = tables[name], {preset.seat_setting: 1} if preset.seat_setting else {}
        expected = effective_settings(ruleset.settings, {**preset.settings, **seat})
        assert effective_settings(ruleset.settings, table.settings) == expected, name
        recipes = [Recipe.of(plan.recipe) for plan in build_seat_plans(table, "1", {})]
        players = [(recipe.backend, recipe.backends.get(OFFICE)) for recipe in recipes]
        other_backend = "openai" if preset.tested == "all" else "house"
        first_backend = "house" if preset.tested == "office" else "openai"
        assert players == [(first_backend, "openai"), *[(other_backend, "openai")] * 6], name


def test_ready_studies_ask_no_revealing_or_priming_questions() -> None:
    for key, file in ready.all_ready().items():
        if file.design.is_experiment or file.design.rates_only:
            continue
        stages = file.design.stages
        pairs = [(s.to_json()["kind"], n) for s in stages for n in getattr(s, "instruments", ())]
        game = next(n for n, s in enumerate(stages) if s.to_json()["kind"] == "game")
        chatbots = [n for n, s in enumerate(stages) if "chatbots" in getattr(s, "instruments", ())]
        assert chatbots, key
        assert min(chatbots) > game, key
        assert "engagement" not in {name for _kind, name in pairs}, "it is for raters"
        if key.startswith("helmsman"):
            assert ("interview", "interview") not in pairs
    interview = instruments.get("interview-known")
    assert not any("computer player" in item.question for item in interview.items)
    assert "chatbots" not in [item.key for item in instruments.get("background").items]
