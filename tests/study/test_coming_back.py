"""Tests of participants who return: reloads, other browsers and devices, second tabs."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.study import entering, studies
from tests.study.entering import enrol, page_url, submit, visit
from tests.study.pages import html_of, text_of
from webapp.play.models import Membership
from webapp.study.models import Participant

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("plain_stages")]


def test_reload_and_shared_link_lead_to_the_current_page() -> None:
    study = entering.create_study()
    client, participant = enrol(study)
    submit(client, participant)
    for address in (page_url(participant), f"/take/{study.key}/", f"/take/go/{study.key}/"):
        assert "You have waited" in text_of(client.get(address, follow=True)), address


def test_session_and_label_resume_on_any_device_but_label_alone_does_not() -> None:
    study = entering.create_study()
    both = {"PROLIFIC_PID": "5f1e", "SESSION_ID": "x1"}
    first, participant = enrol(study, **both)
    submit(first, participant)
    for names in ({"PROLIFIC_PID": "5F1E"}, {"PROLIFIC_PID": "5f1e", "SESSION_ID": "x2"}):
        _client, page = visit(study, **names)
        assert (page.status_code, "open your own link" in html_of(page)) == (409, True), names
        assert participant.key not in html_of(page)
    second, page = visit(study, **both)
    assert "Continue in this browser?" in html_of(page)
    assert participant.key not in html_of(page)
    response = second.post(f"/take/{study.key}/", {**entering.hidden_fields(page), "change": "1"})
    assert response["Location"] == page_url(participant)
    assert "You have waited" in text_of(second.get(page_url(participant)))
    assert Participant.objects.count() == 1


def test_repeated_label_without_session_is_rejected() -> None:
    study = entering.create_study()
    _client, participant = enrol(study, PROLIFIC_PID="5f1e")
    _client, page = visit(study, PROLIFIC_PID="5f1e")
    assert (page.status_code, participant.key in html_of(page)) == (409, False)


def test_known_label_without_cookies_gets_contact_instructions() -> None:
    study = entering.create_study()
    enrol(study, PROLIFIC_PID="5f1e", SESSION_ID="x1")
    _client, page = visit(study, PROLIFIC_PID="5f1e", SESSION_ID="x2")
    text = text_of(page)
    assert "open your own link" in text
    assert "write to the researchers through the service" in text
    study.design["ethics"]["contact"] = "ada@example.org"
    study.save()
    assert "write to ada@example.org and describe" in text_of(visit(study, PROLIFIC_PID="5f1e")[1])


@pytest.mark.parametrize("names", [{}, {"PROLIFIC_PID": "5f1e", "SESSION_ID": "x2"}])
def test_first_browser_can_take_its_participant_back(names: dict[str, str]) -> None:
    study = entering.create_study()
    first, participant = enrol(study, PROLIFIC_PID="5f1e", SESSION_ID="x1")
    second = Client()
    second.post(page_url(participant), {"change": "1"})
    _client, page = visit(study, first, **names)
    assert "Continue in this browser?" in html_of(page), "no new consent is requested"
    response = first.post(page_url(participant), {"change": "1"})
    assert response["Location"] == page_url(participant)
    assert "A word before" in html_of(first.get(page_url(participant)))
    _client, page = visit(study, second, PROLIFIC_PID="other")
    assert entering.CONSENT in html_of(page), "another person may begin in this browser"
    assert Participant.objects.count() == 1


def test_personal_link_moves_participant_and_seat_to_another_browser() -> None:
    study = studies.create_study(table={"people": 1}, stages=entering.STAGES)
    first, participant = enrol(study)
    submit(first, participant)
    assert submit(first, participant, do="ready").status_code == 302
    table = first.get(page_url(participant))["Location"]
    assert first.get(table).status_code == 200
    second = Client()
    page = second.get(page_url(participant))
    assert "Continue in this browser?" in html_of(page)
    assert second.get(table).status_code == 403
    assert second.post(page_url(participant), {"change": "1"})["Location"] == page_url(participant)
    assert second.get(page_url(participant))["Location"] == table
    assert second.get(table).status_code == 200
    assert first.get(table).status_code == 403, "the first browser has lost access"
    assert "Continue in this browser?" in html_of(first.get(page_url(participant)))
    assert Membership.objects.count() == 1


def test_two_participants_in_one_browser_do_not_share_a_seat() -> None:
    study = entering.create_study()
    client, one = enrol(study, PROLIFIC_PID="a")
    client, two = enrol(study, client, PROLIFIC_PID="b")
    assert one.visitor != two.visitor
    assert "A word before" in html_of(client.get(page_url(two)))
    assert "Continue in this browser?" in html_of(client.get(page_url(one)))


def test_news_endpoint_serves_only_the_participants_browser() -> None:
    study = entering.create_study()
    client, participant = enrol(study)
    before = client.get(page_url(participant, "news")).json()
    assert before["part"] == ""
    assert before["page_state"] in html_of(client.get(page_url(participant)))
    submit(client, participant)
    after = client.get(page_url(participant, "news")).json()
    assert after["page_state"] != before["page_state"]
    assert "outlook" in after["part"]
    assert Client().get(page_url(participant, "news")).status_code == 302
