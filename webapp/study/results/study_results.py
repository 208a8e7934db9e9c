"""Computes the results of a study, all sections together, as one JSON-shaped dict."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import product
from typing import Any

from webapp.statistics.compare import split_families
from webapp.statistics.comparison_design import ALPHA, FINAL_ALPHA
from webapp.statistics.intervals import CONFIDENCE_LEVEL
from webapp.study.results import VERSION
from webapp.study.results.estimates import Groups, group_games
from webapp.study.results.leadership import leadership_section
from webapp.study.results.participant_flow import (
    changed_comparisons,
    completer_rows,
    participant_flow,
)
from webapp.study.results.published_means import published_evaluations
from webapp.study.results.sections import ALL_CONDITIONS, Lines, Section, SectionBuilder
from webapp.study.results.study_rows import (
    ACCURATE,
    CHOICE,
    COMPUTER,
    HUMAN,
    MEAN,
    NUMBER,
    PERSON,
    RIGHT,
    SCALE,
    TOLD_APART,
    UNSURE,
    WON,
    AnswerRow,
    GuessRow,
    ItemRow,
    Observation,
    StudyRows,
    name_test,
)

CANT_TELL, CERTAINTY, SURVIVED = "unsure", "sure", "survived"  # measures that no test is of
KINDS = (PERSON, COMPUTER)
GUESSES = (PERSON, COMPUTER, UNSURE)


def guess_section(rows: StudyRows, groups: Groups) -> Section:
    """Return the section of guesses. "Can't tell" is neither right nor wrong."""
    section = Section("guesses", rows, groups)
    for item in dict.fromkeys(row.item for row in rows.guesses):
        _add_guessed_item(section, item, [row for row in rows.guesses if row.item == item])
    section.extra["confusion"] = _confusion_rows(section)
    return section


def _add_guessed_item(section: Section, item: str, guesses: Sequence[GuessRow]) -> None:
    """Add the lines and comparisons of the guesses of one questionnaire item."""
    decided = [row for row in guesses if row.guess != UNSURE]
    right = [_observation(row, row.is_right) for row in decided]
    section.add(RIGHT, right, item=item, is_share=True, is_tested=True)
    if guesses[0].subject == HUMAN:
        for kind in KINDS:
            of_kind = [observation for observation in right if observation.side == kind]
            # Conditions are compared by how often computer players are recognised.
            is_tested = kind == COMPUTER
            section.add(RIGHT, of_kind, item=item, group=kind, is_share=True, is_tested=is_tested)
        # Players who cannot be distinguished are taken for people equally often.
        taken_for_people = [_observation(row, row.guess == PERSON) for row in decided]
        section.add_contrast(TOLD_APART, taken_for_people, (COMPUTER, PERSON), item)
    unsure = [_observation(row, row.guess == UNSURE) for row in guesses]
    if any(observation.value for observation in unsure):
        section.add(CANT_TELL, unsure, item=item, is_share=True)
    for group, is_right in (("right", True), ("wrong", False)):
        certainties = [
            _observation(row, row.sure)
            for row in decided
            if row.sure is not None and row.is_right == is_right
        ]
        section.add(CERTAINTY, certainties, item=item, group=group)


def _observation(row: GuessRow, value: float) -> Observation:
    return Observation(float(value), row.game, row.participant, side=row.truth)


def _confusion_rows(section: Section) -> list[dict[str, object]]:
    """Return the counts of each guess by item, condition and true kind."""
    guesses = [row for row in section.rows.guesses if row.subject == HUMAN]
    counts = Counter(
        (row.item, condition, row.truth, row.guess)
        for row in guesses
        for condition in {ALL_CONDITIONS, section.condition[row.game]}
    )
    items = dict.fromkeys(row.item for row in guesses)
    return [
        {"item": item, "condition": condition, "truth": truth}
        | {guess: counts[item, condition, truth, guess] for guess in GUESSES}
        for item, condition, truth in product(items, section.shown_conditions, KINDS)
    ]


def questionnaire_section(rows: StudyRows, groups: Groups) -> Section:
    """Return the section of questionnaires.

    An answer about no game belongs to the participant's first game, and to no condition if the
    participant played in several.
    """
    section = Section("questionnaires", rows, groups)
    played: dict[str, list[str]] = {}
    for game in rows.games:
        for person in game.people:
            played.setdefault(person, []).append(game.code)
    choices = []
    for item in rows.items:
        item_answers = [row for row in rows.answers if row.item == item.key]
        if item.kind in (SCALE, NUMBER):
            observations = [
                Observation(
                    row.value,
                    row.game or played[row.participant][0],
                    row.participant,
                    has_several_conditions=not row.condition,
                )
                for row in item_answers
                if row.value is not None
            ]
            section.add(MEAN, observations, item=item.key, is_tested=item.kind == SCALE)
        elif item.kind == CHOICE:
            choices += _choice_counts(item, item_answers, section.shown_conditions)
    section.extra["choices"] = choices
    return section


def _choice_counts(
    item: ItemRow, item_answers: list[AnswerRow], conditions: Sequence[str]
) -> list[dict[str, Any]]:
    """Return for each condition the number of people, and the options' counts in their order."""
    rows = []
    for condition in conditions:
        answers = [row for row in item_answers if condition in (ALL_CONDITIONS, row.condition)]
        counts = Counter(option for row in answers for option in row.chosen)
        people = len({row.participant for row in answers})
        rows.append({"item": item.key, "condition": condition, "people": people,
                     "counts": [[option, counts[option]] for option in item.options]})  # fmt: skip
    return rows


def ending_section(rows: StudyRows, groups: Groups) -> Section:
    """Return the section of wins and survival, by kind of player, team and role.

    A game without a winner counts in no share of wins.
    """
    section = Section("endings", rows, groups)
    if rows.is_experiment:
        _add_experiment_endings(section)
        return section
    seats = [(game.code, seat) for game in rows.games for seat in game.seats if seat.kind]
    teams = sorted({seat.team for _game, seat in seats})
    roles = sorted({seat.role for _game, seat in seats})
    subsets = [("", ""), *(("team", t) for t in teams), *(("role", r) for r in roles)]
    for measure in (WON, SURVIVED):
        for field, value in subsets:
            for kind in KINDS:
                observations = [
                    Observation(float(outcome), game, seat.participant)
                    for game, seat in seats
                    if (outcome := getattr(seat, measure)) is not None
                    and seat.kind == kind
                    and (not field or getattr(seat, field) == value)
                ]
                group = f"{kind}/{field}:{value}" if field else kind
                lines: Lines = "together" if field else "both"
                section.add(measure, observations, group=group, is_share=True, lines=lines)
    return section


def _add_experiment_endings(section: Section) -> None:
    """Add wins by team (a value for each game) and survival by role (one for each seat).

    Wins of all seats together would say nothing: when one team wins, another loses. Conditions are
    compared by the wins of each team.
    """
    seats = [(game.code, seat) for game in section.rows.games for seat in game.seats if seat.kind]
    wins: dict[str, dict[str, float]] = {}
    survivals: dict[str, list[Observation]] = {}
    for game, seat in seats:
        if seat.won is not None:
            wins.setdefault(seat.team, {})[game] = float(seat.won)
        survivals.setdefault(seat.role, []).append(Observation(float(seat.survived), game, ""))
    for team, values in sorted(wins.items()):
        observations = [Observation(value, game, "") for game, value in values.items()]
        group = f"{COMPUTER}/team:{team}"
        section.add(WON, observations, group=group, is_share=True, is_tested=True, lines="each")
    for role, observations in sorted(survivals.items()):
        group = f"{COMPUTER}/role:{role}"
        section.add(SURVIVED, observations, group=group, is_share=True, lines="each")


def vote_section(rows: StudyRows, groups: Groups) -> Section:
    """Return the section of correct votes: those for a player with a hunted role."""
    section = Section("votes", rows, groups)
    for kind in KINDS:
        observations = [vote for vote in rows.votes if vote.side == kind]
        is_tested = kind == PERSON or rows.is_experiment
        lines: Lines = "each" if rows.is_experiment else "both"
        section.add(
            ACCURATE, observations, group=kind, is_share=True, is_tested=is_tested, lines=lines
        )
    return section


# Sections in the order on the page. Those that would reveal kinds are empty while these are hidden.
SECTIONS: Mapping[str, SectionBuilder] = {
    "guesses": guess_section,
    "questionnaires": questionnaire_section,
    "endings": ending_section,
    "votes": vote_section,
    "leadership": leadership_section,
}


def build_results(rows: StudyRows) -> dict[str, Any]:
    """Compute all results of a study.

    `told` is whether kinds are revealed. `completers` has the comparisons whose difference is
    another among completers.
    """
    groups = group_games(rows.games)
    sections = {key: build(rows, groups).to_json() for key, build in SECTIONS.items()}
    planned_level = FINAL_ALPHA if rows.has_interim_plan else ALPHA
    _label_tests(sections, rows, planned_level)
    completers = completer_rows(rows)
    completer_sections = {k: build(completers, groups).to_json() for k, build in SECTIONS.items()}
    return {
        "version": VERSION,
        "settings": {"level": CONFIDENCE_LEVEL, "alpha": ALPHA, "alpha_planned": planned_level},
        "told": rows.is_revealed,
        "totals": {
            "games": len(rows.games),
            "groups": len({groups.by_game[game.code] for game in rows.games}),
            "people": rows.people,
            "linked": groups.is_linked,
            "by_condition": {
                name: sum(game.condition == name for game in rows.games) for name in rows.conditions
            },
        },
        "flow": participant_flow(rows) if rows.flow else None,
        "left_out": dict(rows.left_out),
        "conditions": list(rows.conditions),
        "items": [asdict(item) for item in rows.items],
        "sections": sections,
        "completers": changed_comparisons(sections, completer_sections),
        "published": published_evaluations(),
    }


def _label_tests(sections: Mapping[str, Any], rows: StudyRows, planned_level: float) -> None:
    """Label the tests as confirmatory or exploratory, and adjust their p within these families.

    Tests within one condition are in neither family, because they detail a test over all.
    """
    keyed_tests = (
        (name_test(test["measure"], test["item"], test["group"]), test)
        for section in sections.values()
        for test in section["comparisons"]
        if test["condition"] == ALL_CONDITIONS
    )
    split_families(keyed_tests, rows.planned, planned_level)
