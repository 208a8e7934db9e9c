"""Tests of links to rating studies: current, old and forged ones."""

from __future__ import annotations

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from tests.study import entering, rating, world
from webapp.study.models import Campaign, Identity, Participant, Rater
from webapp.study.rating import campaigns

pytestmark = pytest.mark.django_db

NAMES = {"PROLIFIC_PID": "5f1e", "STUDY_ID": "64ab", "SESSION_ID": "99zz"}


@pytest.fixture
def campaign() -> Campaign:
    return rating.open_campaign("1", units_per_rater=2)


def test_shared_campaign_link_leads_to_its_study_with_identity(campaign: Campaign) -> None:
    client = Client()
    page = client.get(f"/rate/{campaign.study.key}/", NAMES, follow=True)
    form = {**entering.hidden_fields(page), "experience": "4"}
    posted = [client.post(f"/take/{campaign.study.key}/", form) for _ in range(3)]
    assert len({answer["Location"] for answer in posted}) == 1
    rater = Rater.objects.get()
    assert rater.participant
    identity = Identity.objects.get(participant=rater.participant)
    assert (rater.experience, identity.label, identity.session) == (4, "5f1e", "99zz")


@pytest.mark.parametrize(
    ("query", "label"),
    [
        ({"participant_label": "anna"}, "anna"),
        ({"participantId": "p-7"}, "p-7"),
        ({"workerId": "W1", "assignmentId": "A1"}, "W1"),
        ({"label": "x" * 500}, "x" * 200),
        ({"label": "a\x00b\nc\u202e"}, "abc"),
        ({"PROLIFIC_PID": "=1+1"}, "=1+1"),
    ],
)
def test_external_labels_are_stored_separately(
    campaign: Campaign, query: dict[str, str], label: str
) -> None:
    _, rater = rating.enrol(campaign, **query)
    assert Identity.objects.get(participant=rater.participant_id).label == label
    assert label not in rater.pseudonym


def test_personal_link_continues_in_another_browser(campaign: Campaign) -> None:
    client, rater = rating.enrol(campaign, **NAMES)
    assert rater.participant
    pages = rating.pages_of(rater)
    rating.rate_page(client, pages[0], 5)
    rater_url = f"/rate/as/{rater.key}/"
    tablet = Client()
    for address in (rater_url, f"{rater_url}all", f"{rater_url}example"):
        assert "continue here" in tablet.get(address, follow=True).content.decode().lower()
    assert tablet.get(rating.page_url(pages[1])).status_code == 404, "a visit changes nothing"
    tablet.post(f"/take/as/{rater.participant.key}/", {"change": "1"})
    assert tablet.get(rater_url)["Location"] == rating.page_url(pages[1])
    assert rating.rate_page(tablet, pages[0], 2).status_code == 200
    assert client.get(rating.page_url(pages[1])).status_code == 404, "one browser at a time"


def test_session_from_before_raters_were_participants_continues(campaign: Campaign) -> None:
    """The session has only the rater, under the unchanged keys of both links."""
    rater = rating.start_rater(campaign)
    assert rater.participant
    Participant.objects.filter(pk=rater.participant.pk).update(key=rater.key)
    client, (first, _second) = Client(), rating.pages_of(rater)
    session = client.session
    session["raters"] = {campaign.study.key: rater.key}
    session.save()
    assert rating.rate_page(client, first).status_code == 200
    for link in (f"/rate/{campaign.study.key}/", f"/rate/as/{rater.key}/"):
        chain = client.get(link, follow=True).redirect_chain
        assert chain[-1][0] == rating.page_url(rating.pages_of(rater)[1])
    assert Client().get(rating.page_url(first)).status_code == 404


def test_forged_and_foreign_links_are_not_found(campaign: Campaign) -> None:
    client = Client()
    for address in (
        "/rate/nothing/",
        f"/rate/{campaign.study.key[:-1]}/",
        f"/rate/{campaign.code}/",
        "/rate/as/nothing/",
        f"/rate/as/{campaign.study.key}/",
        "/rate/as/nothing/example",
        "/rate/as/nothing/all",
        "/rate/item/00000000-0000-4000-8000-000000000000/",
    ):
        assert client.get(address, follow=True).status_code == 404, address
        assert client.post(address, {"experience": "2"}, follow=True).status_code == 404, address
    assert client.get("/rate/item/nothing/").status_code == 404
    assert Rater.objects.count() == 0


def test_draft_and_closed_campaigns_accept_no_new_raters(campaign: Campaign) -> None:
    client, rater = rating.enrol(campaign)
    campaigns.close(campaign)
    assert Client().get(f"/take/{campaign.study.key}/").status_code == 410
    pages = rating.pages_of(rater)
    assert rating.rate_page(client, pages[0]).status_code == 200, "started ratings can be completed"
    draft = world.create_campaign(*[row.game for row in campaign.chosen_games.all()])
    assert Client().get(f"/take/{draft.study.key}/").status_code == 409
    invited = world.invite(draft)
    response = Client().post(f"/take/as/{invited.key}/", {"experience": "2"})
    assert response.status_code == 409
    assert not Session.objects.filter(session_data__contains=invited.key).exists()
    invited.refresh_from_db()
    assert invited.consented_at is None
