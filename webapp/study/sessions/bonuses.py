"""Bonuses by a rule, computed once for each participant, when they have left the study.

A game counts if it was played to its end and the participant sat in it until then. Void games count
too, because participants are not responsible for what made them void. A game that was called off
has no winner. A participant who left, or for whom a computer player stood in at the end, has not
won. A bonus for a game at a blind table is SEALED until it may be revealed who is a person.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone

from game.models import Player
from webapp.study.design.stages import Bonus, BonusRule, DebriefingStage, Design
from webapp.study.games.seat_outcomes import SeatOutcome, seats_of
from webapp.study.models import Participant, Payment, Response, Seating, Slot, Study
from webapp.study.sessions import audit_events, participant_steps
from webapp.study.sessions.answers import COMPUTER, PERSON
from webapp.study.sessions.questions import stage_instruments

logger = logging.getLogger(__name__)
PREFIX = "bonus:"  # before the rule's name, in the reason of a payment
EVERY = 20.0  # seconds between two passes of the sweeper


def rule_of(payment: Payment) -> str:
    """Return the rule of a bonus, "" for any other payment."""
    return payment.reason.removeprefix(PREFIX) if payment.reason.startswith(PREFIX) else ""


def can_reveal_people(study: Study) -> bool:
    """Return whether it may be revealed who was a person at the study's blind tables.

    That is the case once the study is closed and nobody plays or will play.
    """
    busy = study.slots.filter(state__in=(Slot.FILLING, Slot.PLAYING))
    return study.state == Study.CLOSED and not busy.exists()


def amount_of(bonus: Bonus, cases: int) -> Decimal:
    """Return the bonus for that many cases."""
    amount = bonus.amount * cases
    return min(amount, bonus.most) if bonus.most else amount


def settle_bonuses(participant: Participant) -> bool:
    """Compute the participant's bonuses and store them as payments, once.

    Later changes and deletions do not change them. Returns False if they were stored before or the
    participant has not left yet.
    """
    with transaction.atomic():
        row = participant_steps.lock_participant(participant)
        if not row.exit or row.bonuses_at:
            return False
        blind = any(s.slot.game.blind for s in _games(row) if s.slot.game)
        status = Payment.SEALED if blind and not can_reveal_people(row.study) else Payment.DUE
        for bonus, cases in cases_by_bonus(row):
            Payment.objects.create(
                participant=row,
                reason=PREFIX + bonus.rule,
                amount=amount_of(bonus, cases),
                cases=cases,
                status=status,
            )
        row.bonuses_at = timezone.now()
        row.save(update_fields=["bonuses_at"])
    return True


def unseal(study: Study) -> int:
    """Make the sealed bonuses due that may be revealed now. Return their number."""
    with transaction.atomic():
        if not can_reveal_people(study):
            return 0
        sealed = Payment.objects.filter(participant__study=study, status=Payment.SEALED)
        unsealed = sealed.update(status=Payment.DUE)
        if unsealed:
            audit_events.record_event(
                study, "pay:told", actor=audit_events.CLOCK, reason=f"{unsealed} bonuses"
            )
    return unsealed


class Clock:
    """A job of the sweeper: computes bonuses that a process left undone, and unseals bonuses."""

    def __init__(self) -> None:
        self._looked = float("-inf")

    def step(self, lost: timedelta = timedelta()) -> None:
        now = time.monotonic()
        if now - self._looked >= EVERY:
            self._looked = now
            settle_all()


def settle_all() -> None:
    """Settle and unseal all bonuses that are due now, in every study. Idempotent."""
    late = Participant.objects.filter(bonuses_at=None).exclude(exit="")
    for participant in late.select_related("study")[:200]:
        try:
            settle_bonuses(participant)
        except Exception:
            logger.exception("the bonuses of participant %s", participant.pk)
    sealed = Payment.objects.filter(status=Payment.SEALED)
    for study in Study.objects.filter(pk__in=sealed.values("participant__study")):
        unseal(study)


def exit_bonus(participant: Participant) -> tuple[Decimal, bool]:
    """Return (amount, whether more may follow) for the page of the participant's exit.

    The amount is 0 unless the debriefing before it revealed who was a person.
    """
    design = participant_steps.design_of(participant.study)
    if not design.bonuses:
        return Decimal(0), False
    revealed = any(isinstance(stage, DebriefingStage) and stage.reveal for stage in design.stages)
    if revealed and participant.exit == "completed" and participant.bonuses_at:
        mine = participant.payments.filter(reason__startswith=PREFIX)
        mine = mine.exclude(status=Payment.WITHHELD)
        return sum((row.amount for row in mine), Decimal(0)), False
    return Decimal(0), participant.seatings.filter(state=Seating.SEATED).exists()


def cases_by_bonus(row: Participant) -> list[tuple[Bonus, int]]:
    """Return how often each of the study's rules applies to the participant, if it does."""
    design = participant_steps.design_of(row.study)
    if not design.bonuses or row.withdrew:
        return []
    games = _games(row)
    counts: Mapping[BonusRule, int] = {
        "won": sum(_outcome(s).won for s in games if _played_to_end(s)),
        "survived": sum(not _outcome(s).out for s in games if _played_to_end(s)),
        "guessed_human": _right_guesses(row, design, games),
    }
    return [(bonus, counts[bonus.rule]) for bonus in design.bonuses if counts[bonus.rule]]


def _games(row: Participant) -> list[Seating]:
    """Return the participant's seatings in games that were played to their end."""
    seatings = row.seatings.filter(
        state=Seating.SEATED, slot__game__ended_at__isnull=False, slot__game__called_off=False
    )
    return list(seatings.select_related("slot__game", "player").order_by("round", "pk"))


def _played_to_end(seating: Seating) -> bool:
    player = seating.player
    return player is not None and not player.stand_in and player.left_at is None


def _outcome(seating: Seating) -> SeatOutcome:
    assert seating.slot.game is not None
    return seats_of(seating.slot.game)[seating.seat - 1]


def human_items(design: Design, frozen_instruments: Mapping[str, Any]) -> set[tuple[str, str]]:
    """Return (instrument, item) of every question whether a player was a person.

    frozen_instruments: `Study.asked`.
    """
    return {
        (instrument.key, item.key)
        for stage in design.stages
        for instrument in stage_instruments(stage, frozen_instruments)
        for item in instrument.items
        if item.answer == "human" and instrument.of_seats
    }


def _right_guesses(row: Participant, design: Design, games: Sequence[Seating]) -> int:
    """Return how many other players the participant identified correctly.

    Each player of a game counts once, by the last guess.
    """
    asked_items = human_items(design, row.study.asked)
    responses = Response.objects.filter(participant=row, slot__in=[s.slot_id for s in games])
    last = {
        (r.slot_id, r.about_seat): r.choice
        for r in responses.filter(about_seat__gt=0).order_by("at", "pk")
        if (r.instrument, r.item) in asked_items and r.choice
    }
    right = 0
    for seating in games:
        for player in Player.objects.filter(game=seating.slot.game_id):
            truth = PERSON if player.kind == Player.PERSON else COMPUTER
            right += last.get((seating.slot_id, player.seat)) == truth
    return right


step = Clock().step
