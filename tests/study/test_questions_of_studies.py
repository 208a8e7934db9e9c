"""Researchers write what their studies ask, and change what is built in, without code."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.study import taking
from tests.study.desk import sign_in
from tests.study.test_questionnaires import get_page, post_page
from webapp.study.design import instruments
from webapp.study.design.instruments import Instrument
from webapp.study.models import Study

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> Client:
    return sign_in("ada")


def draft(*of: Any, kind: str = "interview") -> Study:
    made = taking.create_study({"kind": kind, "instruments": list(of)}, {"kind": "debriefing"})
    Study.objects.update(state=Study.DRAFT)
    made.refresh_from_db()
    return made


def at(study: Study, number: int = 1, stage: int = 2) -> str:
    return reverse("study:study_questions", args=[study.code, stage, number])


def typed(page: HttpResponse, **changed: str) -> dict[str, str]:
    """What the page sends when nothing is touched, but what is `changed`."""
    sent: dict[str, str] = {}
    for form in (page.context["form"], *page.context["items"]):  # type: ignore[attr-defined]
        for name in form.fields:
            value = form[name].value()
            if value not in (None, False, ""):
                sent[form.add_prefix(name)] = "on" if value is True else str(value)
    count = str(len(page.context["items"].forms))  # type: ignore[attr-defined]
    sent |= {"form-TOTAL_FORMS": count, "form-INITIAL_FORMS": count, "do": "save"}
    return sent | changed


def saved(study: Study) -> list[Any]:
    study.refresh_from_db()
    found: list[Any] = study.design["stages"][1]["instruments"]
    return found


@pytest.mark.parametrize("key", instruments.PARTICIPANT_KEYS)
def test_unchanged_built_in_questionnaire_is_stored_by_key(ada: Client, key: str) -> None:
    study = draft(key)
    assert ada.post(at(study), typed(ada.get(at(study)))).status_code == 302
    assert saved(study) == [key]


def test_changed_copy_belongs_to_the_study_and_is_asked(ada: Client) -> None:
    study = draft("background")
    page = ada.get(at(study))
    told = {
        "title": "Who are you?",
        "form-0-options": "no | I never do\nyes | I do\nNow and then",
        "form-1-required": "on",
    }
    assert ada.post(at(study), typed(page, **told)).status_code == 302
    (own,) = saved(study)
    assert own["key"] == "who_are_you"
    assert [o["key"] for o in own["dimensions"][0]["options"]] == ["no", "yes", "now_and_then"]
    assert [d["key"] for d in own["dimensions"]] == ["experience", "age"]
    again = ada.get(at(study))
    assert ada.post(at(study), typed(again, title="Something else")).status_code == 302
    assert saved(study)[0]["key"] == "who_are_you", "its name in the data stays"
    Study.objects.update(state=Study.OPEN)
    who = taking.add_participant(study)
    assert "Now and then" in get_page(who)
    told = {"experience": "now_and_then", "age": "age-18-24"}
    chosen = {f"who_are_you/{item}": option for item, option in told.items()}
    assert post_page(who, chosen).status_code == 302


def test_questions_of_each_kind_can_be_created(ada: Client) -> None:
    study = draft("interview")
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
    sent = {"title": "My own", "unit": "seat", "intro": "", "rotated": "on", "drawn": "on",
            "form-TOTAL_FORMS": "7", "form-INITIAL_FORMS": "0"}  # fmt: skip
    for n, row in enumerate(rows):
        sent |= {f"form-{n}-{name}": value for name, value in row.items()}
    answer = ada.post(at(study, 2), sent)
    assert answer.status_code == 302, answer.content.decode()
    built_in, own = saved(study)
    assert built_in == "interview"
    made = Instrument.from_json(own)
    assert (made.key, made.unit) == ("my_own", "seat")
    assert (made.order, made.direction) == ("rotated", "drawn")
    assert [i.answer for i in made.items] == [row["answer"] for row in rows]
    assert [i.required for i in made.items] == [True] + [False] * 6
    assert made.items[0].key == "warm_kind"
    assert made.items[0].max == 10
    assert made.items[1].longest == 300
    assert [o.label for o in made.items[4].options] == ["This", "That"]
    assert [i.unsure for i in made.items[5:]] == [True, False]


def test_pages_conditions_and_tables_can_be_created(ada: Client) -> None:
    study = draft("interview")
    ends = {"min": "1", "max": "5", "low_pole": "no", "high_pole": "yes"}
    rows = [
        {"label": "Hello", "question": "Read this.", "answer": "info"},
        {"label": "Often", "question": "Often?", "answer": "one", "options": "daily\nnever"},
        {"label": "Warm", "question": "So {often}?", "answer": "slider", **ends, "max": "100",
         "page_break": "on", "ask_if": "often == “daily”"},
        {"label": "A", "question": "A?", "answer": "scale", **ends},
        {"label": "B", "question": "B?", "answer": "scale", **ends, "table_row": "on"},
    ]  # fmt: skip
    sent = {
        "title": "My own",
        "unit": "session",
        "form-TOTAL_FORMS": "5",
        "form-INITIAL_FORMS": "0",
    }
    for n, row in enumerate(rows):
        sent |= {f"form-{n}-{name}": value for name, value in row.items()}
    refused = ada.post(at(study, 2), {**sent, "form-2-ask_if": "oftn == 1"})
    assert refused.status_code == 422
    assert "asks “oftn”" in refused.content.decode()
    assert 'value="oftn == 1"' in refused.content.decode()
    assert ada.post(at(study, 2), sent).status_code == 302
    items = Instrument.from_json(saved(study)[1]).items
    assert [i.answer for i in items] == [row["answer"] for row in rows]
    assert (items[2].page_break, items[2].ask_if, items[4].table_row) == (
        True,
        rows[2]["ask_if"],
        True,
    )
    page = ada.get(at(study, 2))
    assert ada.post(at(study, 2), typed(page)).status_code == 302
    assert Instrument.from_json(saved(study)[1]).items == items


@pytest.mark.parametrize(
    ("changed", "told"),
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
    ada: Client, changed: dict[str, str], told: str
) -> None:
    study = draft("interview")
    sent = {k: v for k, v in typed(ada.get(at(study))).items() if k != "form-0-longest"}
    page = ada.post(at(study), {**sent, "intro": "Still here.", **changed})
    assert page.status_code == 422
    assert told in page.content.decode()
    assert "Still here." in page.content.decode()
    assert saved(study) == ["interview"]


def test_items_are_added_moved_and_removed_without_storing(ada: Client) -> None:
    study = draft("interview")
    sent = typed(ada.get(at(study)))
    more = ada.post(at(study), {**sent, "do": "add"})
    assert len(more.context["items"].forms) == 6
    up = ada.post(at(study), {**sent, "do": "up:1"})
    assert [f["key"].value() for f in up.context["items"]][:2] == ["logic", "rules"]
    out = ada.post(at(study), {**sent, "do": "remove:0"})
    assert len(out.context["items"].forms) == 4
    assert saved(study) == ["interview"]


def test_opened_study_keeps_its_questions(ada: Client) -> None:
    study = draft("interview")
    sent = typed(ada.get(at(study)), title="Too late")
    Study.objects.update(state=Study.OPEN)
    assert "disabled" in ada.get(at(study)).content.decode()
    assert ada.post(at(study), sent).status_code == 422
    assert saved(study) == ["interview"]


def test_questions_of_another_researcher_are_not_found(ada: Client) -> None:
    study = draft("interview")
    assert sign_in("bea").get(at(study)).status_code == 404
    assert ada.get(at(study, 3)).status_code == 404
    assert ada.get(at(study, 1, stage=9)).status_code == 404
    assert ada.get(at(study, 1, stage=1)).status_code == 404, "consent asks nothing"
    assert Client().get(at(study)).status_code == 302


def test_questionnaire_pages_are_linked_from_their_stage_and_back(ada: Client) -> None:
    study = draft("interview", {**instruments.get("impressions").to_json(), "key": "own-1"})
    stage = reverse("study:study_stage", args=[study.code, 2])
    page = ada.get(stage).content.decode()
    for number in (1, 2):
        assert f'href="{at(study, number)}"' in page
    assert f'href="{at(study, 3)}?from=blank"' in page
    there = ada.get(at(study, 3), {"from": "blank"}).content.decode()
    assert f'href="{stage}"' in there
    assert reverse("study:study_monitor", args=[study.code]) in there, "the study's tabs"
    consent = ada.get(reverse("study:study_stage", args=[study.code, 1])).content.decode()
    assert "Create a questionnaire" not in consent
    Study.objects.update(state=Study.OPEN)
    page = ada.get(stage).content.decode()
    assert f'href="{at(study, 1)}"' in page
    assert "from=blank" not in page, "an opened study asks nothing new"
