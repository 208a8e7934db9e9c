"""Who saw a study's results, once a researcher and day: looking before the end is on record."""

from __future__ import annotations

from django.utils import timezone

from webapp.study.models import Happening, Study
from webapp.study.sessions import happenings

SEEN = "results_seen"
BEFORE, AFTER = "before the study had ended", "after the study had ended"


def seen_today(study: Study, actor: str, reason: str) -> bool:
    """Whether it stands on record of today (UTC) already."""
    today = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    rows = Happening.objects.filter(study=study, what=SEEN, actor=actor, reason=reason)
    return rows.filter(at__gte=today).exists()


def note_seen(study: Study, actor: str, *, ended: bool) -> None:
    """Put on record that `actor` sees the results, where today's record does not have it."""
    reason = AFTER if ended else BEFORE
    if not seen_today(study, actor, reason):
        happenings.note(study, SEEN, actor=actor, reason=reason)
