"""What a model may say: the corpus of statements, what is put right, what is copied."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from agents.big_five import FACTORS, Persona
from agents.characters import CHARACTERS
from agents.decision import Decision
from agents.llm.prompting import frame
from agents.llm.statement_checks import repaired, validate
from agents.persona_style import SOUNDS
from agents.prompts import HERE
from game.engine.speech_text import count_words
from tests.agents.measure import load, shares
from tests.agents.speech import PARTS, measure, mistaken, scene_for, verdict
from tests.agents.table import play

SCENE = scene_for({})


@pytest.fixture(scope="module")
def parts() -> dict[str, list[dict[str, object]]]:
    return {part: load(part) for part in PARTS}


def spoken(text: str, decision: Decision = SCENE) -> tuple[str, list[str], str]:
    """(text, labels, fault)."""
    said, labels = repaired(text, decision)
    return said, labels, validate(said, decision, frame(decision))


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
    rows = load("work") + load("held")
    found = [(row["text"], *spoken(row["text"])) for row in rows]
    assert [text for text, _, labels, _ in found if labels] == []
    assert sum(bool(fault) for *_, fault in found) <= len(rows) / 1000


def test_what_house_players_say_is_never_refused() -> None:
    personas = {n + 1: Persona.of_character(key, "s") for n, key in enumerate([*CHARACTERS][:5])}
    game = play("speaking", keep=True, personas=personas)
    said = 0
    for decision, thought in game.decisions:
        if decision.window.kind == "statement" and (text := thought.answer.action.text):
            assert spoken(text, decision) == (text, [], ""), text
            said += 1
    assert said == 24


def test_what_is_left_out_is_labelled() -> None:
    assert spoken("*sighs* I trust Beta.") == ("I trust Beta.", ["trimmed"], "")
    long, labels = repaired("(leaning back) " + "I trust Beta a little. " * 60, SCENE)
    assert labels == ["trimmed", "shortened"]
    assert count_words(long) <= 120
    assert repaired("I have *two* reasons (good ones).", SCENE)[1] == []


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
