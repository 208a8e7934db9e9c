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

PERSON = 2
WHY = "Their story changed."


def prompts(ruleset: Ruleset, settings: dict[str, Any], context: str) -> dict[tuple[str, int], Any]:
    """(window, seat) -> what each computer player is asked in a game with a person."""
    by_lot = drawing_hand("3")

    def hand(window: Window, seat: int) -> Action:
        action = by_lot(window, seat)
        why = isinstance(window.legal, Pick) and window.legal.why and seat == PERSON
        return replace(action, text=WHY) if why else action

    log, found = play(ruleset, "3", hand, settings, [PERSON]).log, {}
    for at, event in enumerate(log, 1):
        for seat in event["seats"] if event.kind == "window_opened" else ():
            if event["asks"] == "people" or seat == PERSON:
                continue
            view = visibility.view_of(log[:at], visibility.seat(seat))
            window = visibility.view_of(log[:at], visibility.MODERATOR).state.windows[event["key"]]
            decision = Decision(ruleset, view, window, Mind(), SeededRandom("3"), context=context)
            request = Request(window.kind, decision, {})
            found[window.key, seat] = messages(request), schema_of(request)
    return found


@pytest.mark.parametrize("context", ["whole", "paper", "evidence"])
@pytest.mark.parametrize("name", rulesets.names())
def test_prompts_are_the_same_with_it_and_without(name: str, context: str) -> None:
    ruleset = rulesets.get(name)
    without = prompts(ruleset, {}, context)
    asked = prompts(ruleset, {"rate_people": True, "ask_why": True}, context)
    assert without
    assert asked == without
    assert WHY not in str(asked)
