"""Context of a request: the whole talk, or the excerpt that the paper uses."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from agents.decision import Decision, Request
from agents.llm.prompting import build_messages
from agents.personas.big_five import Persona
from agents.quotation import quote_text
from agents.recipe import BadRecipe, Recipe
from game.engine import visibility
from game.engine.text_checks import count_words
from tests.agents.one_night_prompts import build_log, build_request, build_user_prompt
from tests.agents.table import PlayedGame, play, scene_of


def play_long_game() -> PlayedGame:
    """Play a game of house players in which every statement has the maximum length."""
    played = play("context/1", keep=True)
    filler = [
        "and",
        "then",
        "again",
        "nobody",
        "here",
        "could",
        "honestly",
        "tell",
        "the",
        "others",
        "where",
        "they",
        "stood",
    ]

    def lengthen(text: str) -> str:
        words = text.split()
        while len(words) < 120:
            words.append(filler[len(words) % len(filler)])
        return " ".join(words)

    log = [
        replace(e, data={**e.data, "text": lengthen(e["text"])}) if e.data.get("text") else e
        for e in played.log
    ]
    assert all(count_words(e["text"]) == 120 for e in log if e.data.get("text"))
    return replace(played, log=log)


@pytest.fixture(scope="module")
def long_game() -> PlayedGame:
    return play_long_game()


def last_statement(played: PlayedGame, context: str) -> tuple[Decision, dict[str, Any]]:
    """Return the last statement decision of the last seat, with a brief of maximum length."""
    decision = [s for s, _ in played.decisions if s.window.kind == "statement"][-1]
    assert decision.seat == 8
    count = sum(1 for e in played.log if e.kind == "window_opened" and e["kind"] == "statement")
    assert count == 24
    opened = next(i for i, e in enumerate(played.log) if e.data.get("key") == decision.window.key)
    view = visibility.view_of(played.log[: opened + 1], visibility.seat(8))
    return replace(decision, view=view, context=context), brief_of(decision)


OTHERS = (1, 2, 3, 4, 5, 6, 7, 9, 10, 11)  # ten turns of seats other than the last


def brief_of(decision: Decision) -> dict[str, Any]:
    """Return the brief of a full agent's statement at maximum length."""
    other_seats = [s for s in range(1, 9) if s != decision.seat]
    plan = " ".join(["deliberately"] * 80)
    top = [["villager", 0.5], ["werewolf", 0.4]]
    row = {"role": "villager", "side": "teammate", "top": top, "share": 0.5}
    return {
        "memory": {"memory": [{"turn": t, "speaker": 0, "text": ""} for t in OTHERS]},
        "favor": {
            "levels": {str(s): 1 for s in other_seats},
            "reason": " ".join(["because"] * 40),
        },
        "strategy": {
            "plan": plan,
            "list": {str(s): row for s in other_seats},
        },
    }


def test_paper_context_of_the_last_statement_is_short(long_game: PlayedGame) -> None:
    """Four characters count as a token, because no tokenizer is available offline."""
    tokens = {}
    extreme = {"O": 7, "C": 1, "E": 7, "A": 1, "N": 7}
    persona = Persona(extreme, "long")
    for context in ("paper", "whole"):
        decision, brief = last_statement(long_game, context)
        decision = replace(decision, persona=persona)
        request_messages = build_messages(Request("statement", decision, brief))[0]
        tokens[context] = sum(len(m["content"]) for m in request_messages) / 4
    assert tokens["paper"] < 3_500, tokens
    assert tokens["whole"] > 5_000, tokens


def test_paper_context_holds_two_rounds_and_memories(long_game: PlayedGame) -> None:
    decision, brief = last_statement(long_game, "paper")
    prompt = build_user_prompt(decision, "statement", brief)
    lines = [line for line in prompt.split("\n") if re.match(r"(\w+ says|You said) \"", line)]
    assert len(lines) == 15, "the last round and this one so far"
    assert "-- Round 1 (its talk is left out here)\n-- Round 2\n" in prompt
    recalled = prompt[prompt.index("WHAT COMES BACK") :]
    turns_above = "in round 2 Alpha, Beta, Gamma."
    assert len(re.findall(r"^\w+ in round 1: \"", recalled, re.M)) == 7, (
        "seven remembered statements"
    )
    assert f"Of the lines above, think first of: {turns_above}" in recalled
    looks = [e for e in decision.view.events if e.kind == "divined"]
    assert len(looks) == ("Only you know" in prompt), "own knowledge is never left out"
    seventh_lines = [line for line in lines if line.startswith("Zeta says")]
    assert len(seventh_lines) == 2
    assert len(seventh_lines[1]) > 600, "statements of this round are not shortened"


def test_whole_context_holds_all_and_marks_memories(long_game: PlayedGame) -> None:
    decision, brief = last_statement(long_game, "whole")
    prompt = build_user_prompt(decision, "statement", brief)
    for event in decision.view.events:
        if event.data.get("text"):
            assert prompt.count(quote_text(event["text"])) == 1, "each statement appears once"
    assert "Of the lines above, think first of: in round 1 Alpha, Beta" in prompt


def test_talk_of_a_prompt_extends_the_previous_one() -> None:
    played = play("prefix/1", keep=True, method="baseline")
    before: dict[int, str] = {}
    for decision, _ in played.decisions:
        prompt = build_user_prompt(decision, decision.window.kind, {})
        talk = prompt[: prompt.index("\n\n")]
        assert talk.startswith(before.get(decision.seat, "").removesuffix("Nothing yet."))
        before[decision.seat] = talk


@pytest.mark.parametrize("context", ["whole", "paper"])
def test_oldest_turns_can_be_left_out(context: str) -> None:
    statements = [(s, f"These are the words number {s}.") for s in range(1, 8)]
    decision = replace(scene_of(build_log(*statements), 8), context=context)
    brief = {"memory": {"memory": [{"turn": t, "speaker": t, "text": ""} for t in range(1, 8)]}}
    sizes = []
    for left_out in range(8):
        messages = build_messages(
            build_request(decision, "statement", brief), omitted_turn_count=left_out
        )[0]
        prompt = messages[1]["content"]
        assert [f"number {s}." in prompt for s in range(1, 8)] == [
            s > left_out for s in range(1, 8)
        ]
        assert ("(some of its talk is left out here)" in prompt) == (0 < left_out < 7)
        assert ("(its talk is left out here)" in prompt) == (left_out == 7)
        sizes.append(len(prompt))
    assert sizes[1:] == sorted(sizes[1:], reverse=True)


def test_recipe_keeps_its_context() -> None:
    for context in ("whole", "paper"):
        recipe = Recipe(context=context)
        assert Recipe.of(recipe.data()) == recipe
    assert Recipe.of({}).context == "whole"
    with pytest.raises(BadRecipe, match="whole, paper"):
        Recipe(context="half")
