"""Rating campaigns of earlier revisions: their units, ratings and figures stay, and go on."""

from __future__ import annotations

import csv
import io

import pytest
from django.test import Client

from tests.study import rating, world
from tests.study.desk import sign_in
from tests.upgrade import facts
from tests.upgrade.conftest import Old
from tests.upgrade.playing import read
from webapp.study import analysis, data
from webapp.study.models import Analysis, Assignment, Rater
from webapp.study.rating import campaigns

pytestmark = pytest.mark.parametrize("name", ["single", "pairs"])
PAGES = (
    "setup", "games", "questions", "units", "units/1/", "raters", "progress", "results", "export",
)  # fmt: skip


def test_a_campaign_keeps_its_units_its_ratings_and_its_figures(old: Old, name: str) -> None:
    assert facts.plain(facts.of_campaign(old.campaign(name))) == old.campaigns[name]


def test_the_same_settings_over_the_same_games_draw_the_same_units(old: Old, name: str) -> None:
    campaign = old.campaign(name)
    twin = campaigns.copy(campaign)
    world.store_situations(*(row.game for row in twin.chosen.select_related("game")))
    campaigns.draw_units(campaigns.change(twin, seed=campaign.seed))
    where = ("index", "kind", "game", "position", "seat", "expected")
    assert list(twin.units.values_list(*where)) == list(campaign.units.values_list(*where))


def test_the_researchers_pages_open_and_the_results_are_those_of_then(old: Old, name: str) -> None:
    campaign, ada = old.campaign(name), sign_in("ada")
    for page in PAGES:
        read(ada, f"/study/{campaign.code}/{page}")
    Analysis.objects.filter(campaign=campaign).update(rests_on="")
    analysis.compute_results(campaign)
    assert not Analysis.objects.get(campaign=campaign).failure
    told = read(ada, f"/study/{campaign.code}/results")
    figures = {k: v for k, v in old.campaigns[name]["figures"].items() if k != "totals"}
    means = [mean for d in figures.values() for _name, _n, mean, _sd in d["conditions"]]
    assert any(means)
    assert all(f"{mean:.2f}" in told for mean in means if mean is not None)


def test_the_exports_have_every_rating(old: Old, name: str) -> None:
    campaign, ada = old.campaign(name), sign_in("ada")
    address = f"/study/{campaign.code}/export"
    found = {file: ada.get(f"{address}/{file}") for file in (*data.FILES, "all.zip")}
    assert {answer.status_code for answer in found.values()} == {200}
    rows = csv.DictReader(io.StringIO(found["ratings_long.csv"].content.decode()))
    exported = [(r["rater_pseudonym"], r["dimension"], r["value"]) for r in rows if r["value"]]
    assert sorted(exported) == sorted(
        (rater, dimension, str(value))
        for rater, _unit, _repeat, _state, values in old.campaigns[name]["ratings"]
        for dimension, given in values.items()
        for value in given
    )


def test_who_was_rating_and_who_comes_now_rate_to_the_end(old: Old, name: str) -> None:
    campaign = old.campaign(name)
    begun = campaign.raters.filter(finished_at=None)
    assert begun.count() == (1 if name == "single" else 0)
    for rater in begun:
        client = Client()
        client.get(f"/rate/as/{rater.key}/", follow=True)  # the link of then: asks to move here
        page = client.post(f"/take/as/{rater.key}/", {"change": "1"}, follow=True)
        assert page.redirect_chain[-1][0].startswith("/rate/item/")
        rate_to_the_end(client, rater)
    rate_to_the_end(*rating.enrol(campaign))


def rate_to_the_end(client: Client, rater: Rater) -> None:
    """Look at every page, rate those that are open, and hand in."""
    before = {a.pk for a in rater.assignments.exclude(state=Assignment.OPEN)}
    for assignment in rating.pages_of(rater):
        read(client, rating.page_url(assignment))
        if assignment.state == Assignment.OPEN:
            assert rating.rate_page(client, assignment).status_code == 200
    end = client.post(f"/rate/as/{rater.key}/all", follow=True)
    assert "Everything is saved" in end.content.decode()
    rater.refresh_from_db()
    assert rater.finished_at
    assert rater.participant
    assert rater.participant.exit == "completed"
    assert before <= {a.pk for a in rater.assignments.all()}
