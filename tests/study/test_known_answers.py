"""Units of known answer: practice with feedback, gold items; in no quota and no result."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from tests.study import rating, world
from tests.study.desk import sign_in
from webapp.study import data as exports
from webapp.study.models import Assignment, Campaign, Unit
from webapp.study.rater import assigning
from webapp.study.rating import campaigns, to_ratings, units
from webapp.study.researcher.rating import rating_progress

pytestmark = pytest.mark.django_db


def know(campaign: Campaign, unit: Unit, use: str, **more: Any) -> str:
    """Say on the unit's page that the first item fits from 2 to 3."""
    item = units.unit_dimensions(unit)[0].key
    data = {"use": use, f"least 1/{item}": "2", f"most 1/{item}": "3", "why": "So it is.", **more}
    address = f"/study/{campaign.code}/units/{unit.index}/known"
    return sign_in("ada").post(address, data, follow=True).content.decode()


@pytest.fixture
def campaign() -> Campaign:
    """Over two games, the first one apart for a practice unit and a gold item."""
    made = world.create_campaign(
        world.ended_game("1"),
        world.ended_game("2"),
        units_per_rater=3,
        raters_per_unit=1,
        context=0,
    )
    campaigns.draw_units(made)
    practice, gold = made.units.filter(kind="utterance")[:2]
    know(made, practice, "practice")
    know(made, gold, "gold")
    campaigns.open(made)
    return made


def uses(assignments: list[Assignment]) -> list[str]:
    return [given.unit.use for given in assignments]


def test_each_rater_gets_practice_and_gold_beside_their_units(campaign: Campaign) -> None:
    drawn = campaign.units.filter(withdrawn=False).count()
    assert campaigns.plan(campaign)["units"] == drawn == campaign.units.count() - 2
    for _ in range(2):
        client, rater = rating.enrol(campaign)
        way = rating.pages_of(rater)
        assert uses(way)[0] == "practice"
        assert sorted(uses(way)) == ["", "", "", "gold", "practice"]
        for given in way:
            assert client.get(rating.page_url(given)).status_code == 200
            assert rating.rate_page(client, given).status_code == 200
        client.post(f"/rate/as/{rater.key}/all")
        rater.refresh_from_db()
        assert rater.finished_at
    assert not Assignment.objects.filter(over_quota=True).exists()
    assert rating_progress.progress_figures(campaign)["given"] == 6


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
    answer = client.get(f"{rating.page_url(second)}feedback")
    assert answer["Location"] == f"/rate/as/{rater.key}/", "of practice alone"


def test_practice_is_not_exported_and_gold_only_as_a_check(campaign: Campaign) -> None:
    client, rater = rating.enrol(campaign)
    for given in rating.pages_of(rater):
        rating.rate_page(client, given, 4 if given.unit.use == "gold" else 1)
    text = exports.build_file(campaign, "ratings_long.csv").decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    practice, gold = campaign.units.exclude(use="").order_by("-use")
    assert {r["item_id"] for r in rows}.isdisjoint({f"u{practice.index:04d}"})
    assert f"u{practice.index:04d}" not in exports.build_file(campaign, "items.csv").decode()
    checks = {(r["item_id"], r["passed"]) for r in rows if r["is_attention"] == "true"}
    assert checks == {(f"u{gold.index:04d}", "false")}
    assert {m.unit for m in to_ratings.to_ratings(campaign)}.isdisjoint({f"u{gold.index:04d}"})


@pytest.mark.parametrize(("value", "out"), [(2, False), (3, False), (4, True), (None, True)])
def test_gold_item_is_passed_or_missed_and_the_rule_applies(
    campaign: Campaign, value: int | None, out: bool
) -> None:
    campaigns.change(campaign, exclusion={"gold_missed": 1})
    client, rater = rating.enrol(campaign)
    for number, given in enumerate(rating.pages_of(rater)):
        if given.unit.use == "gold" and value is None:
            said = {"values": {}, "skip": "unclear", "revision": 0}
            assert rating.post(client, given, said).status_code == 200
        else:
            rating.rate_page(client, given, value if given.unit.use == "gold" else 1 + number)
    client.post(f"/rate/as/{rater.key}/all")
    rater.refresh_from_db()
    assert rater.excluded is out
    assert rater.exclusion_reason == ("rule: gold items missed: 1 (limit 1)" if out else "")


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
    for told in (know(campaign, gold, ""), know(campaign, campaign.units.all()[9], "gold")):
        assert "can no longer change" in told
    address = f"/study/{campaign.code}/units/{gold.index}/withdraw"
    assert (
        "can no longer change"
        in sign_in("ada").post(address, {"do": "restore"}, follow=True).content.decode()
    )
    gold.refresh_from_db()
    assert (gold.use, gold.withdrawn) == ("gold", True)
    assert campaigns.config_hash(campaign) == before


def test_invalid_known_answers_are_rejected() -> None:
    made = world.create_campaign(world.ended_game("1"))
    campaigns.draw_units(made)
    unit = made.units.all()[0]
    item = units.unit_dimensions(unit)[0].key
    for wrong in (
        {f"least 1/{item}": "4"},
        {f"least 1/{item}": ""},
        {f"least 1/{item}": "", f"most 1/{item}": ""},
        {f"most 1/{item}": "99"},
        {"use": "nonsense"},
    ):
        know(made, unit, wrong.pop("use", "gold"), **wrong)
        unit.refresh_from_db()
        assert (unit.use, unit.withdrawn) == ("", False), wrong


def test_units_showing_a_gold_statement_are_withdrawn() -> None:
    made = world.create_campaign(world.ended_game("1"), world.ended_game("2"), context=8)
    campaigns.draw_units(made)
    gold = made.units.filter(kind="utterance")[3]
    assert "that show its text" in know(made, gold, "gold")
    left = made.units.filter(game=gold.game, withdrawn=False)
    assert set(left.values_list("track", flat=True)) == {gold.track}


def test_rater_gets_no_gold_unit_shown_on_a_page_they_read() -> None:
    """A unit is made gold while somebody has read, but not rated, a page of its game."""
    made = world.create_campaign(
        world.ended_game("1"),
        world.ended_game("2"),
        context=8,
        units_per_rater=4,
        raters_per_unit=9,
    )
    campaigns.open(made)
    client, rater = rating.enrol(made)
    read = rating.pages_of(rater)[-1].unit
    client.get(rating.page_url(rating.pages_of(rater)[-1]))
    gold = made.units.filter(game=read.game).exclude(track=read.track)[3]
    assert "that show its text" in know(made, gold, "gold")
    rating.expire_leases(*rating.pages_of(rater))
    assigning.assign_pages(rater)
    now = [
        a.unit for a in rating.pages_of(rater) if a.unit.game_id == read.game_id and not a.unit.use
    ]
    assert {unit.track for unit in now} <= {read.track}


def test_known_answer_units_showing_each_others_text_are_rejected() -> None:
    """As they do where the setting of the lines shown before is changed afterwards."""
    made = world.create_campaign(world.ended_game("1"), world.ended_game("2"), context=0)
    campaigns.draw_units(made)
    first, second = made.units.filter(kind="utterance")[:2]
    know(made, first, "gold")
    know(made, second, "gold")
    assert campaigns.plan(made)["problems"] == []
    campaigns.change(made, context=8)
    with pytest.raises(campaigns.Refused, match="known answer"):
        campaigns.open(made)
    campaigns.change(made, context=0)
    campaigns.open(made)
    with pytest.raises(campaigns.Refused, match="known answer"):
        campaigns.change(made, context=8)
    assert made.units.filter(use="gold").count() == 2
