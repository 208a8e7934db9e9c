"""Raters who are erased without a trace."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils import timezone

from webapp.play import shredding_owed
from webapp.sqlite.shredding import overwrite_what_is_deleted
from webapp.study.models import Analysis, Campaign, Identity, Rater, Stimulus

ERASED = "erased-"  # what the key of an erased rater begins with: no link's key has a "-"


def erased_key(key: str) -> str:
    """What stands in the place of an erased rater's key: a digest that nobody can turn back."""
    return ERASED + hashlib.sha256(key.encode()).hexdigest()[: 32 - len(ERASED)]


def is_erased(rater: Rater) -> bool:
    return rater.key.startswith(ERASED)


def was_erased(key: str) -> bool:
    """Whether a personal link's key was that of somebody who has been erased."""
    return Rater.objects.filter(key=erased_key(key)).exists()


def erase(rater: Rater, *, left_as: str = "") -> None:
    """Delete the rater: identity, ratings, times, answers, keys, and what browsers were given.

    What stays is the pseudonym, so that nobody gets it again, a digest of the link's key, so
    that the link can say what happened, and `left_as`. The units' quotas are free again. The
    request is committed first; after a crash the sweeper continues (`sessions.erasing_later`).
    """
    requested = {"erasure_requested_at": timezone.now(), "left_as": left_as}
    pending = Rater.objects.filter(pk=rater.pk, erasure_requested_at=None)
    if pending.exclude(key__startswith=ERASED).update(**requested):
        rater.refresh_from_db(fields=list(requested))
    carry_out(rater)


def carry_out(rater: Rater) -> None:
    """Delete what `erase` recorded. Idempotent."""
    overwrite_what_is_deleted()
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=rater.campaign_id)
        row = Rater.objects.select_for_update().get(pk=rater.pk)
        if is_erased(row):
            return
        identity = Identity.objects.filter(rater=row).first()
        names = {identity.label, identity.session} - {""} if identity else set()
        _forget_in_sessions(row, names)
        row.assignments.all().delete()
        if identity:
            identity.delete()
        Analysis.objects.filter(campaign=row.campaign_id).delete()  # it lists raters
        key, blank = row.key, Rater(campaign_id=row.campaign_id)
        for field in Rater._meta.concrete_fields:
            if field.name not in ("id", "campaign", "pseudonym", "left_as"):
                setattr(row, field.name, getattr(blank, field.name))
        row.key, row.excluded, row.exclusion_reason = erased_key(key), True, "erased"
        row.save()
        shredding_owed.owe()
    shredding_owed.settle()
    rater.refresh_from_db()


def forget_key(key: str) -> None:
    """No browser's session holds the key of that link any more. Begun in no transaction: going
    through all sessions would keep writers waiting."""
    for session in Session.objects.all().iterator():
        if key in repr(data := session.get_decoded()):
            session.session_data = SessionStore().encode(_pruned(data, key))
            session.save(update_fields=["session_data"])


def forget_name(*, game: int, rename: Callable[[str], str], **_more: Any) -> None:
    """A player has taken their name back: the other systems' answers don't hold it either."""
    rivals = Stimulus.objects.filter(unit__game=game, place=2).exclude(text="")
    for stimulus in rivals:
        stimulus.text = rename(stimulus.text)
        stimulus.save(update_fields=["text"])


def _forget_in_sessions(row: Rater, names: set[str]) -> None:
    """Browsers keep no word of the rater; one that comes back is told what happened."""
    campaign = row.campaign.key
    for session in Session.objects.all().iterator():
        data = session.get_decoded()
        kept = {k: _without(v, campaign, names) for k, v in data.items()}
        kept = _replaced(kept, row.key, erased_key(row.key))
        if kept != data:
            session.session_data = SessionStore().encode(kept)
            session.save(update_fields=["session_data"])


def _without(part: Any, campaign: str, names: set[str]) -> Any:
    """A part of a session without what was noted of somebody of these names at the campaign."""
    noted = part.get(campaign) if isinstance(part, dict) else None
    if isinstance(noted, dict) and names & {v for v in noted.values() if isinstance(v, str)}:
        return {k: v for k, v in part.items() if k != campaign}
    return part


def _replaced(data: Any, old: str, new: str) -> Any:
    if isinstance(data, dict):
        return {_replaced(k, old, new): _replaced(v, old, new) for k, v in data.items()}
    if isinstance(data, list):
        return [_replaced(item, old, new) for item in data]
    return new if data == old else data


def _pruned(data: Any, key: str) -> Any:
    """`data` without the entries that are the key."""
    if isinstance(data, dict):
        return {k: _pruned(v, key) for k, v in data.items() if key not in (k, v)}
    return [_pruned(v, key) for v in data if v != key] if isinstance(data, list) else data
