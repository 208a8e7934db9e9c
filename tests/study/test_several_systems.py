"""Tests of several systems that answer one moment and are rated side by side."""

from __future__ import annotations

import csv
import io
from collections import Counter
from typing import Any

import pytest

from game.engine import rulesets
from game.engine.events import Action, say
from game.engine.windows import Window
from tests.study import rating
from tests.study.contest_games import OVER, finished_contest_game
from tests.study.desk import sign_in
from tests.study.forms import post_setup
from tests.study.pages import page_url
from tests.study.rating import assignments_of
from tests.study.world import create_campaign, create_researcher, ended_game
from webapp.study.data.campaign_files import TABLES
from webapp.study.data.campaign_source import CampaignSource
from webapp.study.games import situations
from webapp.study.models import Assignment, Campaign, Stimulus
from webapp.study.planning import ready, studies
from webapp.study.rater import saving
from webapp.study.rater.rating_form import RatingForm
from webapp.study.rating import campaigns, comparison_system, rating_plan
from webapp.study.rating.rating_rows import read_rating_rows
from webapp.study.rating.stimuli import build_fields
from webapp.study.rehearsal.campaign_runs import rehearse_campaign
from webapp.study.rehearsal.rehearsal_options import CampaignRunOptions

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("plain_figures")]
VANILLA = {"condition": "vanilla", "recipe": {"backend": "house", "method": "vanilla"}}
RANDOM = {"condition": "random", "recipe": {"backend": "random", "method": "full"}}
GUARDED: dict[str, Any] = {
    "rival": {"backend": "house", "method": "guarded"},
    "rival_condition": "guarded",
}


def open_campaign(count: int, *, without_log: bool = False, **more: Any) -> Campaign:
    """Open a campaign over one game in which `count` systems have answered."""
    more_systems = [VANILLA, RANDOM, *({**RANDOM, "condition": f"r{n}"} for n in range(4))]
    campaign = create_campaign(
        ended_game(),
        **GUARDED,
        more_rivals=more_systems[: count - 1],
        without_log=without_log,
        raters_per_unit=6,
        **more,
    )
    campaigns.draw_units(campaign)
    for stimulus in Stimulus.objects.filter(unit__campaign=campaign, state="waiting"):
        stimulus.text, stimulus.state = f"{stimulus.condition} speaks.", "idle"
        stimulus.save()
    campaigns.open(campaign)
    return campaign


def answer_texts(page: Assignment) -> list[str]:
    return [side.text for side in RatingForm(page).rendered.sides]


def test_each_system_answers_with_its_own_recipe_without_the_log() -> None:
    campaign = create_campaign(ended_game(), **GUARDED, more_rivals=[VANILLA], without_log=True)
    campaigns.draw_units(campaign)
    stimuli = list(
        Stimulus.objects.filter(unit__campaign=campaign).order_by("unit__index", "place")
    )[:4]
    for stimulus in stimuli:
        comparison_system.make_answer(stimulus)
        stimulus.refresh_from_db()
    assert [(s.condition, s.method) for s in stimuli] == [
        ("guarded", "guarded"), ("vanilla", "vanilla"), ("guarded", "guarded"),
        ("vanilla", "vanilla"),
    ]  # fmt: skip
    assert {s.utterance_id for s in stimuli} == {None}
    assert (
        comparison_system.count_answers(campaign)["made"]
        + comparison_system.count_answers(campaign)["failed"]
        == 4
    )


def rate_by_system(page: Assignment, values_by_system: dict[str, int]) -> None:
    """Rate each answer by the system in its text, and the log's own text by 1."""
    slots = {
        side.slot: values_by_system.get(side.text.split()[0], 1)
        for side in RatingForm(page).rendered.sides
    }
    fields = build_fields(page)
    values = {name: slots[field.slot] for name, field in fields.items()}
    saving.store_rating(page, saving.SubmittedRating(values), fields)


def test_raters_see_only_the_systems_without_the_log() -> None:
    campaign = open_campaign(2, without_log=True)
    page = rating.start_rater(campaign).assignments.first()
    assert page
    assert sorted(answer_texts(page)) == ["guarded speaks.", "vanilla speaks."]
    rate_by_system(page, {"guarded": 4, "vanilla": 2})
    assert {(r.item.condition, r.value) for r in read_rating_rows(campaign) if r.value} == {
        ("guarded", 4), ("vanilla", 2),
    }  # fmt: skip
    assert {row.side for row in read_rating_rows(campaign)} == {"left", "right"}
    table = list(
        csv.DictReader(
            io.StringIO(TABLES["items.csv"].build(CampaignSource(campaign)).decode("utf-8-sig"))
        )
    )
    assert Counter(row["condition"] for row in table) == {"guarded": 24, "vanilla": 24}


def test_ratings_belong_to_their_answer_in_any_order() -> None:
    campaign = open_campaign(3)
    values = {"guarded": 2, "vanilla": 3, "random": 4}
    for number in range(6):
        for page in rating.start_rater(campaign, label=f"p{number}").assignments.all():
            rate_by_system(page, values)
    rated = [row for row in read_rating_rows(campaign) if row.value]
    assert {(row.item.condition, row.value) for row in rated} == {("one", 1), *values.items()}
    assert {row.side for row in rated} == {"1", "2", "3", "4"}
    by_name = {row.item.name: row.item.condition for row in rated if row.item.unit.index == 1}
    assert set(by_name) <= {f"u0001.{position}" for position in range(1, 5)}


def test_each_answer_is_shown_first_equally_often() -> None:
    campaign = open_campaign(2, units_per_rater=24)
    first: Counter[str] = Counter()
    orders: Counter[tuple[str, ...]] = Counter()
    for number in range(6):
        for page in rating.start_rater(campaign, label=f"p{number}").assignments.select_related(
            "unit"
        ):
            page_texts = answer_texts(page)
            kinds = tuple(text.split()[0] if "speaks." in text else "log" for text in page_texts)
            first[kinds[0]] += 1
            orders[kinds] += 1
    assert sum(first.values()) == 6 * 24
    assert set(first.values()) == {2 * 24}, first
    assert len(orders) == 6, orders
    assert set(orders.values()) == {24}, orders


@pytest.mark.parametrize(
    ("settings", "problem_text"),
    [
        ({"more_rivals": [{**VANILLA, "condition": "guarded"}]}, "name that is not used elsewhere"),
        ({"more_rivals": [{**VANILLA, "condition": "one"}]}, "name that is not used elsewhere"),
        ({"more_rivals": [{**RANDOM, "condition": str(n)} for n in range(5)]}, "at most 6"),
    ],
)
def test_plan_rejects_indistinguishable_systems(
    settings: dict[str, Any], problem_text: str
) -> None:
    campaign = create_campaign(ended_game(), **GUARDED, **settings)
    assert any(problem_text in problem for problem in rating_plan.find_problems(campaign)), (
        rating_plan.find_problems(campaign)
    )


def test_condition_name_of_games_is_free_without_the_log() -> None:
    campaign = create_campaign(
        ended_game(), **GUARDED, more_rivals=[{**VANILLA, "condition": "one"}], without_log=True
    )
    assert not [p for p in rating_plan.find_problems(campaign) if "name" in p]


def test_systems_are_added_and_removed_on_the_setup_page() -> None:
    ada = sign_in()
    campaign = create_campaign(ended_game())
    fields = {
        "pairs": "pairs", "without_log": "on",
        "rival_condition": "guarded", "rival_backend": "house", "rival_method": "guarded",
    }  # fmt: skip
    alone = post_setup(ada, campaign, **fields)
    assert alone.status_code == 422
    assert "Name a second system" in alone.content.decode()
    fields |= {
        "rival2_condition": "vanilla", "rival2_backend": "house", "rival2_method": "vanilla",
        "rival2_switches": "",
    }  # fmt: skip
    assert post_setup(ada, campaign, **fields).status_code == 302
    campaign.refresh_from_db()
    assert [name for name, _recipe in campaign.systems.values()] == ["guarded", "vanilla"]
    assert [recipe["method"] for _name, recipe in campaign.systems.values()] == [
        "guarded",
        "vanilla",
    ]
    assert campaign.without_log
    page = ada.get(page_url("setup", campaign)).content.decode()
    assert 'value="vanilla"' in page
    assert 'name="rival3_condition"' in page, "one more system can be added"
    assert 'name="rival4_condition"' not in page
    assert post_setup(ada, campaign, rival2_condition="").status_code == 422
    assert post_setup(ada, campaign, rival2_condition="", without_log="").status_code
    campaign.refresh_from_db()
    assert [name for name, _recipe in campaign.systems.values()] == ["guarded"]
    assert not campaign.without_log


def talk(window: Window, seat: int) -> Action:
    """Let all speak twice a day and seat 1 report on seat 3."""
    names = rulesets.get("aiwolf-5").seat_names
    if window.moment.pass_ > 2:
        return OVER
    if seat == 1 and window.moment.pass_ == 1:
        return say(f"I am the Seer. I divined {names[2]}, and {names[2]} is a Werewolf.")
    return say(f"I have nothing to tell, says {names[seat - 1]} on day {window.moment.day}.")


def test_ready_guarded_comparison_can_be_rehearsed_with_ten_raters() -> None:
    file = ready.get("guarded-comparison")
    campaign = studies.create(
        create_researcher("ada"), file.name, design=file.design
    ).campaigns.get()
    games = [finished_contest_game("aiwolf-5", talk, f"game {n}") for n in range(4)]
    for game in games:
        situations.store_situations(game)
    campaigns.change(campaign, games=[(game, "logs") for game in games])
    assert not [p for p in rating_plan.find_problems(campaign) if "other system" not in p]
    result = rehearse_campaign(
        campaign, CampaignRunOptions(raters=10, runs=1, effect=1.0, noise=0.5)
    )
    assert (result["test"]["a"], result["test"]["b"]) == ("vanilla", "guarded")
    assert result["raters"]["finished"] == 10
    assert result["answers"] == {"wanted": 100, "given": 100}
    assert result["difference"] > 0


def test_pair_sides_are_balanced_per_unit_and_rater() -> None:
    rival = {"backend": "house", "method": "full"}
    campaign = rating.open_campaign(
        "1", seed="sides", units_per_rater=8, raters_per_unit=4, repeats=2, rival=rival,
        rival_condition="rival",
    )  # fmt: skip
    raters = [rating.start_rater(campaign) for _ in range(12)]
    first_pages = Assignment.objects.filter(unit__campaign=campaign, is_repeat=False)
    by_unit = Counter(first_pages.values_list("unit", "swapped"))
    assert all(by_unit[unit.pk, True] == 2 for unit in campaign.units.all())
    for rater in raters:
        sides = Counter(a.swapped for a in assignments_of(rater) if not a.is_repeat)
        assert 2 <= sides[True] <= 6
        swapped_by_unit = {a.unit_id: a.swapped for a in assignments_of(rater) if not a.is_repeat}
        repeats = [a for a in assignments_of(rater) if a.is_repeat]
        assert [a.swapped for a in repeats] == [swapped_by_unit[a.unit_id] for a in repeats]
    assert len({a.swapped for a in assignments_of(raters[0])}) == 2


def test_pair_with_failed_rival_answer_is_not_assigned() -> None:
    rival = {"backend": "house", "method": "full"}
    campaign = rating.open_campaign("1", units_per_rater=24, rival=rival, rival_condition="rival")
    stimulus = campaign.units.first().stimuli.get(place=2)  # type: ignore[union-attr]
    stimulus.state, stimulus.failure = "failed", "timeout"
    stimulus.save()
    rater = rating.start_rater(campaign)
    assert stimulus.unit_id not in {a.unit_id for a in assignments_of(rater)}
    assert len(assignments_of(rater)) == 23
