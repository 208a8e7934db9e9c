"""Tests of the pages on which researchers write and change a study's questionnaires."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.study import taking
from tests.study.desk import sign_in
from tests.study.questionnaire_pages import get_page, post_page
from webapp.study.design import instruments
from webapp.study.design.instruments import Instrument
from webapp.study.models import Study

pytestmark = pytest.mark.django_db


def create_draft(*questionnaires: Any, kind: str = "interview") -> Study:
    study = taking.create_study(
        {"kind": kind, "instruments": list(questionnaires)}, {"kind": "debriefing"}
    )
    Study.objects.update(state=Study.DRAFT)
    study.refresh_from_db()
    return study


def questions_url(study: Study, number: int = 1, stage: int = 2) -> str:
    return reverse("study:study_questions", args=[study.code, stage, number])


def question_form_data(page: HttpResponse, **changed: str) -> dict[str, str]:
    """Return what the page sends unchanged, except for `changed`."""
    fields: dict[str, str] = {}
    for form in (page.context["form"], *page.context["items"]):  # type: ignore[attr-defined]
        for name in form.fields:
            value = form[name].value()
            if value not in (None, False, ""):
                fields[form.add_prefix(name)] = "on" if value is True else str(value)
    count = str(len(page.context["items"].forms))  # type: ignore[attr-defined]
    fields |= {"form-TOTAL_FORMS": count, "form-INITIAL_FORMS": count, "do": "save"}
    return fields | changed


def saved_instruments(study: Study) -> list[Any]:
    study.refresh_from_db()
    stored: list[Any] = study.design["stages"][1]["instruments"]
    return stored


@pytest.mark.parametrize("key", instruments.PARTICIPANT_KEYS)
def test_unchanged_built_in_questionnaire_is_stored_by_key(ada: Client, key: str) -> None:
    study = create_draft(key)
    assert (
        ada.post(
            questions_url(study), question_form_data(ada.get(questions_url(study)))
        ).status_code
        == 302
    )
    assert saved_instruments(study) == [key]


def test_changed_copy_belongs_to_the_study_and_is_asked(ada: Client) -> None:
    study = create_draft("background")
    page = ada.get(questions_url(study))
    changes = {
        "title": "Who are you?",
        "form-0-options": "no | I never do\nyes | I do\nNow and then",
        "form-1-required": "on",
    }
    assert ada.post(questions_url(study), question_form_data(page, **changes)).status_code == 302
    (copy,) = saved_instruments(study)
    assert copy["key"] == "who_are_you"
    assert [o["key"] for o in copy["dimensions"][0]["options"]] == ["no", "yes", "now_and_then"]
    assert [d["key"] for d in copy["dimensions"]] == ["experience", "age"]
    changed_page = ada.get(questions_url(study))
    assert (
        ada.post(
            questions_url(study), question_form_data(changed_page, title="Something else")
        ).status_code
        == 302
    )
    assert saved_instruments(study)[0]["key"] == "who_are_you", "the key in the data is unchanged"
    Study.objects.update(state=Study.OPEN)
    participant = taking.add_participant(study)
    assert "Now and then" in get_page(participant)
    changes = {"experience": "now_and_then", "age": "age-18-24"}
    chosen = {f"who_are_you/{item}": option for item, option in changes.items()}
    assert post_page(participant, chosen).status_code == 302


def test_questions_of_each_kind_can_be_created(ada: Client) -> None:
    study = create_draft("interview")
    rows = [
        {"label": "Warm & kind", "question": "How warm?", "answer": "scale", "min": "0",
         "max": "10", "low_pole": "cold", "high_pole": "warm", "required": "on"},
        {"label": "Words", "question": "Why?", "answer": "text", "longest": "300"},
        {"label": "Games", "question": "How many?", "answer": "number", "min": "0", "max": "99"},
        {"label": "Where", "question": "Where?", "answer": "one", "options": "Here\nThere"},
        {"label": "What", "question": "What?", "answer": "many", "options": "This\nThat"},
        {"label": "Kind", "question": "Who?", "answer": "human", "min": "1", "max": "5",
         "low_pole": "guess", "high_pole": "sure", "unsure": "on"},
        {"label": "Role", "question": "Which?", "answer": "role", "min": "1", "max": "5",
         "low_pole": "guess", "high_pole": "sure"},
    ]  # fmt: skip
    fields = {"title": "My own", "unit": "seat", "intro": "", "rotated": "on", "drawn": "on",
              "form-TOTAL_FORMS": "7", "form-INITIAL_FORMS": "0"}  # fmt: skip
    for n, row in enumerate(rows):
        fields |= {f"form-{n}-{name}": value for name, value in row.items()}
    response = ada.post(questions_url(study, 2), fields)
    assert response.status_code == 302, response.content.decode()
    built_in, stored = saved_instruments(study)
    assert built_in == "interview"
    created = Instrument.from_json(stored)
    assert (created.key, created.unit) == ("my_own", "seat")
    assert (created.order, created.direction) == ("rotated", "drawn")
    assert [i.answer for i in created.items] == [row["answer"] for row in rows]
    assert [i.required for i in created.items] == [True] + [False] * 6
    assert created.items[0].key == "warm_kind"
    assert created.items[0].max == 10
    assert created.items[1].longest == 300
    assert [o.label for o in created.items[4].options] == ["This", "That"]
    assert [i.unsure for i in created.items[5:]] == [True, False]


def test_pages_conditions_and_tables_can_be_created(ada: Client) -> None:
    study = create_draft("interview")
    ends = {"min": "1", "max": "5", "low_pole": "no", "high_pole": "yes"}
    rows = [
        {"label": "Hello", "question": "Read this.", "answer": "info"},
        {"label": "Often", "question": "Often?", "answer": "one", "options": "daily\nnever"},
        {"label": "Warm", "question": "So {often}?", "answer": "slider", **ends, "max": "100",
         "page_break": "on", "ask_if": "often == “daily”"},
        {"label": "A", "question": "A?", "answer": "scale", **ends},
        {"label": "B", "question": "B?", "answer": "scale", **ends, "table_row": "on"},
    ]  # fmt: skip
    fields = {
        "title": "My own",
        "unit": "session",
        "form-TOTAL_FORMS": "5",
        "form-INITIAL_FORMS": "0",
    }
    for n, row in enumerate(rows):
        fields |= {f"form-{n}-{name}": value for name, value in row.items()}
    rejected = ada.post(questions_url(study, 2), {**fields, "form-2-ask_if": "oftn == 1"})
    assert rejected.status_code == 422
    assert "asks “oftn”" in rejected.content.decode()
    assert 'value="oftn == 1"' in rejected.content.decode()
    assert ada.post(questions_url(study, 2), fields).status_code == 302
    items = Instrument.from_json(saved_instruments(study)[1]).items
    assert [i.answer for i in items] == [row["answer"] for row in rows]
    assert (items[2].page_break, items[2].ask_if, items[4].table_row) == (
        True,
        rows[2]["ask_if"],
        True,
    )
    page = ada.get(questions_url(study, 2))
    assert ada.post(questions_url(study, 2), question_form_data(page)).status_code == 302
    assert Instrument.from_json(saved_instruments(study)[1]).items == items


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"form-0-answer": "one", "form-0-options": "Only one"}, "at least two options"),
        ({"form-0-answer": "text"}, "maximum length"),
        ({"form-0-min": "5"}, "a greater highest value"),
        ({"form-0-low_pole": ""}, "Enter a label for this end"),
        ({"form-0-answer": "human"}, "every other player"),
        ({"title": ""}, "This field is required"),
    ],
)
def test_invalid_questionnaire_is_rejected_and_keeps_its_input(
    ada: Client, changed: dict[str, str], error: str
) -> None:
    study = create_draft("interview")
    fields = {
        k: v
        for k, v in question_form_data(ada.get(questions_url(study))).items()
        if k != "form-0-longest"
    }
    page = ada.post(questions_url(study), {**fields, "intro": "Still here.", **changed})
    assert page.status_code == 422
    assert error in page.content.decode()
    assert "Still here." in page.content.decode()
    assert saved_instruments(study) == ["interview"]


def test_items_are_added_moved_and_removed_without_storing(ada: Client) -> None:
    study = create_draft("interview")
    fields = question_form_data(ada.get(questions_url(study)))
    added = ada.post(questions_url(study), {**fields, "do": "add"})
    assert len(added.context["items"].forms) == 6
    moved = ada.post(questions_url(study), {**fields, "do": "up:1"})
    assert [f["key"].value() for f in moved.context["items"]][:2] == ["logic", "rules"]
    removed = ada.post(questions_url(study), {**fields, "do": "remove:0"})
    assert len(removed.context["items"].forms) == 4
    assert saved_instruments(study) == ["interview"]


def test_opened_study_keeps_its_questions(ada: Client) -> None:
    study = create_draft("interview")
    fields = question_form_data(ada.get(questions_url(study)), title="Too late")
    Study.objects.update(state=Study.OPEN)
    assert "disabled" in ada.get(questions_url(study)).content.decode()
    assert ada.post(questions_url(study), fields).status_code == 422
    assert saved_instruments(study) == ["interview"]


def test_questions_of_another_researcher_are_not_found(ada: Client) -> None:
    study = create_draft("interview")
    assert sign_in("bea").get(questions_url(study)).status_code == 404
    assert ada.get(questions_url(study, 3)).status_code == 404
    assert ada.get(questions_url(study, 1, stage=9)).status_code == 404
    assert ada.get(questions_url(study, 1, stage=1)).status_code == 404, "consent has no questions"
    assert Client().get(questions_url(study)).status_code == 302


def test_questionnaire_pages_are_linked_from_their_stage_and_back(ada: Client) -> None:
    study = create_draft("interview", {**instruments.get("impressions").to_json(), "key": "own-1"})
    stage = reverse("study:study_stage", args=[study.code, 2])
    page = ada.get(stage).content.decode()
    for number in (1, 2):
        assert f'href="{questions_url(study, number)}"' in page
    assert f'href="{questions_url(study, 3)}?from=blank"' in page
    blank_page = ada.get(questions_url(study, 3), {"from": "blank"}).content.decode()
    assert f'href="{stage}"' in blank_page
    assert reverse("study:study_monitor", args=[study.code]) in blank_page, "the study's tabs"
    consent = ada.get(reverse("study:study_stage", args=[study.code, 1])).content.decode()
    assert "Create a questionnaire" not in consent
    Study.objects.update(state=Study.OPEN)
    page = ada.get(stage).content.decode()
    assert f'href="{questions_url(study, 1)}"' in page
    assert "from=blank" not in page, "an opened study gets no new questions"
