"""Schema of the corpus, accuracy figures and spelling correction."""

from __future__ import annotations

import re

import pytest

from agents.understanding.normalise import correct_spelling
from tests.agents.measure import KINDS, game_of, load, measure, recognized_labels, shares
from tests.agents.table import NAMES, ONE_NIGHT, SHERIFF

OTHERS = [name for name in NAMES if name != "Epsilon"]
NAME = f"(?:{'|'.join(OTHERS)})"
ROLE = "(?:seer|mason|villager|werewolf|minion|tanner)"
GRAMMAR = re.compile(
    rf"(?:claim|deny) {ROLE}|retract(?: {ROLE})?|companion {NAME} {ROLE}|"
    rf"report {NAME} {NAME} (?:clean|wolf)|suspect {NAME}(?: (?:tanner|minion))?|"
    rf"(?:accuse|vote|defend|agree|disagree|question) {NAME}|propose (?:seer|mason) (?:speak|wait)"
)
SHERIFF_NAME = rf"(?:{'|'.join((*NAMES, *SHERIFF.ruleset.seat_names))})"
SHERIFF_ROLE = "(?:seer|guard|villager|werewolf)"
SHERIFF_GRAMMAR = re.compile(
    rf"(?:claim|deny) {SHERIFF_ROLE}|retract(?: {SHERIFF_ROLE})?|"
    rf"report {SHERIFF_NAME} (?:guard|villager|werewolf|clean)|"
    rf"(?:suspect|accuse|vote|defend|agree|disagree|question) {SHERIFF_NAME}|"
    r"propose (?:seer|guard) (?:speak|wait)"
)


@pytest.mark.parametrize(
    ("part", "minimum", "missing_kinds"),
    [
        ("work", 200, set()),
        ("held", 100, set()),
        ("sheriff_work", 400, {"companion"}),
        ("sheriff_held", 150, {"companion"}),
    ],
)
def test_corpus_has_lines_of_every_kind(part: str, minimum: int, missing_kinds: set[str]) -> None:
    rows = load(part)
    assert len(rows) >= minimum
    kinds = {act.split()[0] for row in rows for act in row["acts"]}
    assert kinds == {*KINDS} - missing_kinds
    if missing_kinds:
        assert sum(not row["acts"] for row in rows) > len(rows) / 5


@pytest.mark.parametrize(
    "part", ["work", "held", "work_2", "work_3", "plain", "sheriff_work", "sheriff_held"]
)
def test_lines_follow_their_schema(part: str) -> None:
    rows = load(part)
    assert len({row["text"] for row in rows}) == len(rows)
    for row in rows:
        assert set(row) <= {"text", "acts", "to", "note", "ruleset"}
        table, _pack = game_of(row)
        schema = SHERIFF_GRAMMAR if row.get("ruleset") else GRAMMAR
        assert row.get("to", table[0]) in table
        for act in row["acts"]:
            assert schema.fullmatch(act), act
            assert not set(re.findall(SHERIFF_NAME, act)) - set(table), act


def test_precision_and_recall_are_computed() -> None:
    rows = [
        {"text": "I'm the Seer.", "acts": ["claim seer"]},
        {"text": "I'm the Seer.", "acts": ["claim mason", "vote Beta"]},
    ]
    assert recognized_labels(rows[0]) == {"claim seer"}
    figures = measure(rows)
    assert figures["claim"] == (1, 2, 2)
    assert shares(*figures["claim"]) == (0.5, 0.5)
    assert shares(*figures["vote"]) == (1.0, 0.0)


def test_short_guest_names_do_not_change_other_words() -> None:
    names = ("Will", "Ann", "Bo", "Mark", "Rose")
    text = "well, i will bet a rise, an ace and the mask on it, wall or wild, be so bold"
    assert correct_spelling(text, names, ONE_NIGHT) == text
    assert correct_spelling("annn and wlil", names, ONE_NIGHT) == "ann and will"
    text = "i have been too good, all is well, tell me off"
    assert correct_spelling(text, ("Ben", "To", "Al", "Wel", "Of"), ONE_NIGHT) == text


@pytest.mark.parametrize(
    ("typed", "corrected"),
    [
        ("i thnk betta is teh wolf", "i think beta is the wolf"),
        ("dleta is lyign", "delta is lying"),
        ("gama what r u", "gamma what are u"),
        ("im a vilager", "im a villager"),
        ("the reason for last night's light", "the reason for last night's light"),
        ("i note that they seem sound asleep", "i note that they seem sound asleep"),
        ("bet on a better letter", "bet on a better letter"),
        ("alpha's eta", "alpha's eta"),
    ],
)
def test_typing_errors_are_corrected(typed: str, corrected: str) -> None:
    assert correct_spelling(typed, NAMES, ONE_NIGHT) == corrected
