"""Questionnaires of several pages: conditions, answers in later questions, sliders, tables."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.study import taking
from tests.study.test_questionnaires import asking, hidden, look, post, step, text
from webapp.study.design.instruments import Instrument
from webapp.study.models import Participant, Response
from webapp.study.sessions import question_logic, questions
from webapp.study.sessions.question_logic import BadCondition

pytestmark = pytest.mark.django_db
ENDS = {"low_pole": "Not at all", "high_pole": "Very much"}
FIRST: dict[str, Any] = {
    "key": "first", "title": "About you", "unit": "session",
    "dimensions": [
        {"key": "hello", "label": "Hello", "question": "Read **this** first.", "answer": "info"},
        {"key": "often", "label": "Often", "question": "Do you play?", "answer": "one",
         "page_break": True,
         "options": [{"key": "never", "label": "Never"}, {"key": "daily", "label": "Every day"}]},
        {"key": "age", "label": "Age", "question": "How old?", "answer": "number", "min": 1,
         "max": 120, "required": False},
        {"key": "games-played", "label": "Games", "question": "Which? You said: {often}.",
         "answer": "text", "page_break": True, "ask_if": "often == “daily” and age >= 18"},
        {"key": "warmth", "label": "Warm", "question": "How warm is it?", "answer": "slider",
         "min": 0, "max": 100, "page_break": True, **ENDS},
        {"key": "calm", "label": "Calm", "question": "Calm?", **ENDS},
        {"key": "glad", "label": "Glad", "question": "Glad?", "table_row": True, **ENDS},
    ],
}  # fmt: skip


def instrument(*items: dict[str, Any], **more: Any) -> Instrument:
    usual = {"label": "L", "answer": "text"}
    data = {"key": "own", "title": "Own", "unit": "session", **more,
            "dimensions": [{"key": f"i{n}", "question": "Q?", **usual, **item}
                           for n, item in enumerate(items)]}  # fmt: skip
    assert Instrument.check(data) == []
    return Instrument.from_json(data)


def send(who: Participant, typed: dict[str, Any], do: str = "done") -> str:
    """Post the page at which the participant is; return what they see then."""
    page = look(who)
    answer = post(who, {"part": hidden(page, "part"), **typed}, page, do)
    return look(who) if answer.status_code == 302 else text(answer)


def fill_to_the_end(who: Participant, often: str, age: str) -> str:
    assert "Read <strong>this</strong> first." in look(who)
    assert "Do you play?" not in look(who)
    assert "Do you play?" in send(who, {})
    return send(who, {"first/often": often, "first/age": age})


def stored(who: Participant) -> dict[str, Any]:
    rows = Response.objects.filter(participant=who)
    return {row.item: row.choice or row.text or row.number for row in rows}


def test_a_question_is_asked_where_its_condition_holds() -> None:
    grown, young = asking(FIRST), asking(FIRST)
    assert "Which? You said: Every day." in fill_to_the_end(grown, "daily", "30")
    assert "How warm is it?" in fill_to_the_end(young, "daily", "12")
    page = send(grown, {"first/games-played": ""})
    assert "Write an answer" in page, "it is asked, so it has to be answered"
    send(grown, {"first/games-played": "Chess"})
    for who in (grown, young):
        page = send(who, {"first/warmth": "warm", "first/calm": "2", "first/glad": "5"})
        assert 'value="warm"' in page
        assert "Enter a whole number from 0 to 100." in page
        before = step(who)
        send(who, {"first/warmth": "61", "first/calm": "2", "first/glad": "5"})
        assert step(who) == before + 1
    assert stored(grown) == {"often": "daily", "age": 30, "games-played": "Chess",
                             "warmth": 61, "calm": 2, "glad": 5}  # fmt: skip
    assert "games-played" not in stored(young)


def test_back_keeps_what_is_typed_and_what_is_needless_is_emptied() -> None:
    who = asking(FIRST)
    fill_to_the_end(who, "daily", "30")
    page = send(who, {"first/games-played": "Chess, and"}, do="back")
    assert "Do you play?" in page
    assert 'value="30"' in page
    assert "Chess, and" in send(who, {"first/often": "daily", "first/age": "30"})
    send(who, {"first/games-played": "Chess, and"}, do="back")
    assert "How warm is it?" in send(who, {"first/often": "never", "first/age": "30"})
    assert "How warm is it?" in look(who), "a reload shows the page where one is"
    assert "Do you play?" in send(who, {"first/warmth": "1"}, do="back"), "over what is not asked"
    send(who, {"first/often": "never", "first/age": "30"})
    send(who, {"first/warmth": "1", "first/calm": "2", "first/glad": "5"})
    assert stored(who)["games-played"] is None


def test_an_answer_of_another_stage_can_be_named() -> None:
    later = {"key": "later", "title": "Later", "unit": "session", "dimensions": [
        {"key": "why", "label": "Why", "question": "Why {first.often}?", "answer": "text",
         "ask_if": 'first.often != "never"'},
        {"key": "end", "label": "End", "question": "The end?", "answer": "text"},
    ]}  # fmt: skip
    stages = [{"kind": "interview", "instruments": [one]} for one in (FIRST, later)]
    who = taking.participant(taking.study(*stages, {"kind": "debriefing"}))
    fill_to_the_end(who, "never", "")
    page = send(who, {"first/warmth": "1", "first/calm": "2", "first/glad": "5"})
    assert "The end?" in page
    asked = page.partition("<form")[2]
    assert not re.search(r"\bWhy\b", asked), "a form’s token may have it among its letters"


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("", True), ("n > 3", True), ("n > 5", False), ("2 < n <= 4", True), ("none > 3", False),
        ("none != 3", False), ("not none", True), ("n == 4 and word == 'a b'", True),
        ("'x' in many", True), ("'z' in many or n < 1", False), ("one in ['k', 'l']", True),
        ("word > 3", False), ("other.n == 1", True), ("gone.n == 1", False),
        ("'z' not in many", True),
    ],
)  # fmt: skip
def test_conditions_compare_what_was_answered(condition: str, holds: bool) -> None:
    values = {"n": 4, "none": None, "word": "a b", "many": ["x", "y"], "one": "k",
              "other": {"n": 1}}  # fmt: skip
    assert question_logic.is_satisfied(condition, values) is holds


@pytest.mark.parametrize(
    "condition",
    ["n >", "n = 3", "__import__('os')", "n ** 9", "[x for x in n]", "n.real.imag()", "f(n)",
     "n if n else 1", "'a' * 9", "lambda: 1", "n[0]", "(" * 400],
)  # fmt: skip
def test_nothing_but_comparisons_can_be_written(condition: str) -> None:
    with pytest.raises(BadCondition, match=r"can’t be read\. Write it like this: often"):
        question_logic.is_satisfied(condition, {"n": 1})


@pytest.mark.parametrize(
    ("items", "sentence"),
    [
        ([{}, {"ask_if": "i0 == 'x'"}], "no earlier page asks “i0”"),
        ([{}, {"ask_if": "i7 > 1", "page_break": True}], "“i7”. Earlier questions: own.i0, i0"),
        ([{"question": "So {i0}?"}], "asks “i0”. Earlier questions: none"),
        ([{}, {"ask_if": "i0 >", "page_break": True}], "can’t be read"),
        (
            [{"answer": "one", "options": [{"key": "a", "label": "A"}, {"key": "b", "label": "B"}]},
             {"ask_if": "i0 == 'c'", "page_break": True}],
            "“i0” has no answer “c”. Its answers: a, b.",
        ),
    ],
)  # fmt: skip
def test_a_condition_that_cannot_work_is_refused(items: list[Any], sentence: str) -> None:
    (fault,) = questions.find_condition_errors([[instrument(*items)]])
    assert sentence in fault


@pytest.mark.parametrize(
    ("item", "more", "sentence"),
    [
        ({"table_row": True}, {}, "all scales of a table need the same steps"),
        (
            {"page_break": True},
            {"order": "rotated"},
            "this needs the same order for all participants",
        ),
        ({"ask_if": "a > 1"}, {"unit": "seat"}, "not possible for questions about players"),
    ],
)
def test_what_the_form_of_a_question_does_not_allow(item: Any, more: Any, sentence: str) -> None:
    first = {"key": "a", "label": "L", "question": "Q?", "answer": "text"}
    data = {"key": "own", "title": "Own", "unit": "session", **more,
            "dimensions": [first, {**first, "key": "b", **item}]}  # fmt: skip
    assert sentence in " ".join(Instrument.check(data))
