"""Tests of the analysis of a campaign, from stored ratings to the figures of the results page."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from tests.study.world import add_rater, create_campaign, ended_game, rate_unit
from webapp.study import tasks
from webapp.study.data import campaign_export as exports
from webapp.study.design import instruments
from webapp.study.models import Analysis, Unit
from webapp.study.rating import campaigns

pytestmark = pytest.mark.django_db


def test_campaign_analysis_includes_published_figures() -> None:
    campaign = create_campaign(ended_game("1"), ended_game("2"), attention=1)
    campaigns.open(campaign)
    check = campaign.units.get(kind=Unit.ATTENTION)
    for n in range(3):
        rater = add_rater(campaign)
        for k, unit in enumerate(campaign.units.filter(position__gt=0)[::6]):
            rate_unit(rater, unit, (2 * k + n) % 5 + 1)
        rate_unit(rater, check, check.expected)
    tasks.analyse(campaign.pk)
    stored = Analysis.objects.get(campaign=campaign)
    assert (stored.failure, set(stored.data)) == (
        "",
        {"results", "figures", "latex", "markdown", "judges", "published"},
    )
    first = stored.data["results"]["dimensions"][0]
    values = [(2 * k + n) % 5 + 1 for n in range(3) for k in range(4)]
    one = next(c for c in first["conditions"] if c["condition"] == "one")
    assert one["n"] == len(values)
    assert one["mean"]["value"] == pytest.approx(sum(values) / len(values))
    assert "4.54" in stored.data["markdown"]  # The agent of the Guarded paper.
    assert stored.data["figures"]["individuality"].lstrip().startswith("<")
    json.dumps(stored.data, allow_nan=False)


OWN_INSTRUMENTS = ("speech", "players", "contest-7", "contest-8")  # no paper has figures for these


@pytest.mark.parametrize("key", [i.key for i in instruments.for_raters()])
def test_each_paper_instrument_has_published_figures(key: str) -> None:
    from webapp.study.results.published_means import MEANS_BY_INSTRUMENT

    published = MEANS_BY_INSTRUMENT.get(key)
    assert (published is None) == (key in OWN_INSTRUMENTS)
    if published:
        assert {d.key for d in instruments.get(key).dimensions} == set(published["means"])


def old_guarded_data() -> dict[str, Any]:
    """Return the former Guarded questionnaire with the naturalness of the moment."""
    data = instruments.get("guarded").to_json()
    data["dimensions"][1] |= {"question": "Would a person say it like this, here?"}
    return data


def old_contest_data() -> dict[str, Any]:
    """Return the five-step questions under their former name of the contest."""
    return instruments.get("players").to_json() | {"key": "contest"}


@pytest.mark.parametrize(
    ("data", "figures"),
    [
        (instruments.get("guarded").to_json(), {"2.52", "4.28"}),
        (old_guarded_data(), {"2.52"}),
        (old_contest_data(), set()),
        (instruments.get("players").to_json(), set()),
        (instruments.get("contest-5").to_json(), {"3.125", "4.143"}),
    ],
    ids=["guarded", "guarded-once", "contest-once", "players", "contest-5"],
)
def test_published_figures_appear_only_with_identical_questions(
    data: dict[str, Any], figures: set[str]
) -> None:
    campaign = create_campaign(ended_game(), instrument=data)
    tasks.analyse(campaign.pk)
    analysis = Analysis.objects.get(campaign=campaign)
    assert not analysis.failure
    tables = analysis.data["markdown"] + analysis.data["latex"]
    all_figures = {"2.52", "4.28", "3.125", "4.143"}
    assert {number for number in all_figures if number in tables} == figures


def test_campaign_without_ratings_is_analysed() -> None:
    campaign = create_campaign(ended_game())
    tasks.analyse(campaign.pk)
    assert Analysis.objects.get().failure == ""


def test_over_quota_answer_is_exported_as_excluded() -> None:
    """Quotas are exact, so the late answer is exported with the reason and not analysed."""
    campaign = create_campaign(ended_game())
    campaigns.open(campaign)
    unit = campaign.units.filter(position__gt=0)[0]
    rate_unit(add_rater(campaign), unit, 2)
    rate_unit(add_rater(campaign), unit, 5, over_quota=True)
    tasks.analyse(campaign.pk)
    first = Analysis.objects.get().data["results"]["dimensions"][0]
    assert first["overall"]["n"] == 1
    assert first["overall"]["mean"]["value"] == 2
    lines = list(
        csv.DictReader(io.StringIO(exports.build_file(campaign, "ratings_long.csv").decode()))
    )
    cells = {(r["value"], r["excluded"], r["exclusion_reason"]) for r in lines if r["value"]}
    assert {value for value, *_ in cells} == {"2", "5"}
    assert {reason for value, _out, reason in cells if value == "5"} == {"over quota"}
    assert {reason for value, _out, reason in cells if value == "2"} == {""}
