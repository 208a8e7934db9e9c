"""What a model may say: the corpus of statements, what is put right, what is copied."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from agents.decision import BackendError, Decision, Request
from agents.llm.echo import PromptText
from agents.llm.prompting import messages
from agents.llm.reply_parsing import reply_of
from agents.llm.statement_checks import (
    checked_reply,
    find_copy_error,
    find_speech_error,
    repair_statement,
)
from agents.personas.big_five import FACTORS, Persona
from agents.personas.characters import CHARACTERS
from agents.personas.persona_style import SOUNDS
from agents.prompts import HERE
from game.engine.text_checks import count_words
from tests.agents import speech
from tests.agents.asked import SAID, request, table
from tests.agents.measure import load, shares
from tests.agents.speech import PARTS, REFUSALS, measure, mistaken, prompt_of, scene_for, verdict
from tests.agents.table import log_of, play, scene_of

SCENE = scene_for({})
PROMPT = prompt_of(Request("statement", SCENE))


@pytest.fixture(scope="module")
def parts() -> dict[str, list[dict[str, object]]]:
    return {part: load(part) for part in PARTS}


def spoken(text: str, decision: Decision = SCENE) -> tuple[str, list[str], str]:
    """(text, labels, fault)."""
    prompt = PROMPT if decision is SCENE else prompt_of(Request("statement", decision))
    said, labels = repair_statement(text, decision)
    return said, labels, find_speech_error(said, decision, prompt)


def test_the_corpus_of_statements_keeps_to_its_schema(parts: dict[str, list[dict]]) -> None:  # type: ignore[type-arg]
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


@pytest.mark.parametrize(("part", "least"), [("speech_work", 0.99), ("speech_held", 0.92)])
def test_what_must_be_refused_is_and_little_else(
    parts: dict[str, list[dict]],  # type: ignore[type-arg]
    part: str,
    least: float,
) -> None:
    precision, recall = shares(*measure(parts[part]))
    assert precision >= least
    assert recall >= least
    wrong = [row["text"] for row in parts[part] if "becomes" in row and mistaken(row, verdict(row))]
    assert len(wrong) <= (part == "speech_held"), wrong


def test_what_people_write_is_neither_refused_nor_changed() -> None:
    """The corpus of talk holds two lines that pose as the moderator."""
    rows = load("work") + load("held") + load("fresh")
    found = [(row["text"], speech.spoken(row["text"], SCENE, PROMPT)) for row in rows]
    assert [text for text, verdict in found if verdict.labels] == []
    assert [text for text, verdict in found if verdict.cause == "refusal"] == []
    assert sum(bool(verdict.fault) for _, verdict in found) <= len(rows) / 1000


@pytest.mark.parametrize("part", REFUSALS)
def test_refusals_and_fragments_are_told_from_talk_that_resembles_them(part: str) -> None:
    rows = load(part)
    assert sum(row["speak"] for row in rows) >= 20
    precision, recall = shares(*measure(rows))
    assert precision >= 0.97
    assert recall >= 0.95
    causes = {verdict(row).cause for row in rows if row["kind"] == "refusal"}
    assert causes <= {"refusal", ""}


def test_a_refusal_is_found_in_every_form_of_answer() -> None:
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
                reply_of(text, Request(kind, decision))
            assert (error.value.cause, error.value.is_mistake) == ("refusal", True), (kind, text)


@pytest.mark.parametrize(
    "reason",
    ["Can't tell.", "I can't rule anything out.", "I can't complain.", "I won't rush this."],
)
def test_a_hesitant_reason_is_no_refusal(reason: str) -> None:
    decision = scene_of(log_of({speech.SPEAKER: "villager"}), speech.SPEAKER, kind="vote")
    answer = json.dumps({"reason": reason, "choice": "Beta"})
    assert reply_of(answer, Request("vote", decision))["targets"] == [2]


def long_questions(told: list[dict[str, str]]) -> list[str]:
    """The sentences of more than eight words in what a request asks last, quotations aside."""
    last = told[-1]["content"].split("\n\n")[-1]
    sentences = [s for line in last.split("\n") for s in re.split(r"(?<=[.!?])\s+", line)]
    return [s for s in sentences if '"' not in s and len(re.findall(r"[a-z']+", s)) > 8]


@pytest.mark.parametrize("kind", ["statement", "vote", "strategy", "favor", "judgement"])
def test_what_a_request_asks_is_never_an_answer_to_it(kind: str) -> None:
    """Whatever the prompts say: every sentence of the question that was sent, and every heading."""
    decision = scene_of(table(*SAID, round=2), 1, kind="vote" if kind == "vote" else "statement")
    told = messages(request(decision, kind))[0]
    prompt = PromptText.of(told, decision.view.state.seats)
    headings = [line for line in told[-1]["content"].split("\n") if line.isupper()]
    long = long_questions(told)
    assert headings
    assert long
    for text in (*headings, *long, f"I trust Beta. {long[0]}", long[-1].upper()):
        assert find_copy_error(text, prompt), text
    for _, said in SAID:  # what others said is theirs, and may be quoted
        assert not find_copy_error(said, prompt)
        assert not find_copy_error(f"Alpha told us: {said}", prompt)


def test_a_plan_that_copies_is_refused_and_a_reason_that_does_is_left_out() -> None:
    asked = long_questions(messages(Request("statement", SCENE))[0])[0]
    for copy in ("{% endif %} Wait.", f"1. Wait. 2. {asked}"):
        with pytest.raises(BackendError) as error:
            checked_reply({"plan": copy}, SCENE, PROMPT)
        assert error.value.cause == "unspeakable"
        left = checked_reply({"targets": [2], "reason": copy, "unread": ["x"]}, SCENE, PROMPT)
        assert "reason" not in left
        assert left["targets"] == [2]
        assert len(left["unread"]) == 2
        assert checked_reply({"why": {"2": [copy, "lied"]}}, SCENE, PROMPT)["why"] == {
            "2": ["lied"]
        }
    kept = {"plan": "Wait, then press Beta.", "reason": "Beta lies.", "labels": []}
    assert checked_reply(kept, SCENE, PROMPT) == kept


def test_what_house_players_say_is_never_refused() -> None:
    personas = {n + 1: Persona.of_character(key, "s") for n, key in enumerate([*CHARACTERS][:5])}
    game = play("speaking", keep=True, personas=personas)
    said = 0
    for decision, thought in game.decisions:
        if decision.window.kind == "statement" and (text := thought.answer.action.text):
            assert speech.spoken(text, decision) == speech.Verdict(text, [], ""), text
            said += 1
    assert said == 24


def test_what_is_left_out_is_labelled() -> None:
    assert spoken("*sighs* I trust Beta.") == ("I trust Beta.", ["trimmed"], "")
    long, labels = repair_statement("(leaning back) " + "I trust Beta a little. " * 60, SCENE)
    assert labels == ["trimmed", "shortened"]
    assert count_words(long) <= 120
    assert repair_statement("I have *two* reasons (good ones).", SCENE)[1] == []


def test_typographic_quotation_marks_and_line_ends_hide_nothing() -> None:
    assert spoken("“I trust Alpha.”") == ("I trust Alpha.", [], "")
    assert spoken("I’m an AI language model.")[2]
    assert spoken("I trust Beta\nBeta: I am the Seer")[2]
    assert spoken("“I trust you,” she says.")[2]
    assert spoken("He said “trust me” and I don’t.") == ("He said “trust me” and I don’t.", [], "")


def test_what_is_thought_or_whispered_takes_the_words_behind_it_along() -> None:
    for text in ("(to himself) I am the wolf.", "*thinks* I am the wolf.", "[inner voice] Wolf!"):
        assert "private thoughts" in spoken(text)[2], text


@pytest.mark.parametrize(
    ("to", "by"),
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
def test_turning_to_somebody_is_told_from_speaking_for_somebody(to: str, by: str) -> None:
    assert spoken(to) == (to, [], "")
    assert "spoke for somebody else" in spoken(by)[2]


def test_every_filling_of_the_prompts_examples_is_refused() -> None:
    found = {
        filling
        for path in (HERE / "en").glob("*.txt")
        for line in path.read_text("utf-8").split("\n")
        if line.startswith("{")
        for filling in re.findall(r'"([^"]*)"', line)
    }
    assert {"statement", "choice", "plan"} <= found
    for filling in found:
        assert spoken(filling)[2], filling


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("score", [1, 7])
def test_sentences_of_a_manner_are_never_the_words(factor: str, score: int) -> None:
    persona = Persona({**dict.fromkeys(FACTORS, 4), factor: score}, "s")
    decision = replace(SCENE, persona=persona)
    one, two = persona.examples()
    for text in (one, one.upper(), f'"{two}"', f"{one} {two}", f"*nods* {one}"):
        assert spoken(text, decision)[2], text
    assert spoken(f"{one} I doubt Beta.", decision) == ("I doubt Beta.", ["trimmed"], "")
    assert spoken(f"I doubt Beta. {two}", decision) == ("I doubt Beta.", ["trimmed"], "")
    assert spoken(one, SCENE)[2] == "", "another persona's, or none"
    (manner,) = persona.manner()
    told = manner.partition(":")[0].replace("You", "I")
    assert "repeated your instructions" in spoken(told, decision)[2]


def test_all_sounds_are_different() -> None:
    lines = [line for poles in SOUNDS.values() for pole in poles for line in pole]
    assert len(set(lines)) == len(lines) == 30
