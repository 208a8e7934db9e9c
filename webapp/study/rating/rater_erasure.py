"""Erases raters' data, links' keys in sessions, and withdrawn names in rated texts."""

from collections.abc import Callable, Collection
from typing import Any

from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db.models import Model

from webapp.play import shredding
from webapp.study.models import Analysis, Rater, erased_key
from webapp.study.rating import quotas
from webapp.study.rating.stimuli import system_answers
from webapp.study.study_models import ERASED

KEPT_FIELDS = {"id", "campaign", "participant", "pseudonym"}  # an erased row keeps its pseudonym


def erase_rater(rater: Rater) -> None:
    """Delete a rater's data and clear the row, which frees places in quotas. Idempotent."""
    shredding.overwrite_deleted_rows()
    with quotas.locked_rater(rater) as row:
        if is_erased(row):
            return
        row.assignments.all().delete()
        Analysis.objects.filter(campaign=row.campaign_id).delete()  # the results list raters
        key = row.key
        reset_fields(row, kept_names=KEPT_FIELDS)
        row.key = erased_key(key)
        row.excluded, row.exclusion_reason = True, "erased"
        row.save()
        shredding.record_shredding()
    shredding.shred_recorded()


def reset_fields(row: Model, *, kept_names: Collection[str]) -> None:
    """Set the row's fields to their defaults, except those that are kept. It is not saved."""
    for field in row._meta.concrete_fields:
        if field.name not in kept_names:
            setattr(row, field.name, field.get_default())


def is_erased(rater: Rater) -> bool:
    return rater.key.startswith(ERASED)


def was_erased(key: str) -> bool:
    """Return whether `key` was the key of a rater who is now erased."""
    return Rater.objects.filter(key=erased_key(key)).exists()


def remove_key_from_sessions(key: str) -> None:
    """Remove a link's key from all browsers' sessions.

    It runs outside a transaction, because iterating over all sessions would block writers.
    """
    for session in Session.objects.all().iterator():
        if key in repr(data := session.get_decoded()):
            session.session_data = SessionStore().encode(_without_key(data, key))
            session.save(update_fields=["session_data"])


def _without_key(data: Any, key: str) -> Any:
    """Return JSON data without the key, at any depth, and without values that belong to it."""
    if isinstance(data, dict):
        return {k: _without_key(v, key) for k, v in data.items() if key not in (k, v)}
    if isinstance(data, list):
        return [_without_key(value, key) for value in data if value != key]
    return data


def on_name_erased(*, game: int, rename: Callable[[str], str], **_signal_arguments: Any) -> None:
    """Replace a player's withdrawn name in the comparison systems' answers (signal's receiver)."""
    for stimulus in system_answers(unit__game=game).exclude(text=""):
        stimulus.text = rename(stimulus.text)
        stimulus.save(update_fields=["text"])
