"""Tests of units with a known answer: practice with feedback and gold items."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from tests.study import rating, world
from tests.study.desk import sign_in
from webapp.study.data import campaign_export as exports
from webapp.study.design.refusals import Refused
from webapp.study.models import Assignment, Campaign, Unit
from webapp.study.rater import assigning
from webapp.study.rating import campaigns, rating_plan, rating_rows, stimuli
from webapp.study.researcher.rating import rater_views

pytestmark = pytest.mark.django_db


def set_known_answer(campaign: Campaign, unit: Unit, use: str, **more: Any) -> str:
    """Enter on the unit's page that values from 2 to 3 fit the first item."""
    item = stimuli.unit_dimensions(unit)[0].key
    data = {"use": use, f"least 1/{item}": "2", f"most 1/{item}": "3", "why": "So it is.", **more}
    address = f"/study/{campaign.code}/units/{unit.index}/known"
    return sign_in("ada").post(address, data, follow=True).content.decode()


def create_campaign(**settings: int) -> Campaign:
    return world.create_campaign(world.ended_game("1"), world.ended_game("2"), **settings)


@pytest.fixture
def campaign() -> Campaign:
    """Open a campaign over two games with a practice unit and a gold item in the first."""
    campaign = create_campaign(units_per_rater=3, raters_per_unit=1, context=0)
    campaigns.draw_units(campaign)
    practice, gold = campaign.units.filter(kind="utterance")[:2]
    set_known_answer(campaign, practice, "practice")
    set_known_answer(campaign, gold, "gold")
    campaigns.open(campaign)
    return campaign


def uses_of(assignments: list[Assignment]) -> list[str]:
    return [assignment.unit.use for assignment in assignments]


def test_each_rater_gets_practice_and_gold_beside_their_units(campaign: Campaign) -> None:
    unit_count = campaign.units.filter(withdrawn=False).count()
    assert rating_plan.build_plan(campaign)["units"] == unit_count == campaign.units.count() - 2
    for _ in range(2):
        client, rater = rating.enrol(campaign)
        pages = rating.pages_of(rater)
        assert uses_of(pages)[0] == "practice"
        assert sorted(uses_of(pages)) == ["", "", "", "gold", "practice"]
        for assignment in pages:
            assert client.get(rating.page_url(assignment)).status_code == 200
            assert rating.rate_page(client, assignment).status_code == 200
        client.post(f"/rate/as/{rater.key}/all")
        rater.refresh_from_db()
        assert rater.finished_at
    assert not Assignment.objects.filter(over_quota=True).exists()
    assert rater_views.progress_figures(campaign)["given"] == 6


def test_practice_feedback_shows_the_expected_range_and_reason(campaign: Campaign) -> None:
    client, rater = rating.enrol(campaign)
    practice, second, *_rest = rating.pages_of(rater)
    feedback = f"{rating.page_url(practice)}feedback"
    assert f'data-to="{feedback}"' in client.get(rating.page_url(practice)).content.decode()
    rating.rate_page(client, practice, 5)
    page = " ".join(client.get(feedback).content.decode().split())
    assert "You chose 5. Expected: 2 to 3." in page
    assert "So it is." in page
    assert rating.page_url(second) in page
    response = client.get(f"{rating.page_url(second)}feedback")
    assert response["Location"] == f"/rate/as/{rater.key}/", "only practice units have feedback"


def test_practice_is_not_exported_and_gold_only_as_a_check(campaign: Campaign) -> None:
    client, rater = rating.enrol(campaign)
    for assignment in rating.pages_of(rater):
        rating.rate_page(client, assignment, 4 if assignment.unit.use == "gold" else 1)
    text = exports.build_file(campaign, "ratings_long.csv").decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    practice, gold = campaign.units.exclude(use="").order_by("-use")
    assert {r["item_id"] for r in rows}.isdisjoint({f"u{practice.index:04d}"})
    assert f"u{practice.index:04d}" not in exports.build_file(campaign, "items.csv").decode()
    checks = {(r["item_id"], r["passed"]) for r in rows if r["is_attention"] == "true"}
    assert checks == {(f"u{gold.index:04d}", "false")}
    assert {m.unit for m in rating_rows.read_marks(campaign)}.isdisjoint({f"u{gold.index:04d}"})


@pytest.mark.parametrize(("value", "excluded"), [(2, False), (3, False), (4, True), (None, True)])
def test_gold_item_is_passed_or_missed_and_the_rule_applies(
    campaign: Campaign, value: int | None, excluded: bool
) -> None:
    campaigns.change(campaign, exclusion={"gold_missed": 1})
    client, rater = rating.enrol(campaign)
    for number, page in enumerate(rating.pages_of(rater)):
        if page.unit.use == "gold" and value is None:
            body = {"values": {}, "skip": "unclear", "revision": 0}
            assert rating.post(client, page, body).status_code == 200
        else:
            rating.rate_page(client, page, value if page.unit.use == "gold" else 1 + number)
    client.post(f"/rate/as/{rater.key}/all")
    rater.refresh_from_db()
    assert rater.excluded is excluded
    assert rater.exclusion_reason == ("rule: gold items missed: 1 (limit 1)" if excluded else "")


def test_known_answer_units_survive_a_redraw_and_are_locked(campaign: Campaign) -> None:
    before = campaigns.config_hash(campaign)
    campaigns.change(campaign, repeats=1)
    assert sorted(campaign.units.exclude(use="").values_list("use", flat=True)) == [
        "gold",
        "practice",
    ]
    campaigns.change(campaign, repeats=0)
    assert campaigns.config_hash(campaign) == before
    client, rater = rating.enrol(campaign)
    rating.rate_page(client, rating.pages_of(rater)[0])
    gold = campaign.units.get(use="gold")
    for page in (
        set_known_answer(campaign, gold, ""),
        set_known_answer(campaign, campaign.units.all()[9], "gold"),
    ):
        assert "can no longer change" in page
    address = f"/study/{campaign.code}/units/{gold.index}/withdraw"
    assert (
        "can no longer change"
        in sign_in("ada").post(address, {"do": "restore"}, follow=True).content.decode()
    )
    gold.refresh_from_db()
    assert (gold.use, gold.withdrawn) == ("gold", True)
    assert campaigns.config_hash(campaign) == before


def test_invalid_known_answers_are_rejected() -> None:
    campaign = world.create_campaign(world.ended_game("1"))
    campaigns.draw_units(campaign)
    unit = campaign.units.all()[0]
    item = stimuli.unit_dimensions(unit)[0].key
    for wrong in (
        {f"least 1/{item}": "4"},
        {f"least 1/{item}": ""},
        {f"least 1/{item}": "", f"most 1/{item}": ""},
        {f"most 1/{item}": "99"},
        {"use": "nonsense"},
    ):
        set_known_answer(campaign, unit, wrong.pop("use", "gold"), **wrong)
        unit.refresh_from_db()
        assert (unit.use, unit.withdrawn) == ("", False), wrong


def test_units_showing_a_gold_statement_are_withdrawn() -> None:
    campaign = create_campaign(context=8)
    campaigns.draw_units(campaign)
    gold = campaign.units.filter(kind="utterance")[3]
    assert "that show its text" in set_known_answer(campaign, gold, "gold")
    remaining = campaign.units.filter(game=gold.game, withdrawn=False)
    assert set(remaining.values_list("track", flat=True)) == {gold.track}


def test_rater_gets_no_gold_unit_shown_on_a_page_they_read() -> None:
    """The unit becomes gold after the rater read, but did not rate, a page of its game."""
    campaign = create_campaign(context=8, units_per_rater=4, raters_per_unit=9)
    campaigns.open(campaign)
    client, rater = rating.enrol(campaign)
    read_unit = rating.pages_of(rater)[-1].unit
    client.get(rating.page_url(rating.pages_of(rater)[-1]))
    gold = campaign.units.filter(game=read_unit.game).exclude(track=read_unit.track)[3]
    assert "that show its text" in set_known_answer(campaign, gold, "gold")
    rating.expire_leases(*rating.pages_of(rater))
    assigning.assign_pages(rater)
    current_units = [
        a.unit
        for a in rating.pages_of(rater)
        if a.unit.game_id == read_unit.game_id and not a.unit.use
    ]
    assert {unit.track for unit in current_units} <= {read_unit.track}


def test_known_answer_units_showing_each_others_text_are_rejected() -> None:
    """The number of context lines changes after the units were set."""
    campaign = create_campaign(context=0)
    campaigns.draw_units(campaign)
    first, second = campaign.units.filter(kind="utterance")[:2]
    set_known_answer(campaign, first, "gold")
    set_known_answer(campaign, second, "gold")
    assert rating_plan.build_plan(campaign)["problems"] == []
    campaigns.change(campaign, context=8)
    with pytest.raises(Refused, match="known answer"):
        campaigns.open(campaign)
    campaigns.change(campaign, context=0)
    campaigns.open(campaign)
    with pytest.raises(Refused, match="known answer"):
        campaigns.change(campaign, context=8)
    assert campaign.units.filter(use="gold").count() == 2
