"""Consistency and secrecy of house players in whole contest games.

This file plays a few games; `python -m tests.bench consistency` plays two hundred.
"""

from __future__ import annotations

import pytest

from agents.packs import pack_of
from agents.talk.dialogue import Dialogue
from agents.talk.whispers import read_whispers
from game.engine import rulesets
from game.engine.events import say
from game.engine.text_checks import count_characters
from game.engine.visibility import View
from game.engine.windows import Answer, Window
from tests.agents.stories import find_impossible_claims, read_statements
from tests.agents.table import PlayedGame, play
from tests.engine.playing import FEW_STATEMENTS

SMALL = 14  # games of five seats, in addition to one of thirteen
# What every Werewolf whispers in the game of thirteen.
CANARY = "The purple heron lands at midnight"


@pytest.fixture(scope="module")
def village() -> PlayedGame:
    """A game of thirteen seats with all decisions. Its whispers name seats and plans."""

    def person(view: View, window: Window) -> Answer | None:
        plans = f"Kill {view.name(9)}, spare {view.name(10)}. I'll claim Bodyguard, and report that"
        words = f"{CANARY} on {view.name(9)}. {plans} {view.name(11)} is a Werewolf."
        return Answer(say(words)) if window.kind == "whisper" else None

    few = FEW_STATEMENTS["aiwolf-13"]
    return play("contest/0", "aiwolf-13", person=person, keep=True, settings=few)


@pytest.fixture(scope="module")
def games(village: PlayedGame) -> list[PlayedGame]:
    return [village, *(play(f"village/{i}", "aiwolf-5") for i in range(SMALL))]


def test_possessed_tells_a_consistent_story(games: list[PlayedGame]) -> None:
    errors = [fault for game in games for fault in find_impossible_claims(game)]
    assert not errors, "\n".join(errors)


def test_medium_reports_every_result_and_seer_every_werewolf(games: list[PlayedGame]) -> None:
    learned, reported = 0, 0
    for game in games:
        for number, event in enumerate(game.log):
            found_werewolf = event.kind == "divined" and event["species"] == "werewolf"
            if not found_werewolf and event.kind != "identified":
                continue
            result = event["seat"], tuple(event["targets"]), event["species"]
            after = {id(e) for e in game.log[number:]}
            later = [
                s
                for s in read_statements(game)
                if s[0]["seat"] == event["seat"] and id(s[0]) in after
            ]
            if not later:
                continue
            today = [acts for _event, state, acts in later if state.day == later[0][1].day]
            learned += 1
            reported += any(
                (a.speaker, a.targets, a.value) == result
                for acts in today
                for a in acts
                if a.kind == "report"
            )
    assert learned >= 3
    assert reported >= 0.9 * learned


def test_at_most_one_werewolf_claims_seer_or_medium(games: list[PlayedGame]) -> None:
    for game in games:
        posing = {
            act.speaker
            for _event, _state, acts in read_statements(game)
            for act in acts
            if act.kind in ("claim", "report") and act.role in ("seer", "medium")
        }
        assert sum(game.roles[s] == "werewolf" for s in posing) < 2


def test_last_werewolf_and_possessed_cooperate_among_three(games: list[PlayedGame]) -> None:
    cooperations = 0
    for game in games:
        last = max(day for day, _vote, _living in game.votes)
        both = {
            act.speaker
            for _event, state, acts in read_statements(game)
            for act in acts
            if act.kind == "claim" and act.role == game.roles[act.speaker] and state.day == last
            if act.role in ("werewolf", "possessed") and len(state.living()) == 3
        }
        if len(both) == 2:
            cooperations += 1
            votes = {
                tuple(v["targets"]) for day, v, _ in game.votes if day == last and v["seat"] in both
            }
            assert len(votes) == 1
            assert game.winner == "werewolf"
    assert cooperations > 1


def test_whispers_do_not_leak_to_other_roles(village: PlayedGame) -> None:
    """Only Werewolves see, say or plan anything from a whisper."""
    wolves = {s for s, role in village.roles.items() if role == "werewolf"}
    pack = pack_of(rulesets.get("aiwolf-13"))
    assert any(CANARY in e.data.get("text", "") for e in village.log)
    last = {decision.seat: decision for decision, _thought in village.decisions}
    for decision in last.values():  # a seat's last view contains its earlier ones
        visible = repr([*decision.view.events, decision.view.turns])
        assert (decision.seat in wolves) or CANARY not in visible
        assert (decision.seat in wolves) or not read_whispers(decision.view, pack)
        assert not list(Dialogue.of(decision.view, pack).acts("prey", "spare"))
    for decision, thought in village.decisions:
        assert (decision.seat in wolves) or CANARY not in repr(decision.mind)
        assert "heron" not in thought.answer.action.text + repr(thought.notes)


def test_statements_fit_the_character_limit() -> None:
    rules = rulesets.get("aiwolf-5")
    preset = next(p for p in rules.presets if p.key == "contest")
    for number in range(2):
        game = play(f"cut/{number}", "aiwolf-5", settings=preset.settings)
        assert not [e.labels for e in game.log if e.labels]
        assert max(count_characters(text) for _seat, text in game.statements) <= 125
