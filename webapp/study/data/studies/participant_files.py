"""Files of a study's participants, slots, seatings, audit events, messages and payments."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from webapp.study.csv_cells import json_cell
from webapp.study.data.studies.study_source import StudySource, StudyTable
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
_SEATING_COLUMNS = (
    "slot", "condition", "game_id", "participant", "round", "seat", "seating_state", "waited_s",
)  # fmt: skip
_AUDIT_EVENT_COLUMNS = ("at_utc", "what", "actor", "reason", "participant", "slot")
_MESSAGE_COLUMNS = (
    "participant", "at_utc", "kind", "from_participant", "slot", "text", "seen_at_utc",
)  # fmt: skip
_PAYMENT_COLUMNS = (
    "participant", "amount", "currency", "payment_reason", "cases", "payment_note", "status",
    "reward", "batch", "at_utc",
)  # fmt: skip


def _participant_columns(source: StudySource) -> tuple[str, ...]:
    return (
        *_PERSON_COLUMNS,
        *_PROGRESS_COLUMNS,
        *(ARRIVAL_PREFIX + step.key for step in route(source.design)),
    )


def _participant_rows(source: StudySource) -> Iterator[tuple[Any, ...]]:
    """Yield one row for each participant, with consent and exit only after a withdrawal."""
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


def _assignment_columns(source: StudySource) -> tuple[str, ...]:
    systems = ("systems",) if source.design.experiment.league else ()
    return (
        *_SLOT_COLUMNS,
        *(FACTOR_PREFIX + f.name for f in source.design.factors),
        *systems,
        *_DRAW_COLUMNS,
    )


def _assignment_rows(source: StudySource) -> Iterator[tuple[Any, ...]]:
    """Yield one row for each slot, also for void ones."""
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


def _seating_rows(source: StudySource) -> Iterator[tuple[Any, ...]]:
    """Yield one row for each offer of a seat."""
    slots = {slot.pk: slot for slot in source.slots}
    rows = Seating.objects.filter(slot__study=source.study).select_related("participant")
    for row in rows.order_by("pk"):
        slot = slots[row.slot_id]
        yield (
            slot.index, slot.condition.name, slot.game.code if slot.game else "",
            row.participant.pseudonym, row.round,
            row.seat if source.may_reveal_kinds(slot) else None, row.state, row.waited_s,
        )  # fmt: skip


def _audit_event_rows(source: StudySource) -> Iterator[tuple[Any, ...]]:
    """Yield one row for each audit event in order, without those of payments."""
    rows = AuditEvent.objects.filter(study=source.study).order_by("pk")
    rows = rows.exclude(what__startswith=PAYMENT_EVENT_PREFIX)
    for row in rows.select_related("participant", "slot"):
        yield (
            row.at, row.what, ACTOR_LABELS.get(row.actor, RESEARCHER), source.redact(row.reason),
            row.participant.pseudonym if row.participant else "",
            row.slot.index if row.slot else None,
        )  # fmt: skip


def _message_rows(source: StudySource) -> Iterator[tuple[Any, ...]]:
    """Yield one row for each message from or to participants who did not withdraw their data."""
    rows = Message.objects.filter(study=source.study, participant__withdrew=False).order_by("pk")
    for row in rows.select_related("participant", "slot"):
        pseudonym = row.participant.pseudonym
        yield (
            pseudonym, row.at, row.kind, row.from_participant, row.slot.index if row.slot else None,
            source.redact(row.text, pseudonym if row.from_participant else ""), row.seen_at,
        )  # fmt: skip


def _payment_rows(source: StudySource) -> Iterator[tuple[Any, ...]]:
    """Yield one row for each payment due or made, without bonuses that are still secret."""
    for row in visible_payments(source.study):
        is_manual = row.reason.startswith(MANUAL_REASON_PREFIX)
        yield (
            row.participant.pseudonym, str(row.amount), source.design.currency,
            MANUAL_REASON_PREFIX.rstrip(":") if is_manual else row.reason, row.cases or None,
            row.note, row.status, row.reward, row.batch.number if row.batch else None, row.at,
        )  # fmt: skip


TABLES = {
    "participants.csv": StudyTable(_participant_columns, _participant_rows),
    "assignments.csv": StudyTable(_assignment_columns, _assignment_rows),
    "seatings.csv": StudyTable(_SEATING_COLUMNS, _seating_rows),
    "happenings.csv": StudyTable(_AUDIT_EVENT_COLUMNS, _audit_event_rows),
    "messages.csv": StudyTable(_MESSAGE_COLUMNS, _message_rows),
}
PAYMENT_TABLE = StudyTable(_PAYMENT_COLUMNS, _payment_rows)
