"""Events of a study: the audit record (`AuditEvent`), and notices that make open pages refresh.

A notice says only that something has changed. The page then requests what it may show.
"""

from collections.abc import Iterable

from django.db import transaction

from webapp.play.live.notifier import notifier
from webapp.rate_counters import keyed_digest
from webapp.study.models import AuditEvent, Participant, Seating, Slot, Study

# Actors: who caused an event. The actor of a researcher's action is their user name.
PARTICIPANT = "participant"
CLOCK = "clock"  # the system: a time limit has passed, or a task has run
POLICY = "dropouts"  # the study's rule for participants who leave their game (`Dropout`)
# Replaces a researcher's name in `Participant.visits`, which participants can download.
RESEARCHER = "researcher"
# Type of the channel message, which has no other content. Channels calls the consumers' method
# `look_again`.
REFRESH_TYPE = "look.again"
MAX_REASON_CHARS = 400  # length of the column `AuditEvent.reason`


def record_event(
    subject: Study | Participant | Slot | Seating | int,
    event_kind: str,
    *,
    actor: str,
    reason: str = "",
    slot: Slot | None = None,
) -> None:
    """Store an audit event in the caller's transaction, then refresh the monitor.

    The subject is a study (or its id), a participant, a slot, or both of these as a seating. A
    `slot` is recorded in addition to a study or a participant.
    `monitor.audit_event_lines` has the texts of kinds. The actor is one of those above, or a
    researcher's user name. A reason is cut after `MAX_REASON_CHARS`.
    """
    participant = None
    if isinstance(subject, Seating):
        participant, subject = subject.participant, subject.slot
    if isinstance(subject, Slot):
        slot, subject = subject, subject.study_id
    elif isinstance(subject, Participant):
        participant, subject = subject, subject.study_id
    study_id = subject.pk if isinstance(subject, Study) else subject
    AuditEvent.objects.create(
        study_id=study_id,
        what=event_kind,
        actor=actor,
        reason=reason[:MAX_REASON_CHARS],
        participant=participant,
        slot=slot,
    )
    refresh_monitor_on_commit(study_id)


def participant_group(key: str) -> str:
    """Return the channel group of the pages of the participant with that key."""
    return f"study.{keyed_digest(key)}"


def refresh_pages_on_commit(participant_ids: Iterable[int]) -> None:
    """Refresh the open pages of these participants after the commit.

    A failure is only logged, because pages also poll every few seconds.
    """
    if ids := set(participant_ids):
        transaction.on_commit(lambda: _refresh_pages_of(ids), robust=True)


def _refresh_pages_of(participant_ids: set[int]) -> None:
    rows = Participant.objects.filter(pk__in=participant_ids)
    for key in rows.values_list("key", flat=True):
        refresh_pages_now(key)


def refresh_pages_now(key: str) -> None:
    """Refresh the open pages of the participant with that key. For callers after the commit."""
    notifier.send(participant_group(key), REFRESH_TYPE)


def monitor_group(study_id: int) -> str:
    """Return the channel group of the pages of a study's monitor."""
    return f"study-monitor.{study_id}"


def refresh_monitor_on_commit(study_id: int) -> None:
    """Refresh the open pages of the study's monitor after the commit."""
    transaction.on_commit(lambda: notifier.send(monitor_group(study_id), REFRESH_TYPE), robust=True)
