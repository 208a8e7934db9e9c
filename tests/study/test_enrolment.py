"""Tests of raters from consent to the completion code, with each way back."""

from __future__ import annotations

import uuid

import pytest
from django.test import Client

from game.models import Player
from tests.study import entering, rating, world
from webapp.play import visitors
from webapp.study.models import Assignment, Campaign, Rater

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return rating.open_campaign(
        "1",
        units_per_rater=2,
        consent="You may stop <b>at any time</b>.\n\nThank you.",
        least_experience=1,
        exits={
            "completed": {"code": "D0NE", "url": "https://example.org/back?cc=D0NE"},
            "screened_out": {"code": "S0RRY", "url": "https://example.org/out?cc=S0RRY"},
        },
    )


def test_first_page_shows_consent_and_experience_question(campaign: Campaign) -> None:
    page = rating.visit(campaign).get(f"/take/{campaign.study.key}/").content.decode()
    assert "You may stop &lt;b&gt;at any time&lt;/b&gt;." in page
    assert page.count('name="experience"') == 5
    assert campaign.name not in page


@pytest.mark.parametrize("experience", ["", "5", "-1", "1.0", "two"])
def test_invalid_experience_is_requested_again(campaign: Campaign, experience: str) -> None:
    client = rating.visit(campaign)
    response = rating.consent(client, campaign, experience)
    assert response.status_code == 422
    assert "Choose" in response.content.decode()
    assert Rater.objects.count() == 0


def test_inexperienced_rater_is_screened_out_permanently(campaign: Campaign) -> None:
    client = rating.visit(campaign)
    response = rating.consent(client, campaign, "0", follow=True)
    page = response.content.decode()
    assert "S0RRY" in page
    assert "https://example.org/out?cc=S0RRY" in page
    rater = Rater.objects.get()
    assert rater.screened_out_at
    rating.consent(client, campaign, "4")  # A better answer after the back button.
    for page_name in ("example", "all"):
        response = client.post(f"/rate/as/{rater.key}/{page_name}")
        assert response["Location"] == f"/rate/as/{rater.key}/"
    rater.refresh_from_db()
    assert (rater.experience, rater.trained_at) == (0, None)
    assert not Assignment.objects.exists()


def test_example_precedes_first_page_and_assignment(campaign: Campaign) -> None:
    client = rating.visit(campaign)
    rating.consent(client, campaign)
    rater = Rater.objects.get()
    rater_url = f"/rate/as/{rater.key}/"
    assert client.get(rater_url)["Location"] == f"{rater_url}example"
    assert client.get(f"{rater_url}all")["Location"] == rater_url
    page = client.get(f"{rater_url}example").content.decode()
    assert "The plants and the hat" in page
    assert not Assignment.objects.exists(), "nothing is leased during the example"
    for _ in range(2):  # Two clicks.
        assert client.post(f"{rater_url}example")["Location"] == rater_url
    assert client.get(rater_url)["Location"] == rating.page_url(rating.pages_of(rater)[0])
    assert len(rating.pages_of(rater)) == 2


def test_finished_rater_is_led_to_the_completion_code(campaign: Campaign) -> None:
    client, rater = rating.enrol(campaign)
    for assignment in rating.pages_of(rater):
        assert rating.rate_page(client, assignment).json()["complete"]
    rater_url = f"/rate/as/{rater.key}/"
    assert client.get(rater_url)["Location"] == f"{rater_url}all"
    assert "Submit all ratings" in client.get(f"{rater_url}all").content.decode()
    page = client.post(f"{rater_url}all", follow=True).content.decode()
    assert "D0NE" in page
    assert 'href="https://example.org/back?cc=D0NE"' in page
    for address in (f"/take/{campaign.study.key}/", f"{rater_url}all", f"{rater_url}example"):
        response = client.get(address, follow=True)
        assert response.status_code == 200
    assert client.get(f"{rater_url}all")["Location"] == rater_url
    rater.refresh_from_db()
    assert rater.finished_at


def test_personal_link_asks_for_consent_once(campaign: Campaign) -> None:
    invited = world.invite(campaign, label="anna")
    link = f"/take/as/{invited.key}/"
    client = Client()
    page = client.get(f"/rate/as/{invited.key}/", follow=True)  # The former address of the link.
    form = entering.hidden_fields(page)
    assert client.post(link, {**form, "experience": "9"}).status_code == 422
    for _ in range(2):
        assert client.post(link, {**form, "experience": "3"}).status_code == 302
    rater = Rater.objects.get(participant=invited)
    assert rater.experience == 3
    assert client.get(link, follow=True).redirect_chain[-1][0] == f"/rate/as/{rater.key}/example"


def test_rater_who_sat_in_the_game_gets_no_units(campaign: Campaign) -> None:
    game = campaign.chosen_games.get().game
    client = rating.visit(campaign)
    session = client.session
    visitor = uuid.uuid4()
    session[visitors.VISITOR_KEY] = visitor.hex
    session.save()
    seat = Player.objects.filter(game=game).first()
    visitors.seat_visitor(visitor, game, seat)
    rating.consent(client, campaign)
    rater = Rater.objects.get()
    client.post(f"/rate/as/{rater.key}/example")
    response = client.get(f"/rate/as/{rater.key}/")
    assert response.status_code == 200
    assert "Nothing to rate at the moment" in response.content.decode()
    assert not Assignment.objects.exists()


def test_rater_waits_while_all_slots_are_taken(campaign: Campaign) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(units_per_rater=24, raters_per_unit=1)
    rating.enrol(campaign)
    client = rating.visit(campaign)
    rating.consent(client, campaign)
    rater = Rater.objects.order_by("pk").last()
    assert rater
    client.post(f"/rate/as/{rater.key}/example")
    response = client.get(f"/rate/as/{rater.key}/")
    assert "Check again" in response.content.decode()
    rating.expire_leases(*Assignment.objects.all())
    assert client.get(f"/rate/as/{rater.key}/").status_code == 302


def test_prefetched_page_is_not_marked_as_shown(campaign: Campaign) -> None:
    client, rater = rating.enrol(campaign)
    second = rating.pages_of(rater)[1]
    client.get(rating.page_url(second), headers={"X-Ahead": "1"})
    second.refresh_from_db()
    assert second.shown_at is None
    assert client.post(f"{rating.page_url(second)}seen").status_code == 204
    second.refresh_from_db()
    assert second.shown_at
