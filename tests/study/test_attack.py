"""Tests that visitors who only take pages cannot exhaust a campaign, and of listed raters."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from tests.study import entering, rating, world
from tests.study.desk import sign_in
from webapp.play import visitors
from webapp.study.models import Assignment, Campaign, Identity, Rater
from webapp.study.rating import quotas
from webapp.study.researcher.running import study_people

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    """Open a campaign of 24 units with one rater each."""
    return rating.open_campaign("1", units_per_rater=6, raters_per_unit=1, lease_minutes=60)


def pass_minutes(minutes: float) -> None:
    """Make all assignments older by that many minutes."""
    for row in Assignment.objects.all():
        row.leased_until -= timedelta(minutes=minutes)
        row.shown_at = row.shown_at and row.shown_at - timedelta(minutes=minutes)
        row.save()


def test_idle_visitors_cannot_exhaust_a_campaign(campaign: Campaign) -> None:
    attackers = []
    for _ in range(14):
        client = rating.visit(campaign)
        rating.consent(client, campaign)
        rater = Rater.objects.latest("pk")
        client.post(f"/rate/as/{rater.key}/example")
        client.get(f"/rate/as/{rater.key}/")
        attackers.append((client, rater))
    assert sum(len(rating.pages_of(rater)) for _client, rater in attackers) == 24, "all assigned"
    for client, rater in attackers:
        for assignment in rating.pages_of(rater):  # The visitors open each page.
            client.get(rating.page_url(assignment))
    pass_minutes(2)
    client, rater = rating.enrol(campaign)
    assert len(rating.pages_of(rater)) == 6
    for assignment in rating.pages_of(rater):
        assert rating.rate_page(client, assignment).status_code == 200
    own_assignments = Assignment.objects.filter(rater=rater)
    assert not own_assignments.filter(over_quota=True).exists()
    assert own_assignments.filter(state=Assignment.ANSWERED).count() == 6


def test_page_open_in_the_browser_is_not_reassigned(campaign: Campaign) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(units_per_rater=24)
    client, first = rating.enrol(campaign)
    open_page = rating.pages_of(first)[0]
    client.get(rating.page_url(open_page))
    pass_minutes(2)
    _, second = rating.enrol(campaign)
    assert len(rating.pages_of(second)) == 23
    assert rating.pages_of(first) == [open_page]
    assert rating.rate_page(client, open_page).status_code == 200
    open_page.refresh_from_db()
    assert (open_page.state, open_page.over_quota) == (Assignment.ANSWERED, False)


def test_pages_of_an_active_rater_are_not_reassigned(campaign: Campaign) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(units_per_rater=24)
    client, first = rating.enrol(campaign)
    rating.rate_page(client, rating.pages_of(first)[0])
    assert min(a.leased_until for a in rating.pages_of(first)[1:]) > timezone.now() + timedelta(
        minutes=50
    ), "the campaign's lease applies after the first answer"
    pass_minutes(30)
    newcomer = rating.visit(campaign)
    rating.consent(newcomer, campaign)
    second = Rater.objects.latest("pk")
    newcomer.post(f"/rate/as/{second.key}/example")
    assert "Nothing to rate" in newcomer.get(f"/rate/as/{second.key}/").content.decode()
    assert len(rating.pages_of(first)) == 24


def test_unused_assignment_is_released_after_ten_minutes(campaign: Campaign) -> None:
    client, rater = rating.enrol(campaign)
    units = {a.unit_id for a in rating.pages_of(rater)}
    pass_minutes(4)
    client.get(f"/rate/as/{rater.key}/")  # Another visit does not extend the lease.
    client.get(rating.page_url(rating.pages_of(rater)[0]))
    pass_minutes(5)
    now = timezone.now()
    assert {
        a.unit_id for a in Assignment.objects.filter(quotas.occupied_place_filter(now))
    } == units
    pass_minutes(1.1)
    assert not Assignment.objects.filter(quotas.occupied_place_filter(now)).exists()
    assert rating.rate_page(client, rating.pages_of(rater)[0]).status_code == 200, "still accepted"
    assert Assignment.objects.filter(state=Assignment.ANSWERED, over_quota=False).count() == 1


def test_shorter_campaign_lease_limits_the_tentative_lease() -> None:
    campaign = Campaign(lease_minutes=5)
    now = timezone.now()
    assert quotas.lease_expiry(campaign, now, has_answered=False) == now + timedelta(minutes=5)


def test_starts_per_address_are_limited_except_by_personal_link(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begin(address: str) -> int:
        client = rating.visit(campaign, Client(REMOTE_ADDR=address))
        return rating.consent(client, campaign).status_code

    statuses = [begin("192.0.2.7") for _ in range(90)]
    assert statuses == [302] * 80 + [429] * 10
    assert begin("192.0.2.8") == 302
    invited = world.invite(campaign)
    guest = Client(REMOTE_ADDR="192.0.2.7")
    link = f"/take/as/{invited.key}/"
    form = {**entering.hidden_fields(guest.get(link)), "experience": "2"}
    assert guest.post(link, form).status_code == 302
    assert guest.session[visitors.LINK_KEY] == invited.key, "the limit now counts by link"


def test_people_list_creates_one_link_per_distinct_label(campaign: Campaign) -> None:
    ada = sign_in("ada")
    ada.force_login(campaign.owner)
    people = SimpleUploadedFile(
        "people.csv", '\ufeffAnna\n\nＢｅｒｔａ;x\nanna \n"Carla"\n'.encode()
    )
    address = f"/study/studies/{campaign.study.code}/people/links"
    page = ada.post(address, {"file": people}, follow=True)
    assert page.status_code == 200, page.content
    assert "3 links created." in page.content.decode()
    assert sorted(Identity.objects.values_list("normal_label", flat=True)) == [
        "anna",
        "berta",
        "carla",
    ]
    second_page = ada.post(address, {"labels": "ANNA\nDora"}, follow=True)
    assert "1 link created. 1 was on the list already." in second_page.content.decode()


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"a\x00b\n", b"x" * 300_000, b"x" * 201])
def test_unreadable_people_list_is_rejected_with_an_error(
    campaign: Campaign, content: bytes
) -> None:
    form = study_people.LinksForm({}, {"file": SimpleUploadedFile("people.txt", content)})
    assert not form.is_valid()
    assert form.errors["file"]
