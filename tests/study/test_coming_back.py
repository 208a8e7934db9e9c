"""A participant who comes back: reloads, other browsers and devices, second tabs."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.study import entering, studies
from tests.study.entering import come, enrolled, lines, press, shown, way
from webapp.play.models import Membership
from webapp.study.models import Participant

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("plain_stages")]


def test_reload_and_shared_link_lead_to_the_current_page() -> None:
    made = entering.study()
    client, row = enrolled(made)
    press(client, row)
    for address in (way(row), f"/take/{made.key}/", f"/take/go/{made.key}/"):
        assert "You have waited" in lines(client.get(address, follow=True)), address


def test_session_and_label_resume_on_any_device_but_label_alone_does_not() -> None:
    made = entering.study()
    both = {"PROLIFIC_PID": "5f1e", "SESSION_ID": "x1"}
    first, row = enrolled(made, **both)
    press(first, row)
    for names in ({"PROLIFIC_PID": "5F1E"}, {"PROLIFIC_PID": "5f1e", "SESSION_ID": "x2"}):
        _client, page = come(made, **names)
        assert (page.status_code, "open your own link" in shown(page)) == (409, True), names
        assert row.key not in shown(page)
    second, page = come(made, **both)
    assert "Continue in this browser?" in shown(page)
    assert row.key not in shown(page)
    answer = second.post(f"/take/{made.key}/", {**entering.form_of(page), "change": "1"})
    assert answer["Location"] == way(row)
    assert "You have waited" in lines(second.get(way(row)))
    assert Participant.objects.count() == 1


def test_repeated_label_without_session_is_rejected() -> None:
    made = entering.study()
    _client, row = enrolled(made, PROLIFIC_PID="5f1e")
    assert studies.kind(row) == "interview"
    _client, page = come(made, PROLIFIC_PID="5f1e")
    assert page.status_code == 409


def test_known_label_without_cookies_gets_contact_instructions() -> None:
    made = entering.study()
    enrolled(made, PROLIFIC_PID="5f1e", SESSION_ID="x1")
    _client, page = come(made, PROLIFIC_PID="5f1e", SESSION_ID="x2")
    told = lines(page)
    assert "open your own link" in told
    assert "write to the researchers through the service" in told
    made.design["ethics"]["contact"] = "ada@example.org"
    made.save()
    assert "write to ada@example.org and describe" in lines(come(made, PROLIFIC_PID="5f1e")[1])


@pytest.mark.parametrize("names", [{}, {"PROLIFIC_PID": "5f1e", "SESSION_ID": "x2"}])
def test_first_browser_can_take_its_participant_back(names: dict[str, str]) -> None:
    made = entering.study()
    first, row = enrolled(made, PROLIFIC_PID="5f1e", SESSION_ID="x1")
    second = Client()
    second.post(way(row), {"change": "1"})
    _client, page = come(made, first, **names)
    assert "Continue in this browser?" in shown(page), "and no consent afresh"
    answer = first.post(way(row), {"change": "1"})
    assert answer["Location"] == way(row)
    assert "A word before" in shown(first.get(way(row)))
    _client, page = come(made, second, PROLIFIC_PID="other")
    assert entering.CONSENT in shown(page), "somebody else may begin by the same browser"
    assert Participant.objects.count() == 1


def test_personal_link_moves_participant_and_seat_to_another_browser() -> None:
    made = studies.study(table={"people": 1}, stages=entering.STAGES)
    first, row = enrolled(made)
    press(first, row)
    assert press(first, row, do="ready").status_code == 302
    table = first.get(way(row))["Location"]
    assert first.get(table).status_code == 200
    second = Client()
    page = second.get(way(row))
    assert "Continue in this browser?" in shown(page)
    assert second.get(table).status_code == 403
    assert second.post(way(row), {"change": "1"})["Location"] == way(row)
    assert second.get(way(row))["Location"] == table
    assert second.get(table).status_code == 200
    assert first.get(table).status_code == 403, "the first browser has nothing of it any more"
    assert "Continue in this browser?" in shown(first.get(way(row)))
    assert Membership.objects.count() == 1


def test_two_participants_in_one_browser_do_not_share_a_seat() -> None:
    made = entering.study()
    client, one = enrolled(made, PROLIFIC_PID="a")
    client, two = enrolled(made, client, PROLIFIC_PID="b")
    assert one.visitor != two.visitor
    assert "A word before" in shown(client.get(way(two)))
    assert "Continue in this browser?" in shown(client.get(way(one)))


def test_repeated_step_posts_advance_a_participant_once() -> None:
    made = entering.study()
    client, row = enrolled(made)
    for _again in range(2):
        answer = client.post(way(row), {"step": "1"})
        assert answer["Location"] == way(row)
    assert studies.kind(row) == "waiting"
    client.post(way(row), {"step": "1", "do": "ready"})
    assert studies.kind(row) == "waiting"


def test_news_endpoint_serves_only_the_participants_browser() -> None:
    made = entering.study()
    client, row = enrolled(made)
    before = client.get(way(row, "news")).json()
    assert before["part"] == ""
    assert before["at"] in shown(client.get(way(row)))
    press(client, row)
    after = client.get(way(row, "news")).json()
    assert after["at"] != before["at"]
    assert "outlook" in after["part"]
    assert Client().get(way(row, "news")).status_code == 302
