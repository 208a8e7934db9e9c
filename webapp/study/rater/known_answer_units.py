"""Units of known answer, which every rater is given beside the quotas: practice first, gold items
among the checks."""

from __future__ import annotations

from webapp.study.known_answers import GOLD, PRACTICE
from webapp.study.models import Assignment, Campaign, Rater, Stimulus
from webapp.study.rater import unavailable_units
from webapp.study.rater.unit_order import PlannedUnit


def gold(rater: Rater, campaign: Campaign, own: set[int]) -> list[int]:
    """The gold items that the rater has not been given yet; own: the games they sat in."""
    return _missing(GOLD, rater, campaign, own)


def with_practice(
    places: list[PlannedUnit], rater: Rater, campaign: Campaign, own: set[int]
) -> list[PlannedUnit]:
    """`places` with the practice before the first page that counts."""
    if not places or Assignment.objects.filter(rater=rater).exists():
        return places
    return [*map(PlannedUnit, _missing(PRACTICE, rater, campaign, own)), *places]


def _missing(use: str, rater: Rater, campaign: Campaign, own: set[int]) -> list[int]:
    found = campaign.units.filter(use=use).exclude(game__in=own).exclude(assignments__rater=rater)
    unready = Stimulus.objects.filter(unit__campaign=campaign).exclude(state="idle")
    found = found.exclude(pk__in=unready.values("unit")).exclude(
        pk__in=unavailable_units.wordless(campaign)
    )
    return list(found.order_by("index").values_list("pk", flat=True))
