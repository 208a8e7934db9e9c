"""The order of a rater's pages, and the order of the items on a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import NamedTuple

from django.db.models import Count, Q

from game.engine.seeded_random import SeededRandom
from webapp.study.models import Assignment, Campaign, Rater, Unit
from webapp.study.rating.rating_rows import ANSWER_SIDES


class Order(NamedTuple):
    """The order of a page's items, by two fields of `Assignment`."""

    swapped: bool = False
    rotation: int = 0


@dataclass(frozen=True)
class PlannedPage:
    """A page that a rater will get. `unit` is an id."""

    unit: int
    is_repeat: bool = False


def arrange_pages(
    units: Sequence[int], repeats: int, checks: Sequence[int], rng: SeededRandom, purpose: str
) -> list[PlannedPage]:
    """Return a rater's pages in order.

    The units are shuffled. Repeats of units of the first half are in the second half, with other
    units in between. Checks (attention checks and gold items) are at even distances and never
    first. There are at most half as many repeats as units.
    """
    shuffled = rng.shuffled(f"{purpose}/order", units)
    ordered = _with_repeats(shuffled, min(repeats, len(shuffled) // 2), rng, purpose)
    return _with_checks(ordered, rng.shuffled(f"{purpose}/checks", checks)) if ordered else []


def _with_repeats(
    units: Sequence[int], count: int, rng: SeededRandom, purpose: str
) -> list[PlannedPage]:
    repeated_units = rng.sample(f"{purpose}/repeats", units[: len(units) // 2], count)
    step = max(1, len(units) // 3 // max(1, count))
    repeats_by_position = {
        len(units) - 1 - (count - 1 - k) * step: unit for k, unit in enumerate(repeated_units)
    }
    ordered: list[PlannedPage] = []
    for position, unit in enumerate(units):
        ordered.append(PlannedPage(unit))
        if position in repeats_by_position:
            ordered.append(PlannedPage(repeats_by_position[position], is_repeat=True))
    return ordered


def _with_checks(ordered: list[PlannedPage], checks: Sequence[int]) -> list[PlannedPage]:
    pages = list(ordered)
    for number, unit in reversed(list(enumerate(checks, 1))):
        position = max(1, round(number * len(ordered) / (len(checks) + 1)))
        pages.insert(position, PlannedPage(unit))
    return pages


class OrderChooser:
    """Chooses the order of the items on a page, balanced for each unit and each rater.

    Each answer is first equally often, and each order occurs with its reverse. A ranking's players
    are in the order of seats or its reverse. A repeat has the order of the first time.
    """

    def __init__(
        self, rater: Rater, campaign: Campaign, units: Iterable[int], rng: SeededRandom
    ) -> None:
        rows = Unit.objects.filter(pk__in=set(units)).annotate(items=Count("stimuli"))
        rows = rows.filter(items__gt=1)
        self.indexes = dict(rows.values_list("pk", "index"))
        self.orders = {
            unit: _possible_orders(items if kind == Unit.UTTERANCE else 1)
            for unit, items, kind in rows.values_list("pk", "items", "kind")
        }
        valid = Assignment.objects.filter(rater__campaign=campaign, is_repeat=False)
        valid = valid.filter(Q(rater__kind=Rater.PERSON) | Q(rater=rater))
        valid = valid.exclude(state=Assignment.TIMED_OUT)
        of_units = valid.filter(unit__in=self.orders)
        self.counts_by_unit = Counter(
            (unit, Order(swapped, rotation))
            for unit, swapped, rotation in of_units.values_list("unit", "swapped", "rotation")
        )
        of_rater = valid.filter(rater=rater).annotate(items=Count("unit__stimuli"))
        orders_of_rater = of_rater.filter(items__gt=1).values_list("swapped", "rotation")
        self.counts_of_rater = Counter(starmap(Order, orders_of_rater))
        self.rng = rng
        self.pseudonym = rater.pseudonym
        self.chosen_orders: dict[int, Order] = {}

    def choose_order(self, unit: int) -> Order:
        """Return the order of the unit's items, the same each time."""
        if unit not in self.orders:
            return Order()  # the page has a single item
        if unit not in self.chosen_orders:
            orders = self.orders[unit]
            drawn = self.rng.below(f"{self.pseudonym}/side/{self.indexes[unit]}", len(orders))
            candidates = [*orders[drawn:], *orders[:drawn]]
            chosen = min(
                candidates, key=lambda o: (self.counts_by_unit[unit, o], self.counts_of_rater[o])
            )
            self.counts_of_rater[chosen] += 1
            self.chosen_orders[unit] = chosen
        return self.chosen_orders[unit]


def _possible_orders(count: int) -> list[Order]:
    """Return the orders of `count` items. Rotating two items is the same as swapping them."""
    rotations = range(count if count > len(ANSWER_SIDES) else 1)
    return [Order(swapped, rotation) for rotation in rotations for swapped in (False, True)]
