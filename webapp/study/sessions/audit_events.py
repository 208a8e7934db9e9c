"""The audit events of a study."""

from __future__ import annotations

from webapp.study.models import Happening, Participant, Slot, Study
from webapp.study.sessions import notices

# Actors; a researcher is one by name. POLICY: the study's rule for those who are away from a game.
PARTICIPANT, CLOCK, POLICY = "participant", "clock", "dropouts"
# In place of a researcher's name where participants may read it, or where no name is stored.
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
    of = study if isinstance(study, int) else study.pk
    Happening.objects.create(
        study_id=of,
        what=event_kind,
        actor=actor,
        reason=reason[:400],
        participant=participant,
        slot=slot,
    )
    notices.study_changed(of)
