"""Tests that each stage survives reloads, old forms, second tabs, lost replies and deadlines."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.db import DatabaseError
from django.utils import timezone

from game.models import Answer
from tests.study import studies
from tests.study.stage_visits import KINDS, StageVisit, reach_stage, stored_answers, stored_state
from webapp.play import table_posts
from webapp.play.models import Desk
from webapp.study import timed_steps
from webapp.study.design.stages import QUESTION_KINDS
from webapp.study.models import Participant, Response, Seating
from webapp.study.sessions import lifecycle, participant_state

pytestmark = pytest.mark.django_db(transaction=True)

SAVING_STAGES = (*QUESTION_KINDS, "rules")
TIMED_STAGES = (*QUESTION_KINDS, "rules", "practice", "ratings", "debriefing")
NEXT_STAGE = {**dict(pairwise(KINDS)), "debriefing": "completed"}  # The stage after each stage.


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
        # The answer is stored but its reply is lost.
        broken.setattr(table_posts, "_accept", fail)
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
    assert rows.filter(revision=2).exists() is (visit.kind in QUESTION_KINDS)


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
    assert visit.look().find_by_id("code").get("value") == "CODE-waited_out"  # type: ignore[union-attr]


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
