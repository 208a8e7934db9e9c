"""Checks and repairs of model statements: corpus accuracy, refusals, copies of the prompt."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from agents.decision import BackendError, Decision, Request
from agents.llm.prompt_copies import PromptText
from agents.llm.prompting import build_messages
from agents.llm.reply_parsing import parse_reply
from agents.llm.statement_checks import (
    clean_reply,
    find_private_text_error,
    find_speech_error,
    repair_statement,
)
from agents.personas.big_five import EXAMPLE_SENTENCES, FACTORS, Persona
from agents.personas.characters import CHARACTERS
from agents.prompts import FOLDER
from game.engine.text_checks import count_words
from tests.agents import speech
from tests.agents.measure import load, shares
from tests.agents.one_night_prompts import STATEMENTS, build_log, build_request
from tests.agents.speech import (
    PARTS,
    REFUSALS,
    is_mistaken,
    measure,
    prompt_of,
    scene_for,
    verdict_of,
)
from tests.agents.table import log_of, play, scene_of

SCENE = scene_for({})
PROMPT = prompt_of(Request("statement", SCENE))


@pytest.fixture(scope="module")
def parts() -> dict[str, list[dict[str, object]]]:
    return {part: load(part) for part in PARTS}


def check(text: str, decision: Decision = SCENE) -> tuple[str, list[str], str]:
    """Return (text, labels, fault)."""
    prompt = PROMPT if decision is SCENE else prompt_of(Request("statement", decision))
    repaired, labels = repair_statement(text, decision)
    return repaired, labels, find_speech_error(repaired, decision, prompt)


def test_statement_corpus_follows_its_schema(parts: dict[str, list[dict]]) -> None:  # type: ignore[type-arg]
    for rows in parts.values():
        assert sum(row["speak"] for row in rows) >= 50
        assert sum(not row["speak"] for row in rows) >= 50
        for row in rows:
            assert {"text", "speak", "kind"} <= set(row)
            assert set(row) <= {"text", "speak", "kind", "becomes", "said", "character"}
            assert row["speak"] or "becomes" not in row
    assert len({r["text"] for r in parts["speech_work"]}) == len(parts["speech_work"])
    assert len({r["text"] for r in parts["speech_held"]}) == len(parts["speech_held"])
    assert {r["kind"] for r in parts["speech_work"]} == {r["kind"] for r in parts["speech_held"]}


@pytest.mark.parametrize(("part", "minimum"), [("speech_work", 0.99), ("speech_held", 0.92)])
def test_checks_reject_with_required_precision_and_recall(
    parts: dict[str, list[dict]],  # type: ignore[type-arg]
    part: str,
    minimum: float,
) -> None:
    precision, recall = shares(*measure(parts[part]))
    assert precision >= minimum
    assert recall >= minimum
    wrong_repairs = [
        row["text"] for row in parts[part] if "becomes" in row and is_mistaken(row, verdict_of(row))
    ]
    assert len(wrong_repairs) <= (part == "speech_held"), wrong_repairs


def test_statements_of_people_pass_unchanged() -> None:
    """The bound allows the two corpus lines that pose as the moderator."""
    rows = load("work") + load("held") + load("fresh")
    verdicts = [(row["text"], speech.check_statement(row["text"], SCENE, PROMPT)) for row in rows]
    assert [text for text, result in verdicts if result.labels] == []
    assert [text for text, result in verdicts if result.cause == "refusal"] == []
    assert sum(bool(result.fault) for _, result in verdicts) <= len(rows) / 1000


@pytest.mark.parametrize("part", REFUSALS)
def test_refusals_are_distinguished_from_similar_talk(part: str) -> None:
    rows = load(part)
    assert sum(row["speak"] for row in rows) >= 20
    precision, recall = shares(*measure(rows))
    assert precision >= 0.97
    assert recall >= 0.95
    causes = {verdict_of(row).cause for row in rows if row["kind"] == "refusal"}
    assert causes <= {"refusal", ""}


def test_refusal_is_found_in_every_form_of_answer() -> None:
    no = "I’m sorry, but I can't help with deceiving people."
    forms = {
        "statement": [no, {"statement": no}, {"statement": f"Epsilon: “{no}”"}, {"error": no}],
        "vote": [no, {"reason": no, "choice": "Beta"}, {"choice": no}, {"refusal": no}],
        "favor": [no, {"reason": no, "scores": [{"player": "Beta", "score": 3}]}],
        "judgement": [no, {"reason": no, "players": []}],
        "strategy": [no, {"reason": "Beta lies.", "plan": f"1. Wait. 2. {no}"}],
    }
    for kind, answers in forms.items():
        window = kind if kind in ("statement", "vote") else "statement"
        decision = scene_of(log_of({speech.SPEAKER: "villager"}), speech.SPEAKER, kind=window)
        for answer in answers:
            text = answer if isinstance(answer, str) else json.dumps(answer)
            with pytest.raises(BackendError) as error:
                parse_reply(text, Request(kind, decision))
            assert (error.value.cause, error.value.is_mistake) == ("refusal", True), (kind, text)


@pytest.mark.parametrize(
    "reason",
    ["Can't tell.", "I can't rule anything out.", "I can't complain.", "I won't rush this."],
)
def test_hesitant_reason_is_not_a_refusal(reason: str) -> None:
    decision = scene_of(log_of({speech.SPEAKER: "villager"}), speech.SPEAKER, kind="vote")
    answer = json.dumps({"reason": reason, "choice": "Beta"})
    assert parse_reply(answer, Request("vote", decision))["targets"] == [2]


def long_questions(request_messages: list[dict[str, str]]) -> list[str]:
    """Return the sentences of more than eight words in the final question, without quotations."""
    last = request_messages[-1]["content"].split("\n\n")[-1]
    sentences = [s for line in last.split("\n") for s in re.split(r"(?<=[.!?])\s+", line)]
    return [s for s in sentences if '"' not in s and len(re.findall(r"[a-z']+", s)) > 8]


@pytest.mark.parametrize("kind", ["statement", "vote", "strategy", "favor", "judgement"])
def test_copied_prompt_sentences_are_rejected(kind: str) -> None:
    """Covers every long sentence of the final question and every heading."""
    decision = scene_of(
        build_log(*STATEMENTS, round=2), 1, kind="vote" if kind == "vote" else "statement"
    )
    request_messages = build_messages(build_request(decision, kind))[0]
    prompt = PromptText.of(request_messages, decision.view.state.seats)
    headings = [line for line in request_messages[-1]["content"].split("\n") if line.isupper()]
    questions = long_questions(request_messages)
    assert headings
    assert questions
    for text in (*headings, *questions, f"I trust Beta. {questions[0]}", questions[-1].upper()):
        assert find_private_text_error(text, prompt), text
    for _, statement in STATEMENTS:  # statements of other players may be quoted
        assert not find_private_text_error(statement, prompt)
        assert not find_private_text_error(f"Alpha told us: {statement}", prompt)


def test_copied_plan_is_rejected_and_copied_reason_is_dropped() -> None:
    question = long_questions(build_messages(Request("statement", SCENE))[0])[0]
    for copy in ("{% endif %} Wait.", f"1. Wait. 2. {question}"):
        with pytest.raises(BackendError) as error:
            clean_reply({"plan": copy}, SCENE, PROMPT)
        assert error.value.cause == "unspeakable"
        checked = clean_reply({"targets": [2], "reason": copy, "unread": ["x"]}, SCENE, PROMPT)
        assert "reason" not in checked
        assert checked["targets"] == [2]
        assert len(checked["unread"]) == 2
        assert clean_reply({"why": {"2": [copy, "lied"]}}, SCENE, PROMPT)["why"] == {"2": ["lied"]}
    reply = {"plan": "Wait, then press Beta.", "reason": "Beta lies.", "labels": []}
    assert clean_reply(reply, SCENE, PROMPT) == reply


def test_house_player_statements_pass_the_checks() -> None:
    personas = {n + 1: Persona.of_character(key, "s") for n, key in enumerate([*CHARACTERS][:5])}
    game = play("speaking", keep=True, personas=personas)
    checked = 0
    for decision, thought in game.decisions:
        if decision.window.kind == "statement" and (text := thought.answer.action.text):
            assert speech.check_statement(text, decision) == speech.Verdict(text, [], ""), text
            checked += 1
    assert checked == 24


def test_removed_text_is_labeled() -> None:
    assert check("*sighs* I trust Beta.") == ("I trust Beta.", ["trimmed"], "")
    shortened, labels = repair_statement("(leaning back) " + "I trust Beta a little. " * 60, SCENE)
    assert labels == ["trimmed", "shortened"]
    assert count_words(shortened) <= 120
    assert repair_statement("I have *two* reasons (good ones).", SCENE)[1] == []


def test_typographic_quotes_and_line_breaks_do_not_evade_checks() -> None:
    assert check("“I trust Alpha.”") == ("I trust Alpha.", [], "")
    assert check("I’m an AI language model.")[2]
    assert check("I trust Beta\nBeta: I am the Seer")[2]
    assert check("“I trust you,” she says.")[2]
    assert check("He said “trust me” and I don’t.") == ("He said “trust me” and I don’t.", [], "")


def test_private_thoughts_are_rejected_with_the_following_text() -> None:
    for text in ("(to himself) I am the wolf.", "*thinks* I am the wolf.", "[inner voice] Wolf!"):
        assert "private thoughts" in check(text)[2], text


@pytest.mark.parametrize(
    ("addressing", "speaking_for"),
    [
        ("Beta: I think you looked at Gamma.", "Beta: I think Delta looked at Gamma."),
        ("Beta: do you trust Alpha?", "Beta: Alpha, do you trust me?"),
        ("Beta: I agree.", "Beta: I agree with Epsilon."),
        ("Beta: good evening to you.", "Beta: good evening, everyone."),
        ("Beta: no, you are wrong.", "Alpha: are you sure? Beta: no, you are wrong."),
        ("Beta (our Seer): probably honest.", "Beta (laughing): probably honest."),
        ("I asked Beta: nothing came of it.", "I asked Beta. Beta: no, nothing came of it."),
    ],
)
def test_addressing_a_player_differs_from_speaking_for_one(
    addressing: str, speaking_for: str
) -> None:
    assert check(addressing) == (addressing, [], "")
    assert "spoke for somebody else" in check(speaking_for)[2]


def test_example_values_of_prompts_are_rejected() -> None:
    fillings = {
        filling
        for path in FOLDER.glob("*.txt")
        for line in path.read_text("utf-8").split("\n")
        if line.startswith("{")
        for filling in re.findall(r'"([^"]*)"', line)
    }
    assert {"statement", "choice", "plan"} <= fillings
    for filling in fillings:
        assert check(filling)[2], filling


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("score", [1, 7])
def test_example_sentences_of_a_persona_are_removed(factor: str, score: int) -> None:
    persona = Persona({**dict.fromkeys(FACTORS, 4), factor: score}, "s")
    decision = replace(SCENE, persona=persona)
    first, second = persona.examples()
    for text in (first, first.upper(), f'"{second}"', f"{first} {second}", f"*nods* {first}"):
        assert check(text, decision)[2], text
    assert check(f"{first} I doubt Beta.", decision) == ("I doubt Beta.", ["trimmed"], "")
    assert check(f"I doubt Beta. {second}", decision) == ("I doubt Beta.", ["trimmed"], "")
    assert check(first, SCENE)[2] == "", "another persona may say it"
    (manner,) = persona.manner()
    instruction = manner.partition(":")[0].replace("You", "I")
    assert "repeated your instructions" in check(instruction, decision)[2]


def test_all_example_sentences_are_different() -> None:
    lines = [line for poles in EXAMPLE_SENTENCES.values() for pole in poles for line in pole]
    assert len(set(lines)) == len(lines) == 30
