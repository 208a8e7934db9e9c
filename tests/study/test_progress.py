"""Tests of inviting raters, following their progress, excluding and erasing them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.study import world
from tests.study.desk import sign_in
from tests.study.pages import page_url
from webapp.study.models import Analysis, Assignment, Campaign, Identity, Participant, Rating, Unit
from webapp.study.rating import campaigns, exclusion, units
from webapp.study.researcher.rating import rater_views
from webapp.study.sessions import enrolment

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    campaign = world.create_campaign(
        world.ended_game("1"),
        world.ended_game("2", words={(1, 3): "As an AI language model I vote for Beta."}),
        attention=1,
        repeats=1,
    )
    campaigns.open(campaign)
    return campaign


def page_text(campaign: Campaign, name: str) -> str:
    page = sign_in().get(page_url(name, campaign)).content.decode()
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def rater_url(campaign: Campaign, name: str) -> str:
    return reverse("study:rater", args=[campaign.code, name])


def people_url(campaign: Campaign, page: str = "study_people") -> str:
    return reverse(f"study:{page}", args=[campaign.study.code])


def test_shared_link_is_shown_with_prolific_parameters(campaign: Campaign) -> None:
    page = sign_in().get(people_url(campaign)).content.decode()
    link = f"http://testserver/take/{campaign.study.key}/"
    assert f'value="{link}"' in page
    assert (
        f'value="{link}?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}&amp;STUDY_ID={{{{%STUDY_ID%}}}}'
        '&amp;SESSION_ID={{%SESSION_ID%}}"' in page
    )


def test_personal_links_are_created_in_bulk_and_revoked(campaign: Campaign, ada: Client) -> None:
    links_url = people_url(campaign, "study_links")
    ada.post(links_url, {"labels": "Nele\n\n  Bo   Li \n=1+1", "number": "9"})
    ada.post(links_url, {"number": "2"})
    people = list(campaign.study.participants.order_by("pk"))
    assert [p.pseudonym for p in people] == ["P001", "P002", "P003", "P004", "P005"]
    assert all(p.invited and p.consented_at is None for p in people)
    assert list(Identity.objects.values_list("label", flat=True)) == ["Nele", "Bo Li", "=1+1"]
    assert len({p.key for p in people}) == 5
    assert min(len(p.key) for p in people) >= 23  # of 56 letters: more than 128 bits
    page = ada.get(people_url(campaign)).content.decode()
    assert all(f"/take/as/{p.key}/" in page for p in people)
    text = ada.get(people_url(campaign, "study_link_list")).content.decode()
    assert text.splitlines()[1] == f"Bo Li\thttp://testserver/take/as/{people[1].key}/"
    ada.post(f"{people_url(campaign)}/P002")
    assert not Participant.objects.filter(pk=people[1].pk).exists()
    Participant.objects.filter(pk=people[0].pk).update(consented_at=timezone.now())
    page = ada.post(f"{people_url(campaign)}/P001", follow=True)
    assert "The link was used" in page.content.decode()
    assert Participant.objects.filter(pk=people[0].pk).exists()


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({}, "Enter a number"),
        ({"number": "0"}, "greater than or equal to 1"),
        ({"number": "501"}, "less than or equal to 500"),
        ({"number": "1e3"}, "whole number"),
        ({"labels": "x" * 10_000}, "A label has a maximum of 200 characters."),
        (
            {"labels": "\n".join(f"a{i}" for i in range(501))},
            "The list can have at most 500 labels.",
        ),
    ],
)
def test_rejected_link_form_keeps_its_input(
    campaign: Campaign, form: dict[str, str], error: str
) -> None:
    response = sign_in().post(people_url(campaign, "study_links"), form)
    page = response.content.decode()
    assert response.status_code == 422
    assert error in page
    assert form.get("labels", "")[:9_000].rstrip() in page
    assert not Participant.objects.exists()


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"number": "2"}, "number"),
        ({"labels": "Nele\nBo", "number": "1"}, "labels"),
        ({"file": SimpleUploadedFile("people.txt", b"Nele\nBo")}, "file"),
    ],
)
def test_error_of_too_many_links_is_at_the_posted_field(
    campaign: Campaign, form: dict[str, Any], field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(enrolment, "MAX_PARTICIPANTS_PER_STUDY", 1)
    response = sign_in().post(people_url(campaign, "study_links"), form)
    assert response.status_code == 422
    assert list(response.context["form"].errors) == [field]
    assert "at most 1 participants" in response.content.decode()
    assert not Participant.objects.exists()


def test_progress_counts_only_answers_that_cover_a_unit(campaign: Campaign) -> None:
    rated_units = list(Unit.objects.filter(kind="utterance"))
    check = Unit.objects.get(kind="attention")
    one, two, excluded = (world.add_rater(campaign, trained_at=timezone.now()) for _ in range(3))
    world.invite(campaign)
    for unit in rated_units[:3]:
        world.rate_unit(one, unit)
    world.rate_unit(two, rated_units[0])
    world.rate_unit(two, rated_units[1], None, state=Assignment.SKIPPED)
    world.rate_unit(two, rated_units[2], None, state=Assignment.OPEN)
    # None of these cover a unit.
    world.rate_unit(one, rated_units[0], is_repeat=True)
    world.rate_unit(one, check)
    world.rate_unit(two, rated_units[5], over_quota=True)
    world.rate_unit(excluded, rated_units[4])
    exclusion.exclude(excluded, "in haste")
    units.set_withdrawn(rated_units[40], is_withdrawn=True)
    figures = rater_views.progress_figures(campaign)
    assert (figures["wanted"], figures["given"]) == (2 * 47, 4)
    assert [(row["answers"], row["units"]) for row in figures["coverage"]] == [
        (0, 44),
        (1, 2),
        (2, 1),
    ]
    assert [(c["name"], c["given"], c["wanted"]) for c in figures["conditions"]] == [
        ("one", 4, 48),
        ("two", 0, 46),
    ]
    assert {p["key"]: p["n"] for p in figures["people"]} == {
        "invited": 1,
        "reading": 0,
        "rating": 3,
        "finished": 0,
        "screened_out": 0,
        "full": 0,
        "withdrawn": 0,
        "timed_out": 0,
        "excluded": 1,
    }
    assert (figures["skipped"], figures["late"]) == (1, 1)
    text = page_text(campaign, "progress")
    assert "4 of 94 answers" in text


def test_progress_is_polled_while_the_campaign_is_open(campaign: Campaign, ada: Client) -> None:
    part = page_url("progress_part", campaign)
    assert f'hx-get="{part}"' in ada.get(page_url("progress", campaign)).content.decode()
    answer = ada.get(part, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in answer
    assert 'hx-trigger="every' in answer
    ada.post(page_url("state", campaign), {"do": "close"})
    campaign.refresh_from_db()
    assert campaign.state == Campaign.CLOSED
    assert "hx-get" not in ada.get(part, headers={"HX-Request": "true"}).content.decode()
    assert "The study is closed" in ada.get(people_url(campaign)).content.decode()
    ada.post(page_url("state", campaign), {"do": "open"})
    campaign.refresh_from_db()
    assert campaign.state == Campaign.OPEN
    assert ada.post(page_url("state", campaign), {"do": "nonsense"}).status_code == 302


def test_rater_is_excluded_and_included_with_a_reason(campaign: Campaign, ada: Client) -> None:
    rater = world.add_rater(campaign, label="5f2b", trained_at=timezone.now())
    for reason in ("", "  ", "x" * 121):
        page = ada.post(
            rater_url(campaign, "R001"), {"do": "exclude", "reason": reason}, follow=True
        ).content.decode()
        assert "Enter a reason of up to 120 characters. It is stored for R001." in page
        rater.refresh_from_db()
        assert not rater.excluded
    ada.post(rater_url(campaign, "R001"), {"do": "exclude", "reason": " failed  the checks "})
    rater.refresh_from_db()
    assert (rater.excluded, rater.exclusion_reason) == (True, "failed the checks")
    assert "excluded: failed the checks" in page_text(campaign, "raters")
    ada.post(rater_url(campaign, "R001"), {"do": "include"})
    rater.refresh_from_db()
    assert rater.excluded, "inclusion needs a reason"
    ada.post(rater_url(campaign, "R001"), {"do": "include", "reason": "looked at by two"})
    assert "included again: looked at by two" in page_text(campaign, "raters")
    rater.refresh_from_db()
    assert (rater.excluded, rater.exclusion_reason) == (False, "")
    assert ada.post(rater_url(campaign, "R777"), {"do": "erase"}).status_code == 404


def test_erased_rater_is_on_no_page(campaign: Campaign, ada: Client) -> None:
    rater = world.add_rater(campaign, label="Nele Person", trained_at=timezone.now())
    key = rater.key
    world.rate_unit(rater, Unit.objects.filter(kind="utterance")[0])
    assert "Nele Person" in page_text(campaign, "raters")
    ada.post(rater_url(campaign, "R001"), {"do": "erase"})
    assert not Rating.objects.exists()
    pages = [page_url(page, campaign) for page in ("raters", "progress", "results", "units")]
    for address in (*pages, people_url(campaign), people_url(campaign, "study_link_list")):
        html = ada.get(address).content.decode()
        assert "Nele Person" not in html
        assert key not in html
    text = page_text(campaign, "raters")
    assert "1 rater was erased on request." in text
    assert "No raters yet." in text
    assert world.add_rater(campaign).pseudonym == "R002"


def test_statistical_flags_are_shown_beside_the_rater(campaign: Campaign) -> None:
    world.add_rater(campaign, trained_at=timezone.now())
    flags = [{"key": "fast", "why": "flag_fast"}, {"key": "new", "why": "flag_of_another_version"}]
    row = {"rater": "R001", "flags": flags}
    Analysis.objects.create(campaign=campaign, data={"results": {"raters": [row]}})
    assert "Spent less than three seconds" in page_text(campaign, "raters")


# -- units


def test_flagged_unit_is_found_and_withdrawn(campaign: Campaign, ada: Client) -> None:
    text = page_text(campaign, "units")
    assert "48 units are drawn" in text
    assert "1 may reveal its speaker." in text
    page = ada.get(page_url("units", campaign) + "?look=flagged")
    assert page.content.decode().count('<li class="unit') == 1
    unit = Unit.objects.exclude(flags=[]).get()
    assert b"As an AI language model" in page.content
    one = reverse("study:unit", args=[campaign.code, unit.index])
    assert b"names itself a model" in ada.get(one).content
    address = reverse("study:withdraw", args=[campaign.code, unit.index])
    back = ada.post(address, {"do": "withdraw", "query": "look=flagged"})
    assert back["Location"] == page_url("units", campaign) + "?look=flagged"
    unit.refresh_from_db()
    assert unit.withdrawn
    assert "1 may reveal" not in page_text(campaign, "units")
    assert ada.post(address, {"do": "restore", "page": "unit"})["Location"] == one
    unit.refresh_from_db()
    assert not unit.withdrawn
    for nowhere in (999, 49_000_000):
        assert ada.get(reverse("study:unit", args=[campaign.code, nowhere])).status_code == 404


def test_units_are_drawn_for_review_before_opening(ada: Client) -> None:
    campaign = world.create_campaign(world.ended_game("1"))
    assert "No units are drawn yet." in page_text(campaign, "units")
    ada.post(page_url("draw", campaign))
    assert "24 units are drawn" in page_text(campaign, "units")
    page = ada.get(page_url("units", campaign) + "?condition=one&page=2").content.decode()
    assert page.count('<li class="unit') == 24


def test_rival_answers_are_queued_and_counted(ada: Client) -> None:
    rival = {"backend": "house", "method": "full"}
    campaign = world.create_campaign(world.ended_game("1"), rival=rival, rival_condition="planned")
    assert "0 of 0 generated" in page_text(campaign, "units")
    ada.post(page_url("make_rivals", campaign))
    assert "0 of 24 generated" in page_text(campaign, "units")
    part = ada.get(page_url("rivals", campaign), headers={"HX-Request": "true"}).content.decode()
    assert 'hx-trigger="every' in part
    first, second, *_rest = Unit.objects.filter(kind="utterance")
    first.stimuli.filter(place=2).update(state="idle", text="Other words entirely.")
    second.stimuli.filter(place=2).update(state="failed", failure="timeout")
    text = page_text(campaign, "units")
    assert "1 of 24 generated · 1 failed" in text
    assert "1 × timeout" in text
    assert "Other words entirely." in text
    failed = ada.get(page_url("units", campaign) + "?look=failed").content.decode()
    assert failed.count('<li class="unit') == 1
    rejected = ada.post(page_url("state", campaign), {"do": "open"}, follow=True).content.decode()
    assert "failed. Try again, or withdraw" in rejected
