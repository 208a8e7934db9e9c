"""What a study would come to: conditions, games, people, minutes, pay, requests, and what still
stands in its way. A dry run for the page where it is set up; nothing is written."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.engine import rulesets
from webapp.play import model_choices
from webapp.study import instruments
from webapp.study.instruments import Instrument
from webapp.study.models import Study
from webapp.study.sessions import (
    conditions,
    content_checks,
    game_lengths,
    pay_checks,
    table_checks,
    way_checks,
)
from webapp.study.sessions.asked_in_play import settings_of
from webapp.study.sessions.conditions import ConditionPlan
from webapp.study.sessions.design import (
    Consent,
    Debriefing,
    Design,
    Exit,
    Game,
    Practice,
    Ratings,
    Rules,
    Stage,
)
from webapp.study.value_checks import Refused

# Minutes that participants take, about.
CONSENT, RULES, DEBRIEFING, WAITING = 2, 4, 1, 2
SECONDS_A_QUESTION, SECONDS_AN_ITEM, SECONDS_A_RATING = 20, 12, 45


@dataclass(frozen=True)
class Plan:
    """games: valid ones wanted; seats: people's, in all of them; people: participants who come to
    the end; minutes: of one of them; parts: (stage, minutes) in order; pay: of all who come to the
    end; bonuses: of all of them, at the most; requests: to language models, all games together.
    problems stand in the way of opening, notes do not."""

    conditions: Sequence[ConditionPlan]
    games: int
    seats: int
    people: int
    minutes: int
    parts: Sequence[tuple[str, int]]
    pay: Decimal
    bonuses: Decimal
    currency: str
    requests: int
    problems: Sequence[str]
    notes: Sequence[str]
    counted: bool = True  # False: a fault keeps all numbers from being worked out


def plan(study: Study) -> Plan:
    """What the study comes to as it is set up."""
    try:
        design = Design.of(study.design)
    except Refused as refused:
        return _none(refused.sentences)
    return plan_of(design, study.owner)


def plan_of(design: Design, owner: User) -> Plan:
    """What a design comes to; `owner` says whose campaigns it may use."""
    problems, notes = way_checks.faults(design), way_checks.notes(design)
    problems += pay_checks.faults(design)
    try:
        cells = conditions.conditions(design)
    except Refused as refused:
        return _none([*refused.sentences, *problems])
    tables = table_checks.faults(cells)
    problems += tables
    if tables:
        return _none(problems, cells)
    problems += _asked(design, cells)
    problems += content_checks.problems(design, [cell.table for cell in cells], owner)
    problems += pay_checks.too_long(design, takes := partial(_takes, design, cells))
    notes += pay_checks.long_with_extra_time(design, takes)
    notes += pay_checks.notes(design, cells)
    games = design.assignment.games * len(cells)
    seats = design.assignment.games * sum(cell.table.people for cell in cells)
    people = _people(design, cells)
    parts = list(_parts(design, cells))
    return Plan(
        conditions=cells,
        games=games,
        seats=seats,
        people=people,
        minutes=sum(minutes for _name, minutes in parts),
        parts=parts,
        pay=people * design.exits.get("completed", Exit()).pay,
        bonuses=people * bonus_most(design),
        currency=design.currency,
        requests=design.assignment.games * sum(game_lengths.requests(c.table) for c in cells),
        problems=[*problems, *_meeting(design, cells, people), *_waiting(design, cells)],
        notes=notes,
    )


def problems(study: Study) -> list[str]:
    """Why the study can't be opened as it is set up, a model's server that does not answer
    included; in sentences that say what to do."""
    told = plan(study)
    backends = {cell.table.backend for cell in told.conditions}
    for cell in told.conditions:
        backends |= {str(c["backend"]) for c in cell.table.casting.values() if c.get("backend")}
    known = sorted(backends & set(model_choices.known()))
    return [*told.problems, *filter(None, map(model_choices.trouble, known))]


def _none(problems: Sequence[str], cells: Sequence[ConditionPlan] = ()) -> Plan:
    """The plan of what can't be counted."""
    return Plan(
        cells,
        0,
        0,
        0,
        0,
        (),
        Decimal(0),
        Decimal(0),
        "",
        0,
        list(dict.fromkeys(problems)),
        (),
        False,
    )


def _people(design: Design, cells: Sequence[ConditionPlan]) -> int:
    """How many participants fill all seats: each plays so many games, and in one game nobody sits
    twice; where nobody plays a condition twice, its seats are all different people's."""
    given = design.assignment
    least = max(cell.table.people for cell in cells)
    if given.distinct_conditions:
        least *= given.games
    seats = given.games * sum(cell.table.people for cell in cells)
    return max(least, math.ceil(seats / given.games_each))


def _meeting(design: Design, cells: Sequence[ConditionPlan], people: int) -> Iterator[str]:
    """Whether there are enough people for the games, and enough others to meet."""
    given = design.assignment
    games = given.games * len(cells)
    if given.games_each > games:
        yield ngettext(
            "There is {n} game in all, so nobody can play {each}: have more games, or let each"
            " play fewer.",
            "There are {n} games in all, so nobody can play {each}: have more games, or let each"
            " play fewer.",
            games,
        ).format(n=games, each=given.games_each)
    elif given.deals == "shared" and given.games_each > given.games:
        yield ngettext(
            "All conditions share {n} deal, and nobody plays one deal twice, so nobody can play"
            " {each} games: have more games, deal each one afresh, or let each play fewer.",
            "All conditions share {n} deals, and nobody plays one deal twice, so nobody can play"
            " {each} games: have more games, deal each one afresh, or let each play fewer.",
            given.games,
        ).format(n=given.games, each=given.games_each)
    most = max(cell.table.people for cell in cells)
    others = given.games_each * (most - 1)
    if given.meet_once and others > people - 1:
        told = _(
            "In {each} games everybody meets {others} others, and about {people} people take part:"
            " nobody can meet nobody twice. Have more games, let each play fewer, or let people"
            " meet again."
        )
        yield told.format(each=given.games_each, others=others, people=people)


def _waiting(design: Design, cells: Sequence[ConditionPlan]) -> Iterator[str]:
    """At a blind table the wait must not tell how many people are waited for."""
    if design.blind and not design.waiting.least and len({c.table.people for c in cells}) > 1:
        yield _(
            "Conditions differ in how many people play, and who waits no time plays alone: set a"
            " least wait, the same for all."
        )


def _asked(design: Design, cells: Sequence[ConditionPlan]) -> Iterator[str]:
    """Whether the games have what participants are asked about while they play."""
    for name in sorted({cell.table.ruleset for cell in cells}):
        try:
            settings_of(design.during, name)
        except Refused as refused:
            yield from refused.sentences


def _parts(design: Design, cells: Sequence[ConditionPlan]) -> Iterator[tuple[str, int]]:
    """(stage, minutes) of whoever comes to the end; what comes after each game counts as often."""
    each = design.assignment.games_each
    for stage in design.stages:
        times = each if stage.each_game or isinstance(stage, Game) else 1
        yield way_checks.name_of(stage), _once(design, cells, stage) * times


def minutes(design: Design) -> int:
    """What somebody who comes to the end takes, to 5 minutes; 0 where it can't be counted."""
    try:
        total = sum(takes for _name, takes in _parts(design, conditions.conditions(design)))
    except (Refused, LookupError):
        return 0
    return max(5, 5 * round(total / 5))


def minutes_of(design: Design, stage: Stage) -> int:
    """What a stage takes each time, about, the wait before a game included; 0 where it can't be
    counted."""
    try:
        return _once(design, conditions.conditions(design), stage)
    except (Refused, LookupError):
        return 0


def bonus_most(design: Design) -> Decimal:
    """The most that somebody can get in bonuses; 0 where it can't be counted."""
    try:
        return pay_checks.most(design, conditions.conditions(design))
    except (Refused, LookupError, TypeError):
        return Decimal(0)


def _takes(design: Design, cells: Sequence[ConditionPlan], stage: Stage) -> int:
    """What a stage takes each time, about, without the wait before a game."""
    if not isinstance(stage, Game):
        return _once(design, cells, stage)
    long = [game_lengths.minutes(cell.table, design.during) for cell in cells]
    return math.ceil(max(long))


def _once(design: Design, cells: Sequence[ConditionPlan], stage: Stage) -> int:
    if not isinstance(stage, Game):
        return _minutes(
            stage, max(len(rulesets.get(cell.table.ruleset).deck) for cell in cells) - 1
        )
    long = [game_lengths.minutes(cell.table, design.during) for cell in cells]
    waits = max(WAITING, math.ceil(design.waiting.least / 60))
    alone = all(cell.table.people == 1 for cell in cells) and not design.waiting.least
    return math.ceil(sum(long) / len(long)) + (0 if alone else waits)


def _minutes(stage: Stage, others: int) -> int:
    """others: at a table, of each of whom some instruments ask."""
    match stage:
        case Consent():
            return CONSENT
        case Debriefing():
            return DEBRIEFING
        case Practice():
            return stage.minutes or 2
        case Rules():
            return RULES + math.ceil(stage.quiz.questions * SECONDS_A_QUESTION / 60)
        case Ratings():
            return math.ceil(stage.items * SECONDS_A_RATING / 60)
        case _:
            asked = sum(_items(one, others) for one in getattr(stage, "instruments", ()))
            return max(1, math.ceil(asked * SECONDS_AN_ITEM / 60))


def _items(named: str | dict[str, Any], others: int) -> int:
    """How many questions an instrument has, named or whole; 0 where there is none such."""
    try:
        one = instruments.get(named) if isinstance(named, str) else Instrument.of(named)
    except (LookupError, TypeError):
        return 0
    return len(one.dimensions) * (others if one.of_seats else 1)
