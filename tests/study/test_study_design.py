"""Tests of a study's design: errors, conditions, counts of the plan and duration."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from agents.recipe import Recipe
from tests.study.studies import AGREE, MINIMAL_STAGES, create_draft
from webapp.study.design import conditions
from webapp.study.design.conditions import build_conditions, readable_names
from webapp.study.design.stages import Design, TableDesign
from webapp.study.models import Study
from webapp.study.planning import (
    estimates,
    expected_costs,
    studies,
    study_file,
    study_plan,
    table_checks,
)
from webapp.study.sessions.slot_games import build_seat_plans

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"tabel": {}}, "Tabel: this setting does not exist. Remove it."),
        ({"table": {"people": "many"}}, "The table, people: enter a whole number."),
        # Texts in place of numbers are rejected.
        ({"experiment": {"at_once": "4"}}, "The experiment, at once: enter a whole number."),
        ({"assignment": {"games": True}}, "Participants and games, games: enter a whole number."),
        ({"experiment": {"probe": "yes"}}, "The experiment, probe: enter true or false."),
        ({"table": {"limits": {"vote": 2}}}, "The table, limits, vote: enter 5 or more."),
        (
            {"stages": [AGREE, {"kind": "rules", "quiz": {"tries": 9}}]},
            "The stages, no. 2 (rules), quiz, tries: enter 5 or less.",
        ),
        (
            {"waiting": {"at_most": "wait"}},
            "The waiting room, at most: choose one of begin or end.",
        ),
        (
            {"factors": [{"name": "Who?", "levels": [{"name": "a"}]}]},
            "Factors, no. 1, name: use lowercase letters, digits, - and _, start with a letter,"
            " maximum 40 characters.",
        ),
        ({"currency": "a\0"}, "This text contains characters that cannot be shown."),
    ],
)
def test_invalid_design_data_is_rejected_with_a_sentence(data: Any, sentence: str) -> None:
    with pytest.raises(studies.Refused) as error:
        Design.from_json(data)
    assert error.value.sentences == [sentence]


def test_conditions_are_all_combinations_of_levels() -> None:
    levels = [{"name": "full"}, {"name": "none", "table": {"method": "baseline"}}]
    fast = {"limits": {"vote": 20}, "casting": {"2": {"persona": "profile:x"}}}
    quick = [{"name": "slow"}, {"name": "fast", "table": fast}]
    data = {
        "table": {"limits": {"statement": 60}, "casting": {"2": {"method": "full"}}},
        "factors": [{"name": "mind", "levels": levels}, {"name": "time", "levels": quick}],
    }
    conditions = build_conditions(Design.from_json(data))
    assert [(c.index, c.name) for c in conditions] == [
        (1, "full+slow"), (2, "full+fast"), (3, "none+slow"), (4, "none+fast"),
    ]  # fmt: skip
    assert conditions[3].levels == {"mind": "none", "time": "fast"}
    assert conditions[3].table.method == "baseline"
    assert conditions[3].table.limits == {"statement": 60, "vote": 20}
    assert conditions[3].table.casting == {"2": {"method": "full", "persona": "profile:x"}}
    assert conditions[0].table == Design.from_json(data).table
    names = readable_names(Design.from_json(data))
    assert names["none+fast"] == "none, fast"
    for level in levels:
        level["label"] = "The same"
    same = readable_names(Design.from_json({**data, "factors": [data["factors"][0]]}))
    assert same == {}, "equal labels are not used"


def faculty_factors(*names: str) -> list[dict[str, Any]]:
    """Return factors that switch faculties on and off."""

    def level(name: str, on: str) -> dict[str, Any]:
        table = {"faculties": {name: on == "on"}}
        return {"name": f"{name}-{on}", "label": f"{name} {on}", "table": table}

    return [{"name": n, "levels": [level(n, "on"), level(n, "off")]} for n in names]


def test_faculties_can_be_separate_factors() -> None:
    study = create_draft(factors=faculty_factors("persona", "favor", "strategy"))
    conditions = study_plan.build_plan(study).conditions
    assert [condition.table.method for condition in conditions] == [
        "full", "b5p+favor", "b5p+strategy", "b5p", "favor+strategy", "favor", "strategy",
        "baseline",
    ]  # fmt: skip
    assert conditions[1].label == "persona on, favor on, strategy off"
    file = study_file.format_study_file(study_file.DesignFile("n", Design.from_json(study.design)))
    assert study_file.parse_study_file(file).design == Design.from_json(study.design)
    one = create_draft(table={"method": "helmsman"}, factors=faculty_factors("favor"))
    assert "“helmsman” has no separate parts" in study_plan.build_plan(one).problems[0]
    both = [*faculty_factors("favor"), {**faculty_factors("favor")[0], "name": "again"}]
    both[1]["levels"] = [{**level, "name": f"x-{level['name']}"} for level in both[1]["levels"]]
    note = "“favor” and “again” both set “faculties.favor”. “again” takes effect."
    assert note in study_plan.build_plan(create_draft(factors=both)).notes


def test_level_with_an_invalid_table_is_named() -> None:
    levels = [{"name": "one"}, {"name": "two", "table": {"poeple": 2}}]
    study = create_draft(factors=[{"name": "company", "levels": levels}])
    assert study_plan.build_plan(study).problems == [
        "two: Poeple: this setting does not exist. Remove it."
    ]


@pytest.mark.parametrize(
    ("design", "sentence"),
    [
        ({"table": {"ruleset": "chess"}}, "no game called “chess”"),
        ({"table": {"people": 9}}, "The table has 8 seats, which is too few for 9 participants."),
        ({"table": {"people_seats": [9]}}, "Enter participants’ seats as numbers from 1 to 8."),
        ({"table": {"people": 2, "people_seats": [1]}}, "There are 2 participants at the table"),
        ({"table": {"people_roles": ["wizard"]}}, "The game has no role called “wizard”"),
        ({"table": {"people": 2, "people_roles": ["seer", "seer"]}}, "“Seer” occurs 1 time"),
        ({"table": {"backend": "gpt"}}, "There is no model called “gpt” here"),
        ({"table": {"method": "magic"}}, "There is no method called “magic”."),
        ({"table": {"casting": {"3": {"backend": "gpt"}}}}, "There is no model called “gpt” here"),
        ({"table": {"casting": {"12": {}}}}, "There is no seat or role 12"),
        ({"table": {"casting": {"3": {"persona": "character:cook"}}}}, "a written character would"),
        ({"table": {"settings": {"poll_people": "yes"}}}, "cannot be “yes”"),
        ({"table": {"settings": {"moon": True}}}, "no rule called “moon”. Choose "),
        ({"table": {"pace": "hasty"}}, "no pace called “hasty”"),
        ({"table": {"limits": {"lunch": 60}}}, "no time limit for “lunch”"),
        ({"stages": [{"kind": "game"}]}, "Participants must agree first"),
        ({"stages": [{"kind": "consent"}, {"kind": "game"}]}, "Enter the consent text"),
        ({"stages": [AGREE, AGREE, {"kind": "game"}]}, "appears 2 times"),
        ({"stages": [{"kind": "game"}, AGREE]}, "Consent must come before everything else"),
        ({"stages": [AGREE]}, "there is no game"),
        (
            {"stages": [AGREE, {"kind": "interview", "each_game": True}]},
            "“Closing interview” cannot be repeated after each game",
        ),
        (
            {"stages": [*MINIMAL_STAGES, {"kind": "rules"}]},
            "“Rules and quiz” must come before the game",
        ),
        ({"stages": [*MINIMAL_STAGES, {"kind": "questionnaire"}]}, "has no questions"),
        (
            {"stages": [*MINIMAL_STAGES, {"kind": "questionnaire", "instruments": ["mood"]}]},
            "There is no questionnaire called “mood”",
        ),
        (
            {"stages": [*MINIMAL_STAGES, {"kind": "questionnaire", "instruments": ["guarded"]}]},
            "is about single statements",
        ),
        (
            {
                "stages": [
                    AGREE,
                    {"kind": "questionnaire", "instruments": ["who-is-human"]},
                    {"kind": "game"},
                ]
            },
            "asks about a game before the first game",
        ),
        ({"stages": [*MINIMAL_STAGES, {"kind": "ratings", "instrument": "mood"}]}, "is none."),
        (
            {"stages": [*MINIMAL_STAGES, {"kind": "ratings", "campaign": "xyz"}]},
            "no ratings with the code xyz",
        ),
        (
            {"stages": [*MINIMAL_STAGES, {"kind": "debriefing"}, {"kind": "interview"}]},
            "Move it behind all questions.",
        ),
        (
            {"assignment": {"games_each": 2}},
            "There is only 1 condition, and participants never play one",
        ),
        (
            {
                "table": {"people": 3},
                "assignment": {
                    "games": 5,
                    "games_each": 5,
                    "distinct_conditions": False,
                    "meet_once": True,
                },
            },
            "In 5 games every participant meets 10 others, and about 3 participants take part",
        ),
        (
            {"assignment": {"games": 2, "games_each": 3, "distinct_conditions": False}},
            "There are only 2 games, so participants cannot play 3",
        ),
        (
            {
                "factors": [{"name": "people", "levels": [{"name": "one"}, {"name": "two"}]}],
                "assignment": {"games": 1, "games_each": 2},
            },
            "All conditions share 1 deal, and participants play each deal once. Set fewer than 2",
        ),
        (
            {
                "stages": [
                    MINIMAL_STAGES[0],
                    {"kind": "background", "instruments": ["interview"], "least_experience": 1},
                    *MINIMAL_STAGES[1:],
                ]
            },
            "requires knowledge of the game but does not ask for it",
        ),
        ({"during": {"reliability": True}}, "no discussion leader"),
        (
            {"exits": {"completed": {"code_kind": "same"}}},
            "Enter the code for participants who finish",
        ),
        ({"exits": {"left": {"code": "X"}}}, "There is a code for participants who leave early"),
        ({"exits": {"completed": {"pay": "3"}}}, "Choose a currency"),
        ({"exits": {"completed": {"url": "prolific"}}}, "enter an address such as https://"),
        ({"waiting": {"least": 300, "most": 60}}, "the minimum wait is longer than the maximum"),
        (
            {
                "waiting": {"least": 0},
                "factors": [
                    {
                        "name": "people",
                        "levels": [{"name": "alone"}, {"name": "two", "table": {"people": 2}}],
                    }
                ],
            },
            "Conditions differ in their number of participants",
        ),
        (
            {"factors": [{"name": "mind", "levels": [{"name": "a"}, {"name": "a"}]}]},
            "Two conditions are called “a”",
        ),
    ],
)
def test_invalid_design_is_rejected_with_the_reason(design: Any, sentence: str) -> None:
    assert not study_plan.find_opening_errors(create_draft())
    study = create_draft(**design)
    errors = study_plan.find_opening_errors(study)
    assert any(sentence in error for error in errors), errors
    with pytest.raises(studies.Refused):
        studies.open(study)
    study.refresh_from_db()
    assert study.state == Study.DRAFT


@pytest.mark.parametrize(
    ("counts", "text"), [(True, "count like all others"), (False, "do not count")]
)
def test_plan_notes_whether_short_games_count(counts: bool, text: str) -> None:
    waiting = {"at_most": "begin", "short_counts": counts}
    assert any(text in note for note in study_plan.build_plan(create_draft(waiting=waiting)).notes)


def test_plan_counts_games_people_pay_and_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.play.turns.model_choices.known_backends", lambda: ["house", "big"])
    levels = [{"name": "full"}, {"name": "none", "table": {"method": "baseline"}}]
    study = create_draft(
        table={"people": 2, "backend": "big"},
        factors=[{"name": "mind", "levels": levels}],
        assignment={"games": 10, "games_each": 2},
        exits={"completed": {"pay": "4.50"}},
        currency="GBP",
        ethics={"contact": "ada@example.org"},
    )
    plan = study_plan.build_plan(study)
    assert not plan.problems
    assert (plan.games, plan.seats, plan.people) == (20, 40, 20)
    assert (f"{plan.pay:.2f}", plan.currency) == ("90.00", "GBP")
    assert plan.minutes == sum(minutes for _name, minutes in plan.parts)
    # docs/models.md: eight computer players need 113 requests with all faculties, 57 with none.
    assert plan.requests == 10 * (round(113 * 6 / 8) + round(57 * 6 / 8))
    assert expected_costs.requests_of_game(TableDesign(people=1)) == 0  # built-in players


def test_distinct_conditions_need_enough_participants() -> None:
    levels = [{"name": "a", "table": {"people": 3}}, {"name": "b"}]
    study = create_draft(
        factors=[{"name": "people", "levels": levels}], assignment={"games": 4, "games_each": 2}
    )
    assert study_plan.build_plan(study).people == 12  # 8 would be 16 seats divided by two games.


def test_additional_models_are_checked_counted_and_disclosed() -> None:
    table = {"ruleset": "sheriff", "people": 0, "backends": {"office": "openai", "hat": "no-such"}}
    design = Design.from_json({"table": table})
    sentences = " ".join(table_checks.find_errors(build_conditions(design)))
    assert "No other model is possible for “hat”. Choose office, weaker" in sentences
    assert "There is no model called “no-such” here" in sentences
    counts = expected_costs.requests_by_backend(design.table)
    assert set(counts) == {"openai"}
    everybody = expected_costs.requests_by_backend(
        TableDesign.from_json({**table, "backend": "openai"})
    )
    assert counts["openai"] == pytest.approx(everybody["openai"] / 7)
    assert "openai" in conditions.conditions_by_backend(design)


def test_custom_style_is_validated_before_opening() -> None:
    style = 'name = "Pip"\nage = 9\nhabits = ["Counts."]\n[lines]\nover = "I am done."\n'
    seat = {"persona": "style", "style": style}
    table = {"ruleset": "aiwolf-5", "method": "guarded", "blind": False, "casting": {"2": seat}}
    design = Design.from_json({"table": table})
    assert table_checks.find_errors(build_conditions(design)) == []
    assert Recipe.of(build_seat_plans(design.table, "1", {})[1].recipe).persona.style == style
    seat["style"] = style.replace("I am done", "I am the Seer")
    table["blind"] = True
    sentences = " ".join(
        table_checks.find_errors(build_conditions(Design.from_json({"table": table})))
    )
    assert "The style of seat 2: Has finished speaking (over): It is understood" in sentences
    assert "At a blind table, a custom style" in sentences


def test_announced_minutes_match_the_plan_and_not_the_limits() -> None:
    design = Design.from_json({"stages": [
        {"kind": "consent", "text": "x"}, {"kind": "background", "minutes": 90},
        {"kind": "rules", "minutes": 60}, {"kind": "game"},
        {"kind": "questionnaire", "instruments": ["impressions"], "minutes": 45, "each_game": True},
    ], "assignment": {"games_each": 3}})  # fmt: skip
    plan = study_plan.plan_design(design, User.objects.create(username="eva"))
    assert estimates.total_minutes(design) % 5 == 0
    assert abs(estimates.total_minutes(design) - plan.minutes) <= 2
    stage_minutes = [estimates.mean_stage_minutes_or_zero(design, stage) for stage in design.stages]
    assert [n for _name, n in plan.parts] == [
        *stage_minutes[:3],
        stage_minutes[3] * 3,
        stage_minutes[4] * 3,
    ]
