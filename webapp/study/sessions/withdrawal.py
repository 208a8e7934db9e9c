"""A participant takes back what they answered."""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction

from webapp.sqlite.shredding import overwrite_what_is_deleted, shred
from webapp.study.models import Participant, Response, StudyAnalysis
from webapp.study.sessions import happenings, places

# What else is to be deleted, in the same transaction: a rater's ratings.
taking_back: list[Callable[[Participant], None]] = []


def take_back(participant: Participant) -> None:
    """Delete the answers for good and mark that it was done. What is left: that somebody took
    part, by which way they went out and what they are owed, and their moves in games with others.
    """
    overwrite_what_is_deleted()
    with transaction.atomic():
        row = places.locked(participant)
        if row.withdrew:
            return
        Response.objects.filter(participant=row).delete()
        StudyAnalysis.objects.filter(study=row.study_id).delete()  # it counts their answers
        row.withdrew, row.device = True, {}
        row.save(update_fields=["withdrew", "device"])
        for hook in taking_back:
            hook(row)
        happenings.note(row.study_id, "withdrew", actor=happenings.PARTICIPANT, participant=row)
    shred()
