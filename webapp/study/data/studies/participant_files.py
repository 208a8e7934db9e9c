"""Files of a study's participants, slots, seatings, audit events, messages and payments."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from webapp.study.csv_cells import json_cell
from webapp.study.data.studies.study_source import StudySource
from webapp.study.models import AuditEvent, Message, Seating
from webapp.study.payments.payment_decisions import (
    MANUAL_REASON_PREFIX,
    PAYMENT_EVENT_PREFIX,
    visible_payments,
)
from webapp.study.sessions.participant_state import route
from webapp.study.sessions.study_events import CLOCK, PARTICIPANT, POLICY, RESEARCHER

ARRIVAL_PREFIX = "at."  # Begins a column with the time of the first arrival at a step.
FACTOR_PREFIX = "factor."  # Begins a column with the level of a factor.
# Actors as the export names them. All others are researchers, whose names are in no export.
ACTOR_LABELS = {PARTICIPANT: PARTICIPANT, CLOCK: CLOCK, POLICY: "policy"}

_PERSON_COLUMNS = (
    "participant", "invited", "consented_at_utc", "consent_version", "consent_again", "exit",
    "exited_at_utc", "withdrew", "excluded", "exclusion_reason", "publish_words", "of_age",
)  # fmt: skip
_PROGRESS_COLUMNS = ("extra_time", "device", "waited_s", "quiz_tries", "step")
_SLOT_COLUMNS = ("slot", "block", "condition_index", "condition")
_DRAW_COLUMNS = (
    "deal_seed", "people_seats", "state", "void_reason", "deviations", "game_id", "began_at_utc",
    "ended_at_utc",
)  # fmt: skip
SEATING_COLUMNS = (
    "slot", "condition", "game_id", "participant", "round", "seat", "seating_state", "waited_s",
)  # fmt: skip
AUDIT_EVENT_COLUMNS = ("at_utc", "what", "actor", "reason", "participant", "slot")
MESSAGE_COLUMNS = (
    "participant", "at_utc", "kind", "from_participant", "slot", "text", "seen_at_utc",
)  # fmt: skip
PAYMENT_COLUMNS = (
    "participant", "amount", "currency", "payment_reason", "cases", "payment_note", "status",
    "reward", "batch", "at_utc",
)  # fmt: skip


def participant_columns(source: StudySource) -> tuple[str, ...]:
    return (
        *_PERSON_COLUMNS,
        *_PROGRESS_COLUMNS,
        *(ARRIVAL_PREFIX + step.key for step in route(source.design)),
    )


def participants_csv(source: StudySource) -> bytes:
    """Return one row for each participant.

    Rows of participants who withdrew their data have consent and exit only.
    """
    return source.csv_file(participant_columns(source), _participant_rows(source))


def _participant_rows(source: StudySource) -> Iterator[tuple[Any, ...]]:
    steps = route(source.design)
    for row in source.participants:
        person_values = (
            row.pseudonym, row.invited, row.consented_at, row.consent_version, row.consent_again,
            row.exit, row.exited_at, row.withdrew, row.excluded,
            source.redact(row.exclusion_reason), row.publish_words, row.of_age,
        )  # fmt: skip
        if row.withdrew:
            yield (*person_values, *("" for _ in (*_PROGRESS_COLUMNS, *steps)))
            continue
        step_key = steps[row.step].key if row.step < len(steps) else ""
        progress_values = (
            row.extra_time, json_cell(row.device), row.waited_s, row.quiz_tries, step_key,
        )  # fmt: skip
        arrivals = (row.times.get(step.key) for step in steps)  # ISO-8601
        times = (datetime.fromisoformat(arrival) if arrival else None for arrival in arrivals)
        yield (*person_values, *progress_values, *times)


def assignment_columns(source: StudySource) -> tuple[str, ...]:
    systems = ("systems",) if source.design.experiment.league else ()
    return (
        *_SLOT_COLUMNS,
        *(FACTOR_PREFIX + f.name for f in source.design.factors),
        *systems,
        *_DRAW_COLUMNS,
    )


def assignments_csv(source: StudySource) -> bytes:
    """Return one row for each slot, also for void ones."""
    return source.csv_file(assignment_columns(source), _assignment_rows(source))


def _assignment_rows(source: StudySource) -> Iterator[tuple[Any, ...]]:
    for slot in source.slots:
        condition, may_reveal = slot.condition, source.may_reveal_kinds(slot)
        yield (
            slot.index, slot.block, condition.index, condition.name,
            *(condition.levels.get(factor.name, "") for factor in source.design.factors),
            *([" ".join(slot.systems)] if source.design.experiment.league else []),
            slot.deal, " ".join(map(str, slot.seats)) if may_reveal else "",
            slot.state, slot.void_reason, json_cell(slot.deviations) if may_reveal else "",
            slot.game.code if slot.game else "", slot.began_at, slot.ended_at,
        )  # fmt: skip


def seatings_csv(source: StudySource) -> bytes:
    """Return one row for each offer of a seat."""
    return source.csv_file(SEATING_COLUMNS, _seating_rows(source))


def _seating_rows(source: StudySource) -> Iterator[tuple[Any, ...]]:
    slots = {slot.pk: slot for slot in source.slots}
    rows = Seating.objects.filter(slot__study=source.study).select_related("participant")
    for row in rows.order_by("pk"):
        slot = slots[row.slot_id]
        yield (
            slot.index, slot.condition.name, slot.game.code if slot.game else "",
            row.participant.pseudonym, row.round,
            row.seat if source.may_reveal_kinds(slot) else None, row.state, row.waited_s,
        )  # fmt: skip


def audit_events_csv(source: StudySource) -> bytes:
    """Return one row for each audit event in order, without those of payments."""
    return source.csv_file(AUDIT_EVENT_COLUMNS, _audit_event_rows(source))


def _audit_event_rows(source: StudySource) -> Iterator[tuple[Any, ...]]:
    rows = AuditEvent.objects.filter(study=source.study).order_by("pk")
    rows = rows.exclude(what__startswith=PAYMENT_EVENT_PREFIX)
    for row in rows.select_related("participant", "slot"):
        yield (
            row.at, row.what, ACTOR_LABELS.get(row.actor, RESEARCHER), source.redact(row.reason),
            row.participant.pseudonym if row.participant else "",
            row.slot.index if row.slot else None,
        )  # fmt: skip


def messages_csv(source: StudySource) -> bytes:
    """Return one row for each message between a participant and the researchers.

    Messages of participants who withdrew their data are left out.
    """
    rows = Message.objects.filter(study=source.study, participant__withdrew=False).order_by("pk")
    cells = (
        (
            r.participant.pseudonym, r.at, r.kind, r.from_participant,
            r.slot.index if r.slot else None,
            source.redact(r.text, r.participant.pseudonym if r.from_participant else ""), r.seen_at,
        )
        for r in rows.select_related("participant", "slot")
    )  # fmt: skip
    return source.csv_file(MESSAGE_COLUMNS, cells)


def payments_csv(source: StudySource) -> bytes:
    """Return one row for each payment that is due or made.

    Bonuses that may not be revealed yet are left out.
    """
    cells = (
        (
            r.participant.pseudonym, str(r.amount), source.design.currency,
            MANUAL_REASON_PREFIX.rstrip(":")
            if r.reason.startswith(MANUAL_REASON_PREFIX) else r.reason,
            r.cases or None, r.note, r.status, r.reward, r.batch.number if r.batch else None, r.at,
        )
        for r in visible_payments(source.study)
    )  # fmt: skip
    return source.csv_file(PAYMENT_COLUMNS, cells)
