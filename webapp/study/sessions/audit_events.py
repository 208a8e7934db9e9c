"""The audit events of a study."""

from __future__ import annotations

from webapp.study.models import Happening, Participant, Slot, Study
from webapp.study.sessions import notices

# Actors beside researchers, who are named. POLICY: the study's policy for dropouts.
PARTICIPANT, CLOCK, POLICY = "participant", "clock", "dropouts"
# Replaces a researcher's name where participants may read it, and where no name is stored.
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
    """Record that `actor` did `event_kind`, in the caller's transaction."""
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
