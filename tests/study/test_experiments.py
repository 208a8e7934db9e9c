"""Tests of experiments: designs without people, their schedule and their failed games."""

from __future__ import annotations

import html
import re
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from agents.personas.big_five import FACTORS
from tests.endpoint import Endpoint
from tests.game.table import new_game
from tests.study.experiments import (
    LLM_TABLE,
    METHODS,
    SHORT_GAME_TABLE,
    create_draft,
    database,
    open_experiment,
    plan_problems,
    slot_states,
)
from tests.study.forms import form_data
from tests.study.pages import post_and_follow
from webapp.play.models import LLMCall
from webapp.play.turns.casting import OWN_PERSONA
from webapp.study.data.studies import participant_files
from webapp.study.data.studies.study_source import StudySource
from webapp.study.design.conditions import build_conditions
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design, Factor, TableDesign
from webapp.study.experiments import game_starts, local_run
from webapp.study.management.commands import experiment
from webapp.study.models import Slot, Study
from webapp.study.monitor import model_requests
from webapp.study.planning import studies, study_file, study_plan
from webapp.study.planning.expected_costs import expected_costs, requests_of_condition
from webapp.study.planning.experiment_checks import experiment_backends, league_note
from webapp.study.researcher.setup.study_setup import PART_FORMS
from webapp.study.researcher.setup.study_table_form import PACES
from webapp.study.researcher.setup.table_variables import factor_labels


def design_of_seat_two(**seat: Any) -> dict[str, Any]:
    return {"table": {**SHORT_GAME_TABLE, "casting": {"2": seat}}}


def design_with_persona(*first_scores: float) -> dict[str, Any]:
    """Return a design whose second seat has these scores, completed by 4 if two are given."""
    scores = [*first_scores, 4, 4, 4] if len(first_scores) == 2 else first_scores
    return design_of_seat_two(persona=OWN_PERSONA, scores=dict(zip(FACTORS, scores, strict=False)))


def test_design_without_people_has_no_stages_and_round_trips() -> None:
    design = Design.from_json(
        {"table": SHORT_GAME_TABLE, "experiment": {"repeats": 3}, "factors": [METHODS]}
    )
    assert (design.is_experiment, design.stages) == (True, ())
    text = study_file.format_study_file(study_file.DesignFile("E", design, seed="s"))
    assert study_file.parse_study_file(text).design == design
    with pytest.raises(Refused, match="the minimum is 1"):
        Design.from_json({"table": {"people": 1}, "stages": []})


@pytest.mark.parametrize(
    ("design", "sentence"),
    [
        ({"stages": [{"kind": "consent"}]}, "Remove its stages"),
        ({"factors": [{"name": "f", "levels": [{"name": "a", "table": {"people": 2}}]}]},
         "a has participants"),
        ({"experiment": {"repeats": 4}}, "2 games is not a multiple of that. Choose 4"),
        ({"experiment": {"league": [{"name": "a"}]}}, "at least two systems"),
        ({"experiment": {"league": [{"name": "a"}, {"name": "a"}]}}, "Two systems are called “a”"),
        ({"experiment": {"league": [{"name": n} for n in "abc"]}},
         "3 systems need a multiple of 3 games. Choose 3"),
        ({"experiment": {"league": [{"name": "a"}, {"name": "b", "seat": {"backend": "nobody"}}]}},
         "b: There is no model called “nobody” here"),
        ({"table": LLM_TABLE, "experiment": {"budget": {"requests": 5}}}, "Allow more than 5"),
        ({"table": {**LLM_TABLE, "backend": "nobody"}}, "There is no model called “nobody” here"),
        (design_with_persona(9, 4), "scores 9, 4, 4, 4, 4. Enter whole numbers from 1 to 7"),
        (design_with_persona(4, 3.5), "seat 2 has the scores 4, 3.5, 4, 4, 4. Enter whole numbers"),
        (design_with_persona(4), "Enter the five scores for the personality of seat 2"),
        (design_of_seat_two(temperature=2.5),
         "The temperature of seat 2 is 2.5. Enter a number from 0 to 2"),
        ({"table": {**SHORT_GAME_TABLE, "casting": {"werewolf": {"temperature": 2.5}}}},
         "The temperature of the role “Werewolf” is 2.5. Enter a number from 0 to 2"),
        (design_of_seat_two(mood="sad"), "Unknown settings of seat 2: mood."),
    ],
)  # fmt: skip
@database
def test_invalid_experiment_is_rejected_with_instructions(
    design: dict[str, Any], sentence: str, endpoint: Endpoint
) -> None:
    assert sentence in " ".join(plan_problems(**design))
    with pytest.raises(Refused):
        open_experiment(**design)


@pytest.mark.parametrize(
    ("seat", "sentence"),
    [
        ({"backend": 5}, "enter a text"),
        ({"profile": True}, "enter a table of settings"),
        ({"switches": "hint"}, "enter a table of settings"),
        ({"switches": {"manner": ["hint"]}}, "enter a text"),
        ({"scores": {"openness": "x"}}, "enter a number"),
        ({"temperature": []}, "enter a number"),
    ],
)
def test_seat_setting_of_wrong_type_is_rejected(seat: dict[str, Any], sentence: str) -> None:
    for design in (
        {"table": {**SHORT_GAME_TABLE, "casting": {"1": seat}}},
        {"table": SHORT_GAME_TABLE, "experiment": {"league": [{"name": "a", "seat": seat}]}},
    ):
        with pytest.raises(Refused, match=sentence):
            Design.from_json(design)


@database
def test_money_budget_needs_model_prices(endpoint: Endpoint) -> None:
    problems = plan_problems(table=LLM_TABLE, experiment={"budget": {"money": 5}})
    assert "“openai” has no price" in problems[0]


@database
def test_study_with_people_needs_people_in_every_condition() -> None:
    levels = [{"name": "none", "table": {"people": 0}}, {"name": "one"}]
    plan = study_plan.build_plan(
        create_draft(table={"people": 1}, factors=[{"name": "n", "levels": levels}])
    )
    assert (
        "none has no participants. Every condition of a study needs participants." in plan.problems
    )


@database
def test_costs_are_estimated_from_recorded_requests(endpoint: Endpoint) -> None:
    design = {"table": LLM_TABLE, "assignment": {"games": 10}, "experiment": {"at_once": 5}}
    before = study_plan.build_plan(create_draft(**design))
    assert before.costs
    assert (before.costs.tokens, before.costs.hours) == (0, None)
    assert "The tokens and costs of openai are known after the first games" in before.notes[0]
    probe = open_experiment(table=LLM_TABLE, assignment={"games": 1})
    list(local_run.play_games(probe))
    used = model_requests.request_stats(probe)
    after = study_plan.build_plan(create_draft(**design)).costs
    assert after
    tokens = (used.tokens_in + used.tokens_out) / used.requests
    assert after.tokens == pytest.approx(after.requests * tokens, rel=0.02)
    (refusal,) = plan_problems(**{**design, "experiment": {"budget": {"tokens": 5}}})
    assert re.search(r"needs about [\d,.]+ tokens\. Allow more than 5\.", refusal)
    slot = probe.slots.get()
    assert slot.ended_at
    assert slot.began_at
    lasted = (slot.ended_at - slot.began_at).total_seconds()
    assert after.hours == pytest.approx(10 * lasted / 5 / 3600)


@database
def test_costs_are_estimated_from_similar_games_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The similar game takes a minute and the different games take longer."""
    file = tmp_path / "models.toml"
    entry = 'key_env = ""\nmodel = "m"\nprice_in = {}\nprice_out = {}\n'
    file.write_text(f"[cheap]\n{entry.format(1, 2)}[dear]\n{entry.format(100, 100)}")
    monkeypatch.setenv("FABULA_MODELS", str(file))
    table = {**LLM_TABLE, "backend": "cheap"}
    different_tables = [
        {**table, "ruleset": "aiwolf-5"},
        {**table, "backend": "dear"},
        {**table, "people": 1},
    ]
    began_at = timezone.now()
    game = new_game()
    for number, (slot_table, state, minutes) in enumerate(
        [
            (table, Slot.DONE, 1),
            (table, Slot.FAILED, 600),
            *((o, Slot.DONE, 600) for o in different_tables),
        ]
    ):
        study = create_draft(table=slot_table)
        Slot.objects.create(
            study=study, index=number, block=0, deal="", state=state, began_at=began_at,
            condition=study.conditions.create(index=1, name="c", table=slot_table),
            ended_at=began_at + timedelta(minutes=minutes),
        )  # fmt: skip
    for backend, tokens in (("cheap", 1_000), ("dear", 900_000)):
        LLMCall.objects.create(
            game=game, seat=1, window=backend, step="s", backend=backend, kind="vote", brief={},
            exchange={"usage": {"prompt_tokens": tokens, "completion_tokens": 500}}, seconds=1,
        )  # fmt: skip
    design = Design.from_json(
        {"table": table, "assignment": {"games": 10}, "experiment": {"at_once": 5}}
    )
    costs = expected_costs(design, build_conditions(design))
    assert costs.requests > 10
    assert costs.hours == pytest.approx(10 / 5 / 60)
    assert costs.tokens == costs.requests * 1_500
    # 1,000 tokens in at 1 and 500 out at 2 per million.
    assert costs.money == {"USD": pytest.approx(costs.requests * 0.002)}
    # In a league each system has a share of the seats, in one condition.
    systems = [{"name": name, "seat": {"backend": name}} for name in ("cheap", "dear")]
    shared = Design.from_json(
        {"table": table, "assignment": {"games": 10}, "experiment": {"league": systems}}
    )
    (condition,) = build_conditions(shared)
    requests = requests_of_condition(shared, condition.table)
    assert requests["cheap"] == requests["dear"] == pytest.approx(costs.requests / 2, abs=1)
    assert experiment_backends(shared, [condition]) == {"cheap", "dear"}
    assert league_note(shared) == "Each of the 2 systems gets each role 5 times."
    assert league_note(design) == ""


@database
def test_money_budget_needs_prices_of_models_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "models.toml"
    file.write_text(
        '[priced]\nkey_env = ""\nmodel = "m"\nprice_in = 1\nprice_out = 1\n'
        '[free]\nkey_env = ""\nmodel = "m"\n'
    )
    monkeypatch.setenv("FABULA_MODELS", str(file))
    rules = {"budget": {"money": 5}}
    seats = {"1": {"backend": "priced"}, "2": {"backend": "free"}}
    problems = study_plan.build_plan(
        create_draft(table={**SHORT_GAME_TABLE, "casting": seats}, experiment=rules)
    ).problems
    (unpriced,) = [problem for problem in problems if "has no price" in problem]
    assert "“free”" in unpriced
    file.write_text("[broken\n")
    plan = study_plan.build_plan(create_draft(table=SHORT_GAME_TABLE, experiment=rules))
    assert any("models.toml" in problem for problem in plan.problems)


@database
def test_failed_game_is_restarted_and_games_are_added_on_pages(
    ada: Client, endpoint: Endpoint
) -> None:
    study = open_experiment(table=LLM_TABLE, assignment={"games": 1}, experiment={"failures": 1})
    endpoint.rules.key = "another"
    list(local_run.play_games(study))
    endpoint.rules.key = None
    game_starts.start_games(study.pk)
    page = ada.get(reverse("study:study_monitor", args=[study.code])).content.decode()
    assert "1 failed." in page
    one = reverse("study:study_monitor_table", args=[study.code, 1])
    assert "in place of a model that failed" in ada.get(one).content.decode()
    ada.post(one, {"do": "restart"})
    assert slot_states(study) == {"void": 1, "free": 1}
    assert "Enter a number from 2" in post_and_follow(
        ada, study, "study_monitor", do="extend", **{"extend-games": "1"}
    )
    post_and_follow(ada, study, "study_monitor", do="extend", **{"extend-games": "3"})
    assert slot_states(study) == {"void": 1, "free": 3}
    assert {game["state"] for game in local_run.play_games(study)} == {"done"}
    ada.post(reverse("study:study_state", args=[study.code]), {"do": "close"})
    html = ada.get(reverse("study:all_games"), {"study": study.code}).content.decode()
    assert html.count("Replay") == 4, "failed games can be replayed too"


@database
def test_experiment_offers_no_pages_for_people(ada: Client) -> None:
    study = create_draft()
    page = ada.get(reverse("study:study_setup", args=[study.code])).content.decode()
    assert "Start the experiment" in page
    for name in ("study_people", "study_payments", "study_ethics", "study_rehearsal"):
        assert f'href="{reverse(f"study:{name}", args=[study.code])}"' not in page
        assert ada.get(reverse(f"study:{name}", args=[study.code])).status_code == 404
    for part in ("games", "waiting", "exits", "pay", "ethics", "during"):
        assert ada.get(reverse("study:study_part", args=[study.code, part])).status_code == 404
    offered = ada.get(reverse("study:study_factors", args=[study.code])).content.decode()
    assert "vary=method" in offered
    assert not re.search("vary=(people|blind|faces|personas|pace)", offered)
    table = reverse("study:study_part", args=[study.code, "table"])
    assert 'name="people"' not in ada.get(table).content.decode()
    fields = {"ruleset": "one-night", "backend": "house", "method": "baseline", "do": "save"}
    assert ada.post(table, fields).status_code == 302
    study.refresh_from_db()
    assert (study.design["table"]["method"], study.is_experiment) == ("baseline", True)


def test_factor_about_people_keeps_its_labels_in_an_experiment() -> None:
    levels = [{"name": "s", "table": {"pace": "slow"}}, {"name": "e", "table": {"pace": "even"}}]
    factor = Factor.from_json({"name": "pace", "levels": levels})
    label, level_labels = factor_labels(factor, TableDesign(people=0, blind=False))
    assert (label, level_labels) == ("Pace", [str(PACES["slow"]), str(PACES["even"])])


@database
def test_pages_and_command_create_the_same_design(ada: Client) -> None:
    """Equal designs and seeds give equal games, so comparing the designs is enough."""
    ada.post(reverse("study:new_study"), {"ready": "humanized-methods"})
    study = Study.objects.get()
    fields = form_data(PART_FORMS["experiment"](study), games=2, do="save")
    ada.post(reverse("study:study_part", args=[study.code, "experiment"]), fields)
    study.refresh_from_db()
    file = experiment._load_design_file("humanized-methods")
    design = experiment._apply_options(file, {"games": 2, "backend": ""})
    assert study.design == design.design.to_json()
    assert study.design["assignment"]["games"] == 2


@database
def test_experiment_rejects_participants_and_deletion_of_its_games(
    ada: Client, client: Client
) -> None:
    study = open_experiment(assignment={"games": 1})
    assert Client().get(f"/take/{study.key}/").status_code == 404
    list(local_run.play_games(study))
    assert "Close it instead" in post_and_follow(ada, study, "study_delete")
    assert Study.objects.filter(pk=study.pk).exists()
    second_draft = create_draft()
    assert study_plan.build_plan(second_draft).notes == [
        "“An experiment” has the same seed, so it has the same deals at equal tables."
    ]
    with pytest.raises(Refused, match="open already"):
        studies.open(study)


@database
def test_concurrent_starts_open_an_experiment_once() -> None:
    study = create_draft(factors=[METHODS])
    pages = list[str]()
    both = threading.Barrier(2)

    def press() -> None:
        client = Client()
        client.force_login(study.owner)
        both.wait()
        try:
            pages.append(post_and_follow(client, study, "study_state", do="open"))
        finally:
            connection.close()

    threads = [threading.Thread(target=press) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert study.audit_events.filter(what="opened").count() == 1
    assert study.slots.count() == 4
    assert sum("The study is open already, or was opened before." in page for page in pages) == 1


@database
def test_league_form_has_one_line_per_system_and_keeps_hidden_settings(ada: Client) -> None:
    league = [{"name": "a", "seat": {"method": "contest", "switches": {"manner": "hint"}}}]
    study = create_draft(experiment={"league": league})
    part = reverse("study:study_part", args=[study.code, "experiment"])
    assert "a /contest …" in ada.get(part).content.decode()
    fields = {"games": 4, "deals": "fresh", "repeats": 1, "at_once": 4, "replays": 3,
              "fallbacks": 20, "failures": 3, "budget_requests": 0, "budget_tokens": 0,
              "budget_money": 0, "seed": "s", "do": "save"}  # fmt: skip
    wrong = ada.post(part, {**fields, "league": "a /contest …\nsecond"})
    assert "“second” is not a system" in html.unescape(wrong.content.decode())
    ada.post(part, {**fields, "league": "a /contest …\nb house/full"})
    study.refresh_from_db()
    assert study.design["experiment"]["league"] == [
        *league, {"name": "b", "seat": {"backend": "house", "method": "full"}}
    ]  # fmt: skip
    studies.open(study)
    csv = participant_files.TABLES["assignments.csv"].build(StudySource(study)).decode()
    assert ",systems," in csv.splitlines()[0]
