"""The erasure of a participant's data, in the tables and in the bytes of the database's file.

The request (`Erasure`) is committed first. Then `continue_erasure` deletes what it can. The sweeper
calls it until nothing is left, also after a crash.

- Kept: the pseudonym, the consent, the exit, the seats, and the moves that the joint game needs.
- Deleted later: texts in a game that others still play or are asked about; the link, because its
  page shows a code; outside name and payments while pay is due.
"""

import logging
import time
from contextlib import suppress
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from game import erasing as game_erasing
from game import game_actions
from game.engine.forms import Illegal
from webapp.play import shredding
from webapp.play.turns import withdrawals
from webapp.study.models import (
    AuditEvent,
    Erasure,
    Identity,
    Participant,
    Payment,
    Rater,
    Response,
    Seating,
    Slot,
    StudyAnalysis,
    digest_name,
    erased_key,
)
from webapp.study.rating import rater_erasure
from webapp.study.sessions import bonuses, lifecycle, participant_state, study_events

logger = logging.getLogger(__name__)

SWEEP_INTERVAL_S = 20.0
ERASURES_PER_STEP = 1  # kept low, so that a step of the sweeper does not delay games
# The personal link still shows the exit and its code for this long.
LINK_LIFETIME = timedelta(days=1)
# The longest time for which texts stay because others are still asked about the game.
MAX_TEXT_DELAY = timedelta(days=1)
ERASED_BY_OTHERS, WITHDREW = "erased", "withdrew"  # audit events of requests
# Fields of a participant's row that stay; all others are reset to their defaults.
KEPT_FIELDS = {
    "id", "study", "pseudonym", "key", "visitor", "invited", "consented_at", "consent_version",
    "step", "practice", "exit", "exited_at", "code", "consent_again", "excluded",
    "bonuses_at", "name_digest",
}  # fmt: skip


def erasure_deadline(participant: Participant) -> datetime | None:
    """Return the time until which a participant can have their data deleted, if any."""
    days = participant_state.design_of(participant.study).ethics.withdraw_days
    exited_at = participant.exited_at
    return exited_at + timedelta(days=days) if days and exited_at else None


def can_erase(participant: Participant) -> bool:
    """Return whether the participant can still have their data deleted."""
    deadline = erasure_deadline(participant)
    return not participant.withdrew and (deadline is None or timezone.now() <= deadline)


def erase_participant(
    participant: Participant, *, actor: str, reason: str = "", keeps_owed: bool = True
) -> Erasure:
    """Delete the participant's stored data. Active participants leave the study first.

    With `keeps_owed`, outside name and payments stay until what is due is paid.
    """
    erasure = request_erasure(participant, actor=actor, reason=reason, keeps_owed=keeps_owed)
    continue_erasure(erasure)
    return erasure


def request_erasure(
    participant: Participant, *, actor: str, reason: str = "", keeps_owed: bool = True
) -> Erasure:
    """Record the request to delete the data. `continue_erasure` carries it out."""
    with transaction.atomic():
        row = participant_state.lock_participant(participant)
        erasure, is_new = Erasure.objects.get_or_create(
            participant=row, defaults={"actor": actor, "keeps_owed": keeps_owed}
        )
        if is_new:
            event_kind = WITHDREW if actor == study_events.PARTICIPANT else ERASED_BY_OTHERS
            study_events.record_event(row, event_kind, actor=actor, reason=reason)
        if erasure.keeps_owed and not keeps_owed:
            erasure.keeps_owed = False
            erasure.save(update_fields=["keeps_owed"])
    return erasure


def _leave_and_delete(erasure: Erasure) -> None:
    """Move the participant out of the study, settle bonuses, and delete answers.

    The outside name is deleted as well, unless it is needed for pay.
    """
    person, by_self = erasure.participant, erasure.actor == study_events.PARTICIPANT
    lifecycle.leave_by(person, "left" if by_self else "removed", actor=erasure.actor)
    bonuses.settle_bonuses(person)
    with transaction.atomic():
        row = participant_state.lock_participant(person)
        has_deleted = not row.withdrew
        if has_deleted:
            _delete_answers(row)
        if (has_deleted or not erasure.keeps_owed) and not _is_pay_due(erasure):
            has_deleted |= _delete_outside_name(row)
        if has_deleted:
            shredding.record_shredding()


def _delete_answers(row: Participant) -> None:
    """Delete the participant's data other than texts, outside name, payments and the link."""
    Response.objects.filter(participant=row).delete()
    reasons = AuditEvent.objects.filter(participant=row).exclude(reason="")
    reasons.exclude(what__in=(ERASED_BY_OTHERS, WITHDREW)).update(reason="")
    Seating.objects.filter(participant=row).update(waited_s=0, away_since=None)
    rater_erasure.reset_fields(row, kept_names=KEPT_FIELDS)
    row.withdrew = True
    row.save()
    row.messages.all().delete()
    # The stored results were computed from the participant's data, too.
    StudyAnalysis.objects.filter(study=row.study_id).delete()


def _delete_outside_name(row: Participant) -> bool:
    """Delete payments, and the outside name but for a digest. Return whether any existed."""
    identity = Identity.objects.filter(participant=row).exclude(normal_label="").first()
    if identity:
        row.name_digest = digest_name(row.study_id, identity.normal_label)
        row.save(update_fields=["name_digest"])
    name_count, _by_model = Identity.objects.filter(participant=row).delete()
    payment_count, _by_model = Payment.objects.filter(participant=row).delete()
    return bool(name_count or payment_count)


def _is_pay_due(erasure: Erasure) -> bool:
    """Return whether pay is still due, so that the outside name must stay.

    Payments in a batch count even if the participant forgoes them, because the batch's file must
    stay the same.
    """
    unpaid = (Payment.SEALED, Payment.DUE)
    due = Payment.objects.filter(participant=erasure.participant_id, status__in=unpaid)
    return due.exists() if erasure.keeps_owed else due.exclude(batch=None).exists()


def continue_erasure(erasure: Erasure) -> bool:
    """Delete what can be deleted now. Return whether nothing is left. Idempotent.

    It must be called outside a transaction, because bytes are overwritten only after a commit.
    """
    erasure.refresh_from_db()  # another process may be working on it
    if erasure.done_at:
        return True
    shredding.overwrite_deleted_rows()
    _leave_and_delete(erasure)
    person = Participant.objects.select_related("study", "practice").get(pk=erasure.participant_id)
    for rater in Rater.objects.filter(participant=person):
        rater_erasure.erase_rater(rater)
    # A list instead of `and`, so that each is tried whatever the ones before return.
    results = [
        _delete_practice_game(person),
        _remove_texts(erasure, person),
        _delete_link(erasure, person),
    ]
    shredding.shred_recorded()
    return all(results)


def _delete_practice_game(person: Participant) -> bool:
    """Delete the practice table if it has ended, else end it. Return whether none is left."""
    game = person.practice
    if game is None:
        return True
    if not game.ended_at:
        with suppress(Illegal):  # it has ended just now
            game_actions.call_off(game.pk)
        return False
    with transaction.atomic():
        if Participant.objects.filter(pk=person.pk, practice=game.pk).update(practice=None):
            game_erasing.delete_game(game.pk)
            shredding.record_shredding()
    return True


def _remove_texts(erasure: Erasure, person: Participant) -> bool:
    """Remove the participant's texts and name at tables. Return whether none is left.

    A table is postponed while the removal would disturb a game or reveal who is a person.
    """
    if erasure.texts_removed_at:
        return True
    seats = person.seatings.filter(player__isnull=False, player__erased_at=None)
    has_postponed = False
    for seat in seats.select_related("slot__game", "player"):
        if not _can_remove_texts(erasure, seat.slot):
            has_postponed = True
            continue
        if seat.player:
            with suppress(Illegal):  # removed before, or no person sat there at the end
                withdrawals.erase_person(seat.player)
    if has_postponed:
        return False
    erasure.texts_removed_at = timezone.now()
    erasure.save(update_fields=["texts_removed_at"])
    return True


def _can_remove_texts(erasure: Erasure, slot: Slot) -> bool:
    """Return whether the participant's texts can be removed from the slot's game now.

    The game must be over. At a blind table all other participants must also have left the study,
    because a missing text shows that a person wrote it; they delay it for MAX_TEXT_DELAY at most.
    """
    game = slot.game
    if game is None:
        return True
    if not game.ended_at:
        return False
    if not game.blind or erasure.requested_at < timezone.now() - MAX_TEXT_DELAY:
        return True
    other_seatings = slot.seatings.filter(player__isnull=False, participant__exit="")
    return not other_seatings.exclude(participant=erasure.participant_id).exists()


def _delete_link(erasure: Erasure, person: Participant) -> bool:
    """Delete the link's key, the browser and the code as the last step. Return whether done."""
    now = timezone.now()
    is_too_early = erasure.keeps_owed and erasure.requested_at > now - LINK_LIFETIME
    if is_too_early or _is_pay_due(erasure) or person.practice_id or not erasure.texts_removed_at:
        return False
    rater_erasure.remove_key_from_sessions(person.key)
    with transaction.atomic():
        row = participant_state.lock_participant(person)
        if row.key != person.key:
            return True  # another process has done it; a digest of the digest would match no key
        _delete_outside_name(row)
        row.key = erased_key(row.key)
        row.visitor = row.seen_at = None
        row.code = ""
        row.save(update_fields=["key", "visitor", "code", "seen_at"])
        erasure.done_at = now
        erasure.save(update_fields=["done_at"])
        shredding.record_shredding()
    return True


class PendingErasures:
    """A job of the sweeper that passes through all unfinished erasures."""

    def __init__(self) -> None:
        self._last_pass_s, self._after_pk = float("-inf"), 0  # 0: between two passes

    def step(self, _lost: timedelta = timedelta()) -> None:
        """Continue a few erasures. The next call resumes after them."""
        if not self._after_pk and time.monotonic() - self._last_pass_s < SWEEP_INTERVAL_S:
            return
        self._last_pass_s = time.monotonic()
        unfinished = Erasure.objects.filter(done_at=None, pk__gt=self._after_pk).order_by("pk")
        pending = list(unfinished[:ERASURES_PER_STEP])
        for erasure in pending:
            try:
                continue_erasure(erasure)
            except Exception:
                logger.exception("erasure %s could not continue", erasure.pk)
        self._after_pk = pending[-1].pk if len(pending) == ERASURES_PER_STEP else 0


continue_pending_erasures = PendingErasures().step
