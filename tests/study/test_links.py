"""Links that are forged, foreign, expired, used twice, or opened by machines; second devices."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from tests.study import rating, world
from webapp.study import campaigns
from webapp.study.models import Campaign, Identity, Rater

pytestmark = pytest.mark.django_db

NAMES = {"PROLIFIC_PID": "5f1e", "STUDY_ID": "64ab", "SESSION_ID": "99zz"}


@pytest.fixture
def campaign() -> Campaign:
    return rating.opened("1", units_per_rater=2)


def test_opening_a_link_enrols_nobody(campaign: Campaign) -> None:
    client = Client()
    assert client.get(f"/rate/{campaign.key}/", NAMES).status_code == 200
    assert client.head(f"/rate/{campaign.key}/", NAMES).status_code == 200
    invited = Rater.objects.create(campaign=campaign, pseudonym="R900", invited=True)
    assert Client().get(f"/rate/as/{invited.key}/").status_code == 200
    invited.refresh_from_db()
    assert invited.consented_at is None
    assert Rater.objects.count() == 1
    assert not Identity.objects.exists()


def test_the_button_enrols_once_however_often_it_is_pressed(campaign: Campaign) -> None:
    client = rating.come(campaign, **NAMES)
    answers = [rating.press(client, campaign, "4") for _ in range(3)]
    assert len({a["Location"] for a in answers}) == 1
    rater = Rater.objects.get()
    assert (rater.experience, rater.invited) == (4, False)
    assert rater.identity.label == "5f1e"
    assert (rater.identity.study, rater.identity.session) == ("64ab", "99zz")
    assert client.get(f"/rate/{campaign.key}/")["Location"] == f"/rate/as/{rater.key}/"


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
def test_outside_names_are_kept_apart(
    campaign: Campaign, query: dict[str, str], label: str
) -> None:
    _, rater = rating.enrolled(campaign, **query)
    assert rater.identity.label == label
    assert label not in rater.pseudonym


def test_an_outside_name_is_no_authority(campaign: Campaign) -> None:
    client, rater = rating.enrolled(campaign, **NAMES)
    rating.rate(client, rating.way(rater)[0], 5)
    thief = rating.come(campaign, **NAMES)
    answer = rating.press(thief, campaign)
    assert answer.status_code == 409
    assert "your own link" in answer.content.decode()
    assert rater.key not in answer.content.decode()
    assert Rater.objects.count() == 1
    assert thief.get(rating.item(rating.way(rater)[0])).status_code == 404


def test_the_own_link_goes_on_in_another_browser(campaign: Campaign) -> None:
    client, rater = rating.enrolled(campaign, **NAMES)
    way = rating.way(rater)
    rating.rate(client, way[0], 5)
    own, tablet = f"/rate/as/{rater.key}/", Client()
    for address in (own, f"{own}all", f"{own}example"):
        page = tablet.get(address, follow=True).content.decode()
        assert "Yes, go on" in page
    assert tablet.get(rating.item(way[1])).status_code == 404, "looking at the link changes nothing"
    assert tablet.post(own, {"change": "1"})["Location"] == rating.item(way[1])
    assert rating.rate(tablet, way[0], 2).status_code == 200
    assert rating.rate(client, way[0], 4).status_code == 200
    assert set(rating.stored(way[0])[0].values()) == {4}
    assert f"/rate/as/{rater.key}/" in client.get(f"/rate/as/{rater.key}/all").content.decode()


def test_somebody_elses_link_is_asked_about_first(campaign: Campaign) -> None:
    client, mine = rating.enrolled(campaign)
    _, other = rating.enrolled(campaign)
    answer = client.get(f"/rate/as/{other.key}/")
    assert "Go on with this link" in answer.content.decode()
    assert client.get(rating.item(rating.way(mine)[0])).status_code == 200
    assert client.get(f"/rate/as/{other.key}/all")["Location"] == f"/rate/as/{other.key}/"
    client.post(f"/rate/as/{other.key}/", {"change": "1"})
    assert client.get(rating.item(rating.way(other)[0])).status_code == 200
    assert client.get(rating.item(rating.way(mine)[0])).status_code == 404


def test_another_outside_name_in_the_same_browser_is_another_rater(campaign: Campaign) -> None:
    client, first = rating.enrolled(campaign, **NAMES)
    client, second = rating.enrolled(campaign, client, **{**NAMES, "PROLIFIC_PID": "other"})
    assert first != second
    assert Rater.objects.count() == 2


def test_forged_and_foreign_links_lead_nowhere(campaign: Campaign) -> None:
    client = Client()
    for address in (
        "/rate/nothing/",
        f"/rate/{campaign.key[:-1]}/",
        f"/rate/{campaign.code}/",
        "/rate/as/nothing/",
        f"/rate/as/{campaign.key}/",
        "/rate/as/nothing/example",
        "/rate/as/nothing/all",
        "/rate/item/00000000-0000-4000-8000-000000000000/",
    ):
        assert client.get(address).status_code == 404, address
        assert client.post(address, {"experience": "2"}).status_code == 404, address
    assert client.get("/rate/item/nothing/").status_code == 404
    assert Rater.objects.count() == 0


def test_a_post_without_the_page_before_it_enrols_nobody(campaign: Campaign) -> None:
    answer = Client().post(f"/rate/{campaign.key}/", {"experience": "2"})
    assert answer.status_code == 409
    assert "once more" in answer.content.decode()
    assert Client(enforce_csrf_checks=True).post(f"/rate/{campaign.key}/").status_code == 403
    assert Rater.objects.count() == 0


def test_before_it_opens_and_after_it_closes(campaign: Campaign) -> None:
    client, rater = rating.enrolled(campaign)
    campaigns.close(campaign)
    assert Client().get(f"/rate/{campaign.key}/").status_code == 410
    way = rating.way(rater)
    assert rating.rate(client, way[0]).status_code == 200, "what is begun can be ended"
    assert client.get(f"/rate/{campaign.key}/")["Location"] == f"/rate/as/{rater.key}/"
    draft = world.campaign(*[row.game for row in campaign.chosen.all()])
    assert Client().get(f"/rate/{draft.key}/").status_code == 409
    invited = Rater.objects.create(campaign=draft, pseudonym="R900", invited=True)
    answer = Client().post(f"/rate/as/{invited.key}/", {"experience": "2"})
    assert answer.status_code == 409
    invited.refresh_from_db()
    assert invited.consented_at is None


def test_after_erasure_every_link_says_so_and_no_browser_keeps_a_name(campaign: Campaign) -> None:
    client, rater = rating.enrolled(campaign, **NAMES)
    link, item = f"/rate/as/{rater.key}/", rating.item(rating.way(rater)[0])
    key = rater.key
    campaigns.erase(rater)
    for address in (link, f"{link}all", f"{link}example", item, f"/rate/{campaign.key}/"):
        assert client.get(address).status_code == 410, address
    assert Client().get(link).status_code == 410
    assert Client().get(f"/rate/as/{rater.key}/").status_code == 404, "the digest opens nothing"
    kept = [str(s.get_decoded()) for s in Session.objects.all()]
    assert not any(key in data or "5f1e" in data for data in kept)
    _, again = rating.enrolled(campaign, **NAMES)
    assert again.pseudonym != rater.pseudonym


def test_who_only_opens_a_link_leaves_no_session(campaign: Campaign) -> None:
    client = rating.come(campaign, **NAMES)
    assert not Session.objects.exists()
    rating.enrolled(campaign, client)
    soon = timezone.now() + timedelta(days=1, minutes=1)
    assert Session.objects.get().expire_date > soon


def test_a_personal_link_that_is_only_opened_changes_no_browser(campaign: Campaign) -> None:
    invited = Rater.objects.create(campaign=campaign, pseudonym="R900", invited=True)
    client = Client()
    client.get(f"/rate/as/{invited.key}/")
    assert not Session.objects.exists()
