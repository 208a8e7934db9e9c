"""Rating campaigns of earlier revisions keep their data and can be continued."""

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
from webapp.study import analysis
from webapp.study.data import campaign_export as data
from webapp.study.models import Analysis, Assignment, Rater
from webapp.study.rating import campaigns

pytestmark = pytest.mark.parametrize("name", ["single", "pairs"])
PAGES = (
    "setup", "games", "questions", "units", "units/1/", "raters", "progress", "results", "export",
)  # fmt: skip


def test_campaign_keeps_its_units_ratings_and_figures(old: Old, name: str) -> None:
    assert facts.to_json_types(facts.campaign_facts(old.campaign(name))) == old.campaigns[name]


def test_same_settings_and_games_draw_the_same_units(old: Old, name: str) -> None:
    campaign = old.campaign(name)
    twin = campaigns.copy(campaign)
    world.store_situations(*(row.game for row in twin.chosen_games.select_related("game")))
    campaigns.draw_units(campaigns.change(twin, seed=campaign.seed))
    fields = ("index", "kind", "game", "position", "seat", "expected")
    assert list(twin.units.values_list(*fields)) == list(campaign.units.values_list(*fields))


def test_researcher_pages_open_and_results_are_unchanged(old: Old, name: str) -> None:
    campaign, ada = old.campaign(name), sign_in("ada")
    for page in PAGES:
        read(ada, f"/study/{campaign.code}/{page}")
    Analysis.objects.filter(campaign=campaign).update(data_digest="")
    analysis.compute_results(campaign)
    assert not Analysis.objects.get(campaign=campaign).failure
    page_text = read(ada, f"/study/{campaign.code}/results")
    figures = {k: v for k, v in old.campaigns[name]["figures"].items() if k != "totals"}
    means = [mean for d in figures.values() for _name, _n, mean, _sd in d["conditions"]]
    assert any(means)
    assert all(f"{mean:.2f}" in page_text for mean in means if mean is not None)


def test_exports_contain_every_rating(old: Old, name: str) -> None:
    campaign, ada = old.campaign(name), sign_in("ada")
    address = f"/study/{campaign.code}/export"
    responses = {file: ada.get(f"{address}/{file}") for file in (*data.FILE_NAMES, "all.zip")}
    assert {response.status_code for response in responses.values()} == {200}
    rows = csv.DictReader(io.StringIO(responses["ratings_long.csv"].content.decode()))
    exported = [(r["rater_pseudonym"], r["dimension"], r["value"]) for r in rows if r["value"]]
    assert sorted(exported) == sorted(
        (rater, dimension, str(value))
        for rater, _unit, _repeat, _state, values in old.campaigns[name]["ratings"]
        for dimension, side_values in values.items()
        for value in side_values
    )


def test_old_and_new_raters_can_finish(old: Old, name: str) -> None:
    campaign = old.campaign(name)
    active_raters = campaign.raters.filter(finished_at=None)
    assert active_raters.count() == (1 if name == "single" else 0)
    for rater in active_raters:
        client = Client()
        client.get(
            f"/rate/as/{rater.key}/", follow=True
        )  # the old link asks to move to this browser
        page = client.post(f"/take/as/{rater.key}/", {"change": "1"}, follow=True)
        assert page.redirect_chain[-1][0].startswith("/rate/item/")
        rate_to_the_end(client, rater)
    rate_to_the_end(*rating.enrol(campaign))


def rate_to_the_end(client: Client, rater: Rater) -> None:
    """Open every page, rate the open ones, and submit."""
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
