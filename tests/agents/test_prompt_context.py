"""How much of the talk a request holds: all of it, or what the paper feeds in."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from agents.decision import Decision, Request
from agents.llm.prompting import messages
from agents.llm.quoting import quoted
from agents.personas.big_five import Persona
from agents.recipe import Recipe, UnknownContext
from game.engine import visibility
from game.engine.text_checks import count_words
from tests.agents.asked import request, table, user
from tests.agents.table import Played, play, scene_of


def chatter() -> Played:
    """A game of house players, every statement made as long as it may be."""
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

    def longer(text: str) -> str:
        words = text.split()
        while len(words) < 120:
            words.append(filler[len(words) % len(filler)])
        return " ".join(words)

    log = [
        replace(e, data={**e.data, "text": longer(e["text"])}) if e.data.get("text") else e
        for e in played.log
    ]
    assert all(count_words(e["text"]) == 120 for e in log if e.data.get("text"))
    return replace(played, log=log)


@pytest.fixture(scope="module")
def long() -> Played:
    return chatter()


def last_statement(played: Played, context: str) -> tuple[Decision, dict[str, Any]]:
    """The last seat's last turn, with the brief it was thought over with, at full length."""
    found = [s for s, _ in played.decisions if s.window.kind == "statement"][-1]
    assert found.seat == 8
    count = sum(1 for e in played.log if e.kind == "window_opened" and e["kind"] == "statement")
    assert count == 24
    opened = next(i for i, e in enumerate(played.log) if e.data.get("key") == found.window.key)
    view = visibility.view_of(played.log[: opened + 1], visibility.seat(8))
    return replace(found, view=view, context=context), brief_of(found)


OTHERS = (1, 2, 3, 4, 5, 6, 7, 9, 10, 11)  # ten turns of others than the last seat's


def brief_of(found: Decision) -> dict[str, Any]:
    """Everything a full agent's statement is told of, as long as it gets."""
    others = [s for s in range(1, 9) if s != found.seat]
    plan = " ".join(["deliberately"] * 80)
    top = [["villager", 0.5], ["werewolf", 0.4]]
    row = {"role": "villager", "side": "teammate", "top": top, "share": 0.5}
    return {
        "memory": {"memory": [{"turn": t, "speaker": 0, "text": ""} for t in OTHERS]},
        "favor": {
            "levels": {str(s): 1 for s in others},
            "reason": " ".join(["because"] * 40),
        },
        "strategy": {
            "plan": plan,
            "list": {str(s): row for s in others},
        },
    }


def test_a_last_statement_in_the_papers_context_is_short(long: Played) -> None:
    """Four characters count as a token: no tokenizer's table is at hand without a network."""
    asked = {}
    extreme = {"O": 7, "C": 1, "E": 7, "A": 1, "N": 7}
    who = Persona(extreme, "long")
    for context in ("paper", "whole"):
        found, brief = last_statement(long, context)
        found = replace(found, persona=who)
        told = messages(Request("statement", found, brief))[0]
        asked[context] = sum(len(m["content"]) for m in told) / 4
    assert asked["paper"] < 3_500, asked
    assert asked["whole"] > 5_000, asked


def test_the_papers_context_holds_two_rounds_and_what_memory_brings(long: Played) -> None:
    found, brief = last_statement(long, "paper")
    told = user(found, "statement", brief)
    lines = [line for line in told.split("\n") if re.match(r"(\w+ says|You said) \"", line)]
    assert len(lines) == 15, "the last round and this one so far"
    assert "-- Round 1 (its talk is left out here)\n-- Round 2\n" in told
    recalled = told[told.index("WHAT COMES BACK") :]
    shown = "in round 2 Alpha, Beta, Gamma."
    assert len(re.findall(r"^\w+ in round 1: \"", recalled, re.M)) == 7, "seven others' words"
    assert f"Of the lines above, think first of: {shown}" in recalled
    looked = [e for e in found.view.events if e.kind == "divined"]
    assert len(looked) == ("Only you know" in told), "what one learned is never left out"
    mine = [line for line in lines if line.startswith("Zeta says")]
    assert len(mine) == 2
    assert len(mine[1]) > 600, "this round's words stand whole"


def test_the_whole_context_holds_all_and_marks_what_matters(long: Played) -> None:
    found, brief = last_statement(long, "whole")
    told = user(found, "statement", brief)
    for event in found.view.events:
        if event.data.get("text"):
            assert told.count(quoted(event["text"])) == 1, "told once"
    assert "Of the lines above, think first of: in round 1 Alpha, Beta" in told


def test_the_talk_of_a_prompt_begins_as_the_one_before_it_did() -> None:
    played = play("prefix/1", keep=True, method="baseline")
    before: dict[int, str] = {}
    for found, _ in played.decisions:
        told = user(found, found.window.kind, {})
        talk = told[: told.index("\n\n")]
        assert talk.startswith(before.get(found.seat, "").removesuffix("Nothing yet."))
        before[found.seat] = talk


@pytest.mark.parametrize("context", ["whole", "paper"])
def test_the_oldest_turns_can_be_left_out_everywhere(context: str) -> None:
    said = [(s, f"These are the words number {s}.") for s in range(1, 8)]
    found = replace(scene_of(table(*said), 8), context=context)
    brief = {"memory": {"memory": [{"turn": t, "speaker": t, "text": ""} for t in range(1, 8)]}}
    sizes = []
    for out in range(8):
        told = messages(request(found, "statement", brief), leave_out=out)[0][1]["content"]
        assert [f"number {s}." in told for s in range(1, 8)] == [s > out for s in range(1, 8)]
        assert ("(some of its talk is left out here)" in told) == (0 < out < 7)
        assert ("(its talk is left out here)" in told) == (out == 7)
        sizes.append(len(told))
    assert sizes[1:] == sorted(sizes[1:], reverse=True)


def test_a_recipe_keeps_its_context() -> None:
    for context in ("whole", "paper"):
        recipe = Recipe(context=context)
        assert Recipe.of(recipe.data()) == recipe
    assert Recipe.of({}).context == "whole"
    with pytest.raises(UnknownContext, match="whole, paper"):
        Recipe(context="half")
