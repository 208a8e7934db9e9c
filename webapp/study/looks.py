"""Looks at the tests of a campaign while raters rate.

Whoever looks at p and then decides when to stop finds what is not there. So tests and intervals are
hidden until the campaign is closed or has all its ratings. A look before that is recorded with its
time and the number of ratings, and exported. One look may be planned, at half of the ratings, with
O'Brien and Fleming's bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from webapp.study.models import Campaign, Happening
from webapp.study.rating.rater_exits import count_answers
from webapp.study.sessions import audit_events

SEEN = "results_seen"
PLANNED, UNPLANNED = "planned interim look", "unplanned look"
INTERIM = (0.5, 0.6)  # shares of the ratings between which the planned look may be taken
# Two-sided p of O'Brien and Fleming's bounds of two looks at an overall .05, z = 2.796 and 1.977
# (Jennison and Turnbull 2000, Group Sequential Methods, Table 2.3).
INTERIM_ALPHA, FINAL_ALPHA = 0.0052, 0.0480
HIDDEN = {"value": None, "why": "hidden"}


@dataclass(frozen=True)
class Collected:
    """How many of the planned ratings of units there are."""

    ratings: int
    planned: int

    @property
    def is_complete(self) -> bool:
        return 0 < self.planned <= self.ratings


def collected(campaign: Campaign) -> Collected:
    """Return how many ratings count toward the quota of their unit, of how many."""
    each = campaign.raters_per_unit
    answers = list(count_answers(campaign).values_list("answers", flat=True))
    return Collected(sum(min(each, count) for count in answers), each * len(answers))


def is_covered(campaign: Campaign, actor: str) -> bool:
    """Return whether tests and intervals are hidden from `actor` for now."""
    if campaign.state != Campaign.OPEN or collected(campaign).is_complete:
        return False
    today = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    return not _events(campaign).filter(actor=actor, at__gte=today).exists()


def can_take_interim(campaign: Campaign) -> bool:
    """Return whether the planned look may be taken now."""
    low, high = INTERIM
    now = collected(campaign)
    share = now.ratings / now.planned if now.planned else 0
    planned = campaign.planned_analysis.get("interim", False)
    return planned and low <= share < high and not _events(campaign).exists()


def note(campaign: Campaign, actor: str) -> None:
    """Record that `actor` looks. Today's tests and intervals are shown from then on."""
    now = collected(campaign)
    kind = PLANNED if can_take_interim(campaign) else UNPLANNED
    reason = f"{campaign.code} {now.ratings}/{now.planned} {kind}"
    audit_events.record_event(campaign.study_id, SEEN, actor=actor, reason=reason)


def looks(campaign: Campaign) -> Iterator[tuple[Any, int, int, str]]:
    """Yield (time, ratings, planned ratings, kind) of each look, the earliest first."""
    for event in _events(campaign):
        _code, counts, kind = event.reason.split(" ", 2)
        ratings, planned = map(int, counts.split("/"))
        yield event.at, ratings, planned, kind


def alpha(campaign: Campaign) -> float | None:
    """Return the level of confirmatory tests where a look was planned, else None."""
    if not campaign.planned_analysis.get("interim"):
        return None
    now = collected(campaign)
    is_over = campaign.state == Campaign.CLOSED or now.is_complete
    return FINAL_ALPHA if is_over else INTERIM_ALPHA


def _events(campaign: Campaign) -> Any:
    events = Happening.objects.filter(study_id=campaign.study_id, what=SEEN)
    return events.filter(reason__startswith=f"{campaign.code} ").order_by("pk")


def without_tests(data: Any) -> Any:
    """Return stored results with every interval and comparison hidden."""
    if isinstance(data, list):
        return [without_tests(one) for one in data]
    if not isinstance(data, dict):
        return data
    hidden: dict[str, Any] = {"ci": HIDDEN, "comparisons": [], "sensitivity": []}
    return {key: hidden[key] if key in hidden else without_tests(v) for key, v in data.items()}
