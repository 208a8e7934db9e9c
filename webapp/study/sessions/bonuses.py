"""Bonuses by a rule, computed once for each participant after they have left the study.

A game counts if it was played to its end with the participant at the table. A participant whose
seat an agent had at the end has neither won nor survived. A void game counts, because its
participants are not responsible for what made it void. A called-off game does not, because it has
no winner. A bonus for a game at a blind table is SEALED while it would reveal who is a person.
"""

import logging
from collections.abc import Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone

from game.models import Player
from webapp.rate_counters import ProcessRate
from webapp.study.design.exits import Bonus, BonusRule
from webapp.study.design.stages import DebriefingStage, Design, Stage
from webapp.study.games.seat_outcomes import get_seat_outcomes
from webapp.study.models import Participant, Payment, Response, Seating, Study
from webapp.study.sessions import participant_state, study_events
from webapp.study.sessions.questions import stage_instruments
from webapp.study.sessions.responses import COMPUTER, PERSON

logger = logging.getLogger(__name__)
REASON_PREFIX = "bonus:"  # Begins the reason of a payment. The rule's name follows.
SWEEP_INTERVAL_S = 20.0  # a process sweeps this often
MAX_PER_SWEEP = 200  # number of participants, limited so that a sweep does not delay running games

_sweeps = ProcessRate(1, SWEEP_INTERVAL_S)


def bonus_rule(payment: Payment) -> str:
    """Return the rule of a bonus, "" for any other payment."""
    is_bonus = payment.reason.startswith(REASON_PREFIX)
    return payment.reason.removeprefix(REASON_PREFIX) if is_bonus else ""


def bonus_amount(bonus: Bonus, cases: int) -> Decimal:
    """Return the amount for that many cases, within the rule's maximum."""
    amount = bonus.amount * cases
    return min(amount, bonus.most) if bonus.most else amount


def settle_bonuses(participant: Participant) -> None:
    """Compute the bonuses of a participant who has left and store them as payments, once.

    Later changes and deletions do not change them.
    """
    with participant_state.locked_participant(participant) as row:
        if not row.exit or row.bonuses_at:
            return
        has_blind_game = any(s.slot.game.blind for s in _completed_seatings(row) if s.slot.game)
        status = Payment.SEALED if has_blind_game and not row.study.has_ended else Payment.DUE
        for bonus, cases in count_bonus_cases(row):
            Payment.objects.create(
                participant=row,
                reason=REASON_PREFIX + bonus.rule,
                amount=bonus_amount(bonus, cases),
                cases=cases,
                status=status,
            )
        row.bonuses_at = timezone.now()
        row.save(update_fields=["bonuses_at"])


def _unseal_bonuses(study: Study) -> None:
    with transaction.atomic():
        sealed = Payment.objects.filter(participant__study=study, status=Payment.SEALED)
        if study.has_ended and (count := sealed.update(status=Payment.DUE)):
            actor, reason = study_events.CLOCK, f"{count} bonuses"
            study_events.record_event(study, "pay:told", actor=actor, reason=reason)


def sweep_bonuses(_missed: timedelta) -> None:
    """Settle bonuses that a killed process has not settled, at most every SWEEP_INTERVAL_S."""
    if _sweeps.try_acquire(""):
        settle_due_bonuses()


def settle_due_bonuses() -> None:
    """Settle and unseal bonuses in every study. Idempotent."""
    unsettled = Participant.objects.filter(bonuses_at=None).exclude(exit="")
    for participant in unsettled.select_related("study")[:MAX_PER_SWEEP]:
        try:
            settle_bonuses(participant)
        except Exception:
            logger.exception("the bonuses of participant %s could not be settled", participant.pk)
    sealed = Payment.objects.filter(status=Payment.SEALED)
    for study in Study.objects.filter(pk__in=sealed.values("participant__study")):
        _unseal_bonuses(study)


def exit_bonus(participant: Participant) -> tuple[Decimal, bool]:
    """Return the sum of bonuses for the page of an exit, and whether others may still be paid.

    The sum is 0 unless the debriefing has revealed who was a person, because it would tell.
    """
    design = participant_state.design_of(participant.study)
    if not design.bonuses:
        return Decimal(0), False
    reveals = any(isinstance(stage, DebriefingStage) and stage.reveal for stage in design.stages)
    if reveals and participant.exit == "completed" and participant.bonuses_at:
        payments = participant.payments.filter(reason__startswith=REASON_PREFIX)
        payments = payments.exclude(status=Payment.WITHHELD)
        return sum((payment.amount for payment in payments), Decimal(0)), False
    has_played = participant.seatings.filter(state=Seating.SEATED).exists()
    return Decimal(0), has_played


def count_bonus_cases(row: Participant) -> list[tuple[Bonus, int]]:
    """Return the bonuses that apply to the participant, each with its number of cases."""
    design = participant_state.design_of(row.study)
    if not design.bonuses or row.withdrew:
        return []
    seatings = _completed_seatings(row)
    outcomes = [
        get_seat_outcomes(seating.slot.game)[seating.seat - 1]
        for seating in seatings
        if seating.slot.game and seating.has_own_seat  # they had the seat at the end of the game
    ]
    counts: Mapping[BonusRule, int] = {
        "won": sum(outcome.has_won for outcome in outcomes),
        "survived": sum(not outcome.out for outcome in outcomes),
        "guessed_human": _count_right_guesses(row, design, seatings),
    }
    return [(bonus, counts[bonus.rule]) for bonus in design.bonuses if counts[bonus.rule]]


def _completed_seatings(row: Participant) -> list[Seating]:
    """Return the participant's seatings in games that were played to their end, in order."""
    seatings = row.seatings.filter(
        state=Seating.SEATED, slot__game__ended_at__isnull=False, slot__game__called_off=False
    )
    return list(seatings.select_related("slot__game", "player").order_by("round", "pk"))


def human_items(
    stages: Sequence[Stage], frozen_instruments: Mapping[str, Any]
) -> set[tuple[str, str]]:
    """Return (instrument, item) of every question that asks whether a player was a person."""
    return {
        (instrument.key, item.key)
        for stage in stages
        for instrument in stage_instruments(stage, frozen_instruments)
        for item in instrument.items
        if item.answer == "human" and instrument.is_about_each_player
    }


def _count_right_guesses(row: Participant, design: Design, seatings: Sequence[Seating]) -> int:
    """Return how many players the participant correctly took for a person or an agent.

    Each player of a game counts once, by the participant's last guess.
    """
    items = human_items(design.stages, row.study.instruments_at_opening)
    responses = Response.objects.filter(participant=row, slot__in=[s.slot_id for s in seatings])
    last_guesses = {
        (r.slot_id, r.about_seat): r.choice
        for r in responses.filter(about_seat__gt=0).order_by("at", "pk")
        if (r.instrument, r.item) in items and r.choice
    }
    return sum(
        last_guesses.get((seating.slot_id, player.seat))
        == (PERSON if player.kind == Player.PERSON else COMPUTER)
        for seating in seatings
        for player in Player.objects.filter(game=seating.slot.game_id)
    )
