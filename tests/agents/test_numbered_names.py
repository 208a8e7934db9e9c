"""Spellings of the names player_1 to player_13 in model answers and statements."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.decision import BackendError, Decision, Mind, Request
from agents.llm.reply_parsing import parse_reply
from agents.llm.row_parsing import parse_seat
from agents.llm.statement_checks import find_speech_error, repair_statement
from agents.recipe import Recipe
from agents.think import think
from game.engine import rulesets, visibility
from game.engine.events import ABSTAIN, PUBLIC, Event, only_seats
from game.engine.forms import Form, picking, speech
from game.engine.seeded_random import SeededRandom
from game.engine.state import fold
from game.engine.windows import Window
from tests.agents.speech import prompt_of
from tests.agents.table import log_of, scene_of, scripted_ask

SEATS = [f"player_{number}" for number in range(1, 14)]
VOTE = picking(range(1, 14), allow_self=True, may_abstain=True)
SIDE = picking(["left", "right"])


def scene(kind: str, legal: Form, phase: str = "vote", seats: list[str] = SEATS) -> Decision:
    """Return the decision of seat 1, a Werewolf, in a window of the Sheriff game."""
    opened = {"ruleset": "sheriff", "version": 1, "seats": seats, "settings": {}}
    log = [
        Event("game_opened", PUBLIC, opened),
        Event("role_dealt", only_seats(1), {"seat": 1, "role": "werewolf"}),
        Event("phase_opened", PUBLIC, {"phase": phase, "day": 1, "round": 0}),
    ]
    window = Window(f"{kind}.1.0", kind, (1,), legal, PUBLIC, PUBLIC, moment=fold(log).moment)
    log.append(Event("window_opened", PUBLIC, window.to_json()))
    view = visibility.view_of(log, visibility.seat(1))
    return Decision(rulesets.get("sheriff"), view, window, Mind(), SeededRandom("s"))


def parse(decision: Decision, answer: Any) -> dict[str, Any]:
    return dict(parse_reply(json.dumps(answer), Request(decision.window.kind, decision, {})))


@pytest.mark.parametrize(
    ("name", "seat"),
    [
        *((name, 3) for name in ("player_3", "Player 3", "player3", "PLAYER-3.", "Player #3")),
        *((name, 3) for name in ("3", 3, "#3", "No. 3", "seat 3", ["player 3"])),
        *((name, 1) for name in ("player_1", "Player 1 (Seer)", "I vote for player 1.")),
        *((name, 10) for name in ("player_10", "Player 10", 10)),
        *((name, None) for name in ("player_1 or player_10", "player_14", 14, 0, True, "", None)),
    ],
)
def test_player_is_recognized_by_number(name: Any, seat: int | None) -> None:
    assert parse_seat(name, scene("vote", VOTE)) == seat


def test_number_matches_no_player_if_names_are_not_numbered() -> None:
    assert parse_seat(3, scene_of(log_of({1: "seer"}), 1)) is None
    assert parse_seat("2", scene("vote", VOTE, seats=["Ann1", "Ben2", *SEATS[2:]])) is None


@pytest.mark.parametrize(
    "choice",
    [
        "nobody",
        "Nobody.",
        "abstain",
        "I abstain",
        "Abstention",
        "no one",
        "No-one",
        "none",
        None,
        "None of them",
        "pass",
        "Skip",
        "vote for nobody",
        ["nobody"],
    ],
)
def test_many_spellings_of_abstention_are_accepted(choice: Any) -> None:
    decision = scene("vote", VOTE)
    reply = parse(decision, {"reason": "So.", "choice": choice})
    decision = scene("vote", VOTE, seats=SEATS[:7])  # all seats of the Sheriff game
    ask, steps = scripted_ask(reply)
    assert think(Recipe(method="baseline"), decision, ask).answer.action == ABSTAIN
    assert len(steps) == 1
    with pytest.raises(BackendError):
        parse(scene("attack", picking(range(1, 14))), {"choice": choice})


def test_player_named_skip_can_be_voted_for() -> None:
    decision = scene("vote", VOTE, seats=["Ann", "Skip", *SEATS[2:]])
    assert parse(decision, {"choice": "Skip"})["targets"] == [2]


@pytest.mark.parametrize("answer", [{"reason": "So."}, {"choice": ""}, {"choices": []}])
def test_answer_without_choice_is_not_an_abstention(answer: dict[str, Any]) -> None:
    with pytest.raises(BackendError, match="player_13 or nobody"):
        parse(scene("vote", VOTE), answer)


def test_sides_are_recognized_by_word() -> None:
    decision = scene("first_side", SIDE, "talk")
    for choice in ("left", "LEFT.", "on my left", "left (player_13)", "The player on my left"):
        assert parse(decision, {"choice": choice})["targets"] == ["left"]
    for invalid in ("player_2", "left or right", "", 1):
        with pytest.raises(BackendError, match="left, right"):
            parse(decision, {"choice": invalid})


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("player_1: I trust player_10.", "I trust player_10."),
        ("Player 1: I trust Player 10.", "I trust Player 10."),
        ("Player 1 (Villager): Hello.", "Hello."),
        ("Player 3: why did you vote for me?", "Player 3: why did you vote for me?"),
        ("player_13: why did you vote for me?", "player_13: why did you vote for me?"),
        (
            "Summary:\n- player_2: claimed Guard\n- player_4: claimed Seer\nI vote player_4.",
            "Summary: player_2: claimed Guard. player_4: claimed Seer. I vote player_4.",
        ),
    ],
)
def test_own_name_prefix_is_removed_and_others_may_be_addressed(text: str, repaired: str) -> None:
    decision = scene("statement", speech(120), "talk")
    assert repair_statement(text, decision) == (repaired, [])
    assert find_speech_error(repaired, decision, prompt_of(Request("statement", decision))) == ""


@pytest.mark.parametrize(
    "text",
    [
        "player_10: I am the Guard.",
        "Player 10: I am the Guard.",
        "Player 1 sighs.",
        "I doubt player 3. Player 4: I am the Seer, trust me.",
    ],
)
def test_speaking_for_a_player_with_a_similar_name_is_rejected(text: str) -> None:
    decision = scene("statement", speech(120), "talk")
    repaired, _ = repair_statement(text, decision)
    assert find_speech_error(repaired, decision, prompt_of(Request("statement", decision)))
