"""Tests of arrival at a study: what is stored, who is admitted and who is turned away."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from tests.study import entering, studies
from tests.study.entering import consent, enrol, hidden_fields, page_url, visit
from tests.study.pages import html_of, text_of
from webapp.study.design.stages import Design
from webapp.study.models import ConsentText, Identity, Participant, Slot, Study
from webapp.study.participant import consent_page
from webapp.study.planning import estimates
from webapp.study.sessions import enrolment
from webapp.study.sessions.enrolment import Agreement

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("plain_stages")]
SHOWN_AT = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


def test_participant_is_stored_on_consent_not_on_page_view() -> None:
    study = entering.create_study()
    client, page = visit(study, PROLIFIC_PID="pid-5f1e", STUDY_ID="s9", SESSION_ID="x1")
    assert entering.CONSENT in html_of(page)
    assert "pid-5f1e" not in html_of(page)
    assert page["Referrer-Policy"] == "strict-origin"
    assert (
        f"takes about {estimates.total_minutes(Design.from_json(study.design))} minutes"
        in text_of(page)
    )
    client.head(f"/take/{study.key}/")
    assert not Participant.objects.exists()
    assert not Session.objects.exists()
    response = consent(
        client, study, page, extra_time="150", socket="41", scripts="1", sound="heard"
    )
    participant = Participant.objects.get()
    assert response["Location"] == page_url(participant)
    assert (participant.pseudonym, participant.extra_time, participant.step) == ("P001", 150, 1)
    assert participant.consent_version == enrolment.consent_version(study)
    assert participant.device == {"scripts": True, "sound": "heard", "socket_ms": 41}
    identity = Identity.objects.get()
    assert (identity.participant, identity.label, identity.study, identity.session) == (
        participant,
        "pid-5f1e",
        "s9",
        "x1",
    )
    page = client.get(page_url(participant))
    assert "2 of 4: A word before, about 2 minutes" in text_of(page)


@pytest.mark.parametrize("invited", [False, True])
def test_consent_visit_starts_when_its_page_was_shown(
    invited: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = entering.create_study()
    client = Client()
    if invited:
        participant = Participant.objects.create(study=study, pseudonym="P001", invited=True)
    address = page_url(participant) if invited else f"/take/{study.key}/"
    with monkeypatch.context() as patch:
        patch.setattr(timezone, "now", lambda: SHOWN_AT)
        fields = hidden_fields(client.get(address))
    rejected = client.post(address, {**fields, "version": "of another text"})
    assert rejected.status_code == 409
    assert client.post(address, hidden_fields(rejected)).status_code == 302
    first, second = Participant.objects.get().visits
    assert (first["step"], first["came"]) == ("consent-0", SHOWN_AT.isoformat())
    assert first["went"] == second["came"] or first["went"] < second["came"]
    assert second["went"] is None


def test_forged_page_time_is_ignored() -> None:
    study = entering.create_study()
    client, page = visit(study)
    consent(client, study, page, shown=consent_page.sign_moment("another", SHOWN_AT))
    assert Participant.objects.get().visits[0]["came"] > SHOWN_AT.isoformat()


def test_signed_value_of_another_kind_is_not_accepted_as_form() -> None:
    study = entering.create_study()
    client, page = visit(study)
    moment = consent_page.sign_moment(study.key, SHOWN_AT)
    assert (
        client.post(f"/take/{study.key}/", {**hidden_fields(page), "coming": moment}).status_code
        < 500
    )
    assert client.post(f"/take/{study.key}/unsuitable", {"coming": moment}).status_code < 500


def test_consent_submitted_twice_creates_one_participant() -> None:
    study = entering.create_study()
    client, page = visit(study)
    first, second = consent(client, study, page), consent(Client(), study, page)
    assert first["Location"] == second["Location"]
    assert Participant.objects.count() == 1


def test_changed_consent_text_requires_new_consent() -> None:
    study = entering.create_study()
    client, page = visit(study)
    study.design["stages"][0]["text"] = "Something else."
    study.save()
    response = consent(client, study, page)
    assert response.status_code == 409
    assert "Something else." in html_of(response)
    assert not Participant.objects.exists()
    assert consent(client, study, response).status_code == 302


@pytest.mark.parametrize("is_invited", [False, True], ids=["shared link", "personal link"])
def test_text_that_changes_during_the_consent_is_shown(
    is_invited: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = entering.create_study()
    address = ""
    if is_invited:
        invited = Participant.objects.create(study=study, pseudonym="P001", invited=True)
        address = page_url(invited)
    client = Client()
    page = client.get(address) if is_invited else visit(study, client)[1]
    build_agreement = consent_page.ConsentForm.build_agreement

    def change_text_after_build(form: consent_page.ConsentForm, stale: Study) -> Agreement:
        agreement = build_agreement(form, stale)
        row = Study.objects.get()
        row.design["stages"][0]["text"] = "Something else."
        row.save()
        return agreement

    monkeypatch.setattr(consent_page.ConsentForm, "build_agreement", change_text_after_build)
    fields = {**hidden_fields(page), "extra_time": "100"}
    response = client.post(address or f"/take/{study.key}/", fields)
    assert response.status_code == 409
    assert "Something else." in html_of(response)
    assert not Participant.objects.exclude(consented_at=None).exists()
    monkeypatch.undo()
    fields = {**hidden_fields(response), "extra_time": "100"}
    assert client.post(address or f"/take/{study.key}/", fields).status_code == 302
    assert ConsentText.objects.get().text.startswith("Something else.")


def test_forged_consent_form_is_shown_again() -> None:
    study = entering.create_study()
    response = Client().post(f"/take/{study.key}/", {"coming": "made up", "extra_time": "100"})
    assert response.status_code == 409
    assert not Participant.objects.exists()


@pytest.mark.parametrize(
    ("state", "status", "message"),
    [
        (Study.DRAFT, 409, "Not open yet"),
        (Study.PAUSED, 409, "This study is paused"),
        (Study.CLOSED, 410, "This study is closed"),
    ],
)
def test_study_that_is_not_open_explains_its_state(state: str, status: int, message: str) -> None:
    study = entering.create_study(ethics={"contact": "ada@example.org"})
    client, participant = enrol(study)
    Study.objects.update(state=state)
    _visitor, page = visit(study)
    assert (page.status_code, message in html_of(page)) == (status, True)
    assert ("write to ada@example.org" in html_of(page)) == (status == 409)
    invited = Participant.objects.create(study=study, pseudonym="P009", invited=True)
    assert message in html_of(Client().get(page_url(invited)))
    assert "A word before" in html_of(client.get(page_url(participant))), "participants continue"


def test_full_study_is_announced_before_anything_is_stored() -> None:
    study = entering.create_study()
    Slot.objects.update(state=Slot.DONE)
    client, page = visit(study)
    assert "All places are taken" in html_of(page)
    assert "CODE-" not in html_of(page), "the address alone reveals no code"
    back = client.post(f"/take/{study.key}/", entering.hidden_fields(page))
    assert "CODE-full" in html_of(back)
    invited = Participant.objects.create(study=study, pseudonym="P009", invited=True)
    page = client.get(page_url(invited))
    assert "CODE-" not in html_of(page)
    assert "CODE-full" in html_of(client.post(page_url(invited), entering.hidden_fields(page)))
    Participant.objects.all().delete()
    assert not Participant.objects.exists()


def test_declining_stores_nothing_and_shows_the_exit_code() -> None:
    study = entering.create_study()
    client, page = visit(study, PROLIFIC_PID="5f1e")
    response = consent(client, study, page, do="decline")
    assert "CODE-declined" in html_of(response)
    for form in ({}, {"coming": "made up"}):
        html = html_of(Client().post(f"/take/{study.key}/", {**form, "do": "decline"}))
        assert "Words for declined." in html
        assert "CODE-" not in html, "the form lacks the page's signature"
    invited = Participant.objects.create(study=study, pseudonym="P009", invited=True)
    response = Client().post(page_url(invited), {"do": "decline", "own": "1"})
    assert "CODE-declined" in html_of(response)
    invited.refresh_from_db()
    assert (invited.consented_at, invited.exit) == (None, "")
    assert not Identity.objects.exists()


def test_turned_away_visitors_are_counted_without_stored_data() -> None:
    study = entering.create_study(assignment={"games": 1})
    for _ in range(2):
        client, page = visit(study)
        consent(client, study, page, do="decline")
    client, page = visit(study)
    client.post(f"/take/{study.key}/unsuitable", entering.hidden_fields(page))
    for stranger in (client.get, client.head, client.post):  # Requests without the page's form.
        stranger(f"/take/{study.key}/unsuitable")
    for form in ({}, {"coming": "made up"}):
        Client().post(f"/take/{study.key}/", {**form, "do": "decline"})
    for url in (f"/take/{study.key}/unsuitable", f"/take/{study.key}/"):  # The same form again.
        Client().post(url, {**entering.hidden_fields(page), "do": "decline"})
    invited = Participant.objects.create(study=study, pseudonym="P009", invited=True)
    for number in range(3):
        Client().post(page_url(invited), {"do": "decline", "own": str(number)})
    invited.delete()
    Slot.objects.update(state=Slot.PLAYING)
    visit(study)
    study.refresh_from_db()
    expected = {"declined": 3, "unsuitable": 1, "full": 1}
    assert study.turned_away == expected
    Study.objects.update(state=Study.CLOSED)
    client.get(f"/take/{study.key}/unsuitable")
    study.refresh_from_db()
    assert study.turned_away == expected
    assert not Participant.objects.exists()
    assert not Session.objects.exists()


def test_listed_only_study_opens_by_personal_link_only() -> None:
    study = entering.create_study()
    Study.objects.update(listed_only=True)
    _client, page = visit(study)
    assert page.status_code == 403
    invited = Participant.objects.create(study=study, pseudonym="P001", invited=True)
    client = Client()
    page = client.get(page_url(invited))
    assert entering.CONSENT in html_of(page)
    response = client.post(page_url(invited), {**entering.hidden_fields(page), "extra_time": "100"})
    assert response["Location"] == page_url(invited)
    assert studies.stage_of(invited) == "interview"


def test_browser_without_cookies_gets_the_unsuitable_exit() -> None:
    study = entering.create_study()
    client, page = visit(study)
    address = f"/take/{study.key}/unsuitable"
    assert address in html_of(page)
    invited = Participant.objects.create(study=study, pseudonym="P009", invited=True)
    invited_form = entering.hidden_fields(Client().get(page_url(invited)))
    for form in (
        entering.hidden_fields(page),
        invited_form,
    ):  # The page's script sends the first form.
        strict = Client(enforce_csrf_checks=True)
        assert "CODE-unsuitable" in html_of(strict.post(address, form))
    html = html_of(client.get(address))
    assert "does not store cookies" in html
    assert "CODE-" not in html
    assert "https://example.org" not in html, "the return link contains the code"
    for form in ({}, {"coming": "made up"}, {"own": "made up"}):
        assert "CODE-" not in html_of(client.post(address, form))
