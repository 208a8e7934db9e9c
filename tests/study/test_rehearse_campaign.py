"""Tests of campaign rehearsals: simulated raters on a copy, and the preregistration."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests import fresh_database
from tests.live import wait_until
from tests.study.ranking import contest_without_deeds
from tests.study.sized_games import finished_sized_game
from tests.study.world import add_rater, create_campaign, ended_game, rate_unit
from webapp.study.design.refusals import Refused
from webapp.study.models import Assignment, Campaign, Rater
from webapp.study.rating import campaigns
from webapp.study.rehearsal import campaign_runs, separate_process
from webapp.study.rehearsal.campaign_runs import rehearse_campaign
from webapp.study.rehearsal.power_figures import RehearsedTest, mean_difference
from webapp.study.rehearsal.rehearsal_options import CampaignRunOptions
from webapp.study.results import figures

pytestmark = pytest.mark.django_db

# The noise is too small to hide the effect.
CLEAR_EFFECT = CampaignRunOptions(raters=12, effect=4.0, noise=0.1, runs=1)


@pytest.fixture(autouse=True)
def _skip_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw no figures, because a rehearsal does not use them."""
    monkeypatch.setattr(figures, "distribution_figures", lambda results: {})


def create_campaign_of_eight(**settings: Any) -> Campaign:
    """Create a campaign with four games per condition."""
    sample = {"pick": "sample", "per_condition": 8}
    defaults = {"seed": "1", "units_per_rater": 4, "raters_per_unit": 2, "choice": sample}
    return create_campaign(*[ended_game(str(n)) for n in range(8)], **{**defaults, **settings})


def test_command_rehearses_a_copy_and_leaves_the_database_unchanged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_campaign = campaign_runs.write_campaign

    def write_with_migrated_database(campaign: Campaign, folder: Path) -> None:
        fresh_database.copy_migrated_database(folder / separate_process.DATABASE_FILE)
        write_campaign(campaign, folder)

    monkeypatch.setattr(campaign_runs, "write_campaign", write_with_migrated_database)
    campaign = create_campaign_of_eight()
    before = campaigns.config_hash(campaign)
    output = StringIO()
    call_command("rehearse", campaign=campaign.code, raters=12, effect=4.0, noise=0.1, runs=1,
                 pay=4.5, stdout=output, stderr=StringIO())  # fmt: skip
    result = json.loads(output.getvalue())
    assert (result["campaign"], result["config_hash"]) == (campaign.code, before)
    assert (result["power"]["value"], result["power"]["rejected"]) == (1.0, 1)
    assert result["answers"] == {"wanted": 32, "given": 32.0}
    finished = result["raters"]["finished"]
    assert finished >= 8
    assert result["cost"] == {"a_rater": 4.5, "in_all": 4.5 * finished}
    assert result["test"]["name"] == "t over raters and games"
    assert result["test"]["n"] == 8
    campaign.refresh_from_db()
    assert (campaign.state, campaign.units.count(), campaigns.config_hash(campaign)) == (
        "draft",
        0,
        before,
    )
    assert not Rater.objects.exists()
    assert not Assignment.objects.exists()


def test_rating_study_is_rehearsed_as_its_campaign(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = create_campaign_of_eight()
    rehearsed = list[tuple[Campaign, CampaignRunOptions]]()
    monkeypatch.setattr(
        campaign_runs,
        "rehearse",
        lambda campaign, options, _say: rehearsed.append((campaign, options)) or {},
    )
    call_command("rehearse", campaign.study.code, participants=12, effect=4.0, stdout=StringIO())
    assert rehearsed == [(campaign, CampaignRunOptions(raters=12, effect=4.0))]


def test_copy_leaves_the_study_whose_games_join_the_campaign(tmp_path: Path) -> None:
    campaign = create_campaign(ended_game("1"))
    campaign.games_of = campaign.study
    before = campaigns.config_hash(campaign)
    campaign_runs.write_campaign(campaign, tmp_path)
    assert campaign.games_of == campaign.study
    assert campaigns.config_hash(campaign) == before


def test_conditions_differ_only_with_an_effect() -> None:
    campaign = create_campaign_of_eight(attention=2, exclusion={"failed_checks": 2})
    strong = rehearse_campaign(campaign, CLEAR_EFFECT)
    assert strong["difference"] > 1
    assert strong["power"]["ci"][1] == 1.0
    assert strong["raters"]["excluded"] == 0
    none = rehearse_campaign(campaign, replace(CLEAR_EFFECT, effect=0.0))
    assert abs(none["difference"]) < 1
    assert none["power"] == none["type_i_error"] == strong["type_i_error"]


def test_comparison_missing_on_the_results_page_is_an_error() -> None:
    campaign = create_campaign_of_eight()
    rehearse_campaign(campaign, CLEAR_EFFECT)
    comparison = {"test": {"value": 1.0, "p": {"value": 0.5}}}
    test = RehearsedTest("interest", "one", "absent")
    with pytest.raises(RuntimeError, match="the results page has p = None"):
        campaign_runs._check_results_page(campaign, test, comparison)


def test_difference_of_zero_counts_in_the_mean() -> None:
    comparisons = [{"difference": {"value": value}} for value in (0.0, 1.0, None)]
    assert mean_difference([*comparisons, {"test": {"value": None}}]) == 0.5


def test_effect_belongs_to_the_second_named_condition() -> None:
    campaign = create_campaign_of_eight()
    result = rehearse_campaign(
        campaign, replace(CLEAR_EFFECT, between=("two", "one"), item="naturalness")
    )
    assert (result["test"]["item"], result["test"]["a"]) == ("naturalness", "two")
    assert result["difference"] > 1  # The difference is second minus first.


def test_careless_raters_fail_checks_and_are_excluded() -> None:
    campaign = create_campaign_of_eight(attention=2, exclusion={"failed_checks": 2})
    everybody = rehearse_campaign(campaign, replace(CLEAR_EFFECT, careless=1.0))["raters"]
    assert everybody["careless"] == 12
    assert everybody["drawn_to_leave"] == 0, "the count is reported even if it is zero"
    assert everybody["careless_excluded"] >= 4
    assert everybody["careless_excluded"] == everybody["excluded"]


def test_leaving_raters_leave_answers_missing() -> None:
    result = rehearse_campaign(create_campaign_of_eight(), replace(CLEAR_EFFECT, dropout=1.0))
    assert result["raters"]["left"] == 12
    assert "finished" not in result["raters"]
    assert result["answers"]["given"] < result["answers"]["wanted"]


def test_surplus_raters_find_everything_rated() -> None:
    result = rehearse_campaign(create_campaign_of_eight(), replace(CLEAR_EFFECT, raters=40))
    assert result["answers"] == {"wanted": 32, "given": 32.0}
    assert result["raters"]["full"] + result["raters"].get("nothing_left", 0) >= 20


def test_same_seed_reproduces_figures_and_other_seeds_differ() -> None:
    campaign = create_campaign_of_eight()

    def rehearsal_of(seed: str) -> dict[str, Any]:
        options = CampaignRunOptions(raters=8, runs=1, careless=0.3, dropout=0.3, seed=seed)
        result = rehearse_campaign(campaign, options)
        del result["seconds"], result["assumed"]  # The assumptions contain the seed.
        return result

    first = rehearsal_of("1")
    assert rehearsal_of("1") == first
    # Eight raters give few differences of means: two seeds alone can agree by chance.
    assert any(rehearsal_of(seed) != first for seed in "234")


def test_pairs_and_rankings_can_be_rehearsed() -> None:
    rival = {"backend": "house", "method": "full"}
    games = [ended_game(str(n)) for n in range(6)]
    choice = {"pick": "sample", "per_condition": 6}
    campaign = create_campaign(*games, rival=rival, rival_condition="x-rival", choice=choice)
    result = rehearse_campaign(campaign, replace(CLEAR_EFFECT, between=("one", "x-rival")))
    assert (result["test"]["design"], result["difference"] > 1) == ("paired", True)
    contest = contest_without_deeds()
    games = [finished_sized_game(5, str(n)) for n in range(6)]
    choice = {"compare": "team"}
    ranked = create_campaign(
        *games, instrument=contest, choice=choice, units_per_rater=6, raters_per_unit=5
    )
    # A larger effect gives equal rankings, and equal games have no test.
    result = rehearse_campaign(ranked, replace(CLEAR_EFFECT, effect=1.0, noise=0.8))
    assert result["test"]["design"] == "paired"
    assert result["difference"] > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (replace(CLEAR_EFFECT, item="charm"), "There is no item “charm”; there are: individuality"),
        (replace(CLEAR_EFFECT, between=("one", "three")), "two conditions of these: one, two"),
        (replace(CLEAR_EFFECT, between=("one", "one")), "two conditions of these: one, two"),
    ],
)
def test_impossible_test_is_rejected(options: CampaignRunOptions, message: str) -> None:
    with pytest.raises(Refused) as error:
        rehearse_campaign(create_campaign_of_eight(), options)
    assert message in " ".join(error.value.sentences)


def test_campaign_that_cannot_open_is_not_rehearsed() -> None:
    with pytest.raises(Refused) as error:
        rehearse_campaign(create_campaign_of_eight(units_per_rater=500), CLEAR_EFFECT)
    assert error.value.sentences


# -- preregistration


@pytest.fixture
def rehearsal(tmp_path: Path) -> tuple[Campaign, dict[str, Any]]:
    """Return a draft and the printed result of its rehearsal."""
    campaign = create_campaign_of_eight(exclusion={"same_in_a_row": 20})
    printed = {
        "campaign": campaign.code,
        "config_hash": campaigns.config_hash(campaign),
        "assumed": {"raters": 12},
        "test": {"item": "interest", "a": "one", "b": "two", "alpha": 0.05},
        "power": {"value": 0.8},
    }
    return campaign, printed


def preregister(
    campaign: Campaign, printed: dict[str, Any], folder: Path, text: str = "Two is better."
) -> Path:
    (folder / "rehearsal.json").write_text(json.dumps(printed))
    (folder / "hypotheses.md").write_text(text)
    file = folder / "registered.json"
    call_command("preregister", campaign.code, rehearsal=folder / "rehearsal.json", out=file,
                 hypotheses=folder / "hypotheses.md", stdout=StringIO())  # fmt: skip
    return file


def test_preregistration_is_written_once_with_its_checksum(
    rehearsal: tuple[Campaign, dict[str, Any]], tmp_path: Path
) -> None:
    file = preregister(*rehearsal, tmp_path)
    registration = json.loads(file.read_text())
    assert registration["hypotheses"] == "Two is better."
    assert registration["campaign"]["config_hash"] == rehearsal[1]["config_hash"]
    assert registration["campaign"]["settings"]["raters_per_unit"] == 2
    assert registration["exclusions"]["rules"] == {"same_in_a_row": 20}
    assert registration["tests"]["chosen"]["item"] == "interest"
    assert (registration["planned"]["raters"], registration["planned"]["units"]) == (12, 16)
    assert registration["rehearsal"]["power"] == {"value": 0.8}
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    checksum_file = tmp_path / "registered.json.sha256"
    assert checksum_file.read_text() == f"{digest}  registered.json\n"
    with pytest.raises(CommandError, match="exists"):
        preregister(*rehearsal, tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"raters_per_unit": 3}, "settings have changed since the rehearsal"),
        ({"exclusion": {}}, "settings have changed since the rehearsal"),
    ],
)
def test_settings_changed_after_rehearsal_are_not_registered(
    rehearsal: tuple[Campaign, dict[str, Any]], tmp_path: Path, change: Any, message: str
) -> None:
    campaign, printed = rehearsal
    campaigns.change(campaign, **change)
    with pytest.raises(CommandError, match=message):
        preregister(campaign, printed, tmp_path)
    assert not (tmp_path / "registered.json").exists()


def test_late_or_empty_preregistration_is_rejected(
    rehearsal: tuple[Campaign, dict[str, Any]], tmp_path: Path
) -> None:
    campaign, printed = rehearsal
    with pytest.raises(CommandError, match="no hypothesis"):
        preregister(campaign, printed, tmp_path, "  ")
    with pytest.raises(CommandError, match="not one of this campaign"):
        preregister(campaign, {**printed, "campaign": "another"}, tmp_path)
    campaigns.open(campaign)
    rate_unit(add_rater(campaign), campaign.units.first())
    with pytest.raises(CommandError, match="Ratings exist already"):
        preregister(campaign, printed, tmp_path)


ENDLESS_PROGRAM = """
import sys
from pathlib import Path
from webapp.study.rehearsal.separate_process import _run_program
write = f"import os, time, pathlib; pathlib.Path({sys.argv[1]!r}).write_text(str(os.getpid()))"
_run_program([sys.executable, "-c", f"{write}; time.sleep(600)"], print)
"""


def test_killed_rehearsal_takes_its_process_with_it(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    with subprocess.Popen([sys.executable, "-c", ENDLESS_PROGRAM, str(file)]) as command:
        wait_until(lambda: file.exists() and bool(file.read_text()), "the child's number", 30)
        command.kill()
    child = int(file.read_text())
    assert wait_until(lambda: not is_alive(child), "the end of the child", 10)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
