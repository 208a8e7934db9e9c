"""Deletes a participant's data, in tables and in the database's file alike.

The request (`Erasure`) is committed before anything is done; `carry_on` does what it can, and the
sweeper calls it again until nothing is left, also after a crash.

What stays: the pseudonym, that somebody agreed and by which way they went out, that somebody sat in
a seat, and the moves that the joint game rests on. What goes later: words of a game that others
play or are still asked about; the link, for its page shows a code; outside name and payments of
a participant who is still owed pay.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from game import erasing as game_erasing
from game import host_actions
from game.engine.forms import Illegal
from webapp.play import pending_shredding
from webapp.play.turns import withdrawals
from webapp.sqlite.shredding import overwrite_what_is_deleted
from webapp.study.models import (
    Erasure,
    Happening,
    Identity,
    Participant,
    Payment,
    Rater,
    Response,
    Seating,
    Slot,
    StudyAnalysis,
    digest,
)
from webapp.study.rating import rater_erasure as of_raters
from webapp.study.sessions import audit_events, bonuses, lifecycle, messages, routes

LINK = timedelta(days=1)  # so long the own link still shows the way out and its code
OTHERS = timedelta(days=1)  # so long words wait for others who are still asked about the game
REQUESTED = ("erased", "withdrew")  # audit events of a request: by others, by the participant
# What is kept of a participant's row; all other fields are as if nobody had come.
KEPT = {
    "id", "study", "pseudonym", "key", "visitor", "invited", "consented_at", "consent_version",
    "step", "practice", "exit", "exited_at", "code", "consent_again", "excluded",
    "bonuses_at", "name_digest",
}  # fmt: skip


def until(participant: Participant) -> datetime | None:
    """Until when the participant can have their data deleted.

    Returns None for as long as these are kept, and while they are on the way.
    """
    days = routes.design_of(participant.study).ethics.withdraw_days
    exited_at = participant.exited_at
    return exited_at + timedelta(days=days) if days and exited_at else None


def may_still(participant: Participant) -> bool:
    """Return whether the participant themselves can still have their data deleted."""
    last = until(participant)
    return not participant.withdrew and (last is None or timezone.now() <= last)


def erase(
    participant: Participant, *, actor: str, reason: str = "", keeps_owed: bool = True
) -> Erasure:
    """Delete what is stored of the participant, who leaves first if they are still on the way.

    Args:
        keeps_owed: Whether outside name and payments stay until what is due is paid.
    """
    erasure = request(participant, actor=actor, reason=reason, keeps_owed=keeps_owed)
    carry_on(erasure)
    return erasure


def request(
    participant: Participant, *, actor: str, reason: str = "", keeps_owed: bool = True
) -> Erasure:
    """Record that the data are to be deleted: `carry_on` deletes, called by the sweeper too."""
    with transaction.atomic():
        row = routes.locked(participant)
        erasure, new = Erasure.objects.get_or_create(
            participant=row, defaults={"actor": actor, "keeps_owed": keeps_owed}
        )
        if new:
            event_kind = REQUESTED[actor == audit_events.PARTICIPANT]
            audit_events.note(row.study_id, event_kind, actor=actor, reason=reason, participant=row)
        if erasure.keeps_owed and not keeps_owed:
            erasure.keeps_owed = False
            erasure.save(update_fields=["keeps_owed"])
    return erasure


def _leave_and_forget(erasure: Erasure) -> None:
    """Let them leave, settle their bonuses by what they answered, then delete the answers."""
    person, by_self = erasure.participant, erasure.actor == audit_events.PARTICIPANT
    lifecycle.leave_by(person, "left" if by_self else "removed", by=erasure.actor)
    bonuses.settle(person)
    with transaction.atomic():
        row = routes.locked(person)
        new = not row.withdrew
        if new:
            _forget(row)
        if (new or not erasure.keeps_owed) and not _is_pay_due(erasure):
            new |= _forget_outside(row)
        if new:
            pending_shredding.owe()


def _forget(row: Participant) -> None:
    """Everything of them that no other person has a part in."""
    Response.objects.filter(participant=row).delete()
    reasons = Happening.objects.filter(participant=row).exclude(reason="")
    reasons.exclude(what__in=REQUESTED).update(reason="")
    Seating.objects.filter(participant=row).update(waited=0, away_since=None)
    blank = Participant(study_id=row.study_id)
    for field in Participant._meta.concrete_fields:
        if field.name not in KEPT:
            setattr(row, field.name, getattr(blank, field.name))
    row.withdrew = True
    row.save()
    messages.forget(row)
    StudyAnalysis.objects.filter(study=row.study_id).delete()  # results that count their data


def _forget_outside(row: Participant) -> bool:
    """Delete outside name and payments, but for a digest of the name.

    Returns: whether there were any.
    """
    identity = Identity.objects.filter(participant=row).exclude(normal="").first()
    if identity:
        row.name_digest = digest(row.study_id, identity.normal)
        row.save(update_fields=["name_digest"])
    names, _names = Identity.objects.filter(participant=row).delete()
    paid, _payments = Payment.objects.filter(participant=row).delete()
    return bool(names or paid)


def _is_pay_due(erasure: Erasure) -> bool:
    """Return whether pay is still due, for which the outside name stays.

    What lies in a batch that is not settled does so even if they do without it, for the batch's
    file is of all its people.
    """
    unpaid = (Payment.SEALED, Payment.DUE)
    due = Payment.objects.filter(participant=erasure.participant_id, status__in=unpaid)
    return due.exists() if erasure.keeps_owed else due.exclude(batch=None).exists()


def carry_on(erasure: Erasure) -> bool:
    """Delete what can go by now.

    Returns whether nothing is left. Begun in no transaction. Idempotent.
    """
    erasure.refresh_from_db()  # another process may be at it
    if erasure.done_at:
        return True
    overwrite_what_is_deleted()
    _leave_and_forget(erasure)
    person = Participant.objects.select_related("study", "practice").get(pk=erasure.participant_id)
    for rater in Rater.objects.filter(participant=person):
        of_raters.erase(rater)
    parts = [_forget_practice(person), _take_words(erasure, person), _forget_link(erasure, person)]
    pending_shredding.settle()
    return all(parts)


def _forget_practice(person: Participant) -> bool:
    """Return the practice table, once it has ended."""
    game = person.practice
    if game is None:
        return True
    if not game.ended_at:
        with suppress(Illegal):  # it has ended meanwhile
            host_actions.call_off(game.pk)
        return False
    with transaction.atomic():
        if Participant.objects.filter(pk=person.pk, practice=game.pk).update(practice=None):
            game_erasing.delete(game.pk)
            pending_shredding.owe()
    return True


def _take_words(erasure: Erasure, person: Participant) -> bool:
    """Their words and name at tables, where that disturbs no game and tells nobody who is a
    person.
    """
    if erasure.words_at:
        return True
    seats = person.seatings.filter(player__isnull=False, player__erased_at=None)
    left = False
    for seat in seats.select_related("slot__game", "player"):
        if not _may_take_words(erasure, seat.slot):
            left = True
            continue
        if seat.player:
            with suppress(Illegal):  # taken back by themselves, or nobody sat there to the end
                withdrawals.erase(seat.player)
    if left:
        return False
    erasure.words_at = timezone.now()
    erasure.save(update_fields=["words_at"])
    return True


def _may_take_words(erasure: Erasure, slot: Slot) -> bool:
    """Return whether the participant's text can be removed from the slot's game now.

    The game must be over. A blind game also waits until no other player is in the study any more,
    because a missing text shows that a person wrote it. It waits for `OTHERS` at most.
    """
    game = slot.game
    if game is None or not game.ended_at:
        return game is None
    if not game.blind or erasure.asked_at < timezone.now() - OTHERS:
        return True
    other_seatings = slot.seatings.filter(player__isnull=False, participant__exit="")
    return not other_seatings.exclude(participant=erasure.participant_id).exists()


def _forget_link(erasure: Erasure, person: Participant) -> bool:
    """Return the key of the link, the browser and the code: what led back to them. Last of all."""
    now = timezone.now()
    soon = erasure.keeps_owed and erasure.asked_at > now - LINK
    if soon or _is_pay_due(erasure) or person.practice_id or not erasure.words_at:
        return False
    of_raters.forget_key(person.key)
    with transaction.atomic():
        row = routes.locked(person)
        if row.key != person.key:
            return True  # another process has done it: a digest of the digest would find nobody
        _forget_outside(row)
        row.key, row.visitor, row.code = of_raters.erased_key(row.key), None, ""
        row.seen_at = None
        row.save(update_fields=["key", "visitor", "code", "seen_at"])
        erasure.done_at = now
        erasure.save(update_fields=["done_at"])
        pending_shredding.owe()
    return True


def was_erased(key: str) -> bool:
    """Return whether that was the key of somebody's link whose data are deleted."""
    return Participant.objects.filter(key=of_raters.erased_key(key)).exists()
