"""Tests of a participant's stages: timers, waiting, playing, leaving and exits."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.study import entering, studies, taking
from tests.study.entering import enrol, page_url, submit
from tests.study.pages import html_of, text_of
from tests.study.questionnaire_pages import current_step, post_page
from webapp.study import timed_steps
from webapp.study.design.exits import ExitKind
from webapp.study.models import AuditEvent, Participant, Response
from webapp.study.participant import entrance, stage_pages
from webapp.study.sessions import lifecycle, responses, study_events

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("plain_stages")]


# -- stage timers


def test_answers_arriving_at_the_deadline_are_stored_first(monkeypatch: pytest.MonkeyPatch) -> None:
    study = entering.create_study()
    client, participant = enrol(study)
    posts: list[tuple[str, str]] = []

    class InterviewPage(stage_pages.PlainPage):
        kind = "interview"

        def post(self, visit: stage_pages.Visit) -> Any:
            posts.append((visit.request.POST["do"], visit.request.POST["one"]))
            return super().post(visit)

    monkeypatch.setitem(entrance._PAGES, "interview", InterviewPage())
    Participant.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    submit(client, participant, do="on", one="as far as I came")
    assert posts == [("save", "as far as I came")]
    assert studies.stage_of(participant) == "waiting"


def test_timer_after_a_game_starts_when_the_page_is_shown() -> None:
    stages = [entering.STAGES[0], entering.STAGES[2], {**entering.STAGES[1], "minutes": 5}]
    study = entering.create_study(table={"people": 1}, stages=stages)
    client, participant = enrol(study)
    timed_steps.run_due_steps()
    studies.confirm_all([participant])
    studies.finish_game(participant)
    participant = studies.reload(participant)
    assert studies.stage_of(participant) == "interview"
    ended = participant.step_at
    assert ended
    assert participant.due_at == ended + timedelta(minutes=7), "two minutes for the end of the game"
    before = timezone.now()
    page = client.get(page_url(participant))
    due = studies.reload(participant).due_at
    assert due
    assert before <= due - timedelta(minutes=5) <= timezone.now()
    assert due.strftime("%Y-%m-%dT%H:%M:%S") in html_of(page)
    client.get(page_url(participant))
    assert studies.reload(participant).due_at == due, "a second view changes nothing"


# -- waiting and playing


def test_waiting_room_shows_its_limits_and_allows_a_paid_exit() -> None:
    study = entering.create_study()
    client, participant = enrol(study)
    submit(client, participant)
    page = text_of(client.get(page_url(participant)))
    assert "You wait at most 10 minutes" in page
    assert "After 5 minutes you can stop waiting" in page
    submit(client, participant, do="leave")
    assert studies.stage_of(participant) == "waiting", "the exit is not possible yet"
    studies.backdate(participant, 301)
    assert "I can’t wait any longer" in html_of(client.get(page_url(participant)))
    submit(client, participant, do="leave")
    assert studies.stage_of(participant) == "waited_out"
    assert "CODE-waited_out" in html_of(client.get(page_url(participant)))


@pytest.mark.parametrize("pay", [0, 2])
def test_waiting_pay_is_mentioned_only_if_it_exists(pay: int) -> None:
    exits = {**entering.EXITS, "waited_out": {"pay": pay}}
    study = entering.create_study(exits=exits, currency="GBP")
    client, participant = enrol(study)
    submit(client, participant)
    for seconds in (0, 301):
        studies.backdate(participant, seconds)
        page = text_of(client.get(page_url(participant)))
        assert page.count("paid") == (2 if pay else 0), page
        assert page.count("2.00 GBP") == (2 if pay else 0), page
    assert "I can’t wait any longer" in page, "the exit is possible with and without pay"


@pytest.mark.parametrize("blind", [True, False])
def test_blind_waiting_room_does_not_mention_computer_players(blind: bool) -> None:
    study = entering.create_study(table={"blind": blind}, waiting={"at_most": "begin"})
    client, participant = enrol(study)
    submit(client, participant)
    page = text_of(client.get(page_url(participant)))
    assert ("After that, the game starts in any case." in page) is blind
    assert ("computer players" in page) is not blind


@pytest.mark.parametrize("blind", [True, False])
def test_missing_players_are_shown_only_in_a_study_without_blinding(blind: bool) -> None:
    study = entering.create_study(table={"blind": blind})
    client, participant = enrol(study)
    submit(client, participant)
    assert ("2 more players are needed" in text_of(client.get(page_url(participant)))) is not blind


def test_participant_goes_from_ready_to_the_table_to_completion() -> None:
    study = entering.create_study(table={"people": 1})
    client, participant = enrol(study)
    submit(client, participant)
    page = html_of(client.get(page_url(participant)))
    assert "I am ready" in page
    assert "data-until" in page
    submit(client, participant, do="ready")
    game = studies.game_of(participant)
    table = f"/games/{game.code}/"
    assert client.get(page_url(participant))["Location"] == table
    page = html_of(client.get(table))
    assert "3 of 4: The game" in text_of(client.get(table))
    assert f'href="/take/go/{study.key}/leave"' in page
    assert client.get(f"/take/go/{study.key}/leave")["Location"] == page_url(participant, "leave")
    studies.finish_game(participant)
    page = html_of(client.get(table))
    assert f'href="/take/go/{study.key}/"' in page
    pushed = html_of(client.get(f"{table}news?cursor=1", headers={"HX-Request": "true"}))
    for html in (page, pushed):
        assert re.search(rf'id="continue"\s+href="/take/go/{study.key}/"', html)
    for closed in ("/replay", "/again", "transcript.", "/seat/", "/join/"):
        assert closed not in page, closed
    submit(client, participant)
    assert studies.stage_of(participant) == "completed"
    assert "CODE-completed" in html_of(client.get(page_url(participant)))


def test_study_table_rejects_actions_of_hosts_and_guests() -> None:
    study = entering.create_study(table={"people": 2, "blind": False})
    pairs = [enrol(study) for _each in range(2)]
    for client, participant in pairs:
        submit(client, participant)
    for client, participant in pairs:
        submit(client, participant, do="ready")
    client, participant = pairs[0]
    game = studies.game_of(participant)
    for do in ("leave", "renew_link", "take_over", "chat", "erase", "name", "call_off", "pause"):
        response = client.post(f"/games/{game.code}/act", {"do": do, "words": "psst", "name": "Me"})
        assert response.status_code == 403, do
    stranger = Client()
    assert stranger.get(f"/join/{game.table.invitation}/").status_code == 404
    desk = game.players.get(seat=studies.seating_of(participant).seat).desk
    assert stranger.get(f"/seat/{desk.key}/").status_code == 404
    studies.finish_game(participant)
    for page in ("replay", "transcript.txt", "transcript.jsonl"):
        assert client.get(f"/games/{game.code}/{page}").status_code == 403, page
    assert client.post(f"/games/{game.code}/again").status_code == 403
    page = html_of(client.get(f"/games/{game.code}/"))
    assert re.search(r'<div id="chat"\s+class="chat-lines"\s+hidden', page), "the table has no chat"


# -- leaving and exits


@pytest.mark.parametrize("do", ["keep", "erase"])
def test_leave_page_explains_and_applies_the_choice_about_answers(do: str) -> None:
    study = entering.create_study()
    client, participant = enrol(study, PROLIFIC_PID="5f1e")
    Response.objects.create(
        participant=participant, step="interview-1", instrument="interview", item="one", text="this"
    )
    page = client.get(page_url(participant, "leave"))
    assert studies.stage_of(participant) == "interview", "viewing the page does not leave the study"
    assert "permanently deleted" in html_of(page)
    client.post(page_url(participant, "leave"), {"do": do})
    assert studies.stage_of(participant) == "left"
    assert Response.objects.exists() is (do == "keep")
    participant.refresh_from_db()
    assert participant.withdrew is (do == "erase")
    assert "CODE-left" in html_of(client.get(page_url(participant)))
    events = AuditEvent.objects.filter(what="withdrew")
    assert events.exists() is (do == "erase")


def test_completed_participant_can_still_withdraw_answers() -> None:
    study = entering.create_study(stages=entering.STAGES[:2])
    client, participant = enrol(study)
    Response.objects.create(
        participant=participant, step="interview-1", instrument="interview", item="one", text="this"
    )
    submit(client, participant)
    page = html_of(client.get(page_url(participant)))
    assert "CODE-completed" in page
    assert page_url(participant, "leave") in page
    client.post(page_url(participant, "leave"), {"do": "erase"})
    assert not Response.objects.exists()
    assert studies.stage_of(participant) == "completed"
    page = html_of(client.get(page_url(participant)))
    assert "permanently deleted" in page
    assert "CODE-completed" in page


@pytest.mark.parametrize("kind", entering.EXIT_KINDS)
def test_each_exit_has_its_page_and_code(kind: ExitKind) -> None:
    study = entering.create_study()
    client, participant = enrol(study)
    assert "CODE-" not in html_of(client.get(page_url(participant)))
    assert lifecycle.leave_by(participant, kind)
    page = html_of(client.get(page_url(participant)))
    assert f"Words for {kind}." in page
    assert f'value="CODE-{kind}"' in page
    assert f'href="https://example.org/{kind}"' in page
    assert page.count("CODE-") == 1
    other_browser_page = html_of(Client().get(page_url(participant)))
    assert "CODE-" not in other_browser_page, "another browser must confirm first"


def test_own_completion_codes_are_drawn_and_stable() -> None:
    exits = {"completed": {"code_kind": "own", "pay": "2.50"}}
    study = entering.create_study(stages=entering.STAGES[:2], exits=exits, currency="EUR")
    codes = set()
    for _each in range(2):
        client, participant = enrol(study)
        submit(client, participant)
        participant.refresh_from_db()
        page = html_of(client.get(page_url(participant)))
        assert f'value="{participant.code}"' in page
        assert "2.50 EUR" in page
        codes.add(participant.code)
    assert len(codes) == 2


def test_unknown_links_are_not_found() -> None:
    for address in ("/take/none/", "/take/as/none/", "/take/as/none/leave", "/take/go/none/"):
        assert Client().get(address).status_code == 404, address


@pytest.mark.parametrize(
    ("minimum", "experience", "exit_kind"),
    [
        (0, "unknown", ""), (1, "unknown", "screened_out"), (1, "known", ""),
        (3, "played", "screened_out"), (3, "well", ""),
    ],
)  # fmt: skip
def test_participant_with_too_little_experience_is_screened_out(
    minimum: int, experience: str, exit_kind: str
) -> None:
    stages = {"kind": "background", "least_experience": minimum}, {"kind": "interview"}
    participant = taking.add_participant(taking.create_study(*stages))
    post_page(participant, {"background/experience": experience, "background/chatbots": "never"})
    participant.refresh_from_db()
    assert (participant.exit, current_step(participant)) == (exit_kind, 1 if exit_kind else 2)
    assert {r.state for r in responses.read_rows(participant.study)} == {"given"}


def test_missing_experience_answer_screens_the_participant_out() -> None:
    stages = {"kind": "background", "least_experience": 1}, {"kind": "interview"}
    participant = taking.add_participant(taking.create_study(*stages))
    lifecycle.advance(participant, 1, actor=study_events.CLOCK)
    participant.refresh_from_db()
    assert participant.exit == "screened_out"
