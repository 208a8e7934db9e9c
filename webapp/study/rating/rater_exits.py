"""Exits of raters before the end: by choice, out of time, or with nothing left to rate."""

from __future__ import annotations

from typing import Any

from django.db.models import F
from django.utils import timezone

from webapp.study.models import Assignment, Campaign, Rater
from webapp.study.rating import exclusion, quotas


def record_exit(rater: Rater, kind: str) -> None:
    """Record that the rater leaves, unless an exit is recorded. Release open assignments."""
    with quotas.locked_rater(rater) as row:
        if not (row.left_as or row.finished_at or row.screened_out_at):
            row.left_as, row.left_at = kind, timezone.now()
            row.save(update_fields=["left_as", "left_at"])
            row.assignments.filter(state=Assignment.OPEN).update(state=Assignment.TIMED_OUT)
    rater.refresh_from_db(fields=["left_as", "left_at", "finished_at", "screened_out_at"])
    exclusion.apply_rules(rater)


def is_all_rated(campaign: Campaign) -> bool:
    """Return whether every place in the quotas has an answer."""
    units = units_with_answer_counts(campaign)
    open_units = units.filter(answers__lt=F("campaign__raters_per_unit"))
    return units.exists() and not open_units.exists()


def units_with_answer_counts(campaign: Campaign) -> Any:  # the plugin does not know annotations
    """Return the rated units, each with the number of `answers` that count for its quota."""
    return campaign.rated_units.annotate(answers=quotas.answer_count())
