"""Tests of the study monitor: its content, its blinding and its actions."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from game.models import Player
from tests.query_counter import count_queries
from tests.study import experiments, studies
from tests.study.desk import sign_in
from tests.study.pages import text_of
from webapp.play.live import notifier
from webapp.play.models import Desk, LLMCall
from webapp.study import interventions
from webapp.study.models import AuditEvent, Message, Seating, Slot, Study
from webapp.study.monitor import frames, model_requests, page_content, researcher_blinding
from webapp.study.permissions import EDITOR, MONITOR, OWNER, Access
from webapp.study.sessions import lifecycle, messages, seating
from webapp.study.timed_steps import run_due_steps

pytestmark = pytest.mark.django_db(transaction=True)

# Condition names that occur in no other text of the page.


@pytest.fixture(autouse=True)
def _reset_tallies() -> Any:
    model_requests.request_tally.clear()
    model_requests.label_tally.clear()
    with notifier.diverted(lambda game, opened: None):
        yield


def monitor_url(study: Study, path: str = "") -> str:
    return reverse("study:study_monitor", args=[study.code]) + (f"/{path}" if path else "")


def lift_blinding(client: Client, study: Study) -> None:
    assert client.post(monitor_url(study, "cover"), {"do": "lift"}).status_code == 302


def test_monitor_shows_waiting_times_and_absences(ada: Client) -> None:
    study, people = studies.create_busy_study()
    Seating.objects.filter(participant=people[1]).update(
        away_since=timezone.now() - timedelta(minutes=3)
    )
    page = ada.get(monitor_url(study))
    text = text_of(page)
    assert "0 of 8 games played" in text
    assert "5 participants are active. 1 game is in progress." in text
    assert "The waiting room longest 6 min, median 6 min 2" in text
    game = re.search(r'<tr id="table-(\d+)">.*?</tr>', page.content.decode(), re.DOTALL)
    assert game
    assert "P002" in game[0]
    assert "3 min" in game[0]
    assert re.search(r"P004 The waiting room 6 min", text)
    of_game = text_of(ada.get(monitor_url(study, f"games/{game[1]}")))
    assert "P002 away for 3 min" in of_game
    assert "The waiting room" in text_of(ada.get(monitor_url(study, "people/P004")))


def test_participant_reading_the_end_page_is_not_away(ada: Client) -> None:
    study = studies.create_study(
        stages=[{"kind": "consent"}, {"kind": "game"}, {"kind": "interview"}]
    )
    people = studies.seat(study)
    studies.finish_game(people[0])
    run_due_steps()
    long_ago = timezone.now() - timedelta(minutes=4)
    study.participants.update(step_at=long_ago, seen_at=long_ago)
    Desk.objects.update(seen_at=long_ago)
    assert ada.get(monitor_url(study)).content.count(b"monitor-away") == 3
    Desk.objects.update(seen_at=timezone.now())
    assert b"monitor-away" not in ada.get(monitor_url(study)).content


def test_monitor_counts_requests_costs_and_failures(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, settings: Any, ada: Client
) -> None:
    file = tmp_path / "models.toml"
    file.write_text('[cloud]\nmodel = "m"\nprice_in = 2.0\nprice_out = 10.0\ncurrency = "EUR"\n')
    monkeypatch.setenv("FABULA_MODELS", str(file))
    settings.BUDGET = {"site": {"requests": 500, "tokens": None}, "table": {}}
    study, people = studies.create_busy_study()
    game = studies.game_of(people[0])
    for step, failure in enumerate(("", "", "timeout")):
        LLMCall.objects.create(
            game=game, seat=1, window="w", step=str(step), backend="cloud", kind="speech",
            brief={}, reply=None if failure else {}, failure=failure, seconds=1,
            exchange={"usage": {"prompt_tokens": 100_000, "completion_tokens": 10_000}},
        )  # fmt: skip
    Slot.objects.filter(study=study, index=8).update(
        state=Slot.VOID, void_reason="could not begin: no backend brambleshade"
    )
    for _again in range(2):  # Repeated views must not count twice.
        text = text_of(ada.get(monitor_url(study)))
        assert "requests 3 tokens (input, output) 300,000, 30,000 cost 0.90 EUR" in text
        assert "requests today, of the site’s budget 0 of 500" in text
        assert "model request: timeout 1" in text
        assert "game: could not begin 1" in text
    LLMCall.objects.update(at=timezone.now() - timedelta(hours=1))
    assert "requests 3 tokens" in text_of(ada.get(monitor_url(study)))
    assert "requests 3 tokens" in text_of(ada.get(monitor_url(study)))


def all_bytes(client: Client, study: Study) -> bytes:
    """Return all bytes that the monitor sends about the study."""
    slots = [slot.index for slot in study.slots.filter(state=Slot.PLAYING)]
    paths = [f"games/{n}" for n in slots] + [
        f"people/{p.pseudonym}" for p in study.participants.all()
    ]
    contents = [client.get(monitor_url(study)).content]
    for path in paths:
        contents.append(client.get(monitor_url(study, path)).content)
    for path in ("", *paths):
        address = monitor_url(study, f"news/{path}" if path else "news")
        contents.append(client.get(address, headers={"HX-Request": "true"}).content)
    return b"".join(contents)


def test_blinded_text_is_hidden_until_lifted_on_record(ada: Client) -> None:
    study, people = studies.create_busy_study()
    slot = studies.seating_of(people[0]).slot
    player_names = [p.name for p in Player.objects.filter(game=slot.game)]
    reason = f"it was {slot.condition.name}"
    AuditEvent.objects.create(study=study, slot=slot, actor="ada", what="gave_time", reason=reason)
    AuditEvent.objects.create(
        study=study, slot=slot, actor="clock", what="paused", reason="no gpt-9"
    )
    Slot.objects.filter(study=study, index=8).update(
        state=Slot.VOID, void_reason="could not begin: gpt-9"
    )
    blinded = all_bytes(ada, study).decode()
    for hidden in (
        *studies.UNIQUE_NAMES,
        "gpt-9",
        *(f" {name}<" for name in player_names),
        "baseline",
    ):
        assert hidden not in blinded, hidden
    assert "it was …" in blinded
    lift_blinding(ada, study)
    lift_blinding(ada, study)
    unblinded = all_bytes(ada, study).decode()
    for hidden in (*studies.UNIQUE_NAMES, "gpt-9", player_names[0]):
        assert hidden in unblinded, hidden
    notes = study.audit_events.filter(what="uncovered")
    assert [row.actor for row in notes] == ["ada"]
    assert not any(name in all_bytes(sign_in(), study).decode() for name in studies.UNIQUE_NAMES), (
        "one session"
    )
    ada.post(monitor_url(study, "cover"), {"do": "cover"})
    assert not any(name in all_bytes(ada, study).decode() for name in studies.UNIQUE_NAMES)


def test_help_request_stays_on_top_until_answered(ada: Client) -> None:
    study, people = studies.create_busy_study()
    participant = people[3]
    messages.request_help(participant, "Where do I <b>click</b>?")
    page = ada.get(monitor_url(study))
    assert b"Where do I &lt;b&gt;click&lt;/b&gt;?" in page.content
    assert re.search(r"<title>\s*\(1\)", page.content.decode())
    person_url = monitor_url(study, f"people/{participant.pseudonym}")
    wrong = ada.post(person_url, {"do": "tell", "tell-text": "x" * 1001})
    assert wrong.status_code == 422
    assert b"x" * 1001 in wrong.content, "the typed text remains"
    assert ada.post(person_url, {"do": "tell", "tell-text": "On the lamp."}).status_code == 302
    assert "unread message" not in text_of(ada.get(monitor_url(study)))
    thread = text_of(ada.get(person_url))
    assert thread.index("click") < thread.index("On the lamp.")
    assert [m.actor for m in Message.objects.filter(from_participant=False)] == ["ada"]
    messages.request_help(participant, "Thank you!")
    ada.post(person_url, {"do": "seen"})
    assert "unread message" not in text_of(ada.get(monitor_url(study)))


def test_monitor_actions_are_performed_and_recorded(ada: Client) -> None:
    study, people = studies.create_busy_study(
        stages=[*studies.STAGES[:2], {"kind": "debriefing", "minutes": 3}]
    )
    first = people[0]
    slot = studies.seating_of(people[0]).slot
    url, table_url = (
        monitor_url(study, f"people/{first.pseudonym}"),
        monitor_url(study, f"games/{slot.index}"),
    )

    def post(address: str, do: str, status: int = 302, **fields: Any) -> str:
        page = ada.post(address, {"do": do, **{f"{do}-{k}": v for k, v in fields.items()}})
        assert page.status_code == status, text_of(page)
        return text_of(page) if status != 302 else ""

    post(url, "hand_over", reason="asked for it")
    assert studies.seating_of(first).player.stand_in  # type: ignore[union-attr]
    assert "replaced" in text_of(ada.get(monitor_url(study)))
    post(url, "give_back", reason="")
    post(table_url, "tell_table", text="Two minutes more.")
    assert Message.objects.filter(slot=slot).count() == 3
    error = post(url, "give_time", 422, minutes="abc", reason="a slow line")
    assert "whole number" in error
    page = ada.post(url, {"do": "give_time", "give_time-minutes": "5", "give_time-reason": ""})
    assert page.status_code in (302, 422)  # Tables without limits reject more time.
    assert "Enter a text." in post(url, "exclude", 422, reason=" ")
    post(url, "exclude", reason="a colleague")
    assert studies.reload(first).excluded
    assert "a colleague" in text_of(ada.get(url))
    post(table_url, "end_game", reason="wrong file")
    slot.refresh_from_db()
    assert slot.state == Slot.VOID
    rejected = post(table_url, "end_game", 422, reason="wrong file")
    assert (
        "wrong file"
        in ada.post(table_url, {"do": "end_game", "end_game-reason": "wrong file"}).content.decode()
    )
    assert rejected
    post(url, "remove", reason="rude")
    assert studies.stage_of(first) == "removed"
    post(monitor_url(study), "tell_all", text="Thank you for your patience.")
    post(monitor_url(study), "stop", reason="the server moves")
    assert studies.reload(people[4]).exit == "technical"
    reasons_by_event = dict(study.audit_events.filter(actor="ada").values_list("what", "reason"))
    assert {"handed_over", "gave_back", "told_table", "excluded", "ended", "told_all"} <= set(
        reasons_by_event
    )
    record = text_of(ada.get(monitor_url(study)))
    assert "stopped the study" in record
    assert "“the server moves”" in record


def test_waiting_participants_can_start_short_from_the_monitor(ada: Client) -> None:
    study = studies.create_study()
    people = studies.queue(study, 2)
    ada.post(monitor_url(study), {"do": "begin_short", "begin_short-reason": "late"})
    assert studies.waiting_state(people[0]) in ("asked", "begins")
    for person in people:
        seating.confirm_ready(studies.reload(person))
    assert study.slots.filter(state=Slot.PLAYING).count() == 1


def create_large_study(people: int) -> Study:
    study = studies.create_study(
        table={"people": 5}, assignment={"games": 20}, factors=studies.UNIQUE_FACTORS
    )
    studies.confirm_all(studies.queue(study, people))
    studies.queue(study, 3)
    messages.request_help(studies.reload(study.participants.all()[0]), "Help")
    return study


def test_monitor_query_count_is_independent_of_participants() -> None:
    query_counts = []
    for people in (5, 25):
        study = create_large_study(people)
        ada = sign_in()
        lift_blinding(ada, study)
        ada.get(monitor_url(study))
        with count_queries() as queries:
            assert ada.get(monitor_url(study)).status_code == 200
        query_counts.append(queries)
    assert query_counts[0] == query_counts[1]
    assert query_counts[1].total() <= 20, query_counts[1]


def test_monitor_sends_only_changes() -> None:
    study, people = studies.create_busy_study()
    sent_parts = frames.SentParts()
    first = sent_parts.find_changes(study_page_content(study))
    assert set(first["lists"]["monitor-people"]["order"]) == {f"person-P00{n}" for n in range(1, 6)}
    assert sent_parts.find_changes(study_page_content(study)) == {}
    Seating.objects.filter(participant=people[0]).update(
        away_since=timezone.now() - timedelta(minutes=2)
    )
    news = sent_parts.find_changes(study_page_content(study))
    assert list(news["lists"]["monitor-people"]["rows"]) == ["person-P001"]
    assert not news.get("parts")
    assert lifecycle.leave_by(studies.reload(people[4]), "left")
    news = sent_parts.find_changes(study_page_content(study))
    assert "person-P005" not in news["lists"]["monitor-people"]["order"]
    assert news["lists"]["monitor-people"]["rows"] == {}


def study_page_content(study: Study) -> frames.PageContent:
    return page_content.study_content(Study.objects.get(pk=study.pk), is_lifted=False)


# -- socket


def test_lifting_of_blinding_is_recorded_per_session() -> None:
    study = studies.create_study(factors=studies.UNIQUE_FACTORS)
    session: dict[str, Any] = {}
    owner, editor = Access(study, OWNER), Access(study, EDITOR)
    researcher_blinding.lift_blinding(session, owner, "ada")
    assert researcher_blinding.is_lifted(session, editor)
    assert not researcher_blinding.is_lifted(session, Access(study, MONITOR))
    assert not researcher_blinding.is_lifted(session, Access(studies.create_study(), OWNER))
    researcher_blinding.restore_blinding(session, owner, "ada")
    assert not researcher_blinding.is_lifted(session, owner)
    assert list(study.audit_events.values_list("what", flat=True)) == ["uncovered", "covered"]


def test_restoring_blinding_of_an_experiment_records_nothing(ada: Client) -> None:
    study = experiments.create_draft()
    assert ada.post(monitor_url(study, "cover"), {"do": "cover"}).status_code == 302
    assert not study.audit_events.filter(what="covered").exists()


def test_reason_is_shown_in_full_but_redacted_while_blinded() -> None:
    study, people = studies.create_busy_study()
    slot = studies.seating_of(people[0]).slot
    reason = f"they shouted: at {slot.condition.name} alone"
    interventions.cancel_game(slot, actor="ada", reason=reason)
    page = text_of(sign_in().get(monitor_url(study)))
    assert "ended by hand: they shouted: at … alone" in page
    assert slot.condition.name not in page


def test_each_record_line_is_a_sentence_with_one_subject() -> None:
    study, people = studies.create_busy_study()
    pseudonym = people[3].pseudonym
    slot = studies.seating_of(people[0]).slot
    for kind, actor, participant in (
        ("ended", "ada", None),
        ("out:full", "clock", people[3]),
        ("ratings:nothing_left", "clock", people[3]),
    ):
        AuditEvent.objects.create(
            study=study, slot=slot, what=kind, actor=actor, participant=participant
        )
    page = text_of(sign_in().get(monitor_url(study)))
    assert "ada canceled the game" in page
    assert f"{pseudonym} left the study: arrived when the study was full" in page
    assert f"{pseudonym} had nothing left to rate" in page
    assert "the system" not in page
