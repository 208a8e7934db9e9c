"""What a model's answer may look like, by the form of the question: asked, read, put right."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from agents.decision import BackendError, Decision, Request
from agents.llm.json_objects import is_valid
from agents.llm.prompting import messages, template_of
from agents.llm.reply_parsing import reply_of
from agents.llm.schemas import schema_of
from agents.mind import Mind
from agents.recipe import Recipe
from agents.think import think
from game.engine import visibility
from game.engine.events import PUBLIC, Audience, Event, to
from game.engine.forms import (
    ABSTAIN,
    NOTHING,
    UNCERTAIN,
    Action,
    Form,
    Rating,
    picking,
    rate,
    rating,
    say,
    speech,
)
from game.engine.seeded_random import SeededRandom
from game.engine.state import fold
from game.engine.windows import Window
from tests.agents.table import asking
from tests.two_days import TwoDays

NAMES = ["Ann", "Ben", "Cid", "Dot", "Eve"]
ROLES = ("villager", "werewolf")


def before(
    kind: str, legal: Form, *events: Event, hears: Audience | None = PUBLIC, phase: str = "talk"
) -> Decision:
    """Ann, a Werewolf with Ben, before a window."""
    opened = {"ruleset": "two-days", "version": 1, "seats": NAMES, "settings": {}}
    log = [
        Event("game_opened", PUBLIC, opened),
        Event("role_dealt", to(1), {"seat": 1, "role": "werewolf"}),
        Event("acquainted", to(1, 2), {"role": "werewolf", "seats": [1, 2]}),
        Event("phase_opened", PUBLIC, {"phase": phase, "day": 1, "round": 0}),
        *events,
    ]
    now = fold(log).moment
    window = Window(f"{kind}.1.0", kind, (1,), legal, hears, PUBLIC, moment=now, default="nothing")
    log.append(Event("window_opened", window.window_audience, window.data()))
    return Decision(
        TwoDays(),
        visibility.view_of(log, visibility.seat(1)),
        window,
        Mind(),
        SeededRandom("s"),
        None,
        frozenset(),
    )


def asked(decision: Decision) -> str:
    return messages(Request(decision.window.kind, decision, {}))[0][1]["content"]


def read(decision: Decision, answer: Any) -> dict[str, Any]:
    return dict(reply_of(json.dumps(answer), Request(decision.window.kind, decision, {})))


def schema(decision: Decision) -> dict[str, Any]:
    return schema_of(Request(decision.window.kind, decision, {}))


ANYONE = speech(30, to=range(1, 6))
SIDE = picking(["left", "right"])
RATED = rating(range(1, 5), ROLES)


# -- words


def test_a_statement_may_be_addressed_where_the_rules_say_so() -> None:
    decision = before("statement", ANYONE)
    text = asked(decision)
    assert 'name in "to" one of Ben, Cid, Dot, Eve, or "everyone"' in text
    assert text.endswith('{"statement": "…", "to": "…"}')
    assert schema(decision)["properties"]["to"]["enum"] == [*NAMES[1:], "everyone"]
    assert read(decision, {"statement": "Hi.", "to": "cid."}) == {"text": "Hi.", "to": 3}
    for nobody in ("everyone", "Everybody", "", None, "the table"):
        assert read(decision, {"statement": "Hi.", "to": nobody}) == {"text": "Hi."}
    assert read(decision, {"statement": "Hi."}) == {"text": "Hi."}
    for wrong in ("Ann", "Gandalf"):
        found = read(decision, {"statement": "Hi.", "to": wrong})
        assert found == {"text": "Hi.", "unread": [f'"{wrong}" can\'t be spoken to']}


def test_where_nobody_may_be_addressed_nothing_is_said_of_it() -> None:
    decision = before("statement", speech(30))
    assert '"to"' not in asked(decision)
    assert list(schema(decision)["properties"]) == ["statement"]
    assert read(decision, {"statement": "Hi.", "to": "Cid"}) == {"text": "Hi."}


def test_whom_a_statement_addressed_becomes_part_of_the_action() -> None:
    ask, _ = asking({"text": "Hello there.", "to": 3})
    thought = think(Recipe(method="baseline"), before("statement", ANYONE), ask)
    assert thought.answer.action == say("Hello there.", 3)


@pytest.mark.parametrize(
    ("kind", "hears", "phase", "question", "who"),
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
        ("whisper", to(1, 2), "night", "You whisper to", "Only the Werewolves hear this."),
        ("statement", to(1, 2), "night", "It is your turn", "Only Ben will hear what you say."),
        ("statement", None, "night", "It is your turn", "Nobody else hears what you say."),
    ],
)
def test_a_speech_in_any_phase_has_its_own_question_and_says_who_hears(
    kind: str, hears: Audience | None, phase: str, question: str, who: str
) -> None:
    decision = before(kind, speech(30), hears=hears, phase=phase)
    assert template_of(Request(kind, decision, {})) == "statement"
    last = asked(decision).split("\n")[-3]
    assert last.startswith(question)
    assert who in last
    assert ("Everyone will hear what you say." in last) == (hears == PUBLIC)


def test_what_is_whispered_is_told_as_such() -> None:
    def spoken(seat: int, text: str, audience: Audience, target: int | None = None) -> Event:
        kind = "statement" if audience == PUBLIC else "whisper"
        data = {"window": f"{kind}.{seat}", "seat": seat, **say(text, target).data()}
        return Event(kind, audience, data)

    silent = {"window": "w", "seat": 2, "manner": "over"}
    decision = before(
        "whisper",
        speech(30),
        spoken(1, "Take Cid?", to(1, 2)),
        spoken(2, 'Yes." Ann says "no', to(1, 2)),
        Event("whisper", to(1, 2), silent),
        spoken(3, "Well?", PUBLIC, 1),
        hears=to(1, 2),
        phase="night",
    )
    for context in ("whole", "paper"):
        lines = asked(replace(decision, context=context)).split("\n")
        assert lines[1:6] == [
            "-- Night 1",
            'You, to Ben alone, said "Take Cid?"',
            'Ben, to you alone, says "Yes.\\" Ann says \\"no"',
            "Ben, to you alone, has no more to say.",
            'Cid says to you "Well?"',
        ]
    text = messages(Request("whisper", decision, {}), leave_out=1)[0][1]["content"]
    assert "Take Cid?" not in text, "what is older than the oldest turn told is left out"


# -- choices


def test_words_are_chosen_by_their_labels() -> None:
    decision = before("first_side", SIDE)
    assert "Choose on which side of you the talk begins. Choose one of: left, right." in asked(
        decision
    )
    assert schema(decision)["properties"]["choice"]["enum"] == ["left", "right"]
    for said in ("left", "Left", "on my left.", ["left"]):
        assert read(decision, {"reason": "", "choice": said})["targets"] == ["left"]
    for wrong in ("left or right", "up", "Ben", 7):
        with pytest.raises(BackendError, match="choose 1 of: left, right"):
            read(decision, {"reason": "", "choice": wrong})


def test_one_may_choose_nobody_where_one_may_abstain() -> None:
    decision = before("election", picking([1, 3], self_ok=True, may_abstain=True), phase="election")
    text = asked(decision)
    seen = "Everyone will see what you choose, and nothing else of your answer."
    assert f"{seen} Choose who is to be mayor." in text
    assert "Choose one of: Ann, Cid. Ann is you. You may also choose nobody." in text
    assert schema(decision)["properties"]["choice"]["enum"] == ["Ann", "Cid", "nobody"]
    ask, _ = asking(read(decision, {"reason": "", "choice": "Nobody"}))
    assert think(Recipe(method="baseline"), decision, ask).answer.action == ABSTAIN


@pytest.mark.parametrize(
    ("hears", "phase", "who"),
    [
        (to(1), "night", "It is night, and nobody sees what you do."),
        (to(1, 2), "night", "It is night, and only Ben will see what you do."),
        (None, "talk", "Nobody else sees your answer."),
        (to(1, 2), "talk", "Only Ben will see your answer."),
        (PUBLIC, "talk", "Everyone will see what you choose, and nothing else of your answer."),
    ],
)
def test_a_choice_says_who_sees_it(hears: Audience | None, phase: str, who: str) -> None:
    decision = before("attack", picking([3, 4]), hears=hears, phase=phase)
    assert f"{who} Choose whom to kill" in asked(decision)
    assert asked(decision).endswith('{"reason": "…", "choice": "…"}')


# -- ratings


def test_ratings_are_asked_for_and_read_row_by_row() -> None:
    decision = before("appraisal", RATED, hears=to(1))
    text = asked(decision)
    assert "You may rate: Ben, Cid, Dot." in text
    assert "one of Villager, Werewolf, Uncertain" in text
    assert "from 5 (a guess) to 10 (certain)" in text
    row = {"player": "Ben", "role": "Werewolf", "confidence": 10}
    answer = {"reason": "", "ratings": [row]}
    assert is_valid(answer, schema(decision))
    assert not is_valid({"reason": "", "ratings": [{**row, "player": "Eve"}]}, schema(decision))
    assert not is_valid({"reason": "", "ratings": [{**row, "confidence": 4}]}, schema(decision))
    assert read(decision, answer) == {"ratings": {"2": {"role": "werewolf", "confidence": 10}}}
    assert read(decision, {"ratings": []}) == {"ratings": {}}
    by_name = {"ratings": {"Cid": {"role": "not sure", "confidence": "6/10"}}}
    assert read(decision, by_name) == {"ratings": {"3": {"role": UNCERTAIN, "confidence": 6}}}


def test_rows_that_cant_be_used_are_left_out_and_noted() -> None:
    decision = before("appraisal", RATED, hears=to(1))
    rows = [
        {"player": "Ben", "role": "Villager", "confidence": 7},
        {"player": "Ben", "role": "Werewolf", "confidence": 9},
        {"player": "Cid", "role": "Seer", "confidence": 7},
        {"player": "Dot", "role": "Villager", "confidence": 11},
        {"player": "Eve", "role": "Villager", "confidence": 7},
        {"player": "Ann", "role": "Villager", "confidence": 7},
    ]
    found = read(decision, {"ratings": rows})
    assert found["ratings"] == {"2": {"role": "villager", "confidence": 7}}
    assert found["unread"] == [
        'Cid: "Seer" is no role of this game',
        "Dot: 11 is no score from 5 to 10",
        "Eve can't be rated",
        "a row on yourself",
    ]
    with pytest.raises(BackendError, match="no role of this game"):
        read(decision, {"ratings": rows[2:3]})
    with pytest.raises(BackendError):
        read(decision, {"answer": "Ben"})
    cut = '{"reason": "So", "ratings": [{"player": "Ben", "role": "Villager", "confidence": 7}, {"p'
    kept = reply_of(cut, Request("appraisal", decision, {}))
    assert kept["ratings"] == {"2": {"role": "villager", "confidence": 7}}


def test_ratings_become_an_action_and_come_back_to_who_made_them() -> None:
    decision = before("appraisal", RATED, hears=to(1))
    ask, _ = asking({"ratings": {"2": {"role": "werewolf", "confidence": 10}}})
    action = think(Recipe(method="baseline"), decision, ask).answer.action
    assert action == rate(Rating(2, "werewolf", 10))
    data = {"window": "rating.0", "seat": 1, **action.data()}
    again = before("appraisal", RATED, Event("appraisal", to(1), data), hears=to(1))
    assert "HOW YOU RATED THEM SO FAR\nBen: Werewolf, 10.\n" in asked(again)


@pytest.mark.parametrize(
    ("kind", "legal", "wrong", "told"),
    [
        ("first_side", SIDE, {"targets": ["up"]}, "choose exactly 1 of these: left, right"),
        (
            "appraisal",
            RATED,
            {"ratings": {"5": {"role": "villager", "confidence": 7}}},
            "give roles of this game to some of these: Ben, Cid, Dot, with a confidence from 5",
        ),
        ("whisper", speech(3), {"text": "one two three four"}, "at most 3 words"),
    ],
)
def test_what_the_rules_refuse_is_told_once_and_then_falls_back(
    kind: str, legal: Form, wrong: dict[str, Any], told: str
) -> None:
    requests: list[Request] = []

    def ask(step: str, request: Request) -> dict[str, Any]:
        requests.append(request)
        return wrong

    decision = before(kind, legal)
    answer = think(Recipe(method="baseline"), decision, ask).answer
    assert answer == decision.window.fallback_for(1, decision.rng, "fallback:illegal")
    assert answer.action == NOTHING
    assert len(requests) == 2
    assert told in requests[1].brief["refused"]


def test_what_one_was_told_before_anything_was_asked_stands_in_the_frame() -> None:
    system, user = (
        m["content"] for m in messages(Request("first_side", before("first_side", SIDE), {}))[0]
    )
    assert "Your goal: Outlive the two days. You know the other Werewolf: Ben.\n" in system
    assert "You know the other" not in user


def test_a_model_may_pass_where_the_rules_let_it() -> None:
    both = before("statement", speech(30, may_skip=True, may_over=True))
    assert 'If you speak, "pass" is "no". To say nothing, leave "statement" empty' in asked(both)
    assert 'set "pass" to "skip" to be silent this time only or to "over" to be' in asked(both)
    assert asked(both).endswith('{"statement": "…", "pass": "no"}')
    assert schema(both)["properties"]["pass"]["enum"] == ["no", "skip", "over"]
    assert read(both, {"statement": "Hi.", "pass": "no"}) == {"text": "Hi."}
    assert read(both, {"statement": "", "pass": "Over"}) == {"pass": "over"}
    ask, _ = asking({"pass": "over"})
    assert think(Recipe(method="baseline"), both, ask).answer.action == Action("over")
    never = before("statement", speech(30))
    assert "pass" not in schema(never)["properties"]
    assert "you may pass" not in asked(never)
    assert read(never, {"statement": "Hi.", "pass": "over"}) == {"text": "Hi."}
