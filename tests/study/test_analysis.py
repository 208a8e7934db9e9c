"""From ratings in the database to the figures a results page shows, through the worker's task."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from tests.study.world import add_rater, create_campaign, ended_game, rate_unit
from webapp.study import data as exports
from webapp.study import tasks
from webapp.study.design import instruments
from webapp.study.models import Analysis, Unit
from webapp.study.rating import campaigns

pytestmark = pytest.mark.django_db


def test_campaign_analysis_includes_published_figures() -> None:
    of = create_campaign(ended_game("1"), ended_game("2"), attention=1)
    campaigns.open(of)
    check = of.units.get(kind=Unit.ATTENTION)
    for n in range(3):
        who = add_rater(of)
        for k, unit in enumerate(of.units.filter(position__gt=0)[::6]):
            rate_unit(who, unit, (2 * k + n) % 5 + 1)
        rate_unit(who, check, check.expected)
    tasks.analyse(of.pk)
    found = Analysis.objects.get(campaign=of)
    assert (found.failure, set(found.data)) == (
        "",
        {"results", "figures", "latex", "markdown", "judges", "published"},
    )
    first = found.data["results"]["dimensions"][0]
    values = [(2 * k + n) % 5 + 1 for n in range(3) for k in range(4)]
    one = next(c for c in first["conditions"] if c["condition"] == "one")
    assert one["n"] == len(values)
    assert one["mean"]["value"] == pytest.approx(sum(values) / len(values))
    assert "4.54" in found.data["markdown"]  # the Guarded paper's agent, beside
    assert found.data["figures"]["individuality"].lstrip().startswith("<")
    json.dumps(found.data, allow_nan=False)


OURS = ("speech", "players", "contest-7", "contest-8")  # no paper has figures for these


@pytest.mark.parametrize("key", [i.key for i in instruments.for_raters()])
def test_each_paper_instrument_has_published_figures(key: str) -> None:
    from webapp.statistics.paper_figures import PUBLISHED as FIGURES
    from webapp.study.results.campaign_tables import PUBLISHED_NAMES

    beside = FIGURES.get(PUBLISHED_NAMES.get(key, key))
    assert (beside is None) == (key in OURS)
    if beside:
        assert {d.key for d in instruments.get(key).dimensions} == set(beside["means"])


def old_question() -> dict[str, Any]:
    """The Guarded questionnaire as it was: its naturalness was of the moment."""
    data = instruments.get("guarded").to_json()
    data["dimensions"][1] |= {"question": "Would a person say it like this, here?"}
    return data


def old_contest() -> dict[str, Any]:
    """The contest's questions on a scale of five steps, as they were once called the contest's."""
    return instruments.get("players").to_json() | {"key": "contest"}


@pytest.mark.parametrize(
    ("data", "figures"),
    [
        (instruments.get("guarded").to_json(), {"2.52", "4.28"}),
        (old_question(), {"2.52"}),
        (old_contest(), set()),
        (instruments.get("players").to_json(), set()),
        (instruments.get("contest-5").to_json(), {"3.125", "4.143"}),
    ],
    ids=["guarded", "guarded-once", "contest-once", "players", "contest-5"],
)
def test_published_figures_appear_only_with_identical_questions(
    data: dict[str, Any], figures: set[str]
) -> None:
    of = create_campaign(ended_game(), instrument=data)
    tasks.analyse(of.pk)
    found = Analysis.objects.get(campaign=of)
    assert not found.failure
    told = found.data["markdown"] + found.data["latex"]
    known = {"2.52", "4.28", "3.125", "4.143"}
    assert {number for number in known if number in told} == figures


def test_campaign_without_ratings_is_analysed() -> None:
    of = create_campaign(ended_game())
    tasks.analyse(of.pk)
    assert Analysis.objects.get().failure == ""


def test_over_quota_answer_is_exported_as_excluded() -> None:
    """Quotas are exact: the late answer is exported, left out and with the reason."""
    of = create_campaign(ended_game())
    campaigns.open(of)
    unit = of.units.filter(position__gt=0)[0]
    rate_unit(add_rater(of), unit, 2)
    rate_unit(add_rater(of), unit, 5, over_quota=True)
    tasks.analyse(of.pk)
    first = Analysis.objects.get().data["results"]["dimensions"][0]
    assert first["overall"]["n"] == 1
    assert first["overall"]["mean"]["value"] == 2
    lines = list(csv.DictReader(io.StringIO(exports.build_file(of, "ratings_long.csv").decode())))
    told = {(r["value"], r["excluded"], r["exclusion_reason"]) for r in lines if r["value"]}
    assert {value for value, *_ in told} == {"2", "5"}
    assert {reason for value, _out, reason in told if value == "5"} == {"over quota"}
    assert {reason for value, _out, reason in told if value == "2"} == {""}
