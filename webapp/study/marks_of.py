"""A campaign's ratings as the statistics take them (webapp.study.statistics.marks)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from game.models import Game
from webapp.study import sheet
from webapp.study.models import Campaign, Rater, Unit

if TYPE_CHECKING:
    from webapp.study.statistics.marks import Mark


def marks(campaign: Campaign, only: Rater | None = None) -> list[Mark]:
    """One mark for each value stated, or missing, in an order that never changes; `only` one
    rater's, if given. Items of known answer are none.

    The sides of a pair are two units of one moment.
    """
    from webapp.study.statistics.marks import Mark

    codes = dict(Game.objects.filter(unit__campaign=campaign).values_list("pk", "code"))
    return [
        Mark(
            assignment=str(row.given.key),
            unit=row.thing.item,
            moment=row.thing.moment,
            game=codes.get(row.thing.game or 0, ""),
            condition=row.thing.condition,
            rater=row.given.rater,
            dimension=row.dimension.key,
            low=row.dimension.min,
            high=row.dimension.max,
            value=row.value,
            status=row.status,
            is_repeat=row.given.is_repeat,
            is_attention=row.thing.kind == Unit.ATTENTION,
            passed=row.passed,
            presentation_index=row.given.index,
            active_ms=row.given.active_ms,
            excluded=row.given.excluded,
        )
        for row in sheet.rows(campaign, only)
        if not row.thing.use
    ]
