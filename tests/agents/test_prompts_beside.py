"""What a study asks people beside the game is in no computer player's prompt."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agents.decision import Decision, Request
from agents.llm.prompting import messages
from agents.llm.schemas import schema_of
from agents.mind import Mind
from game.engine import rulesets, visibility
from game.engine.forms import Action, Pick
from game.engine.ruleset import Ruleset
from game.engine.seeded_random import SeededRandom
from game.engine.windows import Window
from tests.engine.playing import drawing_hand, play

CONTEXTS = ("whole", "paper", "evidence")
PERSON = 2
WHY = "Their story changed."


def prompts(ruleset: Ruleset, settings: dict[str, Any]) -> dict[tuple[str, int, str], Any]:
    """(window, seat, context) -> what each player is asked in a game with a person."""
    by_lot = drawing_hand("3")

    def hand(window: Window, seat: int) -> Action:
        action = by_lot(window, seat)
        why = isinstance(window.legal, Pick) and window.legal.why and seat == PERSON
        return replace(action, text=WHY) if why else action

    log, found = play(ruleset, "3", hand, settings, [PERSON]).log, {}
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
                found[window.key, seat, context] = messages(request), schema_of(request)
    return found


@pytest.mark.parametrize("name", rulesets.names())
def test_prompts_are_the_same_with_it_and_without(name: str) -> None:
    ruleset = rulesets.get(name)
    without = prompts(ruleset, {})
    asked = prompts(ruleset, {"rate_people": True, "ask_why": True})
    assert without
    assert asked == without
    assert WHY not in str(asked)
