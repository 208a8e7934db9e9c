"""Outcomes of the turns from which a campaign's units are drawn (`statistics.rating_results`).

A turn counts if its text would be rated: its game is chosen, and its speaker is of a kind that the
campaign rates (`Campaign.choice`). Situations are ignored, because a turn without text has none.
All requested answers of the comparison systems count, even of withdrawn units, because a failed
answer is a reason to withdraw its unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from game.engine.labels import FALLBACK, details_of_kind, label_kind
from webapp.statistics.rating_results import (
    FAILED,
    PASSED,
    REFUSED,
    REMOVED,
    TIMED_OUT,
    UNTOLD,
    UNUSABLE,
    WORDS,
    TurnOutcome,
)
from webapp.study.games.public_talk import AGENT, SpokenTurn, talk_of
from webapp.study.models import Campaign, CampaignGame
from webapp.study.rating import units
from webapp.study.rating.stimuli import rates_systems_only, system_answers

WAITING = "waiting"  # state of a rival's answer that is still to be made
TIMEOUT = "timeout"  # a label, and a cause of a fallback
CAUSES = {TIMEOUT: TIMED_OUT, "refusal": REFUSED}  # all others are UNUSABLE
PASSED_INSTEAD = "passed"  # prefix of a rival's failure if it chose to say nothing


def turn_outcomes(campaign: Campaign) -> Iterator[TurnOutcome]:
    """Yield the turns of the log, game by game, and then those of the comparison system."""
    games = campaign.chosen.select_related("game")
    for row in games.none() if rates_systems_only(campaign) else games:
        for line in talk_of(row.game).spoken:
            if is_rated(campaign, line):
                outcome = (UNTOLD, "") if row.game.blind else turn_outcome(line)
                yield TurnOutcome(turn_condition(campaign, row, line), *outcome)
    yield from _system_answer_outcomes(campaign)


def turn_condition(campaign: Campaign, row: CampaignGame, line: SpokenTurn) -> str:
    """Return the condition of a turn.

    A failed turn may lack the name of its model. It gets the condition of the seat's other turns if
    they share one.
    """
    condition = units.condition_of(campaign, row, line)
    if line.text:
        return condition
    all_lines = talk_of(row.game).spoken
    seat_lines = [o for o in all_lines if o.text and (o.seat, o.kind) == (line.seat, line.kind)]
    conditions = {units.condition_of(campaign, row, other_line) for other_line in seat_lines}
    return conditions.pop() if len(conditions) == 1 else condition


def is_rated(campaign: Campaign, line: SpokenTurn) -> bool:
    """Return whether text of this turn would be rated."""
    return campaign.choice.get("speakers", "agents") == "all" or line.kind == AGENT


def turn_outcome(line: SpokenTurn) -> tuple[str, str]:
    """Return (outcome of a turn, cause if it failed)."""
    if line.text:
        return WORDS, ""
    if not line.is_silent:
        return REMOVED, ""
    causes = _causes(line.labels)
    if causes and line.kind == AGENT:
        return FAILED, CAUSES.get(causes[0], UNUSABLE)
    return PASSED, ""


def _causes(labels: Sequence[str]) -> list[str]:
    timeouts = [TIMEOUT] if any(label_kind(label) == TIMEOUT for label in labels) else []
    return [*details_of_kind(FALLBACK, labels), *timeouts]


def _system_answer_outcomes(campaign: Campaign) -> Iterator[TurnOutcome]:
    rows = system_answers(unit__campaign=campaign).exclude(state=WAITING)
    rival_rows = rows.order_by("unit__index").values_list("condition", "state", "failure")
    for condition, state, failure in rival_rows:
        yield TurnOutcome(condition, *system_answer_outcome(state, failure))


def system_answer_outcome(state: str, failure: str) -> tuple[str, str]:
    """Return (outcome of a comparison system's answer, cause if it failed)."""
    if state == WAITING:
        return WAITING, ""
    if state != "failed":
        return WORDS, ""
    if failure.startswith(PASSED_INSTEAD):
        return PASSED, ""
    return FAILED, CAUSES.get(failure, UNUSABLE)
