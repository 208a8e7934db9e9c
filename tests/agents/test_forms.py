"""Prompts, schemas and parsing of model answers for each form of question."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from agents.decision import BackendError, Decision, Mind, Request
from agents.llm.json_objects import is_valid
from agents.llm.prompting import build_messages, template_name
from agents.llm.reply_parsing import parse_reply
from agents.llm.schemas import build_schema
from agents.recipe import Recipe
from agents.think import think
from game.engine import visibility
from game.engine.events import (
    ABSTAIN,
    NOTHING,
    PUBLIC,
    UNCERTAIN,
    Action,
    Audience,
    Event,
    Rating,
    only_seats,
    rate,
    say,
)
from game.engine.forms import Form, picking, rating, speech
from game.engine.seeded_random import SeededRandom
from game.engine.state import fold
from game.engine.windows import Window
from tests.agents.table import scripted_ask
from tests.two_days import TwoDays

NAMES = ["Ann", "Ben", "Cid", "Dot", "Eve"]
ROLES = ("villager", "werewolf")


def scene(
    kind: str, legal: Form, *events: Event, audience: Audience | None = PUBLIC, phase: str = "talk"
) -> Decision:
    """Return the decision of Ann, a Werewolf together with Ben, in a window of `kind`."""
    opened = {"ruleset": "two-days", "version": 1, "seats": NAMES, "settings": {}}
    log = [
        Event("game_opened", PUBLIC, opened),
        Event("role_dealt", only_seats(1), {"seat": 1, "role": "werewolf"}),
        Event("acquainted", only_seats(1, 2), {"role": "werewolf", "seats": [1, 2]}),
        Event("phase_opened", PUBLIC, {"phase": phase, "day": 1, "round": 0}),
        *events,
    ]
    now = fold(log).moment
    window = Window(
        f"{kind}.1.0", kind, (1,), legal, audience, PUBLIC, moment=now, default="nothing"
    )
    log.append(Event("window_opened", window.window_audience, window.to_json()))
    return Decision(
        TwoDays(),
        visibility.view_of(log, visibility.seat(1)),
        window,
        Mind(),
        SeededRandom("s"),
        None,
        frozenset(),
    )


def user_prompt(decision: Decision) -> str:
    return build_messages(Request(decision.window.kind, decision, {}))[0][1]["content"]


def parse(decision: Decision, answer: Any) -> dict[str, Any]:
    return dict(parse_reply(json.dumps(answer), Request(decision.window.kind, decision, {})))


def answer_schema(decision: Decision) -> dict[str, Any]:
    return build_schema(Request(decision.window.kind, decision, {}))


ANYONE = speech(30, to=range(1, 6))
SIDE = picking(["left", "right"])
RATING_FORM = rating(range(1, 5), ROLES)


# -- speech


def test_statement_can_be_addressed_if_the_rules_allow_it() -> None:
    decision = scene("statement", ANYONE)
    text = user_prompt(decision)
    assert 'name in "to" one of Ben, Cid, Dot, Eve, or "everyone"' in text
    assert text.endswith('{"statement": "…", "to": "…"}')
    assert answer_schema(decision)["properties"]["to"]["enum"] == [*NAMES[1:], "everyone"]
    assert parse(decision, {"statement": "Hi.", "to": "cid."}) == {"text": "Hi.", "to": 3}
    for nobody in ("everyone", "Everybody", "", None, "the table"):
        assert parse(decision, {"statement": "Hi.", "to": nobody}) == {"text": "Hi."}
    assert parse(decision, {"statement": "Hi."}) == {"text": "Hi."}
    for name in ("Ann", "Gandalf"):
        reply = parse(decision, {"statement": "Hi.", "to": name})
        assert reply == {"text": "Hi.", "unread": [f'"{name}" can\'t be spoken to']}


def test_prompt_omits_addressing_if_the_rules_forbid_it() -> None:
    decision = scene("statement", speech(30))
    assert '"to"' not in user_prompt(decision)
    assert list(answer_schema(decision)["properties"]) == ["statement"]
    assert parse(decision, {"statement": "Hi.", "to": "Cid"}) == {"text": "Hi."}


def test_addressee_becomes_part_of_the_action() -> None:
    ask, _ = scripted_ask({"text": "Hello there.", "to": 3})
    thought = think(Recipe(method="baseline"), scene("statement", ANYONE), ask)
    assert thought.answer.action == say("Hello there.", 3)


@pytest.mark.parametrize(
    ("kind", "audience", "phase", "question", "audience_text"),
    [
        (
            "statement",
            PUBLIC,
            "talk",
            "It is your turn to speak, day",
            "Everyone will hear what you say.",
        ),
        (
            "candidacy",
            PUBLIC,
            "election",
            "You stand for mayor.",
            "Everyone will hear what you say.",
        ),
        ("whisper", only_seats(1, 2), "night", "You whisper to", "Only the Werewolves hear this."),
        (
            "statement",
            only_seats(1, 2),
            "night",
            "It is your turn",
            "Only Ben will hear what you say.",
        ),
        ("statement", None, "night", "It is your turn", "Nobody else hears what you say."),
    ],
)
def test_speech_prompt_names_the_phase_and_the_audience(
    kind: str, audience: Audience | None, phase: str, question: str, audience_text: str
) -> None:
    decision = scene(kind, speech(30), audience=audience, phase=phase)
    assert template_name(Request(kind, decision, {})) == "statement"
    last = user_prompt(decision).split("\n")[-3]
    assert last.startswith(question)
    assert audience_text in last
    assert ("Everyone will hear what you say." in last) == (audience == PUBLIC)


def test_whispers_are_marked_as_private_in_prompts() -> None:
    def speech_event(seat: int, text: str, audience: Audience, target: int | None = None) -> Event:
        kind = "statement" if audience == PUBLIC else "whisper"
        data = {"window": f"{kind}.{seat}", "seat": seat, **say(text, target).to_json()}
        return Event(kind, audience, data)

    silent = {"window": "w", "seat": 2, "manner": "over"}
    decision = scene(
        "whisper",
        speech(30),
        speech_event(1, "Take Cid?", only_seats(1, 2)),
        speech_event(2, 'Yes." Ann says "no', only_seats(1, 2)),
        Event("whisper", only_seats(1, 2), silent),
        speech_event(3, "Well?", PUBLIC, 1),
        audience=only_seats(1, 2),
        phase="night",
    )
    for context in ("whole", "paper"):
        lines = user_prompt(replace(decision, context=context)).split("\n")
        assert lines[1:6] == [
            "-- Night 1",
            'You, to Ben alone, said "Take Cid?"',
            'Ben, to you alone, says "Yes.\\" Ann says \\"no"',
            "Ben, to you alone, has no more to say.",
            'Cid says to you "Well?"',
        ]
    text = build_messages(Request("whisper", decision, {}), omitted_turn_count=1)[0][1]["content"]
    assert "Take Cid?" not in text, "turns before the oldest shown turn are left out"


# -- choices


def test_word_options_are_chosen_by_label() -> None:
    decision = scene("first_side", SIDE)
    assert (
        "Choose on which side of you the talk begins. Choose one of: left, right."
        in user_prompt(decision)
    )
    assert answer_schema(decision)["properties"]["choice"]["enum"] == ["left", "right"]
    for choice in ("left", "Left", "on my left.", ["left"]):
        assert parse(decision, {"reason": "", "choice": choice})["targets"] == ["left"]
    for invalid in ("left or right", "up", "Ben", 7):
        with pytest.raises(BackendError, match="choose 1 of: left, right"):
            parse(decision, {"reason": "", "choice": invalid})


def test_abstention_is_offered_if_the_rules_allow_it() -> None:
    decision = scene(
        "election", picking([1, 3], allow_self=True, may_abstain=True), phase="election"
    )
    text = user_prompt(decision)
    visibility_text = "Everyone will see what you choose, and nothing else of your answer."
    assert f"{visibility_text} Choose who is to be mayor." in text
    assert "Choose one of: Ann, Cid. Ann is you. You may also choose nobody." in text
    assert answer_schema(decision)["properties"]["choice"]["enum"] == ["Ann", "Cid", "nobody"]
    ask, _ = scripted_ask(parse(decision, {"reason": "", "choice": "Nobody"}))
    assert think(Recipe(method="baseline"), decision, ask).answer.action == ABSTAIN


@pytest.mark.parametrize(
    ("audience", "phase", "audience_text"),
    [
        (only_seats(1), "night", "It is night, and nobody sees what you do."),
        (only_seats(1, 2), "night", "It is night, and only Ben will see what you do."),
        (None, "talk", "Nobody else sees your answer."),
        (only_seats(1, 2), "talk", "Only Ben will see your answer."),
        (PUBLIC, "talk", "Everyone will see what you choose, and nothing else of your answer."),
    ],
)
def test_choice_prompt_names_the_audience(
    audience: Audience | None, phase: str, audience_text: str
) -> None:
    decision = scene("attack", picking([3, 4]), audience=audience, phase=phase)
    assert f"{audience_text} Choose whom to kill" in user_prompt(decision)
    assert user_prompt(decision).endswith('{"reason": "…", "choice": "…"}')


# -- ratings


def test_ratings_are_requested_and_read_row_by_row() -> None:
    decision = scene("appraisal", RATING_FORM, audience=only_seats(1))
    text = user_prompt(decision)
    assert "You may rate: Ben, Cid, Dot." in text
    assert "one of Villager, Werewolf, Uncertain" in text
    assert "from 5 (a guess) to 10 (certain)" in text
    row = {"player": "Ben", "role": "Werewolf", "confidence": 10}
    answer = {"reason": "", "ratings": [row]}
    assert is_valid(answer, answer_schema(decision))
    assert not is_valid(
        {"reason": "", "ratings": [{**row, "player": "Eve"}]}, answer_schema(decision)
    )
    assert not is_valid(
        {"reason": "", "ratings": [{**row, "confidence": 4}]}, answer_schema(decision)
    )
    assert parse(decision, answer) == {"ratings": {"2": {"role": "werewolf", "confidence": 10}}}
    assert parse(decision, {"ratings": []}) == {"ratings": {}}
    by_name = {"ratings": {"Cid": {"role": "not sure", "confidence": "6/10"}}}
    assert parse(decision, by_name) == {"ratings": {"3": {"role": UNCERTAIN, "confidence": 6}}}


def test_unusable_rating_rows_are_dropped_and_noted() -> None:
    decision = scene("appraisal", RATING_FORM, audience=only_seats(1))
    rows = [
        {"player": "Ben", "role": "Villager", "confidence": 7},
        {"player": "Ben", "role": "Werewolf", "confidence": 9},
        {"player": "Cid", "role": "Seer", "confidence": 7},
        {"player": "Dot", "role": "Villager", "confidence": 11},
        {"player": "Eve", "role": "Villager", "confidence": 7},
        {"player": "Ann", "role": "Villager", "confidence": 7},
    ]
    reply = parse(decision, {"ratings": rows})
    assert reply["ratings"] == {"2": {"role": "villager", "confidence": 7}}
    assert reply["unread"] == [
        'Cid: "Seer" is no role of this game',
        "Dot: 11 is no score from 5 to 10",
        "Eve can't be rated",
        "a row on yourself",
    ]
    with pytest.raises(BackendError, match="no role of this game"):
        parse(decision, {"ratings": rows[2:3]})
    with pytest.raises(BackendError):
        parse(decision, {"answer": "Ben"})
    truncated = (
        '{"reason": "So", "ratings": [{"player": "Ben", "role": "Villager", "confidence": 7}, {"p'
    )
    partial = parse_reply(truncated, Request("appraisal", decision, {}))
    assert partial["ratings"] == {"2": {"role": "villager", "confidence": 7}}


def test_ratings_become_an_action_and_return_in_later_prompts() -> None:
    decision = scene("appraisal", RATING_FORM, audience=only_seats(1))
    ask, _ = scripted_ask({"ratings": {"2": {"role": "werewolf", "confidence": 10}}})
    action = think(Recipe(method="baseline"), decision, ask).answer.action
    assert action == rate(Rating(2, "werewolf", 10))
    data = {"window": "rating.0", "seat": 1, **action.to_json()}
    later = scene(
        "appraisal", RATING_FORM, Event("appraisal", only_seats(1), data), audience=only_seats(1)
    )
    assert "HOW YOU RATED THEM SO FAR\nBen: Werewolf, 10.\n" in user_prompt(later)


@pytest.mark.parametrize(
    ("kind", "legal", "illegal_reply", "error"),
    [
        ("first_side", SIDE, {"targets": ["up"]}, "choose exactly 1 of these: left, right"),
        (
            "appraisal",
            RATING_FORM,
            {"ratings": {"5": {"role": "villager", "confidence": 7}}},
            "give roles of this game to some of these: Ben, Cid, Dot, with a confidence from 5",
        ),
        ("whisper", speech(3), {"text": "one two three four"}, "at most 3 words"),
    ],
)
def test_illegal_answer_gets_one_repair_request_then_falls_back(
    kind: str, legal: Form, illegal_reply: dict[str, Any], error: str
) -> None:
    requests: list[Request] = []

    def ask(step: str, request: Request) -> dict[str, Any]:
        requests.append(request)
        return illegal_reply

    decision = scene(kind, legal)
    answer = think(Recipe(method="baseline"), decision, ask).answer
    assert answer == decision.window.fallback_for(1, decision.rng, "fallback:illegal")
    assert answer.action == NOTHING
    assert len(requests) == 2
    assert error in requests[1].brief["refused"]


def test_role_knowledge_appears_in_the_frame_only() -> None:
    system, user = (
        m["content"]
        for m in build_messages(Request("first_side", scene("first_side", SIDE), {}))[0]
    )
    assert "Your goal: Outlive the two days. You know the other Werewolf: Ben.\n" in system
    assert "You know the other" not in user


def test_pass_is_offered_if_the_rules_allow_it() -> None:
    may_pass = scene("statement", speech(30, may_skip=True, may_over=True))
    assert 'If you speak, "pass" is "no". To say nothing, leave "statement" empty' in user_prompt(
        may_pass
    )
    assert 'set "pass" to "skip" to be silent this time only or to "over" to be' in user_prompt(
        may_pass
    )
    assert user_prompt(may_pass).endswith('{"statement": "…", "pass": "no"}')
    assert answer_schema(may_pass)["properties"]["pass"]["enum"] == ["no", "skip", "over"]
    assert parse(may_pass, {"statement": "Hi.", "pass": "no"}) == {"text": "Hi."}
    assert parse(may_pass, {"statement": "", "pass": "Over"}) == {"pass": "over"}
    ask, _ = scripted_ask({"pass": "over"})
    assert think(Recipe(method="baseline"), may_pass, ask).answer.action == Action("over")
    must_speak = scene("statement", speech(30))
    assert "pass" not in answer_schema(must_speak)["properties"]
    assert "you may pass" not in user_prompt(must_speak)
    assert parse(must_speak, {"statement": "Hi.", "pass": "over"}) == {"text": "Hi."}
