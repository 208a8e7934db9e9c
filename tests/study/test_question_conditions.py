"""Tests of questionnaires with several pages: conditions, answers in questions, sliders, tables."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.study import taking
from tests.study.pages import html_of
from tests.study.questionnaire_pages import (
    PAGED,
    add_respondent,
    current_step,
    get_page,
    hidden_value,
    post_page,
)
from webapp.study.design.instruments import Instrument
from webapp.study.models import Participant, Response
from webapp.study.sessions import question_checks, question_conditions
from webapp.study.sessions.question_conditions import BadCondition

pytestmark = pytest.mark.django_db


def create_instrument(*items: dict[str, Any], **more: Any) -> Instrument:
    defaults = {"label": "L", "answer": "text"}
    data = {"key": "own", "title": "Own", "unit": "session", **more,
            "dimensions": [{"key": f"i{n}", "question": "Q?", **defaults, **item}
                           for n, item in enumerate(items)]}  # fmt: skip
    assert Instrument.check(data) == []
    return Instrument.from_json(data)


def submit_page(participant: Participant, answers: dict[str, Any], do: str = "done") -> str:
    """Post the participant's current page. Returns: the page that they see next."""
    page = get_page(participant)
    response = post_page(participant, {"part": hidden_value(page, "part"), **answers}, page, do)
    return get_page(participant) if response.status_code == 302 else html_of(response)


def fill_first_pages(participant: Participant, often: str, age: str) -> str:
    assert "Read <strong>this</strong> first." in get_page(participant)
    assert "Do you play?" not in get_page(participant)
    assert "Do you play?" in submit_page(participant, {})
    return submit_page(participant, {"first/often": often, "first/age": age})


def stored_values(participant: Participant) -> dict[str, Any]:
    rows = Response.objects.filter(participant=participant)
    return {row.item: row.choice or row.text or row.number for row in rows}


def test_question_is_asked_only_if_its_condition_holds() -> None:
    adult, child = add_respondent(PAGED), add_respondent(PAGED)
    assert "Which? You said: Every day." in fill_first_pages(adult, "daily", "30")
    assert "How warm is it?" in fill_first_pages(child, "daily", "12")
    page = submit_page(adult, {"first/games-played": ""})
    assert "Write an answer" in page, "a question that is asked needs an answer"
    submit_page(adult, {"first/games-played": "Chess"})
    for participant in (adult, child):
        page = submit_page(
            participant, {"first/warmth": "warm", "first/calm": "2", "first/glad": "5"}
        )
        assert 'value="warm"' in page
        assert "Enter a whole number from 0 to 100." in page
        before = current_step(participant)
        submit_page(participant, {"first/warmth": "61", "first/calm": "2", "first/glad": "5"})
        assert current_step(participant) == before + 1
    assert stored_values(adult) == {"often": "daily", "age": 30, "games-played": "Chess",
                                    "warmth": 61, "calm": 2, "glad": 5}  # fmt: skip
    assert "games-played" not in stored_values(child)


def test_back_button_keeps_answers_and_unneeded_ones_are_cleared() -> None:
    participant = add_respondent(PAGED)
    fill_first_pages(participant, "daily", "30")
    page = submit_page(participant, {"first/games-played": "Chess, and"}, do="back")
    assert "Do you play?" in page
    assert 'value="30"' in page
    assert "Chess, and" in submit_page(participant, {"first/often": "daily", "first/age": "30"})
    submit_page(participant, {"first/games-played": "Chess, and"}, do="back")
    assert "How warm is it?" in submit_page(
        participant, {"first/often": "never", "first/age": "30"}
    )
    assert "How warm is it?" in get_page(participant), "a reload shows the current page"
    assert "Do you play?" in submit_page(participant, {"first/warmth": "1"}, do="back"), "skipped"
    submit_page(participant, {"first/often": "never", "first/age": "30"})
    submit_page(participant, {"first/warmth": "1", "first/calm": "2", "first/glad": "5"})
    assert stored_values(participant)["games-played"] is None


def test_condition_can_refer_to_an_answer_of_another_stage() -> None:
    later = {"key": "later", "title": "Later", "unit": "session", "dimensions": [
        {"key": "why", "label": "Why", "question": "Why {first.often}?", "answer": "text",
         "ask_if": 'first.often != "never"'},
        {"key": "end", "label": "End", "question": "The end?", "answer": "text"},
    ]}  # fmt: skip
    stages = [{"kind": "interview", "instruments": [one]} for one in (PAGED, later)]
    participant = taking.add_participant(taking.create_study(*stages, {"kind": "debriefing"}))
    fill_first_pages(participant, "never", "")
    page = submit_page(participant, {"first/warmth": "1", "first/calm": "2", "first/glad": "5"})
    assert "The end?" in page
    form = page.partition("<form")[2]
    assert not re.search(r"\bWhy\b", form), "the form's token can contain the letters"


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("n > 3", True), ("n > 5", False), ("2 < n <= 4", True), ("none > 3", False),
        ("none != 3", False), ("not none", True), ("n == 4 and word == 'a b'", True),
        ("'x' in many", True), ("'z' in many or n < 1", False), ("one in ['k', 'l']", True),
        ("word > 3", False), ("other.n == 1", True), ("gone.n == 1", False),
        ("'z' not in many", True),
        ("other.values == 2", True), ("other.format == 3", True), ("other.missing == 2", False),
        ("n.real == 4", False),
    ],
)  # fmt: skip
def test_condition_compares_answers(condition: str, holds: bool) -> None:
    values = {"n": 4, "none": None, "word": "a b", "many": ["x", "y"], "one": "k",
              "other": {"n": 1, "values": 2, "format": 3}}  # fmt: skip
    assert question_conditions.is_satisfied(condition, values) is holds


@pytest.mark.parametrize(
    "condition",
    ["n >", "n = 3", "__import__('os')", "n ** 9", "[x for x in n]", "n.real.imag()", "f(n)",
     "n if n else 1", "'a' * 9", "lambda: 1", "n[0]", "(" * 400],
)  # fmt: skip
def test_condition_allows_only_comparisons(condition: str) -> None:
    with pytest.raises(BadCondition, match=r"can’t be read\. Write it like this: often"):
        question_conditions.is_satisfied(condition, {"n": 1})


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
def test_unusable_condition_is_rejected(items: list[Any], sentence: str) -> None:
    (error,) = question_checks.find_condition_errors([[create_instrument(*items)]])
    assert sentence in error


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
def test_incompatible_question_layout_is_rejected(item: Any, more: Any, sentence: str) -> None:
    first = {"key": "a", "label": "L", "question": "Q?", "answer": "text"}
    data = {"key": "own", "title": "Own", "unit": "session", **more,
            "dimensions": [first, {**first, "key": "b", **item}]}  # fmt: skip
    assert sentence in " ".join(Instrument.check(data))
