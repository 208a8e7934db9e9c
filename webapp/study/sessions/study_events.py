"""Events of a study: the audit record (`AuditEvent`), and notices that make open pages refresh.

A notice says only that something has changed. The page then requests what it may show.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from webapp.play.live.notifier import notifier
from webapp.rate_counters import keyed_digest
from webapp.study.models import AuditEvent, Participant, Slot, Study

# Actors. The actor of a researcher's action is their user name. POLICY is the policy for dropouts.
PARTICIPANT, CLOCK, POLICY = "participant", "clock", "dropouts"
# Replaces a researcher's name in `Participant.visits`, which participants can download.
RESEARCHER = "researcher"
REFRESH_TYPE = "look.again"  # type of the channel message, which has no other content


def record_event(
    study: Study | int,
    event_kind: str,
    *,
    actor: str,
    reason: str = "",
    participant: Participant | None = None,
    slot: Slot | None = None,
) -> None:
    """Store an audit event in the caller's transaction, then refresh the monitor.

    `event_kind` is what was done, such as "agreed". `monitor.audit_event_lines` has its texts.
    """
    study_id = study if isinstance(study, int) else study.pk
    AuditEvent.objects.create(
        study_id=study_id,
        what=event_kind,
        actor=actor,
        reason=reason[:400],
        participant=participant,
        slot=slot,
    )
    refresh_monitor(study_id)


def participant_group(key: str) -> str:
    """Return the channel group of the pages of the participant with that key."""
    return f"study.{keyed_digest(key)}"


def refresh_pages(participants: Iterable[int]) -> None:
    """Refresh the open pages of these participants (ids) after the commit.

    A failure is only logged, because pages also poll every few seconds.
    """
    if ids := set(participants):
        transaction.on_commit(lambda: _notify(ids), robust=True)


def _notify(ids: set[int]) -> None:
    for key in Participant.objects.filter(pk__in=ids).values_list("key", flat=True):
        notify_participant(key)


def notify_participant(key: str) -> None:
    """Refresh the open pages of the participant with that key now."""
    notifier.send(participant_group(key), REFRESH_TYPE)


def monitor_group(study: int) -> str:
    """Return the channel group of a study's monitor, by the study's id."""
    return f"study-monitor.{study}"


def refresh_monitor(study: int) -> None:
    """Refresh the open pages of the study's monitor after the commit."""
    transaction.on_commit(lambda: notifier.send(monitor_group(study), REFRESH_TYPE), robust=True)
