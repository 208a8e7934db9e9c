"""Outcomes of the turns to speak from which a campaign's units are drawn (statistics.turns).

A turn counts if its text would be rated: it is in a chosen game, and its speaker is of a kind that
the campaign rates (`Campaign.choice`). Situations are not considered, because a turn without text
has none. All requested answers of the comparison system count, also withdrawn ones, since a failed
answer is a reason to withdraw its unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from game.engine.labels import FALLBACK, details_of_kind, label_kind
from webapp.statistics.turns import (
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

WAITING = "waiting"  # state of a rival's answer: still to be requested
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
    yield from _rivals(campaign)


def turn_condition(campaign: Campaign, row: CampaignGame, line: SpokenTurn) -> str:
    """Return the condition of a turn.

    A failed turn may lack the name of its model. Then it gets the condition of the seat's other
    turns, if they have only one.
    """
    own = units.condition_of(campaign, row, line)
    if line.text:
        return own
    all_lines = talk_of(row.game).spoken
    mine = [o for o in all_lines if o.text and (o.seat, o.kind) == (line.seat, line.kind)]
    conditions = {units.condition_of(campaign, row, other_line) for other_line in mine}
    return conditions.pop() if len(conditions) == 1 else own


def is_rated(campaign: Campaign, line: SpokenTurn) -> bool:
    """Return whether text of this turn would be rated."""
    return campaign.choice.get("speakers", "agents") == "all" or line.kind == AGENT


def turn_outcome(line: SpokenTurn) -> tuple[str, str]:
    """Return the outcome of a turn, and the cause if it failed."""
    if line.text:
        return WORDS, ""
    if not line.silent:
        return REMOVED, ""
    causes = _causes(line.labels)
    if causes and line.kind == AGENT:
        return FAILED, CAUSES.get(causes[0], UNUSABLE)
    return PASSED, ""


def _causes(labels: Sequence[str]) -> list[str]:
    late = [TIMEOUT] if any(label_kind(label) == TIMEOUT for label in labels) else []
    return [*details_of_kind(FALLBACK, labels), *late]


def _rivals(campaign: Campaign) -> Iterator[TurnOutcome]:
    rows = system_answers(unit__campaign=campaign).exclude(state=WAITING)
    rival_rows = rows.order_by("unit__index").values_list("condition", "state", "failure")
    for condition, state, failure in rival_rows:
        yield TurnOutcome(condition, *rival_outcome(state, failure))


def rival_outcome(state: str, failure: str) -> tuple[str, str]:
    """Return the outcome of a comparison system's answer, and the cause if it failed."""
    if state == WAITING:
        return WAITING, ""
    if state != "failed":
        return WORDS, ""
    if failure.startswith(PASSED_INSTEAD):
        return PASSED, ""
    return FAILED, CAUSES.get(failure, UNUSABLE)
