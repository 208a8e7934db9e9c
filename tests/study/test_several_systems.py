"""Several systems at one moment: each answers, and raters see the answers side by side, blind."""

from __future__ import annotations

import csv
import io
from collections import Counter
from typing import Any

import pytest

from game.engine import rulesets
from game.engine.forms import Action, say
from game.engine.windows import Window
from tests.study import rating
from tests.study.desk import signed_in
from tests.study.test_contest_games import OVER, contest_game
from tests.study.test_setup import at, entered
from tests.study.world import campaign, finished, researcher
from webapp.study.data.campaign_data import CampaignSource
from webapp.study.data.items import items_csv
from webapp.study.models import Assignment, Campaign, Stimulus
from webapp.study.planning import ready, studies
from webapp.study.rater import saving
from webapp.study.rater.rating_form import RatingForm
from webapp.study.rating import campaigns, comparison_system, rating_plan, situation_cache
from webapp.study.rating.rating_rows import read_rating_rows
from webapp.study.rating.stimuli import build_fields
from webapp.study.rehearsal.campaign_runs import CampaignRunOptions, rehearse_in_process

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("plain_figures")]
VANILLA = {"condition": "vanilla", "recipe": {"backend": "house", "method": "vanilla"}}
RANDOM = {"condition": "random", "recipe": {"backend": "random", "method": "full"}}
GUARDED: dict[str, Any] = {
    "rival": {"backend": "house", "method": "guarded"},
    "rival_condition": "guarded",
}


def open_with(count: int, *, without_log: bool = False, **more: Any) -> Campaign:
    """An open campaign over one game, whose `count` systems have answered."""
    others = [VANILLA, RANDOM, *({**RANDOM, "condition": f"r{n}"} for n in range(4))]
    made = campaign(
        finished(),
        **GUARDED,
        more_rivals=others[: count - 1],
        without_log=without_log,
        raters_per_unit=6,
        **more,
    )
    campaigns.draw_units(made)
    for stimulus in Stimulus.objects.filter(unit__campaign=made, state="waiting"):
        stimulus.text, stimulus.state = f"{stimulus.condition} speaks.", "idle"
        stimulus.save()
    campaigns.open(made)
    return made


def texts(page: Assignment) -> list[str]:
    return [side.text for side in RatingForm(page).sides]


def test_each_system_answers_with_its_own_recipe_and_the_log_may_stand_aside() -> None:
    of = campaign(finished(), **GUARDED, more_rivals=[VANILLA], without_log=True)
    campaigns.draw_units(of)
    made = list(Stimulus.objects.filter(unit__campaign=of).order_by("unit__index", "place"))[:4]
    for stimulus in made:
        comparison_system.make_answer(stimulus)
        stimulus.refresh_from_db()
    assert [(s.condition, s.method) for s in made] == [
        ("guarded", "guarded"), ("vanilla", "vanilla"), ("guarded", "guarded"),
        ("vanilla", "vanilla"),
    ]  # fmt: skip
    assert {s.utterance_id for s in made} == {None}
    assert (
        comparison_system.count_answers(of)["made"] + comparison_system.count_answers(of)["failed"]
        == 4
    )


def answer(page: Assignment, wanted: dict[str, int]) -> None:
    """Rate each answer by the system that its text names; 1 is for the log's words."""
    slots = {side.slot: wanted.get(side.text.split()[0], 1) for side in RatingForm(page).sides}
    fields = build_fields(page)
    values = {name: slots[field.slot] for name, field in fields.items()}
    saving.store_rating(page, saving.SubmittedRating(values), fields)


def test_raters_see_the_systems_and_nothing_of_the_log() -> None:
    of = open_with(2, without_log=True)
    page = rating.begun(of).assignments.first()
    assert page
    assert sorted(texts(page)) == ["guarded speaks.", "vanilla speaks."]
    answer(page, {"guarded": 4, "vanilla": 2})
    assert {(r.item.condition, r.value) for r in read_rating_rows(of) if r.value} == {
        ("guarded", 4), ("vanilla", 2),
    }  # fmt: skip
    assert {row.side for row in read_rating_rows(of)} == {"left", "right"}
    table = list(csv.DictReader(io.StringIO(items_csv(CampaignSource(of)).decode("utf-8-sig"))))
    assert Counter(row["condition"] for row in table) == {"guarded": 24, "vanilla": 24}


def test_what_is_stated_belongs_to_the_answer_in_whatever_order_it_is_shown() -> None:
    of = open_with(3)
    wanted = {"guarded": 2, "vanilla": 3, "random": 4}
    for number in range(6):
        for page in rating.begun(of, label=f"p{number}").assignments.all():
            answer(page, wanted)
    given = [row for row in read_rating_rows(of) if row.value]
    assert {(row.item.condition, row.value) for row in given} == {("one", 1), *wanted.items()}
    assert {row.side for row in given} == {"1", "2", "3", "4"}
    by_name = {row.item.name: row.item.condition for row in given if row.item.index == 1}
    assert set(by_name) <= {f"u0001.{place}" for place in range(1, 5)}


def test_every_answer_stands_first_equally_often() -> None:
    of = open_with(2, units_per_rater=24)
    first: Counter[str] = Counter()
    orders: Counter[tuple[str, ...]] = Counter()
    for number in range(6):
        for page in rating.begun(of, label=f"p{number}").assignments.select_related("unit"):
            shown = texts(page)
            kinds = tuple(text.split()[0] if "speaks." in text else "log" for text in shown)
            first[kinds[0]] += 1
            orders[kinds] += 1
    assert sum(first.values()) == 6 * 24
    assert set(first.values()) == {2 * 24}, first
    assert len(orders) == 6, orders
    assert set(orders.values()) == {24}, orders


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"more_rivals": [{**VANILLA, "condition": "guarded"}]}, "name that is not used elsewhere"),
        ({"more_rivals": [{**VANILLA, "condition": "one"}]}, "name that is not used elsewhere"),
        ({"more_rivals": [{**RANDOM, "condition": str(n)} for n in range(5)]}, "at most 6"),
    ],
)
def test_a_plan_refuses_what_cannot_be_told_apart(settings: dict[str, Any], says: str) -> None:
    of = campaign(finished(), **GUARDED, **settings)
    assert any(says in problem for problem in rating_plan.find_problems(of)), (
        rating_plan.find_problems(of)
    )


def test_a_name_of_the_games_is_free_where_their_words_are_not_rated() -> None:
    of = campaign(
        finished(), **GUARDED, more_rivals=[{**VANILLA, "condition": "one"}], without_log=True
    )
    assert not [p for p in rating_plan.find_problems(of) if "name" in p]


def test_systems_come_and_go_on_the_set_up_page() -> None:
    ada, of = signed_in(), campaign(finished())
    typed = {
        "pairs": "pairs", "without_log": "on",
        "rival_condition": "guarded", "rival_backend": "house", "rival_method": "guarded",
    }  # fmt: skip
    alone = ada.post(at("setup", of), entered(of, **typed))
    assert alone.status_code == 422
    assert "Name a second system" in alone.content.decode()
    typed |= {
        "rival2_condition": "vanilla", "rival2_backend": "house", "rival2_method": "vanilla",
        "rival2_switches": "",
    }  # fmt: skip
    assert ada.post(at("setup", of), entered(of, **typed)).status_code == 302
    of.refresh_from_db()
    assert [name for name, _recipe in of.systems.values()] == ["guarded", "vanilla"]
    assert [recipe["method"] for _name, recipe in of.systems.values()] == ["guarded", "vanilla"]
    assert of.without_log
    page = ada.get(at("setup", of)).content.decode()
    assert 'value="vanilla"' in page
    assert 'name="rival3_condition"' in page, "there is room for one more"
    assert 'name="rival4_condition"' not in page
    assert ada.post(at("setup", of), entered(of, rival2_condition="")).status_code == 422
    assert ada.post(at("setup", of), entered(of, rival2_condition="", without_log="")).status_code
    of.refresh_from_db()
    assert [name for name, _recipe in of.systems.values()] == ["guarded"]
    assert not of.without_log


def talk(window: Window, seat: int) -> Action:
    """Seat 1 reports on seat 3, everybody speaks twice a day."""
    names = rulesets.get("aiwolf-5").seat_names
    if window.moment.pass_ > 2:
        return OVER
    if seat == 1 and window.moment.pass_ == 1:
        return say(f"I am the Seer. I divined {names[2]}, and {names[2]} is a Werewolf.")
    return say(f"I have nothing to tell, says {names[seat - 1]} on day {window.moment.day}.")


def test_the_papers_comparison_is_ready_and_ten_raters_rehearse_it_to_the_end() -> None:
    file = ready.get("guarded-comparison")
    of = studies.create(researcher("ada"), file.name, design=file.design).campaigns.get()
    games = [contest_game("aiwolf-5", talk, f"game {n}") for n in range(4)]
    for game in games:
        situation_cache.store_situations(game)
    campaigns.change(of, games=[(game, "logs") for game in games])
    assert not [p for p in rating_plan.find_problems(of) if "other system" not in p]
    found = rehearse_in_process(of, CampaignRunOptions(raters=10, runs=1, effect=1.0, noise=0.5))
    assert (found["test"]["a"], found["test"]["b"]) == ("vanilla", "guarded")
    assert found["raters"]["finished"] == 10
    assert found["answers"] == {"wanted": 100, "given": 100}
    assert found["difference"] > 0
