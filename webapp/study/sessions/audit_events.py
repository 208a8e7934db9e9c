"""Records the audit events of a study (`Happening`)."""

from __future__ import annotations

from webapp.study.models import Happening, Participant, Slot, Study
from webapp.study.sessions import notices

# Actors. The actor of a researcher's action is their user name. POLICY is the policy for dropouts.
PARTICIPANT, CLOCK, POLICY = "participant", "clock", "dropouts"
# Replaces a researcher's name in `Participant.visits`, which participants can download.
RESEARCHER = "researcher"


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

    Args:
        event_kind: What was done, such as "agreed". `monitor.audit_event_lines` has a text for it.
    """
    study_id = study if isinstance(study, int) else study.pk
    Happening.objects.create(
        study_id=study_id,
        what=event_kind,
        actor=actor,
        reason=reason[:400],
        participant=participant,
        slot=slot,
    )
    notices.refresh_monitor(study_id)
