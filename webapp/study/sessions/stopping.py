"""Stopping a study: nobody comes in any more, and all who are on the way go out paid, at once.

The study is closed first. What a process that ended left undone, the clock does: everything here
is idempotent.
"""

from __future__ import annotations

import logging
from contextlib import suppress

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game import host_actions
from game.engine.forms import Illegal
from webapp.study.models import Happening, Slot, Study
from webapp.study.sessions import games, happenings, lifecycle, slots
from webapp.study.value_checks import Refused, text

logger = logging.getLogger(__name__)

STOPPED, RESUMED = "stopped", "resumed"
WHY = "the study was stopped"  # why its games are void


def stop(study: Study, *, actor: str, reason: str) -> None:
    """Nobody comes in, games are called off, and who is on the way goes out by `technical`; what
    they have typed is stored. Raises Refused where that was done, or it was never opened."""
    why = text(gettext_lazy("The reason"), 120, 1)(reason)
    with transaction.atomic():
        row = slots.locked(study)
        if row.state == Study.DRAFT:
            raise Refused([_("The study was never opened.")])
        if is_stopped(row):
            raise Refused([_("The study is stopped already.")])
        row.state, row.closed_at = Study.CLOSED, timezone.now()
        row.save(update_fields=["state", "closed_at"])
        happenings.note(row, STOPPED, actor=actor, reason=why)
    finish_stop(row)
    study.refresh_from_db()


def is_stopped(study: Study) -> bool:
    """Whether the study was stopped, and not opened again since."""
    rows = Happening.objects.filter(study=study, what__in=[STOPPED, RESUMED]).order_by("-pk")
    return rows.values_list("what", flat=True).first() == STOPPED


def finish_stop(study: Study) -> None:
    """Where the study is stopped: call its games off, and let everybody go."""
    if study.state != Study.CLOSED or not is_stopped(study):
        return
    for slot in study.slots.filter(state=Slot.PLAYING):
        _call_off(slot)
    said = Happening.objects.filter(study=study, what=STOPPED).last()
    actor, why = (said.actor, said.reason) if said else (happenings.CLOCK, "")
    for person in study.participants.filter(exit="", consented_at__isnull=False):
        try:
            lifecycle.leave_by(person, "technical", by=actor, reason=why)
        except Exception:
            logger.exception("participant %s could not go out", person.pk)


def _call_off(slot: Slot) -> None:
    """The slot is made void, and its people go out."""
    with transaction.atomic():
        slots.locked(slot.study_id)
        row = Slot.objects.get(pk=slot.pk)
        if row.state == Slot.PLAYING and row.game_id:
            row.deviations = {**row.deviations, "ended_for": WHY}
            row.save(update_fields=["deviations"])
            with suppress(Illegal):  # it has ended just now
                host_actions.call_off(row.game_id)
    games.settle(slot)
