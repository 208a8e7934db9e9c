"""Every stage of a participant's way, met by a reload, the back button, a second tab, a lost line
and the end of its time: one stays where one is, moves once, and loses nothing."""

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
from tests.study.entering import page_url
from webapp.play import posted_answers
from webapp.play.models import Desk
from webapp.study import timed_steps
from webapp.study.models import (
    Assignment,
    Happening,
    Participant,
    Payment,
    Rater,
    Rating,
    Response,
    Seating,
    Study,
)
from webapp.study.rehearsal.html_page import HtmlQuestion, Page
from webapp.study.sessions import lifecycle, participant_sessions, participant_steps, quiz_tries

pytestmark = pytest.mark.django_db(transaction=True)

Fields = dict[str, list[str]]
KINDS = (
    "consent", "background", "rules", "practice", "waiting", "game", "questionnaire", "interview",
    "ratings", "debriefing",
)  # fmt: skip
ASKING = ("background", "questionnaire", "interview")
KEEPING = (*ASKING, "rules")
TIMED = (*ASKING, "rules", "practice", "ratings", "debriefing")
BEFORE: list[dict[str, Any]] = [
    {"kind": "background", "minutes": 5},
    {"kind": "rules", "minutes": 5, "quiz": {"questions": 2, "then": "go_on"}},
    {"kind": "practice", "minutes": 2},
    {"kind": "game"},
]
AFTER: list[dict[str, Any]] = [
    {"kind": "questionnaire", "instruments": ["who-is-human"], "each_game": True, "minutes": 5},
    {"kind": "interview", "minutes": 5},
    {"kind": "ratings", "instrument": "engagement", "items": 1, "minutes": 5},
    {"kind": "debriefing", "reveal": True, "minutes": 3},
]
NEXT = {**dict(pairwise(KINDS)), "debriefing": "completed"}  # where who is through comes to
DESIGN: dict[str, Any] = {
    "table": {"people": 1, "people_roles": ["seer"]},  # who is asked as soon as the game begins
    "stages": [{"kind": "consent", "text": "We want to know."}, *BEFORE, *AFTER],
    "exits": entering.EXITS,
}


@dataclass
class At:
    """A browser at a stage; row: whose, none before consent."""

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
        who = self.row or next(iter(people), None)
        return studies.stage_of(who) if who else "consent"

    def look(self, address: str = "") -> Page:
        return page_of(self.client.get(address or self.address, follow=True), address)

    def form(self, choice: int = 0) -> tuple[str, Fields]:
        """What the page of the stage sends by its main button, filled in: (where, fields).

        choice: which of the answers there are.
        """
        page = self.look()
        while page.main_controls[0].name == "a":
            page = self.look(urljoin(urlsplit(page.url).path, page.main_controls[0].get("href")))
        form = page.find_form(page.main_controls[0])
        assert form
        fields: Fields = {name: [value] for name, value in form.fixed_fields}
        right = self.right_answers() if self.kind == "rules" else {}
        for asked in form.questions:
            fields[asked.name] = (
                [right[asked.name]] if asked.name in right else answer(asked, choice)
            )
        if fields.get("post") == [""]:
            fields["post"] = ["6f1c8e7e-0000-4000-8000-000000000001"]
        if self.kind == "practice":
            fields["do"] = ["on"]  # and not to the table
        return urljoin(urlsplit(page.url).path, form.action or urlsplit(page.url).path), fields

    def right_answers(self) -> dict[str, str]:
        who = studies.reload(self.row) if self.row else None
        assert who
        asked = quiz_tries.next_questions(who, participant_steps.current_step(who))
        return {q.key: "yes" if q.is_true else "no" for q in asked}

    def post(self, form: tuple[str, Fields], **more: str) -> HttpResponse:
        where, fields = form
        return self.client.post(where, {**fields, **more})

    def go_on(self) -> tuple[str, Fields]:
        """Do what the stage wants; gives the form of its page, which has been sent."""
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
        """Begin to rate, and fill in the page."""
        rater = Rater.objects.get(participant=self.row)
        self.client.get(f"/rate/as/{rater.key}/")
        self.client.post(f"/rate/as/{rater.key}/example")
        (assignment,) = rater.assignments.all()
        self.client.get(rating.page_url(assignment))
        assert rating.rate_page(self.client, assignment).status_code == 200
        return assignment


def page_of(answer: HttpResponse, address: str = "") -> Page:
    chain = getattr(answer, "redirect_chain", [])
    url = chain[-1][0] if chain else answer.wsgi_request.path  # type: ignore[attr-defined]
    return Page(f"http://testserver{urlsplit(url).path}", answer.status_code, shown(answer))


shown = entering.html_of


def answer(asked: HtmlQuestion, choice: int) -> list[str]:
    """The one at that place, and a few words."""
    if asked.kind == "text":
        return [f"As far as I can tell, {choice}."]
    if asked.kind == "number":
        return [str((asked.limits[0] if asked.limits else 30) + choice)]
    values = [c.value for c in asked.choices if c.value]
    return values[choice : choice + (asked.count or 1)]


def reach(kind: str) -> At:
    """Somebody at that stage, in their own browser."""
    if KINDS.index(kind) > KINDS.index("game"):
        return after_the_game(kind)
    study = studies.create_study(**DESIGN)
    at = At("consent", study, Client())
    while at.kind != kind:
        if at.row is None or at.kind == "waiting":
            at.go_on()
        else:
            lifecycle.advance(at.row, studies.reload(at.row).step)
        at.kind = at.kind_now
    return at


def after_the_game(kind: str) -> At:
    """Who has played one of two games that are over; in the other there was somebody else."""
    study = taking.create_study(*BEFORE, *AFTER, exits=entering.EXITS)
    who, other = taking.add_participant(study, "questionnaire"), taking.add_participant(study)
    taking.add_played_game(who, world.ended_game("1", names={1: ""}, blind=True))
    taking.add_played_game(other, world.ended_game("2", names={1: ""}, blind=True))
    Participant.objects.filter(pk=other.pk).update(exit="left", visitor=None)
    while participant_steps.current_step(studies.reload(who)).kind != kind:
        lifecycle.advance(who, studies.reload(who).step)
    return At(kind, study, taking.browser_of(who), studies.reload(who))


def state(study: Study) -> dict[str, list[Any]]:
    """All that is stored of the study's people, without times."""
    people = Participant.objects.filter(study=study)
    mine = {"participant__in": people}
    rows: Mapping[str, Any] = {
        "people": people.values_list("pseudonym", "step", "exit", "code", "quiz_tries", "practice"),
        "responses": Response.objects.filter(**mine).values_list(
            "step", "instrument", "item", "about_seat", "moment", "number", "text", "choice",
            "state",
        ),
        "seats": Seating.objects.filter(**mine).values_list("participant", "slot", "seat", "state"),
        "payments": Payment.objects.filter(**mine).values_list("participant", "reason"),
        "raters": Rater.objects.filter(**mine).values_list("participant", "left_as"),
        "ratings": Rating.objects.values_list("assignment", "stimulus", "dimension", "value"),
        "answers": Answer.objects.values_list("window", "seat", "post"),
        "games": Game.objects.values_list("pk"),
        "done": Happening.objects.filter(**mine).values_list("participant", "what"),
    }  # fmt: skip
    return {name: list(found.order_by("pk")) for name, found in rows.items()}


def typed(study: Study) -> list[tuple[Any, ...]]:
    """What is answered: (instrument, item, seat, number, text, choice)."""
    found = Response.objects.filter(participant__study=study).order_by("pk")
    names = ("instrument", "item", "about_seat", "number", "text", "choice")
    return list(found.values_list(*names))


def moved_once(at: At) -> None:
    """They are at the next stage, came to it once, and their page is that of it."""
    assert at.kind_now == NEXT[at.kind]
    assert at.look(at.address if at.row else f"/take/{at.study.key}/").status == 200


# -- the five


@pytest.mark.parametrize("kind", KINDS)
def test_reload_shows_the_same_page_and_changes_nothing(kind: str) -> None:
    at = reach(kind)
    words, asked = at.look().visible_texts, list(at.form()[1])
    before = state(at.study)
    assert (at.look().visible_texts, list(at.form()[1])) == (words, asked)
    assert at.client.head(at.address).status_code in (200, 302)
    assert at.kind_now == kind
    assert state(at.study) == before


@pytest.mark.parametrize("kind", KINDS)
def test_form_of_an_earlier_stage_changes_nothing_and_redirects(
    kind: str,
) -> None:
    at = reach(KINDS[max(0, KINDS.index(kind) - 1)])
    back = at.go_on()
    words = at.look().visible_texts
    before = state(at.study)
    if kind != "consent":
        assert at.kind_now == kind
    for more in ({}, {"do": "save"}, {"do": "on"}, {"do": "leave"}, {"do": "decline"}):
        reply = at.post(back, **more)
        assert reply.status_code < 500
        if "/take/" in back[0]:
            assert reply["Location"] == at.address, more
    assert state(at.study) == before
    assert at.look().visible_texts == words


@pytest.mark.parametrize("kind", KINDS)
def test_form_sent_twice_or_from_a_second_tab_counts_once(kind: str) -> None:
    at = reach(kind)
    first, second = at.form(), at.form()
    assert at.post(first).status_code < 400
    once = state(at.study)
    for form in (first, second):
        for more in ({}, {"do": "on"}, {"do": "done"}, {"do": "save"}, {"do": "ready"}):
            assert at.post(form, **more).status_code < 500
    assert state(at.study) == once
    if kind not in ("game", "ratings"):
        moved_once(at)


@pytest.mark.parametrize("kind", KINDS)
def test_lost_reply_loses_no_data(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    at = reach(kind)
    at.client.raise_request_exception = False
    form = at.form()
    if kind in KEEPING:
        assert at.post(form, do="save").status_code == 204
    if kind == "ratings":
        at.post(form)
        at.rate()
    kept, rated = typed(at.study), state(at.study)["ratings"]

    def lost(*args: Any, **more: Any) -> None:
        raise DatabaseError("the line is lost")

    with monkeypatch.context() as broken:
        broken.setattr(lifecycle, "_schedule_follow_up", lost)
        broken.setattr(participant_sessions, "remember_participant", lost)
        broken.setattr(posted_answers, "_accept", lost)  # it was taken, and the reply is lost
        at.post(form)
    assert at.kind_now == kind or kind == "consent"
    assert (typed(at.study), state(at.study)["ratings"]) == (kept, rated)
    if kind in KEEPING:
        assert any(kept)
        shown_again = {name: at.form()[1][name] for name in form[1] if "/" in name}
        assert shown_again == {name: form[1][name] for name in shown_again}, "as it was typed"
    if kind == "waiting":
        assert at.look().url.startswith("http://testserver/games/"), "the page brings them there"
        return
    at.post(form)
    if kind == "game":
        assert Answer.objects.filter(window__game=studies.game_of(at.row)).count() == 1  # type: ignore[arg-type]
    elif kind != "ratings":
        moved_once(at)


@pytest.mark.parametrize("kind", KINDS)
def test_expired_stage_moves_participant_once_with_typed_answers(kind: str) -> None:
    at = reach(kind)
    {"consent": _lies_open, "waiting": _waited_out, "game": _away}.get(kind, _due)(at)
    assert at.kind_now == {**NEXT, "waiting": "waited_out", "game": "game"}[kind]


def _lies_open(at: At) -> None:
    """The first page has no time: nothing is stored of who reads it."""
    form = at.form()
    timed_steps.run_due_steps()
    assert not at.study.participants.exists()
    at.post(form)
    moved_once(at)


def _due(at: At) -> None:
    """What the page sends as its time ends is the last that was typed, and the clock is later."""
    first, last = at.form(), at.form(choice=1)
    kept = {name: first[1][name] for name in ("page", "revision") if name in first[1]}
    if at.kind in KEEPING:
        assert at.post(first, do="save").status_code == 204  # of which the page hears nothing
    ends(at, 1)
    timed_steps.run_due_steps()
    assert at.kind_now == at.kind
    at.post((last[0], {**last[1], **kept}), do="save")
    once = state(at.study)
    moved_once(at)
    for form in (first, last):
        at.post(form)
        at.post(form, do="save")
    timed_steps.run_due_steps()
    assert {**state(at.study), "seats": []} == {**once, "seats": []}
    rows = Response.objects.filter(participant=at.row)
    assert {row.state for row in rows} == ({Response.EXPIRED} if at.kind in KEEPING else set())
    assert {row.revision for row in rows} <= {1, 2}
    assert rows.filter(revision=2).exists() is (at.kind in ASKING)


@pytest.mark.parametrize("kind", TIMED)
def test_clock_advances_participants_with_closed_pages(kind: str) -> None:
    at = reach(kind)
    form = at.form()
    if at.kind in KEEPING:
        assert at.post(form, do="save").status_code == 204
    kept = typed(at.study)
    ends(at, 5)
    for _again in range(2):
        timed_steps.run_due_steps()
        moved_once(at)
    assert typed(at.study) == kept
    assert {row.state for row in Response.objects.all()} <= {Response.EXPIRED}


def ends(at: At, ago: float) -> None:
    """The time of the stage was over so many seconds ago."""
    over = timezone.now() - timedelta(seconds=ago)
    Participant.objects.filter(key=at.row and at.row.key).update(due_at=over)


def _waited_out(at: At) -> None:
    """Who is asked and does not answer keeps their turn; at the most one is let go, paid."""
    ready = at.form()
    Seating.objects.update(held_until=timezone.now() - timedelta(seconds=1))
    at.post(ready)
    assert at.kind_now == "waiting", "too late for this seat"
    timed_steps.run_due_steps()
    at.look()
    assert at.row
    studies.backdate(at.row, 601)
    Seating.objects.update(held_until=timezone.now() - timedelta(seconds=1))
    for _again in range(2):
        timed_steps.run_due_steps(match=False)
        assert at.kind_now == "waited_out"
    once = state(at.study)
    at.post(ready)
    assert state(at.study) == once
    assert at.look().find("code").get("value") == "CODE-waited_out"  # type: ignore[union-attr]


def _away(at: At) -> None:
    """A game ends by its own rules: who stays away is stood in for, and their seat stays theirs."""
    form = at.form()
    at.post(form)
    given = state(at.study)["answers"]
    assert at.row
    assert studies.reload(at.row).due_at is None
    seat = studies.seating_of(at.row)
    Desk.objects.filter(player=seat.player).update(seen_at=timezone.now() - timedelta(minutes=2))
    for _again in range(2):
        timed_steps.run_due_steps()
    seat.player.refresh_from_db()  # type: ignore[union-attr]
    assert seat.player.stand_in  # type: ignore[union-attr]
    assert at.kind_now == "game"
    assert at.look().url.startswith("http://testserver/games/")
    assert state(at.study)["answers"] == given
