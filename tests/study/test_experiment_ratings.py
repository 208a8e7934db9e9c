"""Tests that ratings of an experiment's games appear in its report with known values."""

from __future__ import annotations

import pytest

from tests.study import rating, world
from tests.study.planted_games import tables_by_key
from tests.study.ranking import open_ranking, rank_by_seat
from tests.study.ranking import rating_body as ranked
from webapp.study import analysis
from webapp.study.design.stages import Design
from webapp.study.models import Campaign, Condition, Rater, Slot, Study
from webapp.study.planning import studies
from webapp.study.results.experiment_tables import rating_tables
from webapp.study.results.result_table import ResultTable

pytestmark = pytest.mark.django_db


def experiment_of(campaign: Campaign, *names: str) -> Study:
    """Create an experiment of the campaign's owner with its games, one per condition."""
    levels = [{"name": name, "table": {"method": name}} for name in names]
    study = studies.create(campaign.study.owner, "Rated", seed="r", design=Design.from_json({
        "table": {"people": 0, "blind": False},
        "factors": [{"name": "method", "levels": levels}], "assignment": {"games": 1},
    }))  # fmt: skip
    chosen = campaign.chosen_games.order_by("pk")
    for index, (name, row) in enumerate(zip(names, chosen, strict=True)):
        condition = Condition.objects.create(
            study=study, index=index, name=name, levels={"method": name}, table={}
        )
        Slot.objects.create(
            study=study, condition=condition, index=index, block=0, deal=str(index),
            state=Slot.DONE, game=row.game,
        )  # fmt: skip
    return study


def close(campaign: Campaign) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(state=Campaign.CLOSED)


def rows_of(table: ResultTable) -> dict[tuple[str, str], list[str]]:
    rows = [list(row.texts()) for row in table.rows]
    return {(item, name): cells for item, name, *cells in rows}


def test_utterance_ratings_appear_beside_guarded_7_by_condition() -> None:
    """Two raters give 2 and 3 to the statements of "vanilla", and 5 and 4 to "guarded"."""
    campaign = rating.open_campaign("1", "2")
    study = experiment_of(campaign, "vanilla", "guarded")
    games = [row.game_id for row in campaign.chosen_games.order_by("pk")]
    raters = [world.add_rater(campaign), world.add_rater(campaign)]
    units = {game: list(campaign.units.filter(game=game)[:2]) for game in games}
    for values, rater in zip(((2, 5), (3, 4)), raters, strict=True):
        for game, value in zip(games, values, strict=True):
            for unit in units[game]:
                world.rate_unit(rater, unit, value)
    before = analysis.input_digest(study)
    assert rating_tables(study) == [], "the campaign is still open"
    close(campaign)
    assert analysis.input_digest(study) != before
    table = tables_by_key(rating_tables(study))["table-guarded-7"]
    rows = rows_of(table)
    labels = {item for item, _name in rows}
    assert len(labels) > 1
    for item in labels - {"Deceiving", "Closing"}:
        item_rows = {name: cells for (label, name), cells in rows.items() if label == item}
        if "vanilla" in item_rows:
            assert item_rows["vanilla"][:5] == ["4", "1", "2", "2.50", "0.58"]
            assert item_rows["guarded"][:5] == ["4", "1", "2", "4.50", "0.58"]
    published = {cells[3] for (_item, name), cells in rows.items() if name.startswith("Published")}
    assert {"2.52", "4.54", "4.28", "3.60"} <= published
    assert any("of 2 of 2 games" in note for note in table.notes.sentences)
    digest = analysis.input_digest(study)
    Rater.everyone.filter(pk=raters[1].pk).update(excluded=True)
    assert analysis.input_digest(study) != digest, "an excluded rater changes the results"


def test_rating_table_omits_other_games_and_other_campaigns() -> None:
    campaign = rating.open_campaign("1", "2")
    study = experiment_of(campaign, "vanilla", "guarded")
    rater = world.add_rater(campaign)
    for unit in campaign.units.all():
        world.rate_unit(rater, unit, 2)
    close(campaign)
    Slot.objects.filter(study=study, index=1).update(state=Slot.VOID)
    (table,) = rating_tables(study)
    assert {name for _item, name in rows_of(table) if not name.startswith("Pub")} == {"vanilla"}
    study.owner = world.create_researcher("eve")
    study.save()
    assert rating_tables(study) == []


def test_five_seat_rankings_appear_beside_impressions_3() -> None:
    """Over ranks 1 to 5 a complete ranking has the mean 3 and the SD 1.58."""
    campaign = open_ranking(5)
    study = experiment_of(campaign, "contest")
    client, rater = rating.enrol(campaign)
    (page,) = rating.pages_of(rater)
    assert rating.post(client, page, ranked(rank_by_seat(page))).status_code == 200
    close(campaign)
    table = tables_by_key(rating_tables(study))["table-impressions-3"]
    contest_rows = [cells for (_item, name), cells in rows_of(table).items() if name == "contest"]
    rated_rows = [
        tuple(cells[:5]) for cells in contest_rows if cells[0] != "0"
    ]  # One item is about team play.
    assert rated_rows == [("5", "1", "1", "3.00", "1.58")] * 4
    published = {cells[3] for (_i, name), cells in rows_of(table).items() if "mille" in name}
    assert "4.143" in published
    assert "(Impressions, Table 3)" in table.title
