"""Side questions of a study to people do not change the prompts of agents."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agents.decision import Decision, Mind, Request
from agents.llm.prompting import build_messages
from agents.llm.schemas import build_schema
from game.engine import rulesets, visibility
from game.engine.events import Action
from game.engine.forms import Pick
from game.engine.ruleset import Ruleset
from game.engine.seeded_random import SeededRandom
from game.engine.windows import Window
from tests.engine.playing import FEW_STATEMENTS, drawing_hand, play

CONTEXTS = ("whole", "paper", "evidence")
PERSON = 2
WHY = "Their story changed."


def prompts(ruleset: Ruleset, settings: dict[str, Any]) -> dict[tuple[str, int, str], Any]:
    """Map (window, seat, context) to the prompt of each agent in a game with one person."""
    random_hand = drawing_hand("3")

    def hand(window: Window, seat: int) -> Action:
        action = random_hand(window, seat)
        has_reason = (
            isinstance(window.legal, Pick) and window.legal.max_reason_words and seat == PERSON
        )
        return replace(action, text=WHY) if has_reason else action

    log, prompts_by_window = play(ruleset, "3", hand, settings, [PERSON]).log, {}
    for at, event in enumerate(log, 1):
        if event.kind != "window_opened" or event["asks"] == "people":
            continue
        window = visibility.view_of(log[:at], visibility.MODERATOR).state.windows[event["key"]]
        for seat in {*event["seats"]} - {PERSON}:
            view = visibility.view_of(log[:at], visibility.seat(seat))
            for context in CONTEXTS:
                random = SeededRandom("3")
                decision = Decision(ruleset, view, window, Mind(), random, context=context)
                request = Request(window.kind, decision, {})
                prompts_by_window[window.key, seat, context] = (
                    build_messages(request),
                    build_schema(request),
                )
    return prompts_by_window


@pytest.mark.parametrize("name", rulesets.names())
def test_prompts_are_the_same_with_and_without_side_questions(name: str) -> None:
    ruleset = rulesets.get(name)
    few = FEW_STATEMENTS.get(name, {})
    without = prompts(ruleset, few)
    with_questions = prompts(ruleset, {**few, "rate_people": True, "ask_why": True})
    assert without
    assert with_questions == without
    assert WHY not in str(with_questions)
