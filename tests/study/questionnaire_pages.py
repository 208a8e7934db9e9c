"""Respondents of questionnaires and their pages."""

from __future__ import annotations

import re
from typing import Any

from django.http import HttpResponse
from django.test import Client

from tests.study import taking
from webapp.study.models import Participant

ENDS = {"low_pole": "Not at all", "high_pole": "Very much"}
PAGED: dict[str, Any] = {
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


SCALE = {"label": "L", "low_pole": "Left end", "high_pole": "Right end"}
OWN: dict[str, Any] = {
    "key": "own",
    "title": "Odds and ends",
    "unit": "session",
    "intro": "Say what you think.",
    "dimensions": [
        {"key": "mood", "question": "How was it?", **SCALE},
        {"key": "age", "label": "Age", "question": "How old?", "answer": "number", "min": 18,
         "max": 99},
        {"key": "words", "label": "Words", "question": "In words?", "answer": "text",
         "longest": 20, "required": False},
        {"key": "tools", "label": "Tools", "question": "With what?", "answer": "many",
         "required": False,
         "options": [{"key": "a", "label": "Paper"}, {"key": "b", "label": "Pen"}]},
    ],
}  # fmt: skip


def add_respondent(*questionnaires: Any, kind: str = "interview", **more: Any) -> Participant:
    study = taking.create_study(
        {"kind": kind, "instruments": list(questionnaires)}, {"kind": "debriefing"}, **more
    )
    return taking.add_participant(study)


def get_page(participant: Participant, client: Client | None = None) -> str:
    page = (client or taking.browser_of(participant)).get(f"/take/as/{participant.key}/")
    assert page.status_code == 200, page.content
    return page.content.decode()


def hidden_value(page: str, name: str) -> str:
    match = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert match, f"no {name} in the page"
    return match[1]


def post_page(
    participant: Participant, answers: dict[str, Any], page: str = "", do: str = "done"
) -> HttpResponse:
    """Post the page with these answers."""
    client = taking.browser_of(participant)
    page = page or get_page(participant, client)
    fields = {name: hidden_value(page, name) for name in ("step", "revision", "page")}
    return client.post(f"/take/as/{participant.key}/", {**fields, **answers, "do": do})


def current_step(participant: Participant) -> int:
    participant.refresh_from_db()
    return participant.step
