"""Tests that the preview shows each page of each stage, marked, and stores nothing."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from game import cached_games
from tests.study import studies as opened_studies
from tests.study import world
from tests.study.desk import sign_in
from webapp.study.design.stages import Design
from webapp.study.models import AuditEvent, Study
from webapp.study.planning import ready, studies
from webapp.study.preview import positions
from webapp.study.preview.positions import GAME_END
from webapp.study.rehearsal.html_page import Page
from webapp.study.sessions import enrolment
from webapp.study.sessions.participant_state import route

pytestmark = pytest.mark.django_db

PREVIEWED = (
    "guarded-comparison",
    "helmsman-evaluation",
    "humanized",
)  # Together they have all kinds of stages.
MARK = "Nothing is stored. All participants, games and texts are made up."
OUTSIDE_LINK = re.compile(r'="/(?:take|rate|games)/')
LIVE_SCRIPT = re.compile(r"js/(?:take|table|rate|htmx[\w.]*)\.[\w.]*js")


def create_draft(**design: Any) -> Study:
    owner = User.objects.filter(username="ada").first() or world.create_researcher()
    return studies.create(owner, "Previewed", design=Design.from_json(design))


def create_ready_draft(key: str) -> Study:
    owner = User.objects.filter(username="ada").first() or world.create_researcher()
    return studies.create(owner, key, design=ready.get(key).design)


def count_rows() -> dict[str, int]:
    return {model._meta.label: model._base_manager.count() for model in apps.get_models()}


def get_preview(client: Client, study: Study, **query: Any) -> HttpResponse:
    return client.get(reverse("study:study_preview", args=[study.code]), query, follow=True)


def address_of(response: HttpResponse) -> str:
    chain = getattr(response, "redirect_chain", [])
    return str(chain[-1][0]) if chain else response.wsgi_request.path  # type: ignore[attr-defined]


def post_form(client: Client, response: HttpResponse, **changed: Any) -> HttpResponse:
    """Send the form of the page's main button with some fields changed."""
    page = Page(f"http://testserver{address_of(response)}", 200, response.content.decode())
    form = page.find_form(page.main_controls[0])
    assert form
    fields = dict(form.fixed_fields) | changed
    return client.post(form.action or address_of(response), fields, follow=True)


def stop_values(study: Study) -> list[str]:
    """Return the stops of the preview bar up to a participant's first game."""
    design = Design.from_json(study.design)
    first = {step.index for step in route(design) if step.game <= 1}
    return [
        s.value for s in positions.list_route_stops(design) if int(s.value.split(".")[0]) in first
    ]


@pytest.mark.parametrize("key", PREVIEWED)
def test_each_ready_study_page_is_previewed_and_stores_nothing(key: str, ada: Client) -> None:
    study = create_ready_draft(key)
    before = count_rows()
    exits = [stop.value for stop in positions.list_exit_stops(Design.from_json(study.design))]
    for value in [*stop_values(study), *(exits if key == "humanized" else ["completed"])]:
        page = get_preview(ada, study, to=value)
        text = page.content.decode()
        assert page.status_code == 200, (value, text)
        assert MARK in text, value
        assert not OUTSIDE_LINK.search(text), (value, OUTSIDE_LINK.search(text))
        assert not LIVE_SCRIPT.search(text), (value, "nothing asks the server for news")
    study.refresh_from_db()
    assert study.state == Study.DRAFT
    assert count_rows() == before
    assert not cached_games._cached_games, "the next real game may get the same key"


@pytest.mark.parametrize("condition", [1, 5])
def test_previewed_game_matches_its_condition(condition: int, ada: Client) -> None:
    table = {"ruleset": "one-night", "people": 2, "blind": False}
    levels = [
        {"name": name, "table": {"people_seats": [n, 8], "method": "baseline"}}
        for n, name in enumerate(("a", "b", "c", "d", "e"), 1)
    ]
    study = create_draft(table=table, factors=[{"name": "seat", "levels": levels}])
    step = next(s.index for s in route(Design.from_json(study.design)) if s.kind == "game")
    page = get_preview(ada, study, to=f"{step}.0", condition=condition)
    assert f'data-seat="{condition}"' in page.content.decode()


def test_preview_validates_answers_and_passes_them_on(ada: Client) -> None:
    instrument = {
        "key": "pets", "title": "Pets", "unit": "session", "dimensions": [
            {"key": "pet", "label": "Pet", "question": "Which pet?", "answer": "text"},
            {"key": "name", "label": "Name", "question": "What is the {pet} called?",
             "answer": "text", "page_break": True, "ask_if": 'pet != "none"'},
        ],
    }  # fmt: skip
    study = create_draft(
        stages=[
            {"kind": "consent", "text": "Agree."},
            {"kind": "questionnaire", "instruments": [instrument]},
            {"kind": "game"},
            {"kind": "debriefing"},
        ]
    )
    before = count_rows()
    first = post_form(ada, get_preview(ada, study))
    assert "Which pet?" in first.content.decode()
    rejected = post_form(ada, first)
    assert rejected.status_code == 422
    assert "Write an answer" in rejected.content.decode()
    second = post_form(ada, first, **{"pets/pet": "axolotl"})
    assert "What is the axolotl called?" in second.content.decode()
    back = post_form(ada, second, do="back")
    assert "axolotl" in back.content.decode()
    room = post_form(ada, second, **{"pets/name": "Ax"})
    assert "Waiting room" in room.content.decode()
    skipped = post_form(ada, first, **{"pets/pet": "none"})
    assert "Waiting room" in skipped.content.decode()
    assert MARK in room.content.decode()
    assert count_rows() == before


def test_previewed_game_is_played_question_by_question(ada: Client) -> None:
    study = create_ready_draft("who-is-human")
    before = count_rows()
    game = next(s.index for s in route(Design.from_json(study.design)) if s.kind == "game")
    ready_page = get_preview(ada, study, to=f"{game - 1}.1")
    table = post_form(ada, ready_page, do="ready")
    assert "/games/" in address_of(table)
    statement_page = get_preview(ada, study, to=f"{game}.1")
    window = re.search(r'name="window" value="([^"]+)" form="say"', statement_page.content.decode())
    assert window
    answer_url = f"{address_of(statement_page)}answer"
    empty = ada.post(answer_url, {"window": window[1], "text": " "})
    assert empty.status_code in (409, 422)
    assert MARK in empty.content.decode()
    polled = ada.post(answer_url, {"window": window[1], "text": "I know nothing."}, follow=True)
    assert "choice-poll" in polled.content.decode()
    ended = get_preview(ada, study, to=f"{game}.{GAME_END}")
    link = re.search(
        r'id="continue"[^>]*href="([^"]+)"|href="([^"]+)"[^>]*id="continue"', ended.content.decode()
    )
    assert link
    questionnaire = ada.get(link[1] or link[2], follow=True)
    assert "Who played at the other seats?" in questionnaire.content.decode()
    assert count_rows() == before


def test_preview_validates_and_submits_ratings(ada: Client) -> None:
    study = create_ready_draft("guarded-comparison")
    before = count_rows()
    page = get_preview(ada, study, to="1.2")
    assert "1 of 10" in re.sub(r"\s+", " ", page.content.decode())
    url = address_of(page)
    wrong = ada.post(url, {"a/interest": "99"})
    assert wrong.status_code == 422
    assert "enter a whole number from 1 to 5" in wrong.content.decode()
    following = ada.post(url, {"a/interest": "3"}, follow=True)
    assert "2 of 10" in re.sub(r"\s+", " ", following.content.decode())
    end = post_form(ada, get_preview(ada, study, to="1.3"))
    assert "Thank you. You have finished the study." in end.content.decode()
    assert count_rows() == before


def test_preview_is_accessible_to_its_researcher_only() -> None:
    study = create_ready_draft("who-is-human")
    bea = sign_in("bea")
    sign_in()
    token = positions.Position().to_token(study)
    page = reverse("study:study_preview_page", args=[study.code, token, positions.OWN_PATH])
    assert sign_in("ada").get(page).status_code == 200
    for name in ("study_preview", "study_preview_phone", "study_open"):
        assert bea.get(reverse(f"study:{name}", args=[study.code])).status_code == 404
    assert bea.get(page).status_code == bea.post(page).status_code == 404
    assert Client().get(page).status_code == 302


def test_preview_serves_participant_pages_only_and_ignores_forged_tokens(ada: Client) -> None:
    study = create_ready_draft("who-is-human")
    for path in ("study/", "take/as/preview/data.json", "nowhere"):
        page = ada.get(reverse("study:study_preview_page", args=[study.code, "forged", path]))
        assert page.status_code == 404
        assert "not part of the preview" in page.content.decode()
    page = ada.get(
        reverse("study:study_preview_page", args=[study.code, "forged", positions.OWN_PATH])
    )
    assert "I agree, start now" in page.content.decode()
    phone = ada.get(reverse("study:study_preview_phone", args=[study.code]), {"to": "2.0"})
    frame = re.search(r'<iframe[^>]*src="([^"]+)"', phone.content.decode(), re.DOTALL)
    assert frame
    frame_page = ada.get(frame[1])
    assert frame_page["X-Frame-Options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in frame_page["Content-Security-Policy"]
    assert "How the game works" in frame_page.content.decode()


@pytest.mark.parametrize("stop", ["1" * 5000 + ".0", "0." + "1" * 5000])
def test_stop_with_thousands_of_digits_is_ignored(stop: str) -> None:
    page = get_preview(sign_in(), create_ready_draft("who-is-human"), to=stop)
    assert "I agree, start now" in page.content.decode()


def test_design_error_is_shown_in_the_preview(ada: Client) -> None:
    study = create_draft(table={"ruleset": "chess"})
    page = get_preview(ada, study)
    assert page.status_code == 422
    assert "chess" in page.content.decode()


def test_preview_of_leaving_and_erasing_deletes_nothing(ada: Client) -> None:
    study = create_ready_draft("who-is-human")
    before = count_rows()
    page = get_preview(ada, study, to="1.0")
    url = address_of(page)
    leave = ada.get(f"{url}leave")
    assert "Do you want to leave?" in leave.content.decode()
    erased_page = ada.post(f"{url}leave", {"do": "erase"}, follow=True)
    assert "Your answers are deleted" in erased_page.content.decode()
    helped = ada.post(f"{url}help", {"text": ""})
    assert helped.status_code == 422
    assert count_rows() == before


def test_study_can_be_unlocked_until_a_participant_consents(ada: Client) -> None:
    study = create_ready_draft("humanized")
    state = reverse("study:study_state", args=[study.code])
    setup = reverse("study:study_setup", args=[study.code])
    ada.post(state, {"do": "open"})
    study.refresh_from_db()
    first_hash = study.config_hash
    assert study.slots.exists()
    assert "Unlock" in ada.get(setup).content.decode()
    ada.post(state, {"do": "unlock"})
    study.refresh_from_db()
    assert (study.state, study.config_hash, study.opened_at) == (Study.DRAFT, "", None)
    assert not study.slots.exists()
    assert not study.campaigns.exists(), "unlocking deletes the generated campaign"
    assert AuditEvent.objects.filter(study=study, what="unlocked", actor="ada").count() == 1
    studies.change(study, name="Another name")
    late = enrolment.Agreement(enrolment.consent_version(study))
    with pytest.raises(enrolment.NotOpened):
        enrolment.enrol(study, {"ticket": "t"}, opened_studies.uuid.uuid4(), late)
    ada.post(state, {"do": "open"})
    study.refresh_from_db()
    assert (study.state, study.config_hash) == (Study.OPEN, first_hash)
    opened_studies.enrol(study, 1)
    assert "Unlock" not in ada.get(setup).content.decode()
    page = ada.post(state, {"do": "unlock"}, follow=True).content.decode()
    assert "A participant has agreed" in page
    study.refresh_from_db()
    assert study.state == Study.OPEN
