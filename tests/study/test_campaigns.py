"""Setting up, opening, changing, copying and closing a campaign."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from django.utils import timezone

from game import services
from game.models import Game
from tests.study.world import campaign, finished, rate, rater, researcher
from webapp.study import analysis, tasks
from webapp.study.design import instruments
from webapp.study.games.eligible_games import finished_games, usable_games
from webapp.study.models import Analysis, Campaign, Stimulus, Unit
from webapp.study.rating import campaigns, comparison_system, rater_erasure, units
from webapp.study.rating.campaigns import Refused

pytestmark = pytest.mark.django_db

DONE = {"completed": {"code": "DONE", "url": ""}}


def refused(what: Any, *arguments: Any, **settings: Any) -> str:
    with pytest.raises(Refused) as found:
        what(*arguments, **settings)
    assert found.value.sentences
    return " ".join(found.value.sentences)


def test_a_new_campaign_is_a_draft_with_the_guarded_questionnaire() -> None:
    made = campaigns.create(researcher(), "Which voice?")
    assert (made.state, made.instrument["key"]) == ("draft", "guarded")
    assert len(made.study.key) == 24
    assert made.seed
    assert "voluntary" in made.consent
    assert campaigns.plan(made)["problems"] == ["Choose at least one finished game."]
    assert "Choose at least one finished game." in refused(campaigns.open, made)


def test_opening_draws_the_units_and_lets_raters_in() -> None:
    of = campaign(finished("1"), finished("2"), attention=2)
    campaigns.open(of)
    assert (of.state, of.units.count()) == ("open", 50)
    assert of.opened_at
    campaigns.close(of)
    assert Campaign.objects.get(pk=of.pk).state == "closed"
    campaigns.open(of)
    assert (of.state, of.closed_at) == ("open", None)


@pytest.mark.parametrize(
    ("settings", "told"),
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
def test_what_can_not_be_is_refused_and_nothing_changes(settings: Any, told: str) -> None:
    of = campaign(finished())
    before = Campaign.objects.values().get(pk=of.pk)
    assert (
        told in refused(campaigns.change, of, context=3, **settings)
        if ("context" not in settings)
        else told in refused(campaigns.change, of, **settings)
    )
    assert Campaign.objects.values().get(pk=of.pk) == before


def test_every_fault_is_told_at_once() -> None:
    told = refused(campaigns.change, campaign(finished()), name="", context=-1, seed="")
    assert all(word in told for word in ("Name", "Context", "Seed"))


def test_a_setting_that_is_not_one_is_a_programmers_fault() -> None:
    with pytest.raises(TypeError, match="state"):
        campaigns.change(campaign(finished()), state="open")


# -- games


def test_only_finished_games_can_be_chosen() -> None:
    running = services.create("one-night", [services.SeatPlan("agent", {})] * 8, seed="1")
    off = finished("9")
    Game.objects.filter(pk=off.pk).update(called_off=True)
    off.refresh_from_db()
    of = campaign(finished())
    for game in (running, off):
        assert game.code in refused(campaigns.choose_games, of, {game: "one"})
        assert game not in finished_games(usable_games(0))
    assert of.chosen.count() == 1
    assert "chosen twice" in refused(campaigns.choose_games, of, [(finished("3"), "a")] * 2)
    assert "The maximum is 60" in refused(
        campaigns.choose_games, of, [(finished("4"), "x" * 10_000)]
    )


def test_a_condition_is_named_after_who_played() -> None:
    people = finished("1", names={1: "Ann", 2: "Bob"})
    models = finished("2", recipe={"backend": "gpt", "method": "full"})
    assert campaigns.condition_of(people) == "people + house baseline"
    of = campaign()
    campaigns.choose_games(of, [(people, ""), (models, " own  name ")])
    assert set(of.chosen.values_list("condition", flat=True)) == {
        "people + house baseline", "own name",
    }  # fmt: skip


# -- what stands in the way


@pytest.mark.parametrize(
    ("settings", "told"),
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
def test_what_can_not_be_met_is_said_with_what_to_do(settings: Any, told: str) -> None:
    of = campaign(finished(), **settings)
    assert told in " ".join(campaigns.plan(of)["problems"])
    assert told in refused(campaigns.open, of)
    assert (of.state, Unit.objects.count()) == ("draft", 0)


def test_pairs_wait_for_the_other_systems_answers() -> None:
    of = campaign(finished(), rival={"backend": "house"}, rival_condition="rival")
    assert campaigns.plan(of)["problems"] == ["Generate the other system’s answers first."]
    campaigns.draw_units(of)
    assert "24 answers of the other system are missing" in refused(campaigns.open, of)
    rivals = Stimulus.objects.filter(place=2)
    rivals.update(state="idle", text="So.")
    first = rivals.order_by("pk").first()
    Stimulus.objects.filter(pk=first.pk).update(state="failed", failure="timeout", text="")
    assert "1 answer of the other system failed" in refused(campaigns.open, of)
    units.withdraw(first.unit)
    campaigns.open(of)
    assert campaigns.plan(of)["by_condition"] == {"one": 23, "rival": 23}
    assert comparison_system.count_answers(of)["made"] == 23


def test_the_plan_counts_units_ratings_raters_and_minutes() -> None:
    of = campaign(finished("1"), finished("2"), raters_per_unit=3, units_per_rater=10)
    plan = campaigns.plan(of)
    assert (plan["units"], plan["by_condition"]) == (48, {"one": 24, "two": 24})
    assert plan["ratings"] == 3 * (48 * 3 + 2 * 8)  # three items, four in the last round
    assert plan["raters_needed"] == 15  # 48 units by 3, ten a rater
    short = plan["minutes_per_rater"]
    assert 4 <= short <= 15
    campaigns.change(of, units_per_rater=40)
    assert campaigns.plan(of)["minutes_per_rater"] > 2 * short
    assert plan["notes"] == [
        "“Deceiving” is never asked: no unit is in the situation “the Seer / Augur"
        " just called the speaker a Werewolf”.",
        "“one” against “two”: one of them has only one game, so the variation between its games"
        " is unknown (games: 1 and 1). Choose at least two games of each. A useful test needs six"
        " or more.",
    ]
    assert Unit.objects.count() == 0


@pytest.mark.parametrize(("lacking", "warned"), [(1, False), (2, True)])
def test_the_plan_warns_of_a_condition_that_is_degraded(lacking: int, warned: bool) -> None:
    """From more than a twentieth on: one of twenty-four statements is less, two are more."""
    game = finished("1")
    said = game.events.filter(kind="statement").order_by("seq")
    for event in said[:lacking]:
        event.labels = ["repaired", "stale:favor"]
        event.save()
    for event in said[lacking : lacking + 6]:  # what the player made in the end counts as made
        event.labels = ["repaired", "shortened"]
        event.save()
    notes = [n for n in campaigns.plan(campaign(game))["notes"] if "lack a part" in n]
    assert bool(notes) == warned
    if warned:
        assert notes[0].startswith("“one”: 2 of 24 statements")


def test_the_plan_shows_who_names_itself_a_model() -> None:
    game = finished(words={(1, 2): "As an AI language model I can't."})
    of = campaign(game)
    (flagged,) = campaigns.plan(of)["flags"]
    assert (flagged["unit"], flagged["speaker"]) == (None, "Beta")
    assert flagged["flags"] == ["names itself a model"]
    campaigns.draw_units(of)
    (flagged,) = campaigns.plan(of)["flags"]
    units.withdraw(Unit.objects.get(pk=flagged["unit"]))
    plan = campaigns.plan(of)
    assert plan["units"] == 23
    assert plan["flags"][0]["withdrawn"]
    campaigns.open(of)
    assert of.units.get(pk=flagged["unit"]).withdrawn


# -- changing


def test_an_open_campaign_without_ratings_is_drawn_anew() -> None:
    of = campaign(finished())
    campaigns.open(of)
    campaigns.change(of, choice={"situations": ["closing"]})
    assert of.units.count() == 8
    assert "only 8 units" in refused(campaigns.change, of, units_per_rater=20)
    assert Campaign.objects.get(pk=of.pk).units_per_rater == 4


def test_ratings_lock_what_they_rest_on_and_only_that() -> None:
    of = campaign(finished())
    campaigns.open(of)
    rate(rater(of), of.units.all()[0], 3)
    before = campaigns.config_hash(of)
    other = copy.deepcopy(of.instrument)
    other["dimensions"][0]["question"] = "Something else?"
    for settings in ({"context": 2}, {"instrument": other}, {"seed": "x"}, {"consent": "New."}):
        assert "Make a copy" in refused(campaigns.change, of, **settings)
    assert "Make a copy" in refused(campaigns.choose_games, of, {})
    campaigns.change(of, name="A better name", exits=DONE, context=of.context)
    campaigns.close(of)
    campaigns.open(of)
    assert Campaign.objects.get(pk=of.pk).exits == DONE
    assert campaigns.config_hash(Campaign.objects.get(pk=of.pk)) == before


def test_a_copy_is_a_free_draft_of_the_same_settings_with_links_of_its_own() -> None:
    of = campaign(finished("1"), finished("2"), repeats=2, exits=DONE)
    campaigns.open(of)
    rate(rater(of), of.units.all()[0], 3)
    twin = campaigns.copy(of)
    assert (twin.state, twin.locked, twin.repeats, twin.exits) == ("draft", False, 2, DONE)
    assert twin.instrument == of.instrument
    assert list(twin.chosen.values_list("game", "condition")) == list(
        of.chosen.values_list("game", "condition")
    )
    assert not {twin.study.key, twin.code, twin.seed} & {of.study.key, of.code, of.seed}
    assert twin.raters.count() == 0
    campaigns.change(twin, context=1)
    assert Campaign.objects.get(pk=of.pk).context == 0


def test_the_hash_is_of_all_that_ratings_rest_on() -> None:
    game = finished()
    of = campaign(game, seed="s")
    seen = {campaigns.config_hash(of)}
    for change in ({"context": 2}, {"seed": "t"}, {"choice": {"speakers": "all"}}):
        campaigns.change(of, **change)
        seen.add(campaigns.config_hash(of))
    campaigns.choose_games(of, {game: "another"})
    seen.add(campaigns.config_hash(of))
    assert len(seen) == 5
    campaigns.change(of, name="Other")
    assert campaigns.config_hash(of) in seen


# -- the analysis


def asked(of: Campaign, queued: list[int], capture: Any) -> Analysis:
    with capture(execute=True):
        found: Analysis = analysis.newest_results(of)
        return found


def test_an_analysis_is_asked_for_once_and_again_when_ratings_changed(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    capture, queued = django_capture_on_commit_callbacks, list[int]()

    def send(_app: Any, _task: str, args: tuple[int]) -> None:
        queued.extend(args)

    monkeypatch.setattr("celery.Celery.send_task", send)
    monkeypatch.setattr(analysis, "campaign_results", lambda c: {"results": {"n": float("nan")}})
    of = campaign(finished())
    campaigns.open(of)
    assert asked(of, queued, capture).done_at is None
    assert asked(of, queued, capture).done_at is None
    assert queued == [of.pk]
    tasks.analyse(of.pk)
    found = asked(of, queued, capture)
    assert found.data == {"results": {"n": None}}
    assert queued == [of.pk]
    rate(rater(of), of.units.all()[0], 3)
    assert asked(of, queued, capture).done_at
    assert queued == [of.pk]  # not within ten seconds
    Analysis.objects.update(asked_at=timezone.now() - 2 * analysis.MIN_REQUEST_INTERVAL)
    Analysis.objects.update(done_at=timezone.now())
    asked(of, queued, capture)
    assert queued == [of.pk, of.pk]
    tasks.analyse(of.pk)
    assert Analysis.objects.get().rests_on == analysis.input_digest(of)


def test_an_analysis_that_fails_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(of: Campaign) -> dict[str, Any]:
        raise ValueError("nothing to see")

    monkeypatch.setattr(analysis, "campaign_results", fails)
    of = campaign(finished())
    tasks.analyse(of.pk)
    assert Analysis.objects.get().failure == "ValueError: nothing to see"


def test_every_change_of_a_rating_is_a_new_state() -> None:
    of = campaign(finished())
    campaigns.open(of)
    who = rater(of)
    seen = {analysis.input_digest(of)}
    given = rate(who, of.units.all()[0], 3)
    seen.add(analysis.input_digest(of))
    given.revision += 1
    given.save()
    seen.add(analysis.input_digest(of))
    campaigns.exclude(who, "too fast")
    seen.add(analysis.input_digest(of))
    rater_erasure.erase_rater(who)
    seen.add(analysis.input_digest(of))
    assert len(seen) == 5
