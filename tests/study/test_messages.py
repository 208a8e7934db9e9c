"""Tests of help, reports and messages between participants and researchers."""

from __future__ import annotations

import csv
import io
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from game.models import Utterance
from tests.game.table import answer, open_window, play_until
from tests.study import studies, taking
from webapp.play.models import Report
from webapp.study.data import studies as exports
from webapp.study.design.refusals import Refused
from webapp.study.ethics import participant_erasure
from webapp.study.models import AuditEvent, Identity, Message, Participant
from webapp.study.monitor import page_content
from webapp.study.participant import entrance
from webapp.study.sessions import messages

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _remove_request_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrance.request_limit, "try_acquire", lambda key: True)


@pytest.fixture
def person() -> Participant:
    return taking.add_participant(
        taking.create_study({"kind": "background"}, {"kind": "debriefing"})
    )


def participant_url(person: Participant) -> str:
    return f"/take/as/{person.key}/"


def contains_ada(page: str) -> bool:
    """Return whether "ada" occurs as a word. Random keys can contain the letters."""
    return bool(re.search(r"\bada\b", page))


def test_help_is_requested_and_answered_on_the_page(person: Participant) -> None:
    client = taking.browser_of(person)
    assert client.post(f"{participant_url(person)}help", {"text": "I am <stuck>"})[
        "Location"
    ] == participant_url(person)
    request = Message.objects.get()
    assert (request.kind, request.from_participant, request.text) == ("help", True, "I am <stuck>")
    assert (request.participant, request.seen_at) == (person, None)
    messages.send_to_participant(person, "Press “Go on”", actor="ada")
    reply = Message.objects.get(from_participant=False)
    news = client.get(f"{participant_url(person)}news").json()["messages_html"]
    assert "I am &lt;stuck&gt;" in news
    assert "Press “Go on”" in news
    assert not contains_ada(client.get(participant_url(person)).content.decode())
    reply.refresh_from_db()
    assert reply.seen_at
    messages.mark_seen_by_researcher(person)
    request.refresh_from_db()
    assert request.seen_at
    request.refresh_from_db()
    assert request.seen_at
    assert set(AuditEvent.objects.values_list("what", "actor")) >= {
        ("help", "participant"), ("told", "ada"),
    }  # fmt: skip


def test_rejected_help_request_keeps_its_text(person: Participant) -> None:
    client = taking.browser_of(person)
    address = f"{participant_url(person)}help"
    long_text = "x" * 1001
    response = client.post(address, {"text": long_text})
    assert response.status_code == 422
    assert long_text in response.content.decode()
    assert "The maximum is 1000" in response.content.decode()
    for text in ("one", "two", "three"):
        assert client.post(address, {"text": text}).status_code == 302
    response = client.post(address, {"text": "four"}, headers={"Accept": "application/json"})
    assert response.status_code == 422
    assert "wait a minute" in response.json()["refused"]
    assert Message.objects.count() == 3
    Message.objects.update(at=timezone.now() - timedelta(minutes=2))
    assert client.post(address, {"text": "four"}).status_code == 302


def test_repeated_message_is_stored_once(person: Participant) -> None:
    for _ in range(2):
        messages.request_help(person, "Help")
        messages.send_to_participant(person, "Yes?", actor="ada")
        messages.send_to_all(person.study, "We begin soon", actor="ada")
    assert list(Message.objects.values_list("text", flat=True)) == ["Help", "Yes?", "We begin soon"]


def test_message_to_all_reaches_those_without_the_same_text(person: Participant) -> None:
    other = studies.enrol(person.study, 1)[0]
    messages.send_to_participant(person, "We begin soon", actor="ada")
    messages.send_to_all(person.study, "We begin soon", actor="ada")
    assert [m.participant for m in Message.objects.order_by("pk")] == [person, other]


def test_other_browser_cannot_request_help_for_a_participant(person: Participant) -> None:
    address = f"{participant_url(person)}help"
    assert Client().post(address, {"text": "I"})["Location"] == participant_url(person)
    assert not Message.objects.exists()


def test_table_message_reaches_all_its_participants() -> None:
    study = studies.create_study(table={"blind": True})
    people = studies.seat(study)
    outside = studies.enrol(study, 1)[0]
    slot = studies.seating_of(people[0]).slot
    game = studies.game_of(people[0])
    before = game.version
    messages.send_to_table(slot, "A short pause", actor="ada")
    game.refresh_from_db()
    assert game.version > before  # Sockets refresh on a new version.
    table_pages = [
        taking.browser_of(p).get(f"/games/{game.code}/").content.decode()
        for p in (people[0], people[1])
    ]
    for page in table_pages:
        assert page.count("A short pause") == 1
        assert "The researchers" in page
        assert 'action="/take/as/' in page
        assert not contains_ada(page)
    messages_at_table = Message.objects.filter(participant__in=people[:2])
    assert all(m.seen_at for m in messages_at_table)
    assert not Message.objects.filter(participant=outside).exists()
    with pytest.raises(Refused):
        messages.send_to_table(study.slots.filter(state="free")[0], "Hello", actor="ada")


def test_report_of_a_statement_reaches_the_researchers() -> None:
    study = studies.create_study(table={"people": 7, "blind": True})
    people = studies.seat(study, 7)
    game = studies.game_of(people[0])
    play_until(game, "statement")
    window = open_window(game, "statement")
    answer(game, window.missing[0], window)
    utterance = Utterance.objects.filter(game=game).exclude(text="")[0]
    listener = next(p for p in people if studies.seating_of(p).seat != utterance.seat)
    client = taking.browser_of(listener)
    do = {"do": f"report:{utterance.window}:{utterance.seat}", "cursor": 0}
    for _ in range(2):
        client.post(f"/games/{game.code}/act", do)
    report = Message.objects.get()
    assert (report.kind, report.participant, report.utterance) == ("report", listener, utterance)
    assert report.slot == studies.seating_of(listener).slot
    assert Report.objects.count() == 1
    assert "Reported to the researchers" in client.get(f"/games/{game.code}/").content.decode()
    quote = f'<q class="monitor-quoted">{escape(utterance.display_text)}</q>'
    thread = page_content.participant_content(study, False, listener.pseudonym)
    assert quote in thread.parts["monitor-thread"]
    assert quote in page_content.study_content(study, False).parts["monitor-calls"]
    Utterance.objects.filter(pk=utterance.pk).update(text="")  # its player's data were deleted
    thread = page_content.participant_content(study, False, listener.pseudonym)
    assert "<q" not in thread.parts["monitor-thread"]
    assert "<q" not in page_content.study_content(study, False).parts["monitor-calls"]


def test_exported_messages_omit_names_and_end_with_erasure(person: Participant) -> None:
    Identity.objects.create(participant=person, label="5f3a9c77")
    messages.request_help(person, "I am 5f3a9c77, help")
    messages.send_to_participant(person, "Yes?", actor="ada")

    def rows() -> list[dict[str, str]]:
        data = exports.build_file(person.study, "messages.csv").decode("utf-8-sig")
        return list(csv.DictReader(io.StringIO(data)))

    cells = [(r["participant"], r["kind"], r["from_participant"], r["text"]) for r in rows()]
    assert cells == [
        ("P001", "help", "true", "I am [name taken out], help"),
        ("P001", "message", "false", "Yes?"),
    ]
    participant_erasure.erase_participant(person, actor="participant")
    assert rows() == []
    assert not Message.objects.filter(from_participant=True).exists()
