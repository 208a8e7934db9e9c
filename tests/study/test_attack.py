"""Whoever comes only to take places empties no campaign; and one may be for listed people only."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from tests.study import entering, rating, world
from tests.study.desk import signed_in
from webapp.play import visitors
from webapp.study.models import Assignment, Campaign, Identity, Rater
from webapp.study.rating import quotas
from webapp.study.researcher.running import study_people

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    """Twenty-four units, one rater each."""
    return rating.opened("1", units_per_rater=6, raters_per_unit=1, lease_minutes=60)


def later(minutes: float) -> None:
    """Everything that was given, was given so much earlier."""
    for row in Assignment.objects.all():
        row.leased_until -= timedelta(minutes=minutes)
        row.shown_at = row.shown_at and row.shown_at - timedelta(minutes=minutes)
        row.save()


def test_fourteen_visitors_who_only_take_do_not_empty_a_campaign(campaign: Campaign) -> None:
    attackers = []
    for _ in range(14):
        client = rating.come(campaign)
        rating.press(client, campaign)
        rater = Rater.objects.latest("pk")
        client.post(f"/rate/as/{rater.key}/example")
        client.get(f"/rate/as/{rater.key}/")
        attackers.append((client, rater))
    assert sum(len(rating.way(rater)) for _client, rater in attackers) == 24, "nothing is left"
    for client, rater in attackers:
        for assignment in rating.way(rater):  # they even open every page
            client.get(rating.item(assignment))
    later(2)
    client, rater = rating.enrolled(campaign)
    assert len(rating.way(rater)) == 6
    for assignment in rating.way(rater):
        assert rating.rate(client, assignment).status_code == 200
    mine = Assignment.objects.filter(rater=rater)
    assert not mine.filter(over_quota=True).exists()
    assert mine.filter(state=Assignment.ANSWERED).count() == 6


def test_the_page_before_a_rater_is_not_taken_away(campaign: Campaign) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(units_per_rater=24)
    client, first = rating.enrolled(campaign)
    shown = rating.way(first)[0]
    client.get(rating.item(shown))
    later(2)
    _, second = rating.enrolled(campaign)
    assert len(rating.way(second)) == 23
    assert rating.way(first) == [shown]
    assert rating.rate(client, shown).status_code == 200
    shown.refresh_from_db()
    assert (shown.state, shown.over_quota) == (Assignment.ANSWERED, False)


def test_what_a_rater_works_on_is_never_called_in(campaign: Campaign) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(units_per_rater=24)
    client, first = rating.enrolled(campaign)
    rating.rate(client, rating.way(first)[0])
    assert min(a.leased_until for a in rating.way(first)[1:]) > timezone.now() + timedelta(
        minutes=50
    ), "from the first answer on, as long as the campaign says"
    later(30)
    newcomer = rating.come(campaign)
    rating.press(newcomer, campaign)
    second = Rater.objects.latest("pk")
    newcomer.post(f"/rate/as/{second.key}/example")
    assert "Nothing to rate" in newcomer.get(f"/rate/as/{second.key}/").content.decode()
    assert len(rating.way(first)) == 24


def test_a_place_unused_for_ten_minutes_is_free_again(campaign: Campaign) -> None:
    client, rater = rating.enrolled(campaign)
    units = {a.unit_id for a in rating.way(rater)}
    later(4)
    client.get(f"/rate/as/{rater.key}/")  # coming again keeps nothing longer
    client.get(rating.item(rating.way(rater)[0]))
    later(5)
    now = timezone.now()
    assert {a.unit_id for a in Assignment.objects.filter(quotas.takes_place(now))} == units
    later(1.1)
    assert not Assignment.objects.filter(quotas.takes_place(now)).exists()
    assert rating.rate(client, rating.way(rater)[0]).status_code == 200, "late, and still good"
    assert Assignment.objects.filter(state=Assignment.ANSWERED, over_quota=False).count() == 1


def test_a_shorter_lease_of_the_campaign_holds_here_too() -> None:
    short = Campaign(lease_minutes=5)
    now = timezone.now()
    assert quotas.lease_expiry(short, now, has_answered=False) == now + timedelta(minutes=5)


def test_a_class_begins_behind_one_address_and_an_army_does_not(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begin(address: str) -> int:
        client = rating.come(campaign, Client(REMOTE_ADDR=address))
        return rating.press(client, campaign).status_code

    statuses = [begin("192.0.2.7") for _ in range(90)]
    assert statuses == [302] * 80 + [429] * 10
    assert begin("192.0.2.8") == 302
    invited, guest = world.invited(campaign), Client(REMOTE_ADDR="192.0.2.7")
    own = f"/take/as/{invited.key}/"
    form = {**entering.form_of(guest.get(own)), "experience": "2"}
    assert guest.post(own, form).status_code == 302
    assert guest.session[visitors.LINK] == invited.key, "counted by the link from now on"


def test_a_list_of_people_makes_a_link_for_each_once(campaign: Campaign) -> None:
    ada = signed_in("ada")
    ada.force_login(campaign.owner)
    people = SimpleUploadedFile(
        "people.csv", '\ufeffAnna\n\nＢｅｒｔａ;x\nanna \n"Carla"\n'.encode()
    )
    address = f"/study/studies/{campaign.study.code}/people/links"
    page = ada.post(address, {"file": people}, follow=True)
    assert page.status_code == 200, page.content
    assert "3 links created." in page.content.decode()
    assert sorted(Identity.objects.values_list("normal", flat=True)) == ["anna", "berta", "carla"]
    again = ada.post(address, {"labels": "ANNA\nDora"}, follow=True)
    assert "1 link created. 1 was on the list already." in again.content.decode()


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"a\x00b\n", b"x" * 300_000, b"x" * 201])
def test_a_list_that_can_not_be_used_is_refused_in_words(
    campaign: Campaign, content: bytes
) -> None:
    form = study_people.LinksForm({}, {"file": SimpleUploadedFile("people.txt", content)})
    assert not form.is_valid()
    assert form.errors["file"]
