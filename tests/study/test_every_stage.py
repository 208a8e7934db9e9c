"""Tests that each stage survives reloads, old forms, second tabs, lost replies and deadlines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from django.db import DatabaseError
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from game.models import Answer, Game
from tests.study import entering, rating, studies, taking, world
from tests.study.entering import html_of, page_url
from webapp.play import posted_answers
from webapp.play.models import Desk
from webapp.study import timed_steps
from webapp.study.models import (
    Assignment,
    AuditEvent,
    Participant,
    Payment,
    Rater,
    Rating,
    Response,
    Seating,
    Study,
)
from webapp.study.rehearsal.html_page import HtmlQuestion, Page
from webapp.study.sessions import lifecycle, participant_state, quiz_tries

pytestmark = pytest.mark.django_db(transaction=True)

Fields = dict[str, list[str]]
KINDS = (
    "consent", "background", "rules", "practice", "waiting", "game", "questionnaire", "interview",
    "ratings", "debriefing",
)  # fmt: skip
QUESTION_STAGES = ("background", "questionnaire", "interview")
SAVING_STAGES = (*QUESTION_STAGES, "rules")
TIMED_STAGES = (*QUESTION_STAGES, "rules", "practice", "ratings", "debriefing")
STAGES_BEFORE_GAME: list[dict[str, Any]] = [
    {"kind": "background", "minutes": 5},
    {"kind": "rules", "minutes": 5, "quiz": {"questions": 2, "then": "go_on"}},
    {"kind": "practice", "minutes": 2},
    {"kind": "game"},
]
STAGES_AFTER_GAME: list[dict[str, Any]] = [
    {"kind": "questionnaire", "instruments": ["who-is-human"], "each_game": True, "minutes": 5},
    {"kind": "interview", "minutes": 5},
    {"kind": "ratings", "instrument": "engagement", "items": 1, "minutes": 5},
    {"kind": "debriefing", "reveal": True, "minutes": 3},
]
NEXT_STAGE = {**dict(pairwise(KINDS)), "debriefing": "completed"}  # The stage after each stage.
DESIGN: dict[str, Any] = {
    "table": {"people": 1, "people_roles": ["seer"]},  # The Seer acts as soon as the game begins.
    "stages": [
        {"kind": "consent", "text": "We want to know."},
        *STAGES_BEFORE_GAME,
        *STAGES_AFTER_GAME,
    ],
    "exits": entering.EXITS,
}


@dataclass
class StageVisit:
    """A browser at a stage. `row` is its participant, or None before consent."""

    kind: str
    study: Study
    client: Client
    row: Participant | None = None

    @property
    def address(self) -> str:
        return page_url(self.row) if self.row else f"/take/{self.study.key}/"

    @property
    def kind_now(self) -> str:
        people = list(self.study.participants.filter(visitor__isnull=False))
        participant = self.row or next(iter(people), None)
        return studies.stage_of(participant) if participant else "consent"

    def look(self, address: str = "") -> Page:
        return parse_page(self.client.get(address or self.address, follow=True), address)

    def form(self, choice: int = 0) -> tuple[str, Fields]:
        """Return the address and the filled fields of the form with the main button.

        choice: the index of the chosen option.
        """
        page = self.look()
        while page.main_controls[0].name == "a":
            page = self.look(urljoin(urlsplit(page.url).path, page.main_controls[0].get("href")))
        form = page.find_form(page.main_controls[0])
        assert form
        fields: Fields = {name: [value] for name, value in form.fixed_fields}
        solution = self.right_answers() if self.kind == "rules" else {}
        for question in form.questions:
            fields[question.name] = (
                [solution[question.name]]
                if question.name in solution
                else choose_answer(question, choice)
            )
        if fields.get("post") == [""]:
            fields["post"] = ["6f1c8e7e-0000-4000-8000-000000000001"]
        if self.kind == "practice":
            fields["do"] = ["on"]  # Continue instead of opening the table.
        return urljoin(urlsplit(page.url).path, form.action or urlsplit(page.url).path), fields

    def right_answers(self) -> dict[str, str]:
        participant = studies.reload(self.row) if self.row else None
        assert participant
        due_questions = quiz_tries.next_questions(
            participant, participant_state.current_step(participant)
        )
        return {q.key: "yes" if q.is_true else "no" for q in due_questions}

    def post(self, form: tuple[str, Fields], **more: str) -> HttpResponse:
        url, fields = form
        return self.client.post(url, {**fields, **more})

    def go_on(self) -> tuple[str, Fields]:
        """Complete the stage. Returns: the form of its page that was sent."""
        form = self.form()
        self.post(form)
        if self.kind == "game":
            assert self.row
            studies.finish_game(self.row)
        if self.kind == "ratings":
            self.rate()
            rater = Rater.objects.get(participant=self.row)
            self.client.post(f"/rate/as/{rater.key}/all")
            self.client.get(f"/rate/as/{rater.key}/")
        if self.row is None:
            self.row = self.study.participants.get()
        return form

    def rate(self) -> Assignment:
        """Begin to rate and fill in the page."""
        rater = Rater.objects.get(participant=self.row)
        self.client.get(f"/rate/as/{rater.key}/")
        self.client.post(f"/rate/as/{rater.key}/example")
        (assignment,) = rater.assignments.all()
        self.client.get(rating.page_url(assignment))
        assert rating.rate_page(self.client, assignment).status_code == 200
        return assignment


def parse_page(response: HttpResponse, address: str = "") -> Page:
    chain = getattr(response, "redirect_chain", [])
    url = chain[-1][0] if chain else response.wsgi_request.path  # type: ignore[attr-defined]
    return Page(f"http://testserver{urlsplit(url).path}", response.status_code, html_of(response))


def choose_answer(question: HtmlQuestion, choice: int) -> list[str]:
    """Return the choices from that index on, or a short text."""
    if question.kind == "text":
        return [f"As far as I can tell, {choice}."]
    if question.kind == "number":
        return [str((question.limits[0] if question.limits else 30) + choice)]
    values = [c.value for c in question.choices if c.value]
    return values[choice : choice + (question.count or 1)]


def reach_stage(kind: str) -> StageVisit:
    """Return a visit of that stage in its participant's browser."""
    if KINDS.index(kind) > KINDS.index("game"):
        return visit_after_game(kind)
    study = studies.create_study(**DESIGN)
    visit = StageVisit("consent", study, Client())
    while visit.kind != kind:
        if visit.row is None or visit.kind == "waiting":
            visit.go_on()
        else:
            lifecycle.advance(visit.row, studies.reload(visit.row).step)
        visit.kind = visit.kind_now
    return visit


def visit_after_game(kind: str) -> StageVisit:
    """Return the visit of a player of one game while another player left a second game."""
    study = taking.create_study(*STAGES_BEFORE_GAME, *STAGES_AFTER_GAME, exits=entering.EXITS)
    player, other_player = (
        taking.add_participant(study, "questionnaire"),
        taking.add_participant(study),
    )
    taking.add_played_game(player, world.ended_game("1", names={1: ""}, blind=True))
    taking.add_played_game(other_player, world.ended_game("2", names={1: ""}, blind=True))
    Participant.objects.filter(pk=other_player.pk).update(exit="left", visitor=None)
    while participant_state.current_step(studies.reload(player)).kind != kind:
        lifecycle.advance(player, studies.reload(player).step)
    return StageVisit(kind, study, taking.browser_of(player), studies.reload(player))


def stored_state(study: Study) -> dict[str, list[Any]]:
    """Return all stored rows of the study's participants without times."""
    people = Participant.objects.filter(study=study)
    of_people = {"participant__in": people}
    rows: Mapping[str, Any] = {
        "people": people.values_list("pseudonym", "step", "exit", "code", "quiz_tries", "practice"),
        "responses": Response.objects.filter(**of_people).values_list(
            "step", "instrument", "item", "about_seat", "moment", "number", "text", "choice",
            "state",
        ),
        "seats": Seating.objects.filter(**of_people).values_list(
            "participant", "slot", "seat", "state"
        ),
        "payments": Payment.objects.filter(**of_people).values_list("participant", "reason"),
        "raters": Rater.objects.filter(**of_people).values_list("participant", "left_as"),
        "ratings": Rating.objects.values_list("assignment", "stimulus", "dimension", "value"),
        "answers": Answer.objects.values_list("window", "seat", "post"),
        "games": Game.objects.values_list("pk"),
        "done": AuditEvent.objects.filter(**of_people).values_list("participant", "what"),
    }  # fmt: skip
    return {name: list(queryset.order_by("pk")) for name, queryset in rows.items()}


def stored_answers(study: Study) -> list[tuple[Any, ...]]:
    """Return (instrument, item, seat, number, text, choice) of each answer."""
    responses = Response.objects.filter(participant__study=study).order_by("pk")
    names = ("instrument", "item", "about_seat", "number", "text", "choice")
    return list(responses.values_list(*names))


def check_moved_once(visit: StageVisit) -> None:
    """Check that the participant is at the next stage and sees its page."""
    assert visit.kind_now == NEXT_STAGE[visit.kind]
    assert visit.look(visit.address if visit.row else f"/take/{visit.study.key}/").status == 200


# -- the five events


@pytest.mark.parametrize("kind", KINDS)
def test_reload_shows_the_same_page_and_changes_nothing(kind: str) -> None:
    visit = reach_stage(kind)
    texts, field_names = visit.look().visible_texts, list(visit.form()[1])
    before = stored_state(visit.study)
    assert (visit.look().visible_texts, list(visit.form()[1])) == (texts, field_names)
    assert visit.client.head(visit.address).status_code in (200, 302)
    assert visit.kind_now == kind
    assert stored_state(visit.study) == before


@pytest.mark.parametrize("kind", KINDS)
def test_form_of_an_earlier_stage_changes_nothing_and_redirects(kind: str) -> None:
    visit = reach_stage(KINDS[max(0, KINDS.index(kind) - 1)])
    back = visit.go_on()
    words = visit.look().visible_texts
    before = stored_state(visit.study)
    if kind != "consent":
        assert visit.kind_now == kind
    for more in ({}, {"do": "save"}, {"do": "on"}, {"do": "leave"}, {"do": "decline"}):
        reply = visit.post(back, **more)
        assert reply.status_code < 500
        if "/take/" in back[0]:
            assert reply["Location"] == visit.address, more
    assert stored_state(visit.study) == before
    assert visit.look().visible_texts == words


@pytest.mark.parametrize("kind", KINDS)
def test_form_sent_twice_or_from_a_second_tab_counts_once(kind: str) -> None:
    visit = reach_stage(kind)
    first, second = visit.form(), visit.form()
    assert visit.post(first).status_code < 400
    once = stored_state(visit.study)
    for form in (first, second):
        for more in ({}, {"do": "on"}, {"do": "done"}, {"do": "save"}, {"do": "ready"}):
            assert visit.post(form, **more).status_code < 500
    assert stored_state(visit.study) == once
    if kind not in ("game", "ratings"):
        check_moved_once(visit)


@pytest.mark.parametrize("kind", KINDS)
def test_lost_reply_loses_no_data(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    visit = reach_stage(kind)
    visit.client.raise_request_exception = False
    form = visit.form()
    if kind in SAVING_STAGES:
        assert visit.post(form, do="save").status_code == 204
    if kind == "ratings":
        visit.post(form)
        visit.rate()
    answers = stored_answers(visit.study)
    ratings = stored_state(visit.study)["ratings"]

    def fail(*args: Any, **more: Any) -> None:
        raise DatabaseError("the line is lost")

    with monkeypatch.context() as broken:
        broken.setattr(lifecycle, "_schedule_follow_up", fail)
        broken.setattr(participant_state, "remember_participant", fail)
        broken.setattr(
            posted_answers, "_accept", fail
        )  # The answer is stored but its reply is lost.
        visit.post(form)
    assert visit.kind_now == kind or kind == "consent"
    assert (stored_answers(visit.study), stored_state(visit.study)["ratings"]) == (answers, ratings)
    if kind in SAVING_STAGES:
        assert any(answers)
        shown_again = {name: visit.form()[1][name] for name in form[1] if "/" in name}
        assert shown_again == {name: form[1][name] for name in shown_again}, "typed values stay"
    if kind == "waiting":
        assert visit.look().url.startswith("http://testserver/games/"), "the page leads to the game"
        return
    visit.post(form)
    if kind == "game":
        assert Answer.objects.filter(window__game=studies.game_of(visit.row)).count() == 1  # type: ignore[arg-type]
    elif kind != "ratings":
        check_moved_once(visit)


@pytest.mark.parametrize("kind", KINDS)
def test_expired_stage_moves_participant_once_with_typed_answers(kind: str) -> None:
    visit = reach_stage(kind)
    {
        "consent": _check_consent_has_no_time,
        "waiting": _check_waiting_limit,
        "game": _check_absence,
    }.get(kind, _check_deadline)(visit)
    assert visit.kind_now == {**NEXT_STAGE, "waiting": "waited_out", "game": "game"}[kind]


def _check_consent_has_no_time(visit: StageVisit) -> None:
    """Check that the first page has no time limit and stores nothing."""
    form = visit.form()
    timed_steps.run_due_steps()
    assert not visit.study.participants.exists()
    visit.post(form)
    check_moved_once(visit)


def _check_deadline(visit: StageVisit) -> None:
    """Check that answers sent at the deadline are the last ones and the clock comes later."""
    first, last = visit.form(), visit.form(choice=1)
    page_fields = {name: first[1][name] for name in ("page", "revision") if name in first[1]}
    if visit.kind in SAVING_STAGES:
        assert visit.post(first, do="save").status_code == 204  # The page does not get the reply.
    expire_stage(visit, 1)
    timed_steps.run_due_steps()
    assert visit.kind_now == visit.kind
    visit.post((last[0], {**last[1], **page_fields}), do="save")
    once = stored_state(visit.study)
    check_moved_once(visit)
    for form in (first, last):
        visit.post(form)
        visit.post(form, do="save")
    timed_steps.run_due_steps()
    assert {**stored_state(visit.study), "seats": []} == {**once, "seats": []}
    rows = Response.objects.filter(participant=visit.row)
    assert {row.state for row in rows} == (
        {Response.EXPIRED} if visit.kind in SAVING_STAGES else set()
    )
    assert {row.revision for row in rows} <= {1, 2}
    assert rows.filter(revision=2).exists() is (visit.kind in QUESTION_STAGES)


@pytest.mark.parametrize("kind", TIMED_STAGES)
def test_clock_advances_participants_with_closed_pages(kind: str) -> None:
    visit = reach_stage(kind)
    form = visit.form()
    if visit.kind in SAVING_STAGES:
        assert visit.post(form, do="save").status_code == 204
    answers = stored_answers(visit.study)
    expire_stage(visit, 5)
    for _again in range(2):
        timed_steps.run_due_steps()
        check_moved_once(visit)
    assert stored_answers(visit.study) == answers
    assert {row.state for row in Response.objects.all()} <= {Response.EXPIRED}


def expire_stage(visit: StageVisit, ago: float) -> None:
    """Set the end of the stage to that many seconds ago."""
    ended_at = timezone.now() - timedelta(seconds=ago)
    Participant.objects.filter(key=visit.row and visit.row.key).update(due_at=ended_at)


def _check_waiting_limit(visit: StageVisit) -> None:
    """Check that an unanswered offer keeps the turn and the maximum wait ends it with pay."""
    ready = visit.form()
    Seating.objects.update(held_until=timezone.now() - timedelta(seconds=1))
    visit.post(ready)
    assert visit.kind_now == "waiting", "the offer has expired"
    timed_steps.run_due_steps()
    visit.look()
    assert visit.row
    studies.backdate(visit.row, 601)
    Seating.objects.update(held_until=timezone.now() - timedelta(seconds=1))
    for _again in range(2):
        timed_steps.run_due_steps(with_slow_steps=False)
        assert visit.kind_now == "waited_out"
    once = stored_state(visit.study)
    visit.post(ready)
    assert stored_state(visit.study) == once
    assert visit.look().find("code").get("value") == "CODE-waited_out"  # type: ignore[union-attr]


def _check_absence(visit: StageVisit) -> None:
    """Check that an absent player gets a stand-in and keeps the seat."""
    form = visit.form()
    visit.post(form)
    answers = stored_state(visit.study)["answers"]
    assert visit.row
    assert studies.reload(visit.row).due_at is None
    seat = studies.seating_of(visit.row)
    Desk.objects.filter(player=seat.player).update(seen_at=timezone.now() - timedelta(minutes=2))
    for _again in range(2):
        timed_steps.run_due_steps()
    seat.player.refresh_from_db()  # type: ignore[union-attr]
    assert seat.player.stand_in  # type: ignore[union-attr]
    assert visit.kind_now == "game"
    assert visit.look().url.startswith("http://testserver/games/")
    assert stored_state(visit.study)["answers"] == answers
