"""Who is to be paid: a list for the service that sent the raters. It names them, so it is no part
of the exports."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from webapp.study import audit, erasure
from webapp.study.csv_cells import table
from webapp.study.models import Campaign, Rater
from webapp.study.researcher.access import own_campaign
from webapp.study.researcher.downloads import download
from webapp.study.researcher.rater_views import rows
from webapp.study.sessions import places

# minutes: from consent to the end of the rater's way (or when they were last there);
# active_minutes: while a page was in front of them.
COLUMNS = (
    "rater", "outside_id", "study", "session", "status", "minutes", "active_minutes", "given",
    "answered", "left_out", "codes_shown", "excluded", "exclusion_reason",
)  # fmt: skip


@own_campaign
@require_GET
def payments(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Everybody who has agreed to take part, as CSV."""
    audit.note(request, "export", f"{campaign.code} payments.csv")
    return download(table(COLUMNS, _lines(campaign)), f"fabula-{campaign.code}-payments.csv")


def _lines(campaign: Campaign) -> Iterator[tuple[Any, ...]]:
    active = dict(
        Rater.objects.filter(campaign=campaign)
        .annotate(active=Sum("assignments__active_ms"))
        .values_list("pk", "active")
    )
    for row in rows(campaign):
        if erasure.is_erased(row) or not row.consented_at:
            continue
        outside = row.outside
        yield (
            row.pseudonym,
            outside.label if outside else None,
            outside.study if outside else None,
            outside.session if outside else None,
            row.stage,
            _minutes(row.consented_at, ended(row)),
            f"{(active[row.pk] or 0) / 60_000:.1f}",
            row.given,
            row.done,
            row.skipped,
            places.code_of(row.participant) if row.participant.exit else "",
            row.excluded,
            row.exclusion_reason,
        )


def ended(rater: Rater) -> datetime | None:
    """When the rater's way ended; of one who is on it, when they were last seen."""
    ends = (rater.finished_at, rater.left_at, rater.screened_out_at)
    return next((end for end in ends if end), rater.seen_at)


def _minutes(start: datetime, end: datetime | None) -> str:
    return f"{(end - start).total_seconds() / 60:.1f}" if end and end > start else "0.0"
