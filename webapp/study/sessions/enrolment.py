"""Somebody agrees to take part: from then on there is a participant, and not before."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from webapp.study.models import Identity, Participant, Study, normal
from webapp.study.sessions import consenting, happenings, lifecycle, places
from webapp.study.sessions.design import ExitKind

EXTRA_TIME = (100, 150, 200)  # per cent of the usual limits


class TakenName(Exception):
    """Somebody of that outside name has begun already."""


@dataclass(frozen=True)
class Agreement:
    """What the button of the first page sends. version: of the text agreed to; device: what the
    door found of the browser; shown_at: when the page was shown, none where it does not say.
    publish_words, of_age: what was ticked, none where that was not asked."""

    version: str
    extra_time: int = 100
    device: Mapping[str, Any] = field(default_factory=dict)
    shown_at: datetime | None = None
    publish_words: bool | None = None
    of_age: bool | None = None


def known(study: Study, names: Mapping[str, str]) -> Participant | None:
    """The participant of that outside name and that session of theirs; a name alone, which many
    may know, is nobody."""
    if not (names.get("label") and names.get("session")):
        return None
    rows = Identity.objects.filter(participant__study=study, normal=normal(names["label"]))
    found = rows.filter(session=names["session"]).select_related("participant__study").first()
    return found.participant if found else None


def is_taken(study: Study, names: Mapping[str, str]) -> bool:
    """Whether a participant of that outside name is there already."""
    label = normal(names.get("label", ""))
    rows = Identity.objects.filter(participant__study=study, normal=label)
    return bool(label) and rows.exists()


def turn_away(study: Study, kind: ExitKind) -> None:
    """Count somebody who came to an open study and did not begin; nothing is kept of them."""
    with transaction.atomic():
        row = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if row.state == Study.OPEN:
            row.turned_away = {**row.turned_away, kind: row.turned_away.get(kind, 0) + 1}
            row.save(update_fields=["turned_away"])


def next_pseudonym(study: Study) -> str:
    """P001, P002 …: one that nobody has or had. The caller holds the study's row."""
    names = Participant.objects.filter(study=study).values_list("pseudonym", flat=True)
    numbers = [int(n[1:]) for n in names if n[1:].isdecimal()]
    return f"P{max(numbers, default=0) + 1:03d}"


def enrol(
    study: Study, told: Mapping[str, str], visitor: uuid.UUID, agreed: Agreement
) -> Participant:
    """Somebody has agreed by the shared link. Idempotent by the form's ticket, which becomes the
    key of the personal link. Raises TakenName."""
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        if row := Participant.objects.filter(study=study, key=told["ticket"]).first():
            return row
        if is_taken(study, told):
            raise TakenName
        row = Participant(study=study, key=told["ticket"], pseudonym=next_pseudonym(study))
        _agreed(row, visitor, agreed)
        names = {name: told.get(name, "") for name in ("label", "study", "session")}
        if any(names.values()):
            Identity.objects.create(participant=row, **names)
    return row


def agree(participant: Participant, visitor: uuid.UUID, agreed: Agreement) -> Participant:
    """Somebody who was invited has agreed; once."""
    with transaction.atomic():
        row = places.locked(participant)
        if not row.consented_at:
            _agreed(row, visitor, agreed)
    return row


def _agreed(row: Participant, visitor: uuid.UUID, agreed: Agreement) -> None:
    now = timezone.now()
    row.consented_at, row.seen_at, row.consent_version = now, now, agreed.version
    row.visitor, row.extra_time, row.device = visitor, agreed.extra_time, dict(agreed.device)
    row.publish_words, row.of_age = agreed.publish_words, agreed.of_age
    consenting.keep_text(row.study)
    came = (agreed.shown_at or now).isoformat()
    row.times = {"consent-0": came}
    row.visits = [
        {"step": "consent-0", "came": came, "went": now.isoformat(), "by": happenings.PARTICIPANT}
    ]
    lifecycle.begin(row)
    happenings.note(row.study_id, "agreed", actor=happenings.PARTICIPANT, participant=row)
