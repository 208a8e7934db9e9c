"""Tests of the first page for raters: its duration, and that nothing is stored before consent."""

from __future__ import annotations

import logging
import re

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from tests.study import entering, rating
from tests.study.personal_data import dump_database
from webapp.study.design import instruments
from webapp.study.ethics import participant_erasure
from webapp.study.models import Campaign, Identity, Participant, Rater
from webapp.study.rating import rating_plan, units
from webapp.study.sessions import study_events

pytestmark = pytest.mark.django_db

PID = "5e9f6a7c8d-prolific"
NAMES = {"PROLIFIC_PID": PID, "STUDY_ID": "64ab-study", "SESSION_ID": "99zz-session"}


def announced_minutes(campaign: Campaign) -> int:
    page = Client().get(f"/take/{campaign.study.key}/").content.decode()
    match = re.search(r"takes\s+about\s+(\d+)\s+minute", page)
    assert match, page
    return int(match[1])


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"units_per_rater": 20, "repeats": 3, "attention": 2},
        {"context": 40, "units_per_rater": 2},
        {"instrument": instruments.get("engagement").to_json(), "units_per_rater": 1},
        {
            "rival": {"backend": "openai", "method": "full"},
            "rival_condition": "rival",
            "units_per_rater": 9,
        },
    ],
    ids=["few", "many", "long context", "games", "pairs"],
)
def test_raters_are_shown_the_minutes_of_the_plan(settings: dict) -> None:
    campaign = rating.open_campaign("1", "2", **settings)
    assert announced_minutes(campaign) == rating_plan.build_plan(campaign)["minutes_per_rater"]
    for unit in list(campaign.units.all())[:-2:3]:  # Withdrawn long units reduce the duration.
        units.set_withdrawn(unit, is_withdrawn=True)
    assert announced_minutes(campaign) == rating_plan.build_plan(campaign)["minutes_per_rater"]


def test_nothing_is_stored_before_consent_is_submitted(caplog: pytest.LogCaptureFixture) -> None:
    campaign = rating.open_campaign("1", units_per_rater=2)
    before = dump_database()
    with caplog.at_level(logging.DEBUG):
        client = rating.visit(campaign, **NAMES)
        response = client.get(f"/take/{campaign.study.key}/", NAMES)
        rating.consent(client, campaign, "")  # The answer is missing, so the page is shown again.
    assert dump_database() == before
    assert not Session.objects.exists()
    assert set(client.cookies) <= {"fabula_csrf"}
    assert not any(PID in cookie.value for cookie in client.cookies.values())
    assert PID not in caplog.text
    assert response["Referrer-Policy"] == "strict-origin", "styles must not send the address"
    assert "Nothing about you is stored before you agree" in response.content.decode()

    assert rating.consent(client, campaign).status_code == 302
    identity = Identity.objects.get()
    assert (identity.label, identity.study, identity.session) == tuple(NAMES.values())
    assert PID not in "".join(repr(s.get_decoded()) for s in Session.objects.all())


def test_incomplete_form_keeps_the_participants_label() -> None:
    campaign = rating.open_campaign("1", units_per_rater=2)
    client = rating.visit(campaign, **NAMES)
    page = rating.consent(client, campaign, "")
    assert page.status_code == 422
    assert entering.hidden_fields(page)["coming"] == client.form["coming"]  # type: ignore[attr-defined]


def test_old_form_cannot_restore_an_erased_participant() -> None:
    campaign = rating.open_campaign("1", units_per_rater=2)
    client, rater = rating.enrol(campaign, **NAMES)
    assert rater.participant
    participant_erasure.erase_participant(
        rater.participant, actor=study_events.PARTICIPANT, keeps_owed=False
    )
    stranger = Client()
    stranger.form = client.form  # type: ignore[attr-defined]
    for browser in (client, stranger):
        assert rating.consent(browser, campaign).status_code == 410
    assert Participant.objects.count() == Rater.objects.count() == 1
    assert not Identity.objects.exists()
