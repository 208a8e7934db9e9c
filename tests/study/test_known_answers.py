"""Units of known answer: practice with feedback, gold items; in no quota and no result."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from tests.study import rating, world
from tests.study.desk import signed_in
from webapp.study import data as exports
from webapp.study.models import Assignment, Campaign, Unit
from webapp.study.rater import assigning
from webapp.study.rating import campaigns, rating_rows, stimuli
from webapp.study.researcher.rating import rating_progress

pytestmark = pytest.mark.django_db


def know(campaign: Campaign, unit: Unit, use: str, **more: Any) -> str:
    """Say on the unit's page that the first item fits from 2 to 3."""
    item = stimuli.unit_dimensions(unit)[0].key
    data = {"use": use, f"least 1/{item}": "2", f"most 1/{item}": "3", "why": "So it is.", **more}
    address = f"/study/{campaign.code}/units/{unit.index}/known"
    return signed_in("ada").post(address, data, follow=True).content.decode()


@pytest.fixture
def campaign() -> Campaign:
    """Over two games, the first one apart for a practice unit and a gold item."""
    made = world.campaign(
        world.finished("1"), world.finished("2"), units_per_rater=3, raters_per_unit=1, context=0
    )
    campaigns.draw_units(made)
    practice, gold = made.units.filter(kind="utterance")[:2]
    know(made, practice, "practice")
    know(made, gold, "gold")
    campaigns.open(made)
    return made


def uses(assignments: list[Assignment]) -> list[str]:
    return [given.unit.use for given in assignments]


def test_everybody_gets_them_beside_their_units(campaign: Campaign) -> None:
    drawn = campaign.units.filter(withdrawn=False).count()
    assert campaigns.plan(campaign)["units"] == drawn == campaign.units.count() - 2
    for _ in range(2):
        client, rater = rating.enrolled(campaign)
        way = rating.way(rater)
        assert uses(way)[0] == "practice"
        assert sorted(uses(way)) == ["", "", "", "gold", "practice"]
        for given in way:
            assert client.get(rating.item(given)).status_code == 200
            assert rating.rate(client, given).status_code == 200
        client.post(f"/rate/as/{rater.key}/all")
        rater.refresh_from_db()
        assert rater.finished_at
    assert not Assignment.objects.filter(over_quota=True).exists()
    assert rating_progress.progress_figures(campaign)["given"] == 6


def test_practice_tells_what_would_have_fitted_and_why(campaign: Campaign) -> None:
    client, rater = rating.enrolled(campaign)
    practice, second, *_rest = rating.way(rater)
    feedback = f"{rating.item(practice)}feedback"
    assert f'data-to="{feedback}"' in client.get(rating.item(practice)).content.decode()
    rating.rate(client, practice, 5)
    page = " ".join(client.get(feedback).content.decode().split())
    assert "You chose 5. Expected: 2 to 3." in page
    assert "So it is." in page
    assert rating.item(second) in page
    answer = client.get(f"{rating.item(second)}feedback")
    assert answer["Location"] == f"/rate/as/{rater.key}/", "of practice alone"


def test_practice_is_never_exported_and_gold_only_as_a_check(campaign: Campaign) -> None:
    client, rater = rating.enrolled(campaign)
    for given in rating.way(rater):
        rating.rate(client, given, 4 if given.unit.use == "gold" else 1)
    text = exports.build_file(campaign, "ratings_long.csv").decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    practice, gold = campaign.units.exclude(use="").order_by("-use")
    assert {r["item_id"] for r in rows}.isdisjoint({f"u{practice.index:04d}"})
    assert f"u{practice.index:04d}" not in exports.build_file(campaign, "items.csv").decode()
    checks = {(r["item_id"], r["passed"]) for r in rows if r["is_attention"] == "true"}
    assert checks == {(f"u{gold.index:04d}", "false")}
    assert {m.unit for m in rating_rows.to_ratings(campaign)}.isdisjoint({f"u{gold.index:04d}"})


@pytest.mark.parametrize(("value", "out"), [(2, False), (3, False), (4, True), (None, True)])
def test_a_gold_item_is_passed_or_missed_and_the_rule_sees_it(
    campaign: Campaign, value: int | None, out: bool
) -> None:
    campaigns.change(campaign, exclusion={"gold_missed": 1})
    client, rater = rating.enrolled(campaign)
    for number, given in enumerate(rating.way(rater)):
        if given.unit.use == "gold" and value is None:
            said = {"values": {}, "skip": "unclear", "revision": 0}
            assert rating.state(client, given, said).status_code == 200
        else:
            rating.rate(client, given, value if given.unit.use == "gold" else 1 + number)
    client.post(f"/rate/as/{rater.key}/all")
    rater.refresh_from_db()
    assert rater.excluded is out
    assert rater.exclusion_reason == ("rule: gold items missed: 1 (limit 1)" if out else "")


def test_they_stay_through_a_new_draw_and_are_locked_with_the_rest(campaign: Campaign) -> None:
    before = campaigns.config_hash(campaign)
    campaigns.change(campaign, repeats=1)
    assert sorted(campaign.units.exclude(use="").values_list("use", flat=True)) == [
        "gold",
        "practice",
    ]
    campaigns.change(campaign, repeats=0)
    assert campaigns.config_hash(campaign) == before
    client, rater = rating.enrolled(campaign)
    rating.rate(client, rating.way(rater)[0])
    gold = campaign.units.get(use="gold")
    for told in (know(campaign, gold, ""), know(campaign, campaign.units.all()[9], "gold")):
        assert "can no longer change" in told
    address = f"/study/{campaign.code}/units/{gold.index}/withdraw"
    assert (
        "can no longer change"
        in signed_in("ada").post(address, {"do": "restore"}, follow=True).content.decode()
    )
    gold.refresh_from_db()
    assert (gold.use, gold.withdrawn) == ("gold", True)
    assert campaigns.config_hash(campaign) == before


def test_what_makes_no_sense_is_refused() -> None:
    made = world.campaign(world.finished("1"))
    campaigns.draw_units(made)
    unit = made.units.all()[0]
    item = stimuli.unit_dimensions(unit)[0].key
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


def test_what_shows_its_words_is_given_to_nobody() -> None:
    made = world.campaign(world.finished("1"), world.finished("2"), context=8)
    campaigns.draw_units(made)
    gold = made.units.filter(kind="utterance")[3]
    assert "that show its text" in know(made, gold, "gold")
    left = made.units.filter(game=gold.game, withdrawn=False)
    assert set(left.values_list("track", flat=True)) == {gold.track}


def test_who_has_read_another_units_page_is_kept_from_what_it_showed() -> None:
    """A unit is made gold while somebody has read, but not rated, a page of its game."""
    made = world.campaign(
        world.finished("1"), world.finished("2"), context=8, units_per_rater=4, raters_per_unit=9
    )
    campaigns.open(made)
    client, rater = rating.enrolled(made)
    read = rating.way(rater)[-1].unit
    client.get(rating.item(rating.way(rater)[-1]))
    gold = made.units.filter(game=read.game).exclude(track=read.track)[3]
    assert "that show its text" in know(made, gold, "gold")
    rating.lapse(*rating.way(rater))
    assigning.assign_pages(rater)
    now = [a.unit for a in rating.way(rater) if a.unit.game_id == read.game_id and not a.unit.use]
    assert {unit.track for unit in now} <= {read.track}


def test_units_of_known_answer_that_show_each_others_words_are_refused() -> None:
    """As they do where the setting of the lines shown before is changed afterwards."""
    made = world.campaign(world.finished("1"), world.finished("2"), context=0)
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
