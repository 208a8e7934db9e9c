"""Tells open pages, of participants and of their researchers, to look again, never for what."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from webapp.play.live.notifier import notifier
from webapp.rate_counters import digest
from webapp.study.models import Participant

LOOK = "look.again"  # the type of the message; it holds nothing else


def group(key: str) -> str:
    """Return the channel group of a participant's pages.

    Key: `Participant.key`.
    """
    return f"study.{digest(key)}"


def look_again(participants: Iterable[int]) -> None:
    """Once the transaction is committed, these participants' (by id) pages look again.

    Waits for nothing and can't fail: pages look every few seconds by themselves.
    """
    if ids := set(participants):
        transaction.on_commit(lambda: _notify(ids), robust=True)


def _notify(ids: set[int]) -> None:
    for key in Participant.objects.filter(pk__in=ids).values_list("key", flat=True):
        notify_participant(key)


def notify_participant(key: str) -> None:
    """The pages of the participant of that key look again, now."""
    notifier.tell(group(key), LOOK)


def monitor(study: int) -> str:
    """Return the channel group of a study's monitor, by the study's id."""
    return f"study-monitor.{study}"


def study_changed(study: int) -> None:
    """Once the transaction is committed, the pages of the study's monitor look again."""
    transaction.on_commit(lambda: notifier.tell(monitor(study), LOOK), robust=True)
