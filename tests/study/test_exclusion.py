"""Tests of exclusion rules for raters and of manual decisions on record."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.study import rating, world
from tests.study.desk import sign_in
from webapp.rate_counters import ProcessRate
from webapp.statistics.rater_behavior import THRESHOLDS
from webapp.study.data import campaign_export as data
from webapp.study.design.refusals import Refused
from webapp.study.models import Assignment, AuditLine, Campaign, Rater, Unit
from webapp.study.rater import views
from webapp.study.rating import (
    campaigns,
    exclusion,
    quotas,
    rater_erasure,
    rating_plan,
    rating_rows,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _raise_request_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "request_limit", ProcessRate(10_000, 10))


CHECKS = {"attention": 2, "units_per_rater": 6, "exclusion": {"failed_checks": 1}}


def is_check(assignment: Assignment) -> bool:
    return assignment.unit.kind == Unit.ATTENTION


def rate_all(
    client: Client, rater: Rater, *, checks: str = "passed", value: Any = None, ms: int = 9000
) -> None:
    """Rate all pages and submit. `checks` is passed, failed or skipped."""
    for number, assignment in enumerate(rating.pages_of(rater)):
        body: dict[str, Any] = {"skip": None, "revision": assignment.revision, "active_ms": ms}
        rating_value = value or 1 + number % 5
        if is_check(assignment):
            expected = assignment.unit.expected or 0
            rating_value = expected if checks == "passed" else 1 + expected % 5
        body["values"] = rating.uniform_values(assignment, rating_value)
        if is_check(assignment) and checks == "skipped":
            body |= {"values": {}, "skip": "unclear"}
        assert rating.post(client, assignment, body).status_code == 200
    client.post(f"/rate/as/{rater.key}/all")
    rater.refresh_from_db()
    assert rater.finished_at


def long_rows(campaign: Campaign) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.build_file(campaign, "ratings_long.csv").decode())))


def test_skipped_check_counts_as_failed() -> None:
    campaign = rating.open_campaign("1", attention=2, units_per_rater=4)
    rate_all(*rating.enrol(campaign), checks="skipped")
    checks = [row for row in long_rows(campaign) if row["is_attention"] == "true"]
    assert {(row["status"], row["passed"]) for row in checks} == {("skipped", "false")}


@pytest.mark.parametrize("checks", ["failed", "skipped"])
def test_failed_or_skipped_checks_exclude_a_rater_by_rule(checks: str) -> None:
    campaign = rating.open_campaign("1", **CHECKS)
    client, rater = rating.enrol(campaign)
    rate_all(client, rater, checks=checks)
    assert rater.excluded
    assert rater.exclusion_reason == "rule: attention checks failed: 2 (limit 1)"
    assert [(r["do"], r["by"]) for r in rater.rulings] == [("exclude", "rule")]
    page = sign_in("ada").get(f"/study/{campaign.code}/raters").content.decode()
    assert "excluded: rule: attention checks failed: 2 (limit 1)" in page
    assert {row["excluded"] for row in long_rows(campaign)} == {"true"}
    now = timezone.now()
    assert not Assignment.objects.filter(quotas.occupied_place_filter(now), rater=rater).exists(), (
        "released"
    )
    page = client.get(f"/rate/as/{rater.key}/", follow=True).content.decode()
    assert "Everything is saved" in page, "the exit page does not mention the exclusion"


@pytest.mark.parametrize(
    ("rules", "behaviour", "excluded"),
    [
        ({"failed_checks": 1}, {"checks": "passed"}, False),
        ({}, {"checks": "failed", "ms": 10, "value": 3}, False),
        ({"fast_percent": 50}, {"ms": 2999}, True),
        ({"fast_percent": 50}, {"ms": 3000}, False),
        ({"same_in_a_row": 15}, {"value": 4}, True),
        ({"same_in_a_row": 15}, {}, False),
    ],
)
def test_each_exclusion_rule_applies_only_to_its_own_measure(
    rules: dict, behaviour: dict, excluded: bool
) -> None:
    campaign = rating.open_campaign("1", **{**CHECKS, "exclusion": rules})
    client, rater = rating.enrol(campaign)
    rate_all(client, rater, **behaviour)
    assert rater.excluded is excluded, rater.exclusion_reason


def test_excluded_raters_slots_reopen_and_stay_reassigned() -> None:
    campaign = rating.open_campaign("1", **{**CHECKS, "units_per_rater": 24, "raters_per_unit": 1})
    client, first = rating.enrol(campaign)
    rate_all(client, first, checks="failed")
    assert first.excluded
    other_client, second = rating.enrol(campaign)
    rate_all(other_client, second)
    assert not second.excluded
    assert exclusion.include(first, "looked at again") == 24
    rows = [r for r in long_rows(campaign) if r["is_attention"] == "false" and r["value"]]
    counted_rows = [r for r in rows if r["excluded"] == "false"]
    assert {r["rater_pseudonym"] for r in counted_rows} == {second.pseudonym}
    assert {r["exclusion_reason"] for r in rows} == {"", rating_rows.OVER_QUOTA}


def test_manual_inclusion_needs_a_reason_and_overrides_rules() -> None:
    campaign = rating.open_campaign("1", **CHECKS)
    client, rater = rating.enrol(campaign)
    rate_all(client, rater, checks="failed")
    ada = sign_in("ada")
    url = f"/study/{campaign.code}/raters/{rater.pseudonym}"
    ada.post(url, {"do": "include", "reason": " "})
    rater.refresh_from_db()
    assert rater.excluded
    ada.post(url, {"do": "include", "reason": "the check page was broken"})
    campaigns.close(campaign)  # Closing applies the rules again.
    rater.refresh_from_db()
    assert not rater.excluded
    last = rater.rulings[-1]
    assert (last["do"], last["by"], last["who"]) == ("include", "hand", "ada")
    assert last["reason"] == "the check page was broken"
    line = AuditLine.objects.get(what="include")
    assert line.about == f"{campaign.code} {rater.pseudonym}: the check page was broken"


def test_closing_applies_rules_to_unsubmitted_raters() -> None:
    campaign = rating.open_campaign("1", **CHECKS)
    client, rater = rating.enrol(campaign)
    for page in rating.pages_of(rater):
        if is_check(page):
            rating.rate_page(client, page, 1 + (page.unit.expected or 0) % 5)
    campaigns.close(campaign)
    rater.refresh_from_db()
    assert rater.excluded


def test_exclusion_rules_are_validated_planned_and_locked() -> None:
    campaign = world.create_campaign(world.ended_game("1"), attention=1)
    for wrong in (
        {"failed_checks": 0},
        {"fast_percent": 101},
        {"nonsense": 1},
        {"gold_missed": "2"},
    ):
        with pytest.raises(Refused):
            campaigns.change(campaign, exclusion=wrong)
    campaigns.change(campaign, exclusion={"failed_checks": 2, "same_in_a_row": None})
    assert campaign.exclusion == {"failed_checks": 2}
    assert "2 or more" in rating_plan.build_plan(campaign)["rules"][0]
    page = sign_in("ada").get(f"/study/{campaign.code}/setup").content.decode()
    assert "Exclusion rules: attention checks failed or skipped: 2 or more." in page
    assert "can never apply" in " ".join(rating_plan.build_plan(campaign)["problems"])
    campaigns.change(campaign, attention=2)
    campaigns.open(campaign)
    before = campaigns.config_hash(campaign)
    client, rater = rating.enrol(campaign)
    rating.rate_page(client, rating.pages_of(rater)[0])
    with pytest.raises(Refused, match="Ratings depend on"):
        campaigns.change(campaign, exclusion={})
    assert campaigns.config_hash(campaign) == before
    assert campaigns.config_hash(campaigns.copy(campaign)) != before, "the copy has another seed"


def test_raters_page_counts_answers_but_not_timed_out_pages() -> None:
    campaign = rating.open_campaign("1", units_per_rater=4)
    client, rater = rating.enrol(campaign)
    first, second, third, _fourth = rating.pages_of(rater)
    rating.rate_page(client, first)
    rating.post(client, second, {"values": {}, "skip": "unclear", "revision": 0})
    Assignment.objects.filter(pk=third.pk).update(state=Assignment.TIMED_OUT)
    page = " ".join(sign_in("ada").get(f"/study/{campaign.code}/raters").content.decode().split())
    assert "1 of 3 rated" in page
    assert "1 skipped" in page


def test_payment_list_shows_identity_and_work_of_each_rater() -> None:
    exits = {"completed": {"code": "D0NE"}}
    campaign = rating.open_campaign("1", **{**CHECKS, "exits": exits})
    client, rater = rating.enrol(campaign, PROLIFIC_PID="=5f1e", STUDY_ID="st", SESSION_ID="se")
    rate_all(client, rater, checks="failed")
    Rater.objects.filter(pk=rater.pk).update(consented_at=rater.finished_at - timedelta(minutes=12))
    world.add_rater(campaign, label="kept-out-of-exports")
    erased = world.add_rater(campaign, label="gone")
    rater_erasure.erase_rater(erased)
    response = sign_in("ada").get(f"/study/{campaign.code}/raters/payments.csv")
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert [row["outside_id"] for row in rows] == ["'=5f1e", "kept-out-of-exports"]
    row = rows[0]
    assert (row["study"], row["session"], row["status"]) == ("st", "se", "finished")
    assert (row["minutes"], row["active_minutes"]) == ("12.0", "1.2")
    assert (row["given"], row["answered"], row["left_out"]) == ("6", "6", "0")
    assert (row["codes_shown"], row["excluded"]) == ("D0NE", "true")
    assert row["exclusion_reason"] == "rule: attention checks failed: 2 (limit 1)"
    assert AuditLine.objects.filter(what="export", about=f"{campaign.code} payments.csv").exists()
    assert rows[1]["status"] == "reading"
    exports = "".join(data.build_file(campaign, name).decode() for name in data.FILE_NAMES)
    assert "kept-out-of-exports" not in exports


@pytest.mark.parametrize("timed_out", [False, True], ids=["open", "timed out"])
def test_late_partial_answer_never_exceeds_the_quota(timed_out: bool) -> None:
    campaign = rating.open_campaign("1", units_per_rater=24, raters_per_unit=1)
    client, slow = rating.enrol(campaign)
    late_page = rating.pages_of(slow)[0]
    name, *_rest = rating.uniform_values(late_page)
    body = {"values": {name: 2}, "skip": None, "revision": 0}
    if not timed_out:  # Answered in time, then interrupted.
        assert rating.post(client, late_page, body).status_code == 200
    rating.expire_leases(*rating.pages_of(slow))
    other_client, quick = rating.enrol(campaign)
    quick_page = quick.assignments.get(unit=late_page.unit)
    if timed_out:  # Answered after another rater got the slot.
        Assignment.objects.filter(pk=late_page.pk).update(state=Assignment.TIMED_OUT)
        assert rating.post(client, late_page, body).status_code == 200
    assert rating.rate_page(other_client, quick_page, 4).status_code == 200

    all_rows = rating_rows.read_rating_rows(campaign)
    rows = [row for row in all_rows if row.item.unit.pk == late_page.unit_id]
    counted_rows = [row for row in rows if row.value is not None and row.exclusion_reason is None]
    assert {row.assignment.rater.pseudonym for row in counted_rows} == {quick.pseudonym}
    late_rows = [row for row in rows if row.assignment.rater == slow]
    assert {row.exclusion_reason for row in late_rows} == {rating_rows.OVER_QUOTA}
    assert [row.value for row in late_rows if row.value is not None] == [2], "stored, not counted"


def test_partial_answer_counts_while_its_slot_is_free() -> None:
    campaign = rating.open_campaign("1", units_per_rater=2, raters_per_unit=2)
    client, rater = rating.enrol(campaign)
    page = rating.pages_of(rater)[0]
    name, *_rest = rating.uniform_values(page)
    rating.post(client, page, {"values": {name: 2}, "skip": None, "revision": 0})
    rating.expire_leases(page)
    rows = [row for row in rating_rows.read_rating_rows(campaign) if row.value is not None]
    assert [row.exclusion_reason for row in rows] == [None]


def test_copied_campaign_keeps_exclusion_rules() -> None:
    campaign = world.create_campaign(
        world.ended_game("1"), attention=1, exclusion={"failed_checks": 1}
    )
    assert campaigns.copy(campaign).exclusion == {"failed_checks": 1}
    assert exclusion.describe_rules(campaign)


def test_rules_share_the_thresholds_of_the_statistics() -> None:
    assert THRESHOLDS["fast_ms"] == exclusion.FAST_ITEM_S * 1000
    assert THRESHOLDS["least_items"] == exclusion.MIN_TIMED_ITEMS


def test_share_at_its_limit_is_not_rounded_below_it() -> None:
    """29 of 50 are 58 %, but 100 * 0.58 is 57.99999999999999."""
    games = [world.ended_game(str(n)) for n in range(3)]
    campaign = world.create_campaign(*games, units_per_rater=50, exclusion={"fast_percent": 58})
    campaigns.open(campaign)
    rater = world.add_rater(campaign)
    assignments = [
        world.rate_unit(rater, unit, 1 + n % 5) for n, unit in enumerate(campaign.units.all()[:50])
    ]
    Assignment.objects.filter(pk__in=[a.pk for a in assignments[:29]]).update(active_ms=10)
    assert exclusion.find_broken_rules(rater) == ["items under 3 s: 58 % (limit 58 %)"]
    Assignment.objects.filter(pk=assignments[0].pk).update(active_ms=9000)
    assert exclusion.find_broken_rules(rater) == []
