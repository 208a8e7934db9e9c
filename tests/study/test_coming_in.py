"""How somebody comes into a study: what is stored when, who is let in, who is sent away."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from tests.study import entering, studies
from tests.study.entering import agree, come, enrolled, form_of, lines, shown, way
from webapp.study.design.stages import Design
from webapp.study.models import Identity, Participant, Slot, Study
from webapp.study.participant import entrance_form
from webapp.study.planning import durations
from webapp.study.sessions import enrolment

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("plain_stages")]
SHOWN = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


def test_looking_stores_nothing_and_agreeing_does() -> None:
    made = entering.study()
    client, page = come(made, PROLIFIC_PID="pid-5f1e", STUDY_ID="s9", SESSION_ID="x1")
    assert entering.CONSENT in shown(page)
    assert "pid-5f1e" not in shown(page)
    assert page["Referrer-Policy"] == "strict-origin"
    assert f"takes about {durations.total_minutes(Design.from_json(made.design))} minutes" in lines(
        page
    )
    client.head(f"/take/{made.key}/")
    assert not Participant.objects.exists()
    assert not Session.objects.exists()
    answer = agree(client, made, page, extra_time="150", socket="41", scripts="1", sound="heard")
    row = Participant.objects.get()
    assert answer["Location"] == way(row)
    assert (row.pseudonym, row.extra_time, row.step) == ("P001", 150, 1)
    assert row.consent_version == enrolment.consent_version(made)
    assert row.device == {"scripts": True, "sound": "heard", "socket_ms": 41}
    told = Identity.objects.get()
    assert (told.participant, told.label, told.study, told.session) == (row, "pid-5f1e", "s9", "x1")
    page = client.get(way(row))
    assert "2 of 4: A word before, about 2 minutes" in lines(page)


@pytest.mark.parametrize("invited", [False, True])
def test_agreeing_begins_when_its_page_was_shown(
    invited: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, client = entering.study(), Client()
    if invited:
        row = Participant.objects.create(study=made, pseudonym="P001", invited=True)
    address = way(row) if invited else f"/take/{made.key}/"
    with monkeypatch.context() as then:
        then.setattr(timezone, "now", lambda: SHOWN)
        fields = form_of(client.get(address))
    again = client.post(address, {**fields, "version": "of another text"})
    assert again.status_code == 409
    assert client.post(address, form_of(again)).status_code == 302
    first, second = Participant.objects.get().visits
    assert (first["step"], first["came"]) == ("consent-0", SHOWN.isoformat())
    assert first["went"] == second["came"] or first["went"] < second["came"]
    assert second["went"] is None


def test_a_moment_that_somebody_made_up_is_not_taken() -> None:
    made = entering.study()
    client, page = come(made)
    agree(client, made, page, shown=entrance_form.sign_moment("another", SHOWN))
    assert Participant.objects.get().visits[0]["came"] > SHOWN.isoformat()


def test_another_signed_value_is_no_form() -> None:
    made = entering.study()
    client, page = come(made)
    moment = entrance_form.sign_moment(made.key, SHOWN)
    assert client.post(f"/take/{made.key}/", {**form_of(page), "coming": moment}).status_code < 500
    assert client.post(f"/take/{made.key}/unsuitable", {"coming": moment}).status_code < 500


def test_the_button_pressed_twice_makes_one_participant() -> None:
    made = entering.study()
    client, page = come(made)
    first, second = agree(client, made, page), agree(Client(), made, page)
    assert first["Location"] == second["Location"]
    assert Participant.objects.count() == 1


def test_another_text_has_to_be_agreed_to_anew() -> None:
    made = entering.study()
    client, page = come(made)
    made.design["stages"][0]["text"] = "Something else."
    made.save()
    answer = agree(client, made, page)
    assert answer.status_code == 409
    assert "Something else." in shown(answer)
    assert not Participant.objects.exists()
    assert agree(client, made, answer).status_code == 302


def test_a_form_that_is_not_ours_is_shown_again() -> None:
    made = entering.study()
    answer = Client().post(f"/take/{made.key}/", {"coming": "made up", "extra_time": "100"})
    assert answer.status_code == 409
    assert not Participant.objects.exists()


@pytest.mark.parametrize(
    ("state", "status", "says"),
    [
        (Study.DRAFT, 409, "Not open yet"),
        (Study.PAUSED, 409, "This study is paused"),
        (Study.CLOSED, 410, "This study is closed"),
    ],
)
def test_a_study_that_is_not_open_says_so(state: str, status: int, says: str) -> None:
    made = entering.study(ethics={"contact": "ada@example.org"})
    client, row = enrolled(made)
    Study.objects.update(state=state)
    _other, page = come(made)
    assert (page.status_code, says in shown(page)) == (status, True)
    assert ("write to ada@example.org" in shown(page)) == (status == 409)
    invited = Participant.objects.create(study=made, pseudonym="P009", invited=True)
    assert says in shown(Client().get(way(invited)))
    assert "A word before" in shown(client.get(way(row))), "who is on the way goes on"


def test_a_full_study_says_so_before_anything_is_stored() -> None:
    made = entering.study()
    Slot.objects.update(state=Slot.DONE)
    client, page = come(made)
    assert "All places are taken" in shown(page)
    assert "CODE-" not in shown(page), "anybody can open an address"
    back = client.post(f"/take/{made.key}/", entering.form_of(page))
    assert "CODE-full" in shown(back)
    invited = Participant.objects.create(study=made, pseudonym="P009", invited=True)
    page = client.get(way(invited))
    assert "CODE-" not in shown(page)
    assert "CODE-full" in shown(client.post(way(invited), entering.form_of(page)))
    Participant.objects.all().delete()
    assert not Participant.objects.exists()


def test_who_declines_leaves_nothing() -> None:
    made = entering.study()
    client, page = come(made, PROLIFIC_PID="5f1e")
    answer = agree(client, made, page, do="decline")
    assert "CODE-declined" in shown(answer)
    for form in ({}, {"coming": "made up"}):
        told = shown(Client().post(f"/take/{made.key}/", {**form, "do": "decline"}))
        assert "Words for declined." in told
        assert "CODE-" not in told, "without the page that was shown"
    invited = Participant.objects.create(study=made, pseudonym="P009", invited=True)
    answer = Client().post(way(invited), {"do": "decline", "own": "1"})
    assert "CODE-declined" in shown(answer)
    invited.refresh_from_db()
    assert (invited.consented_at, invited.exit) == (None, "")
    assert not Identity.objects.exists()


def test_who_came_and_did_not_begin_is_counted_and_nothing_else() -> None:
    made = entering.study(assignment={"games": 1})
    for _ in range(2):
        client, page = come(made)
        agree(client, made, page, do="decline")
    client, page = come(made)
    client.post(f"/take/{made.key}/unsuitable", entering.form_of(page))
    for stranger in (client.get, client.head, client.post):  # without the page's form: anybody
        stranger(f"/take/{made.key}/unsuitable")
    for form in ({}, {"coming": "made up"}):
        Client().post(f"/take/{made.key}/", {**form, "do": "decline"})
    for again in (f"/take/{made.key}/unsuitable", f"/take/{made.key}/"):  # one form, more than once
        Client().post(again, {**entering.form_of(page), "do": "decline"})
    invited = Participant.objects.create(study=made, pseudonym="P009", invited=True)
    for number in range(3):
        Client().post(way(invited), {"do": "decline", "own": str(number)})
    invited.delete()
    Slot.objects.update(state=Slot.PLAYING)
    come(made)
    made.refresh_from_db()
    counted = {"declined": 3, "unsuitable": 1, "full": 1}
    assert made.turned_away == counted
    Study.objects.update(state=Study.CLOSED)
    client.get(f"/take/{made.key}/unsuitable")
    made.refresh_from_db()
    assert made.turned_away == counted
    assert not Participant.objects.exists()
    assert not Session.objects.exists()


def test_a_study_for_listed_people_opens_by_personal_links_alone() -> None:
    made = entering.study()
    Study.objects.update(listed_only=True)
    _client, page = come(made)
    assert page.status_code == 403
    invited = Participant.objects.create(study=made, pseudonym="P001", invited=True)
    client = Client()
    page = client.get(way(invited))
    assert entering.CONSENT in shown(page)
    answer = client.post(way(invited), {**entering.form_of(page), "extra_time": "100"})
    assert answer["Location"] == way(invited)
    assert studies.kind(invited) == "interview"


def test_a_browser_that_keeps_nothing_is_told() -> None:
    made = entering.study()
    client, page = come(made)
    address = f"/take/{made.key}/unsuitable"
    assert address in shown(page)
    invited = Participant.objects.create(study=made, pseudonym="P009", invited=True)
    own = entering.form_of(Client().get(way(invited)))
    for form in (entering.form_of(page), own):  # its scripts send the form of the first page
        strict = Client(enforce_csrf_checks=True)
        assert "CODE-unsuitable" in shown(strict.post(address, form))
    told = shown(client.get(address))
    assert "does not store cookies" in told
    assert "CODE-" not in told
    assert "https://example.org" not in told, "the way back has the code in it"
    for form in ({}, {"coming": "made up"}, {"own": "made up"}):
        assert "CODE-" not in shown(client.post(address, form))
