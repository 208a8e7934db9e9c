"""Participants, planned games, seatings, audit events, messages and payments of a study."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from webapp.study.data.studies.study_source import StudySource, as_json
from webapp.study.models import Happening, Message, Seating
from webapp.study.payments.payment_decisions import EVENT_PREFIX, HAND_PREFIX, visible_payments
from webapp.study.sessions.audit_events import CLOCK, PARTICIPANT, POLICY, RESEARCHER
from webapp.study.sessions.participant_steps import route

ARRIVAL_PREFIX = "at."  # prefix of a step in the heading of the first arrival at it
FACTOR_PREFIX = "factor."  # prefix of a factor in the heading of its level
# Actors as the export names them; all others are researchers, whose names are in no export.
ACTORS = {PARTICIPANT: PARTICIPANT, CLOCK: CLOCK, POLICY: "policy"}

_WHO = ("participant", "invited", "consented_at_utc", "consent_version", "consent_again", "exit",
        "exited_at_utc", "withdrew", "excluded", "exclusion_reason", "publish_words",
        "of_age")  # fmt: skip
_WAY = ("extra_time", "device", "waited_s", "quiz_tries", "step")
_SLOT = ("slot", "block", "condition_index", "condition")
_DRAWN = ("deal_seed", "people_seats", "state", "void_reason", "deviations", "game_id",
          "began_at_utc", "ended_at_utc")  # fmt: skip
SEATINGS = ("slot", "condition", "game_id", "participant", "round", "seat", "seating_state",
            "waited_s")  # fmt: skip
HAPPENINGS = ("at_utc", "what", "actor", "reason", "participant", "slot")
MESSAGES = ("participant", "at_utc", "kind", "from_participant", "slot", "text", "seen_at_utc")
PAYMENTS = ("participant", "amount", "currency", "payment_reason", "cases", "payment_note",
            "status", "reward", "batch", "at_utc")  # fmt: skip


def participants_columns(source: StudySource) -> tuple[str, ...]:
    return (*_WHO, *_WAY, *(ARRIVAL_PREFIX + step.key for step in route(source.design)))


def participants(source: StudySource) -> bytes:
    """Return one row for each participant.

    Withdrawn participants have only the fact that they took part.
    """
    return source.table(participants_columns(source), _participants(source))


def _participants(source: StudySource) -> Iterator[tuple[Any, ...]]:
    steps = route(source.design)
    for row in source.participants:
        person_cells = (row.pseudonym, row.invited, row.consented_at, row.consent_version,
               row.consent_again, row.exit, row.exited_at, row.withdrew, row.excluded,
               source.words("", row.exclusion_reason), row.publish_words, row.of_age)  # fmt: skip
        if row.withdrew:
            yield (*person_cells, *("" for _ in (*_WAY, *steps)))
            continue
        step_key = steps[row.step].key if row.step < len(steps) else ""
        progress_cells = (row.extra_time, as_json(row.device), row.waited, row.quiz_tries, step_key)
        reached_at = (row.times.get(step.key) for step in steps)
        times = (datetime.fromisoformat(time) if time else None for time in reached_at)
        yield (*person_cells, *progress_cells, *times)


def assignments_columns(source: StudySource) -> tuple[str, ...]:
    systems = ("systems",) if source.design.experiment.league else ()
    return (*_SLOT, *(FACTOR_PREFIX + f.name for f in source.design.factors), *systems, *_DRAWN)


def assignments(source: StudySource) -> bytes:
    """Return one row for each slot, void ones included."""
    return source.table(assignments_columns(source), _assignments(source))


def _assignments(source: StudySource) -> Iterator[tuple[Any, ...]]:
    for slot in source.slots:
        cell, may_tell = slot.condition, source.may_reveal_kinds(slot)
        yield (
            slot.index,
            slot.block,
            cell.index,
            cell.name,
            *(cell.levels.get(f.name, "") for f in source.design.factors),
            *([" ".join(slot.systems)] if source.design.experiment.league else []),
            slot.deal,
            " ".join(map(str, slot.seats)) if may_tell else "",
            slot.state,
            slot.void_reason,
            as_json(slot.deviations) if may_tell else "",
            slot.game.code if slot.game else "",
            slot.began_at,
            slot.ended_at,
        )


def seatings(source: StudySource) -> bytes:
    """Return one row for each offer of a seat."""
    return source.table(SEATINGS, _seatings(source))


def _seatings(source: StudySource) -> Iterator[tuple[Any, ...]]:
    slots = {slot.pk: slot for slot in source.slots}
    rows = Seating.objects.filter(slot__study=source.study).select_related("participant")
    for row in rows.order_by("pk"):
        slot = slots[row.slot_id]
        yield (
            slot.index,
            slot.condition.name,
            slot.game.code if slot.game else "",
            row.participant.pseudonym,
            row.round,
            row.seat if source.may_reveal_kinds(slot) else None,
            row.state,
            row.waited,
        )


def happenings(source: StudySource) -> bytes:
    """Return the audit events in order, without those of payments."""
    return source.table(HAPPENINGS, _happenings(source))


def _happenings(source: StudySource) -> Iterator[tuple[Any, ...]]:
    rows = Happening.objects.filter(study=source.study).order_by("pk")
    rows = rows.exclude(what__startswith=EVENT_PREFIX)  # events of payments
    for row in rows.select_related("participant", "slot"):
        yield (
            row.at,
            row.what,
            ACTORS.get(row.actor, RESEARCHER),
            source.words("", row.reason),
            row.participant.pseudonym if row.participant else "",
            row.slot.index if row.slot else None,
        )


def messages(source: StudySource) -> bytes:
    """Return the messages between participants and researchers.

    Messages of participants who withdrew their data are left out.
    """
    rows = Message.objects.filter(study=source.study, participant__withdrew=False).order_by("pk")
    return source.table(
        MESSAGES,
        (
            (
                r.participant.pseudonym, r.at, r.kind, r.from_participant,
                r.slot.index if r.slot else None,
                source.words(r.participant.pseudonym if r.from_participant else "", r.text),
                r.seen_at,
            )
            for r in rows.select_related("participant", "slot")
        ),
    )  # fmt: skip


def payments(source: StudySource) -> bytes:
    """Return what each participant is owed or was paid, by pseudonym.

    Bonuses that may not be revealed yet are left out.
    """
    money = source.design.currency
    return source.table(
        PAYMENTS,
        (
            (
                r.participant.pseudonym, str(r.amount), money,
                HAND_PREFIX.rstrip(":") if r.reason.startswith(HAND_PREFIX) else r.reason,
                r.cases or None, r.note, r.status, r.reward,
                r.batch.number if r.batch else None, r.at,
            )
            for r in visible_payments(source.study)
        ),
    )  # fmt: skip
