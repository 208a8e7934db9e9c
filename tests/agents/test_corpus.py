"""The corpus keeps to its schema, and slips of the finger are put right without harm."""

from __future__ import annotations

import re

import pytest

from agents.understanding.normalise import correct_spelling
from tests.agents import test_sheriff_talk as sheriff
from tests.agents.measure import KINDS, found_in, game_of, load, measure, shares
from tests.agents.table import NAMES, ONE_NIGHT

OTHERS = [name for name in NAMES if name != "Epsilon"]
NAME = f"(?:{'|'.join(OTHERS)})"
ROLE = "(?:seer|mason|villager|werewolf|minion|tanner)"
GRAMMAR = re.compile(
    rf"(?:claim|deny) {ROLE}|retract(?: {ROLE})?|companion {NAME} {ROLE}|"
    rf"report {NAME} {NAME} (?:clean|wolf)|suspect {NAME}(?: (?:tanner|minion))?|"
    rf"(?:accuse|vote|defend|agree|disagree|question) {NAME}|propose (?:seer|mason) (?:speak|wait)"
)


@pytest.mark.parametrize(("part", "least"), [("work", 200), ("held", 100)])
def test_the_corpus_keeps_to_its_schema(part: str, least: int) -> None:
    rows = load(part)
    assert len(rows) >= least
    assert len({row["text"] for row in rows}) == len(rows)
    for row in rows:
        assert set(row) <= {"text", "acts", "to", "note"}
        assert row.get("to", "Alpha") in OTHERS
        assert all(GRAMMAR.fullmatch(act) for act in row["acts"]), row["acts"]
    kinds = {act.split()[0] for row in rows for act in row["acts"]}
    assert kinds == set(KINDS)


@pytest.mark.parametrize("part", ["work_2", "work_3", "plain"])
def test_lines_of_both_games_keep_to_their_schemas(part: str) -> None:
    rows = load(part)
    assert len({row["text"] for row in rows}) == len(rows)
    for row in rows:
        table, _pack = game_of(row)
        schema = sheriff.GRAMMAR if row.get("ruleset") else GRAMMAR
        assert row.get("to", table[0]) in table
        for act in row["acts"]:
            assert schema.fullmatch(act), act
            assert not set(re.findall(sheriff.NAME, act)) - set(table), act


def test_precision_and_recall_are_counted() -> None:
    rows = [
        {"text": "I'm the Seer.", "acts": ["claim seer"]},
        {"text": "I'm the Seer.", "acts": ["claim mason", "vote Beta"]},
    ]
    assert found_in(rows[0]) == {"claim seer"}
    figures = measure(rows)
    assert figures["claim"] == (1, 2, 2)
    assert shares(*figures["claim"]) == (0.5, 0.5)
    assert shares(*figures["vote"]) == (1.0, 0.0)


def test_short_names_of_guests_leave_words_alone() -> None:
    names = ("Will", "Ann", "Bo", "Mark", "Rose")
    text = "well, i will bet a rise, an ace and the mask on it, wall or wild, be so bold"
    assert correct_spelling(text, names, ONE_NIGHT) == text
    assert correct_spelling("annn and wlil", names, ONE_NIGHT) == "ann and will"
    text = "i have been too good, all is well, tell me off"
    assert correct_spelling(text, ("Ben", "To", "Al", "Wel", "Of"), ONE_NIGHT) == text


@pytest.mark.parametrize(
    ("typed", "meant"),
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
def test_slips_are_put_right(typed: str, meant: str) -> None:
    assert correct_spelling(typed, NAMES, ONE_NIGHT) == meant
