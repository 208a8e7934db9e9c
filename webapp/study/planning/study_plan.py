"""The plan of a study for its setup page: games, people, minutes, pay and requests.

It also has the errors that prevent opening the study. Nothing is stored.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webapp.play.turns import model_choices
from webapp.study.design.conditions import ConditionPlan, build_conditions, overlap_sentences
from webapp.study.design.exits import Exit
from webapp.study.design.participation_rules import settings_for_questions
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design
from webapp.study.models import Study
from webapp.study.planning import (
    estimates,
    experiment_checks,
    planned_tests,
    rule_checks,
    stage_checks,
    table_checks,
)
from webapp.study.planning.expected_costs import (
    ExpectedCosts,
    budget_errors,
    expected_costs,
    requests_of_game,
)


@dataclass(frozen=True)
class StudyPlan:
    """The plan of a study."""

    conditions: Sequence[ConditionPlan]
    problems: Sequence[str]  # a sentence for each error that prevents opening the study
    notes: Sequence[str] = ()  # sentences for the researcher, which do not prevent it
    games: int = 0  # number of games that must count
    seats: int = 0  # number of people's seats in all games
    people: int = 0  # number of participants who must complete the study
    minutes: int = 0  # minutes of a participant who completes the study
    parts: Sequence[tuple[str, int]] = ()  # (stage, minutes) in order
    pay: Decimal = Decimal(0)  # pay of all participants who complete the study
    bonuses: Decimal = Decimal(0)  # highest possible bonuses of these participants
    currency: str = ""
    requests: int = 0  # requests to language models in all games
    costs: ExpectedCosts | None = None  # expected costs of an experiment, None for other studies
    is_complete: bool = True  # whether the numbers could be computed


def build_plan(study: Study) -> StudyPlan:
    """Return the plan of the study as it is set up."""
    try:
        design = Design.from_json(study.design)
    except Refused as refused:
        return _incomplete_plan(refused.sentences)
    design_plan = plan_design(design, study.owner)
    same_seed = Study.objects.filter(seed=study.seed).exclude(pk=study.pk)
    if design.is_experiment and (earlier := same_seed.filter(owner=study.owner).first()):
        text = _("“{name}” has the same seed, so it has the same deals at equal tables.")
        return replace(design_plan, notes=[*design_plan.notes, text.format(name=earlier.name)])
    return design_plan


def find_opening_errors(study: Study) -> list[str]:
    """Return the problems of the plan, and a sentence for each model server without an answer.

    The servers are asked only if the plan is complete.
    """
    plan = build_plan(study)
    if not plan.is_complete:
        return list(plan.problems)
    design = Design.from_json(study.design)
    backends = experiment_checks.experiment_backends(design, plan.conditions)
    known_backends = sorted(backends & set(model_choices.known_backends()))
    errors = [*plan.problems, *filter(None, map(model_choices.backend_error, known_backends))]
    return list(dict.fromkeys(errors))  # backends of one server have the same error


def plan_design(design: Design, owner: User) -> StudyPlan:
    """Return the plan of a design, which may use campaigns of `owner`."""
    errors = []
    if not design.is_experiment:
        errors = [*stage_checks.find_errors(design), *rule_checks.find_errors(design)]
    try:
        conditions = build_conditions(design)
    except Refused as refused:
        return _incomplete_plan([*refused.sentences, *errors])
    table_errors = table_checks.find_errors(conditions)
    if not design.is_experiment:
        text = _("{name} has no participants. Every condition of a study needs participants.")
        table_errors += [text.format(name=c.name) for c in conditions if not c.table.people]
    if table_errors:
        return _incomplete_plan([*errors, *table_errors], conditions)
    if design.is_experiment:
        return _plan_experiment(design, conditions)
    return _plan_study(design, conditions, errors, owner)


def _plan_study(
    design: Design, conditions: Sequence[ConditionPlan], errors: Sequence[str], owner: User
) -> StudyPlan:
    """Return the plan of a study with people, in spite of `errors` of its stages and its pay."""
    people, tables = _count_people(design, conditions), [c.table for c in conditions]
    parts = [(s.label, n) for s, n in estimates.total_minutes_by_stage(design, conditions)]
    return StudyPlan(
        conditions=conditions,
        games=design.assignment.games * len(conditions),
        seats=design.assignment.games * sum(table.people for table in tables),
        people=people,
        minutes=sum(minutes for _name, minutes in parts),
        parts=parts,
        pay=people * design.exits.get("completed", Exit()).pay,
        bonuses=people * estimates.max_bonus_or_zero(design),
        currency=design.currency,
        requests=design.assignment.games * sum(map(requests_of_game, tables)),
        problems=[
            *errors,
            *_in_play_errors(design, conditions),
            *planned_tests.find_errors(design, conditions),
            *stage_checks.find_content_errors(design, tables, owner),
            *rule_checks.find_duration_errors(design, conditions),
            *_meeting_errors(design, conditions),
            *_waiting_errors(design, conditions),
        ],
        notes=[
            *rule_checks.find_notes(design, conditions),
            *planned_tests.find_test_notes(design, conditions),
            *overlap_sentences(design),
            *_model_notes(design, conditions),
        ],
    )


def _plan_experiment(design: Design, conditions: Sequence[ConditionPlan]) -> StudyPlan:
    costs = expected_costs(design, conditions)
    return StudyPlan(
        conditions=conditions,
        games=design.assignment.games * len(conditions),
        requests=costs.requests,
        costs=costs,
        problems=[
            *experiment_checks.find_errors(design, conditions),
            *budget_errors(design, costs),
            *planned_tests.find_errors(design, conditions),
        ],
        notes=[
            *overlap_sentences(design),
            *_model_notes(design, conditions),
            *filter(None, [experiment_checks.league_note(design), _cost_note(design, costs)]),
        ],
    )


def _incomplete_plan(errors: Sequence[str], conditions: Sequence[ConditionPlan] = ()) -> StudyPlan:
    return StudyPlan(conditions, list(dict.fromkeys(errors)), is_complete=False)


def _cost_note(design: Design, costs: ExpectedCosts) -> str:
    if not costs.unrecorded or design.experiment.probe:
        return ""
    text = _(
        "The tokens and costs of {models} are known after the first games. Let the experiment"
        " pause after the first game of each condition."
    )
    return text.format(models=", ".join(costs.unrecorded))


def _model_notes(design: Design, conditions: Sequence[ConditionPlan]) -> Iterator[str]:
    for name in sorted(experiment_checks.experiment_backends(design, conditions)):
        if lack := model_choices.missing_setup(name):
            yield _("The model “{name}” is not available: {lack}.").format(name=name, lack=lack)


def _count_people(design: Design, conditions: Sequence[ConditionPlan]) -> int:
    """Return the number of participants who are needed to fill all seats.

    Each plays a fixed number of games. If no participant plays a condition twice, its seats need
    different participants.
    """
    assignment = design.assignment
    min_people = max(condition.table.people for condition in conditions)
    if assignment.distinct_conditions:
        min_people *= assignment.games
    seats = assignment.games * sum(condition.table.people for condition in conditions)
    return max(min_people, math.ceil(seats / assignment.games_each))


def _in_play_errors(design: Design, conditions: Sequence[ConditionPlan]) -> Iterator[str]:
    """Yield why a ruleset refuses the questions during the game."""
    for name in sorted({condition.table.ruleset for condition in conditions}):
        try:
            settings_for_questions(design.during, name)
        except Refused as refused:
            yield from refused.sentences


def _meeting_errors(design: Design, conditions: Sequence[ConditionPlan]) -> Iterator[str]:
    """Yield a sentence if there are too few games, or too few other participants to meet once."""
    assignment = design.assignment
    games = assignment.games * len(conditions)
    if assignment.games_each > games:
        yield ngettext(
            "There is only {n} game, so participants cannot play {each} games each. Add games,"
            " or reduce the games per participant.",
            "There are only {n} games, so participants cannot play {each} games each. Add games,"
            " or reduce the games per participant.",
            games,
        ).format(n=games, each=assignment.games_each)
    elif assignment.deals == "shared" and assignment.games_each > assignment.games:
        yield ngettext(
            "All conditions share {n} deal, and participants play each deal once. Set fewer than"
            " {each} games per participant, add games, or use a new deal for each game.",
            "All conditions share {n} deals, and participants play each deal once. Set fewer"
            " than {each} games per participant, add games, or use a new deal for each game.",
            assignment.games,
        ).format(n=assignment.games, each=assignment.games_each)
    max_people = max(condition.table.people for condition in conditions)
    others_met = assignment.games_each * (max_people - 1)
    people = _count_people(design, conditions)
    if assignment.meet_once and others_met > people - 1:
        error_text = _(
            "In {each} games every participant meets {others} others, and about {people}"
            " participants take part, so repeated meetings are unavoidable. Add games, reduce"
            " the games per participant, or allow repeated meetings."
        )
        yield error_text.format(each=assignment.games_each, others=others_met, people=people)


def _waiting_errors(design: Design, conditions: Sequence[ConditionPlan]) -> Iterator[str]:
    """Yield a sentence if the wait for a blind table reveals the number of people at it."""
    if (
        design.is_blind
        and not design.waiting.least
        and len({c.table.people for c in conditions}) > 1
    ):
        yield _(
            "Conditions differ in their number of participants, so participants who do not wait"
            " play alone. Set the same minimum wait for all."
        )
