"""Outcomes of the turns from which a campaign's units are drawn (`statistics.rating_results`).

A turn counts if its text would be rated: its game is chosen, and its speaker is of a kind that the
campaign rates (`Campaign.choice`). Situations are ignored, because a turn without text has none.
All requested answers of the comparison systems count. Those of withdrawn units count too, because
a failed answer is a reason to withdraw its unit.
"""

from collections.abc import Iterator

from game.engine.labels import FALLBACK, details_of_kind, label_kind
from webapp.statistics import rating_results
from webapp.statistics.rating_results import TurnOutcome
from webapp.study.games.public_talk import AGENT, SpokenTurn, talk_of
from webapp.study.models import Campaign, CampaignGame, Stimulus
from webapp.study.rating import unit_candidates
from webapp.study.rating.stimuli import rates_systems_only, system_answers

TIMEOUT = "timeout"  # a label, and a cause of a fallback
FAILURE_OUTCOMES = {
    TIMEOUT: rating_results.TIMED_OUT,
    "refusal": rating_results.REFUSED,
}  # all other causes are UNUSABLE
PASSED_PREFIX = "passed"  # Begins the failure of a system that chose to say nothing.
OutcomeWithCause = tuple[str, str]  # (outcome of `rating_results`, why the turn failed or "")


def turn_outcomes(campaign: Campaign) -> Iterator[TurnOutcome]:
    """Yield the outcomes of the log's turns, game by game, then those of the systems' answers.

    Turns of blind games are HIDDEN. Campaigns that rate systems only have no turns of the log.
    """
    games = campaign.chosen_games.select_related("game")
    if rates_systems_only(campaign):
        games = games.none()
    for chosen in games:
        for turn in talk_of(chosen.game).spoken:
            if is_rated(campaign, turn):
                condition = turn_condition(campaign, chosen, turn)
                if chosen.game.blind:  # an outcome other than WORDS would show an agent
                    yield TurnOutcome(condition, rating_results.HIDDEN, "")
                else:
                    yield TurnOutcome(condition, *turn_outcome(turn))
    answers = system_answers(unit__campaign=campaign).exclude(state=Stimulus.WAITING)
    rows = answers.order_by("unit__index").values_list("condition", "state", "failure")
    for condition, state, failure in rows:
        yield TurnOutcome(condition, *system_answer_outcome(state, failure))


def turn_condition(campaign: Campaign, chosen: CampaignGame, turn: SpokenTurn) -> str:
    """Return the condition of a turn, also of a failed one.

    A failed turn may lack the name of its model. Then it gets the condition of the speaker's other
    turns if they share one.
    """
    condition = unit_candidates.speaker_condition(campaign, chosen, turn)
    if turn.text:
        return condition
    other_conditions = {
        unit_candidates.speaker_condition(campaign, chosen, other_turn)
        for other_turn in talk_of(chosen.game).spoken
        if other_turn.text and (other_turn.seat, other_turn.kind) == (turn.seat, turn.kind)
    }
    return other_conditions.pop() if len(other_conditions) == 1 else condition


def is_rated(campaign: Campaign, turn: SpokenTurn) -> bool:
    """Return whether the campaign rates texts of this speaker."""
    return unit_candidates.rates_all_speakers(campaign) or turn.kind == AGENT


def turn_outcome(turn: SpokenTurn) -> OutcomeWithCause:
    """Return the outcome of a turn of the log. A silence without a cause is PASSED."""
    if turn.text:
        return rating_results.WORDS, ""
    if not turn.is_silent:
        return rating_results.REMOVED, ""
    causes = list(details_of_kind(FALLBACK, turn.labels))
    if any(label_kind(label) == TIMEOUT for label in turn.labels):
        causes.append(TIMEOUT)
    if causes and turn.kind == AGENT:
        return _failed(causes[0])
    return rating_results.PASSED, ""


def _failed(cause: str) -> OutcomeWithCause:
    return rating_results.FAILED, FAILURE_OUTCOMES.get(cause, rating_results.UNUSABLE)


def system_answer_outcome(state: str, failure: str) -> OutcomeWithCause:
    """Return the outcome of a comparison system's answer, WAITING if there is none."""
    if state == Stimulus.WAITING:
        return Stimulus.WAITING, ""
    if state != Stimulus.FAILED:
        return rating_results.WORDS, ""
    if failure.startswith(PASSED_PREFIX):
        return rating_results.PASSED, ""
    return _failed(failure)
