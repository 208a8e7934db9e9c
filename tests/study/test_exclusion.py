"""Rules that leave raters out: fixed beforehand, applied alike, and a hand's decision on record."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.study import rating, world
from tests.study.desk import signed_in
from webapp.play.rate_limits import Limit
from webapp.study import data
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
def _as_fast_as_a_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "request_limit", Limit(10_000, 10))


CHECKS = {"attention": 2, "units_per_rater": 6, "exclusion": {"failed_checks": 1}}


def is_check(assignment: Assignment) -> bool:
    return assignment.unit.kind == Unit.ATTENTION


def rate_all(
    client: Client, rater: Rater, *, checks: str = "passed", value: Any = None, ms: int = 9000
) -> None:
    """Rate everything and hand in. checks: passed, failed or skipped."""
    for number, given in enumerate(rating.way(rater)):
        said: dict[str, Any] = {"skip": None, "revision": given.revision, "active_ms": ms}
        worth = value or 1 + number % 5
        if is_check(given):
            expected = given.unit.expected or 0
            worth = expected if checks == "passed" else 1 + expected % 5
        said["values"] = rating.all_of(given, worth)
        if is_check(given) and checks == "skipped":
            said |= {"values": {}, "skip": "unclear"}
        assert rating.state(client, given, said).status_code == 200
    client.post(f"/rate/as/{rater.key}/all")
    rater.refresh_from_db()
    assert rater.finished_at


def long_rows(campaign: Campaign) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.build_file(campaign, "ratings_long.csv").decode())))


def test_a_check_that_was_left_out_is_failed() -> None:
    campaign = rating.opened("1", attention=2, units_per_rater=4)
    rate_all(*rating.enrolled(campaign), checks="skipped")
    checks = [row for row in long_rows(campaign) if row["is_attention"] == "true"]
    assert {(row["status"], row["passed"]) for row in checks} == {("skipped", "false")}


@pytest.mark.parametrize("checks", ["failed", "skipped"])
def test_who_fails_or_leaves_out_the_checks_is_left_out_by_rule(checks: str) -> None:
    campaign = rating.opened("1", **CHECKS)
    client, rater = rating.enrolled(campaign)
    rate_all(client, rater, checks=checks)
    assert rater.excluded
    assert rater.exclusion_reason == "rule: attention checks failed: 2 (limit 1)"
    assert [(r["do"], r["by"]) for r in rater.rulings] == [("exclude", "rule")]
    page = signed_in("ada").get(f"/study/{campaign.code}/raters").content.decode()
    assert "excluded: rule: attention checks failed: 2 (limit 1)" in page
    assert {row["excluded"] for row in long_rows(campaign)} == {"true"}
    now = timezone.now()
    assert not Assignment.objects.filter(quotas.takes_place(now), rater=rater).exists(), (
        "places are free"
    )
    page = client.get(f"/rate/as/{rater.key}/", follow=True).content.decode()
    assert "Everything is saved" in page, "thanked like anybody"


@pytest.mark.parametrize(
    ("rules", "ways", "out"),
    [
        ({"failed_checks": 1}, {"checks": "passed"}, False),
        ({}, {"checks": "failed", "ms": 10, "value": 3}, False),
        ({"fast_percent": 50}, {"ms": 2999}, True),
        ({"fast_percent": 50}, {"ms": 3000}, False),
        ({"same_in_a_row": 15}, {"value": 4}, True),
        ({"same_in_a_row": 15}, {}, False),
    ],
)
def test_every_rule_looks_at_its_own(rules: dict, ways: dict, out: bool) -> None:
    campaign = rating.opened("1", **{**CHECKS, "exclusion": rules})
    client, rater = rating.enrolled(campaign)
    rate_all(client, rater, **ways)
    assert rater.excluded is out, rater.exclusion_reason


def test_an_excluded_raters_places_open_again_and_stay_with_who_took_them() -> None:
    campaign = rating.opened("1", **{**CHECKS, "units_per_rater": 24, "raters_per_unit": 1})
    client, first = rating.enrolled(campaign)
    rate_all(client, first, checks="failed")
    assert first.excluded
    other, second = rating.enrolled(campaign)
    rate_all(other, second)
    assert not second.excluded
    assert campaigns.include(first, "looked at again") == 24
    rows = [r for r in long_rows(campaign) if r["is_attention"] == "false" and r["value"]]
    counted = [r for r in rows if r["excluded"] == "false"]
    assert {r["rater_pseudonym"] for r in counted} == {second.pseudonym}
    assert {r["exclusion_reason"] for r in rows} == {"", rating_rows.OVER_QUOTA}


def test_a_hand_lets_somebody_in_again_with_a_reason_and_no_rule_undoes_it() -> None:
    campaign = rating.opened("1", **CHECKS)
    client, rater = rating.enrolled(campaign)
    rate_all(client, rater, checks="failed")
    ada, way = signed_in("ada"), f"/study/{campaign.code}/raters/{rater.pseudonym}"
    ada.post(way, {"do": "include", "reason": " "})
    rater.refresh_from_db()
    assert rater.excluded
    ada.post(way, {"do": "include", "reason": "the check page was broken"})
    campaigns.close(campaign)  # rules are applied to all once more
    rater.refresh_from_db()
    assert not rater.excluded
    last = rater.rulings[-1]
    assert (last["do"], last["by"], last["who"]) == ("include", "hand", "ada")
    assert last["reason"] == "the check page was broken"
    line = AuditLine.objects.get(what="include")
    assert line.about == f"{campaign.code} {rater.pseudonym}: the check page was broken"


def test_closing_applies_the_rules_to_those_who_never_handed_in() -> None:
    campaign = rating.opened("1", **CHECKS)
    client, rater = rating.enrolled(campaign)
    for given in rating.way(rater):
        if is_check(given):
            rating.rate(client, given, 1 + (given.unit.expected or 0) % 5)
    campaigns.close(campaign)
    rater.refresh_from_db()
    assert rater.excluded


def test_rules_are_checked_shown_on_the_plan_and_locked_with_the_rest() -> None:
    campaign = world.campaign(world.finished("1"), attention=1)
    for wrong in (
        {"failed_checks": 0},
        {"fast_percent": 101},
        {"nonsense": 1},
        {"gold_missed": "2"},
    ):
        with pytest.raises(campaigns.Refused):
            campaigns.change(campaign, exclusion=wrong)
    campaigns.change(campaign, exclusion={"failed_checks": 2, "same_in_a_row": None})
    assert campaign.exclusion == {"failed_checks": 2}
    assert "2 or more" in rating_plan.plan(campaign)["rules"][0]
    page = signed_in("ada").get(f"/study/{campaign.code}/setup").content.decode()
    assert "Exclusion rules: attention checks failed or skipped: 2 or more." in page
    assert "can never apply" in " ".join(rating_plan.plan(campaign)["problems"])
    campaigns.change(campaign, attention=2)
    campaigns.open(campaign)
    before = campaigns.config_hash(campaign)
    client, rater = rating.enrolled(campaign)
    rating.rate(client, rating.way(rater)[0])
    with pytest.raises(campaigns.Refused, match="Ratings depend on"):
        campaigns.change(campaign, exclusion={})
    assert campaigns.config_hash(campaign) == before
    assert campaigns.config_hash(campaigns.copy(campaign)) != before, "another seed"


def test_the_raters_page_counts_answers_and_not_what_timed_out() -> None:
    campaign = rating.opened("1", units_per_rater=4)
    client, rater = rating.enrolled(campaign)
    first, second, third, _fourth = rating.way(rater)
    rating.rate(client, first)
    rating.state(client, second, {"values": {}, "skip": "unclear", "revision": 0})
    Assignment.objects.filter(pk=third.pk).update(state=Assignment.TIMED_OUT)
    page = " ".join(signed_in("ada").get(f"/study/{campaign.code}/raters").content.decode().split())
    assert "1 of 3 rated" in page
    assert "1 skipped" in page


def test_the_payment_list_names_who_came_and_what_they_did() -> None:
    done = {"completed": {"code": "D0NE"}}
    campaign = rating.opened("1", **{**CHECKS, "exits": done})
    client, rater = rating.enrolled(campaign, PROLIFIC_PID="=5f1e", STUDY_ID="st", SESSION_ID="se")
    rate_all(client, rater, checks="failed")
    Rater.objects.filter(pk=rater.pk).update(consented_at=rater.finished_at - timedelta(minutes=12))
    world.rater(campaign, label="kept-out-of-exports")
    gone = world.rater(campaign, label="gone")
    rater_erasure.erase_rater(gone)
    answer = signed_in("ada").get(f"/study/{campaign.code}/raters/payments.csv")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert [row["outside_id"] for row in rows] == ["'=5f1e", "kept-out-of-exports"]
    row = rows[0]
    assert (row["study"], row["session"], row["status"]) == ("st", "se", "finished")
    assert (row["minutes"], row["active_minutes"]) == ("12.0", "1.2")
    assert (row["given"], row["answered"], row["left_out"]) == ("6", "6", "0")
    assert (row["codes_shown"], row["excluded"]) == ("D0NE", "true")
    assert row["exclusion_reason"] == "rule: attention checks failed: 2 (limit 1)"
    assert AuditLine.objects.filter(what="export", about=f"{campaign.code} payments.csv").exists()
    assert rows[1]["status"] == "reading"
    told = "".join(data.build_file(campaign, name).decode() for name in data.FILES)
    assert "kept-out-of-exports" not in told


@pytest.mark.parametrize("timed_out", [False, True], ids=["open", "timed out"])
def test_a_late_answer_in_part_never_counts_beyond_the_quota(timed_out: bool) -> None:
    campaign = rating.opened("1", units_per_rater=24, raters_per_unit=1)
    client, slow = rating.enrolled(campaign)
    mine = rating.way(slow)[0]
    name, *_rest = rating.all_of(mine)
    said = {"values": {name: 2}, "skip": None, "revision": 0}
    if not timed_out:  # said in time, and then left
        assert rating.state(client, mine, said).status_code == 200
    rating.lapse(*rating.way(slow))
    other, quick = rating.enrolled(campaign)
    theirs = quick.assignments.get(unit=mine.unit)
    if timed_out:  # said when somebody else had the place
        Assignment.objects.filter(pk=mine.pk).update(state=Assignment.TIMED_OUT)
        assert rating.state(client, mine, said).status_code == 200
    assert rating.rate(other, theirs, 4).status_code == 200

    rows = [row for row in rating_rows.read_rating_rows(campaign) if row.item.unit == mine.unit_id]
    counted = [row for row in rows if row.value is not None and not row.assignment.excluded]
    assert {row.assignment.rater for row in counted} == {quick.pseudonym}
    late = [row for row in rows if row.assignment.rater == slow.pseudonym]
    assert {row.assignment.exclusion_reason for row in late} == {rating_rows.OVER_QUOTA}
    assert [row.value for row in late if row.value is not None] == [2], "kept, and not counted"


def test_an_answer_in_part_counts_where_its_place_is_nobodys() -> None:
    campaign = rating.opened("1", units_per_rater=2, raters_per_unit=2)
    client, rater = rating.enrolled(campaign)
    mine = rating.way(rater)[0]
    name, *_rest = rating.all_of(mine)
    rating.state(client, mine, {"values": {name: 2}, "skip": None, "revision": 0})
    rating.lapse(mine)
    rows = [row for row in rating_rows.read_rating_rows(campaign) if row.value is not None]
    assert [row.assignment.excluded for row in rows] == [False]


def test_rules_in_a_copy_stay() -> None:
    campaign = world.campaign(world.finished("1"), attention=1, exclusion={"failed_checks": 1})
    assert campaigns.copy(campaign).exclusion == {"failed_checks": 1}
    assert exclusion.rules_text(campaign)


def test_a_share_that_reaches_its_limit_is_not_rounded_below_it() -> None:
    """29 of 50 are 58 %; 100 * 0.58 is 57.99999999999999."""
    games = [world.finished(str(n)) for n in range(3)]
    campaign = world.campaign(*games, units_per_rater=50, exclusion={"fast_percent": 58})
    campaigns.open(campaign)
    rater = world.rater(campaign)
    given = [world.rate(rater, unit, 1 + n % 5) for n, unit in enumerate(campaign.units.all()[:50])]
    Assignment.objects.filter(pk__in=[a.pk for a in given[:29]]).update(active_ms=10)
    assert exclusion.broken_rules(rater) == ["items under 3 s: 58 % (limit 58 %)"]
    Assignment.objects.filter(pk=given[0].pk).update(active_ms=9000)
    assert exclusion.broken_rules(rater) == []
