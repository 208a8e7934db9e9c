"""Quotas of ratings for each unit.

Answers and live leases take places in a unit's quota. Repeats, attention checks, items of known
answer and ratings of judges are outside the quotas.
"""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q

from webapp.study.models import Assignment, Rater, Unit


def takes_place(now: datetime, prefix: str = "") -> Q:
    """Return the filter for assignments that take a place in their unit's quota."""
    counted = {
        "is_repeat": False,
        "over_quota": False,
        "rater__excluded": False,
        "rater__kind": Rater.PERSON,
    }
    live = Q(**{f"{prefix}state": Assignment.OPEN, f"{prefix}leased_until__gt": now})
    answered = Q(**{f"{prefix}state": Assignment.ANSWERED})
    return Q(**{prefix + name: value for name, value in counted.items()}) & (live | answered)


def has_room(assignment: Assignment, now: datetime) -> bool:
    """Return whether the unit's quota has a place for this assignment.

    The caller holds the campaign's row.
    """
    other_assignments = Assignment.objects.filter(takes_place(now), unit=assignment.unit_id)
    other_assignments = other_assignments.exclude(pk=assignment.pk)
    return other_assignments.count() < assignment.unit.campaign.raters_per_unit


def is_outside_quotas(assignment: Assignment) -> bool:
    """Return whether the assignment takes no place in any quota."""
    unit = assignment.unit
    if assignment.rater.kind == Rater.JUDGE:
        return True
    return assignment.is_repeat or unit.kind == Unit.ATTENTION or bool(unit.use)
