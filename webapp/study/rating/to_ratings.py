"""Convert rating rows to the records of the statistics (`webapp.statistics.marks`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from game.models import Game
from webapp.study.games.seat_outcomes import deal_of, seats_of
from webapp.study.models import Campaign, Rater, Unit
from webapp.study.rating import rating_rows

if TYPE_CHECKING:
    from webapp.statistics.marks import Mark


def to_ratings(campaign: Campaign, only: Rater | None = None) -> list[Mark]:
    """Return one mark for each value, present or missing, in a stable order.

    The sides of a pair are two units of one moment. Items of known answer are excluded.

    Args:
        only: The rater whose ratings are returned, by default all people.
    """
    from webapp.statistics.marks import Mark

    games = {game.pk: game for game in Game.objects.filter(unit__campaign=campaign).distinct()}
    facts = {
        pk: {"game": game.code, "deal": deal_of(game), "winner": game.winner}
        for pk, game in games.items()
    }
    seat_facts: dict[tuple[int | None, int | None], dict[str, Any]] = {}
    for pk, game in games.items():
        for seat, outcome in enumerate(seats_of(game), 1):
            seat_facts[pk, seat] = {"role": outcome.role, "team": outcome.team, "out": outcome.out}
    return [
        Mark(
            assignment=str(row.assignment.key),
            unit=row.item.name,
            moment=row.item.moment,
            condition=row.item.condition,
            rater=row.assignment.rater,
            dimension=row.dimension.key,
            low=row.dimension.min,
            high=row.dimension.max,
            value=row.value,
            status=row.status,
            is_repeat=row.assignment.is_repeat,
            is_attention=row.item.kind == Unit.ATTENTION,
            passed=row.has_passed,
            presentation_index=row.assignment.index,
            active_ms=row.assignment.active_ms,
            excluded=row.assignment.excluded,
            seat=row.item.seat,
            **facts.get(row.item.game or 0, {"game": ""}),
            **seat_facts.get((row.item.game, row.item.seat), {}),
        )
        for row in rating_rows.read_rating_rows(campaign, only)
        if not row.item.use
    ]
