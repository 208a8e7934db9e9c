"""Tests of setting up, opening, changing, copying and closing a campaign."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from django.utils import timezone

from game import lobby
from game.models import Game
from tests.study.world import add_rater, create_campaign, create_researcher, ended_game, rate_unit
from webapp.study import analysis, tasks
from webapp.study.design import instruments
from webapp.study.games.eligible_games import finished_games, usable_games
from webapp.study.models import Analysis, Campaign, Stimulus, Unit
from webapp.study.rating import (
    campaign_games,
    campaigns,
    comparison_system,
    exclusion,
    rater_erasure,
    rating_plan,
    units,
)
from webapp.study.rating.campaigns import Refused

pytestmark = pytest.mark.django_db

DONE = {"completed": {"code": "DONE", "url": ""}}


def refusal_of(function: Any, *arguments: Any, **settings: Any) -> str:
    with pytest.raises(Refused) as error:
        function(*arguments, **settings)
    assert error.value.sentences
    return " ".join(error.value.sentences)


def test_new_campaign_is_a_draft_with_the_guarded_questionnaire() -> None:
    campaign = campaigns.create(create_researcher(), "Which voice?")
    assert (campaign.state, campaign.instrument["key"]) == ("draft", "guarded")
    assert len(campaign.study.key) == 24
    assert campaign.seed
    assert "voluntary" in campaign.consent
    assert rating_plan.build_plan(campaign)["problems"] == ["Choose at least one finished game."]
    assert "Choose at least one finished game." in refusal_of(campaigns.open, campaign)


def test_opening_draws_units_and_closed_campaign_can_reopen() -> None:
    campaign = create_campaign(ended_game("1"), ended_game("2"), attention=2)
    campaigns.open(campaign)
    assert (campaign.state, campaign.units.count()) == ("open", 50)
    assert campaign.opened_at
    campaigns.close(campaign)
    assert Campaign.objects.get(pk=campaign.pk).state == "closed"
    campaigns.open(campaign)
    assert (campaign.state, campaign.closed_at) == ("open", None)


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"name": ""}, "Name: this is missing"),
        ({"name": "x" * 10_000}, "10000 characters. The maximum is 120"),
        ({"name": "a\0b"}, "cannot be shown"),
        ({"raters_per_unit": 0}, "Raters per unit: enter 1 or more"),
        ({"raters_per_unit": "3"}, "enter a whole number"),
        ({"units_per_rater": True}, "enter a whole number"),
        ({"context": -1}, "Context: enter 0 or more"),
        ({"choice": {"quotas": "abc"}}, "quotas: enter a table"),
        ({"least_experience": 5}, "Least experience: enter 4 or less"),
        ({"consent": " "}, "Consent: this is missing"),
        ({"exits": {"completed": {"url": "javascript:alert(1)"}}}, "https://"),
        ({"exits": {"full": {"url": "https://" + "x" * 500}}}, "The maximum is 400"),
        ({"exits": {"timed_out": {"code": "x" * 41}}}, "The maximum is 40"),
        ({"instrument": {"key": "x"}}, "Title: this is missing"),
        ({"choice": {"pick": "some"}}, "pick: choose one of all or sample"),
        ({"choice": {"pick": "sample", "per_condition": 0}}, "per condition: enter 1 or more"),
        ({"choice": {"situations": ["noon"]}}, "choose one of called_werewolf"),
        ({"choice": {"teams": ["pirates"]}}, "teams, no. 1: choose one of"),
        ({"choice": {"teams": "werewolf"}}, "teams: enter a list"),
        ({"choice": 7}, "Selection of units: enter a table"),
        ({"rival": {"method": "telepathy"}}, "telepathy"),
        ({"rival": "house"}, "cannot be read"),
        ({"rival_condition": "x" * 61}, "The maximum is 60"),
    ],
)
def test_invalid_settings_are_rejected_and_leave_campaign_unchanged(
    settings: Any, error: str
) -> None:
    campaign = create_campaign(ended_game())
    before = Campaign.objects.values().get(pk=campaign.pk)
    assert (
        error in refusal_of(campaigns.change, campaign, context=3, **settings)
        if ("context" not in settings)
        else error in refusal_of(campaigns.change, campaign, **settings)
    )
    assert Campaign.objects.values().get(pk=campaign.pk) == before


def test_all_setting_errors_are_reported_together() -> None:
    errors = refusal_of(
        campaigns.change, create_campaign(ended_game()), name="", context=-1, seed=""
    )
    assert all(word in errors for word in ("Name", "Context", "Seed"))


def test_unknown_setting_raises_type_error() -> None:
    with pytest.raises(TypeError, match="state"):
        campaigns.change(create_campaign(ended_game()), state="open")


# -- games


def test_only_finished_games_can_be_chosen_and_only_once() -> None:
    running = lobby.create_game("one-night", [lobby.SeatPlan("agent", {})] * 8, seed="1")
    called_off = ended_game("9")
    Game.objects.filter(pk=called_off.pk).update(called_off=True)
    called_off.refresh_from_db()
    campaign = create_campaign(ended_game())
    for game in (running, called_off):
        assert game.code in refusal_of(campaigns.change, campaign, games={game: "one"})
        assert game not in finished_games(usable_games(0))
    assert campaign.chosen_games.count() == 1
    assert "chosen twice" in refusal_of(
        campaigns.change, campaign, games=[(ended_game("3"), "a")] * 2
    )
    assert "The maximum is 60" in refusal_of(
        campaigns.change, campaign, games=[(ended_game("4"), "x" * 10_000)]
    )


def test_condition_is_named_after_its_players_by_default() -> None:
    people = ended_game("1", names={1: "Ann", 2: "Bob"})
    models = ended_game("2", recipe={"backend": "gpt", "method": "full"})
    assert campaign_games.default_condition(people) == "people + house baseline"
    campaign = create_campaign()
    campaigns.change(campaign, games=[(people, ""), (models, " own  name ")])
    assert set(campaign.chosen_games.values_list("condition", flat=True)) == {
        "people + house baseline", "own name",
    }  # fmt: skip


# -- problems of the plan


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"units_per_rater": 30}, "only 24 units. Give each rater at most 24"),
        ({"repeats": 5}, "more repeats than units"),
        ({"choice": {"pick": "sample", "per_condition": 100}}, "has only 24 of 100 units"),
        ({"choice": {"situations": ["called_werewolf"]}}, "These games have nothing"),
        (
            {"instrument": instruments.get("contest-13").to_json()},
            "8 players, but the questionnaire ranks 13",
        ),
        (
            {
                "instrument": instruments.get("engagement").to_json(),
                "rival": {"backend": "house"},
                "rival_condition": "r",
            },
            "Only statements can be paired",
        ),
        ({"rival": {"backend": "house"}}, "Enter a condition name"),
        ({"rival": {"backend": "house"}, "rival_condition": "one"}, "that is not used elsewhere"),
        ({"instrument": instruments.get("guarded").to_json() | {"example": {}}}, "worked example"),
    ],
)
def test_unmet_requirement_is_reported_by_plan_and_blocks_opening(
    settings: Any, problem: str
) -> None:
    campaign = create_campaign(ended_game(), **settings)
    assert problem in " ".join(rating_plan.build_plan(campaign)["problems"])
    assert problem in refusal_of(campaigns.open, campaign)
    assert (campaign.state, Unit.objects.count()) == ("draft", 0)


def test_paired_campaign_opens_only_with_all_rival_answers() -> None:
    campaign = create_campaign(ended_game(), rival={"backend": "house"}, rival_condition="rival")
    plan = rating_plan.build_plan(campaign)
    assert plan["problems"] == ["Generate the other system’s answers first."]
    campaigns.draw_units(campaign)
    assert "24 answers of the other system are missing" in refusal_of(campaigns.open, campaign)
    rivals = Stimulus.objects.filter(place=2)
    rivals.update(state="idle", text="So.")
    first = rivals.order_by("pk").first()
    Stimulus.objects.filter(pk=first.pk).update(state="failed", failure="timeout", text="")
    assert "1 answer of the other system failed" in refusal_of(campaigns.open, campaign)
    units.set_withdrawn(first.unit, is_withdrawn=True)
    campaigns.open(campaign)
    assert rating_plan.build_plan(campaign)["by_condition"] == {"one": 23, "rival": 23}
    assert comparison_system.count_answers(campaign)["made"] == 23


def test_plan_counts_units_ratings_raters_and_minutes() -> None:
    campaign = create_campaign(
        ended_game("1"), ended_game("2"), raters_per_unit=3, units_per_rater=10
    )
    plan = rating_plan.build_plan(campaign)
    assert (plan["units"], plan["by_condition"]) == (48, {"one": 24, "two": 24})
    assert plan["ratings"] == 3 * (48 * 3 + 2 * 8)  # Three items, four in the last round.
    assert plan["raters_needed"] == 15  # 48 units by 3 raters, 10 units per rater.
    minutes = plan["minutes_per_rater"]
    assert 4 <= minutes <= 15
    campaigns.change(campaign, units_per_rater=40)
    assert rating_plan.build_plan(campaign)["minutes_per_rater"] > 2 * minutes
    assert plan["notes"] == [
        "“Deceiving” is never asked: no unit is in the situation “the Seer / Augur"
        " just called the speaker a Werewolf”.",
        "“one” against “two”: one of them has only one game, so the variation between its games"
        " is unknown (games: 1 and 1). Choose at least two games of each. A useful test needs six"
        " or more.",
    ]
    assert Unit.objects.count() == 0


@pytest.mark.parametrize(("lacking", "warned"), [(1, False), (2, True)])
def test_plan_warns_of_a_degraded_condition(lacking: int, warned: bool) -> None:
    """The limit is a twentieth: one of 24 statements is below it and two are above."""
    game = ended_game("1")
    statements = game.events.filter(kind="statement").order_by("seq")
    for event in statements[:lacking]:
        event.labels = ["repaired", "stale:favor"]
        event.save()
    for event in statements[lacking : lacking + 6]:  # A repaired statement counts as complete.
        event.labels = ["repaired", "shortened"]
        event.save()
    plan = rating_plan.build_plan(create_campaign(game))
    notes = [n for n in plan["notes"] if "lack a part" in n]
    assert bool(notes) == warned
    if warned:
        assert notes[0].startswith("“one”: 2 of 24 statements")


def test_plan_flags_statements_that_name_a_model() -> None:
    game = ended_game(words={(1, 2): "As an AI language model I can't."})
    campaign = create_campaign(game)
    (flagged,) = rating_plan.build_plan(campaign)["flags"]
    assert (flagged["unit"], flagged["speaker"]) == (None, "Beta")
    assert flagged["flags"] == ["names itself a model"]
    campaigns.draw_units(campaign)
    (flagged,) = rating_plan.build_plan(campaign)["flags"]
    units.set_withdrawn(Unit.objects.get(pk=flagged["unit"]), is_withdrawn=True)
    plan = rating_plan.build_plan(campaign)
    assert plan["units"] == 23
    assert plan["flags"][0]["withdrawn"]
    campaigns.open(campaign)
    assert campaign.units.get(pk=flagged["unit"]).withdrawn


# -- changes


def test_open_campaign_without_ratings_is_redrawn_on_change() -> None:
    campaign = create_campaign(ended_game())
    campaigns.open(campaign)
    campaigns.change(campaign, choice={"situations": ["closing"]})
    assert campaign.units.count() == 8
    assert "only 8 units" in refusal_of(campaigns.change, campaign, units_per_rater=20)
    assert Campaign.objects.get(pk=campaign.pk).units_per_rater == 4


def test_ratings_lock_only_the_settings_they_depend_on() -> None:
    campaign = create_campaign(ended_game())
    campaigns.open(campaign)
    rate_unit(add_rater(campaign), campaign.units.all()[0], 3)
    before = campaigns.config_hash(campaign)
    changed_instrument = copy.deepcopy(campaign.instrument)
    changed_instrument["dimensions"][0]["question"] = "Something else?"
    for settings in (
        {"context": 2},
        {"instrument": changed_instrument},
        {"seed": "x"},
        {"consent": "New."},
    ):
        assert "Make a copy" in refusal_of(campaigns.change, campaign, **settings)
    assert "Make a copy" in refusal_of(campaigns.change, campaign, games={})
    campaigns.change(campaign, name="A better name", exits=DONE, context=campaign.context)
    campaigns.close(campaign)
    campaigns.open(campaign)
    assert Campaign.objects.get(pk=campaign.pk).exits == DONE
    assert campaigns.config_hash(Campaign.objects.get(pk=campaign.pk)) == before


def test_copied_campaign_is_an_unlocked_draft_with_new_links() -> None:
    campaign = create_campaign(ended_game("1"), ended_game("2"), repeats=2, exits=DONE)
    campaigns.open(campaign)
    rate_unit(add_rater(campaign), campaign.units.all()[0], 3)
    twin = campaigns.copy(campaign)
    assert (twin.state, twin.has_ratings, twin.repeats, twin.exits) == ("draft", False, 2, DONE)
    assert twin.instrument == campaign.instrument
    assert list(twin.chosen_games.values_list("game", "condition")) == list(
        campaign.chosen_games.values_list("game", "condition")
    )
    assert not {twin.study.key, twin.code, twin.seed} & {
        campaign.study.key,
        campaign.code,
        campaign.seed,
    }
    assert twin.raters.count() == 0
    campaigns.change(twin, context=1)
    assert Campaign.objects.get(pk=campaign.pk).context == 0


def test_config_hash_covers_all_settings_that_affect_ratings() -> None:
    game = ended_game()
    campaign = create_campaign(game, seed="s")
    hashes = {campaigns.config_hash(campaign)}
    for change in ({"context": 2}, {"seed": "t"}, {"choice": {"speakers": "all"}}):
        campaigns.change(campaign, **change)
        hashes.add(campaigns.config_hash(campaign))
    campaigns.change(campaign, games={game: "another"})
    hashes.add(campaigns.config_hash(campaign))
    assert len(hashes) == 5
    campaigns.change(campaign, name="Other")
    assert campaigns.config_hash(campaign) in hashes


# -- the analysis


def request_results(campaign: Campaign, queued: list[int], capture: Any) -> Analysis:
    with capture(execute=True):
        results: Analysis = analysis.newest_results(campaign)
        return results


def test_analysis_is_queued_once_and_again_after_rating_changes(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    capture = django_capture_on_commit_callbacks
    queued = list[int]()

    def send(_app: Any, _task: str, args: tuple[int]) -> None:
        queued.extend(args)

    monkeypatch.setattr("celery.Celery.send_task", send)
    monkeypatch.setattr(analysis, "campaign_results", lambda c: {"results": {"n": float("nan")}})
    campaign = create_campaign(ended_game())
    campaigns.open(campaign)
    assert request_results(campaign, queued, capture).done_at is None
    assert request_results(campaign, queued, capture).done_at is None
    assert queued == [campaign.pk]
    tasks.analyse(campaign.pk)
    results = request_results(campaign, queued, capture)
    assert results.data == {"results": {"n": None}}
    assert queued == [campaign.pk]
    rate_unit(add_rater(campaign), campaign.units.all()[0], 3)
    assert request_results(campaign, queued, capture).done_at
    assert queued == [campaign.pk]  # Requests within ten seconds are ignored.
    Analysis.objects.update(requested_at=timezone.now() - 2 * analysis.MIN_REQUEST_INTERVAL)
    Analysis.objects.update(done_at=timezone.now())
    request_results(campaign, queued, capture)
    assert queued == [campaign.pk, campaign.pk]
    tasks.analyse(campaign.pk)
    assert Analysis.objects.get().data_digest == analysis.input_digest(campaign)


def test_failed_analysis_stores_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(campaign: Campaign) -> dict[str, Any]:
        raise ValueError("nothing to see")

    monkeypatch.setattr(analysis, "campaign_results", fails)
    campaign = create_campaign(ended_game())
    tasks.analyse(campaign.pk)
    assert Analysis.objects.get().failure == "ValueError: nothing to see"


def test_each_rating_change_alters_the_input_digest() -> None:
    campaign = create_campaign(ended_game())
    campaigns.open(campaign)
    rater = add_rater(campaign)
    digests = {analysis.input_digest(campaign)}
    assignment = rate_unit(rater, campaign.units.all()[0], 3)
    digests.add(analysis.input_digest(campaign))
    assignment.revision += 1
    assignment.save()
    digests.add(analysis.input_digest(campaign))
    exclusion.exclude(rater, "too fast")
    digests.add(analysis.input_digest(campaign))
    rater_erasure.erase_rater(rater)
    digests.add(analysis.input_digest(campaign))
    assert len(digests) == 5
