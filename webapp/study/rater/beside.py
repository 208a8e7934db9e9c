"""Units of known answer, which every rater is given beside the quotas: practice first, gold items
among the checks."""

from __future__ import annotations

from webapp.study.known import GOLD, PRACTICE
from webapp.study.models import Assignment, Campaign, Rater, Stimulus
from webapp.study.rater import barred
from webapp.study.rater.order import Place


def gold(rater: Rater, campaign: Campaign, own: set[int]) -> list[int]:
    """The gold items that the rater has not been given yet; own: the games they sat in."""
    return _missing(GOLD, rater, campaign, own)


def with_practice(
    places: list[Place], rater: Rater, campaign: Campaign, own: set[int]
) -> list[Place]:
    """`places` with the practice before the first page that counts."""
    if not places or Assignment.objects.filter(rater=rater).exists():
        return places
    return [*map(Place, _missing(PRACTICE, rater, campaign, own)), *places]


def _missing(use: str, rater: Rater, campaign: Campaign, own: set[int]) -> list[int]:
    found = campaign.units.filter(use=use).exclude(game__in=own).exclude(assignments__rater=rater)
    unready = Stimulus.objects.filter(unit__campaign=campaign).exclude(state="idle")
    found = found.exclude(pk__in=unready.values("unit")).exclude(pk__in=barred.wordless(campaign))
    return list(found.order_by("index").values_list("pk", flat=True))
