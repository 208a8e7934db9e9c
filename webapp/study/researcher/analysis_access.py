"""What the last statistics say of single raters. Nobody is excluded by it."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from webapp.study.models import Analysis, Campaign
from webapp.study.statistics.outcomes import REASONS


def analysis_of(campaign: Campaign) -> Analysis | None:
    """The statistics as last worked out, however old."""
    return Analysis.objects.filter(campaign=campaign).first()


def flags_of(campaign: Campaign) -> dict[str, list[str]]:
    """Pseudonym -> sentences."""
    analysis = analysis_of(campaign)
    results: dict[str, Any] = (analysis.data.get("results") if analysis else None) or {}
    return {
        row["rater"]: [_(REASONS[flag["why"]]) for flag in row["flags"] if flag["why"] in REASONS]
        for row in results.get("raters", ())
    }
