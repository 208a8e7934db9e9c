"""A campaign's ratings as flat rows, one for each value, present or missing.

Statistics and exports both read these rows, so they cannot disagree. The functions return ratings
of people. Those of a judge are returned only if its rater is named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from django.db.models import QuerySet

from game.models import Game
from webapp.study.design.instruments import Dimension, Instrument
from webapp.study.games.seat_outcomes import build_deal_key
from webapp.study.models import Assignment, Campaign, Rater, Rating, Stimulus, Unit
from webapp.study.rating import quotas
from webapp.study.rating.known_answers import are_correct

if TYPE_CHECKING:
    from webapp.statistics.marks import Mark

ANSWER_SIDES = ("left", "right")  # sides of a pair of answers
OVER_QUOTA = "over quota"  # reason why a late answer is excluded
Values = dict[tuple[int, str], int]  # (stimulus id, dimension) -> value
# Values of `RatingRow.status`.
ANSWERED, SKIPPED, NOT_REACHED, TIMED_OUT = "answered", "skipped", "not_reached", "timed_out"


@dataclass(frozen=True, slots=True)
class RatedItem:
    """The subject of a rating: one stimulus of a unit."""

    stimulus: Stimulus  # with its unit loaded
    answer_places: tuple[int, ...]  # places of all answers to its moment, () if it is the only one
    dimensions: tuple[Dimension, ...]  # the questions that raters are asked about it

    @property
    def unit(self) -> Unit:
        return self.stimulus.unit

    @property
    def condition(self) -> str:
        return self.stimulus.condition

    @property
    def seat(self) -> int | None:
        """The seat of the rated text or player, None if there is none."""
        return self.stimulus.place if self.unit.kind == Unit.RANKING else self.unit.seat

    @property
    def name(self) -> str:
        """The moment's name, followed by ".PLACE" for one of several answers or ranked seats."""
        has_siblings = self.answer_places or self.unit.kind == Unit.RANKING
        return f"{self.moment}.{self.stimulus.place}" if has_siblings else self.moment

    @property
    def is_system_answer(self) -> bool:
        """Whether the text is an answer of a comparison system, not from the game."""
        return self.unit.kind == Unit.UTTERANCE and self.stimulus.place >= Stimulus.FIRST_SYSTEM

    @property
    def moment(self) -> str:
        """The unit's name, such as "u0012"."""
        return f"u{self.unit.index:04d}"

    @property
    def is_check(self) -> bool:
        """Whether the unit is an attention check or an item with a known answer."""
        return self.unit.kind == Unit.ATTENTION or self.unit.use == Unit.GOLD


@dataclass(frozen=True, slots=True)
class RatingRow:
    """One value of one dimension, or the reason why it is missing."""

    assignment: Assignment  # the rater's page, with its `rater` loaded
    item: RatedItem
    dimension: Dimension
    value: int | None
    status: str  # ANSWERED, SKIPPED, NOT_REACHED or TIMED_OUT
    # Whether all values of a check are correct. None for other items, and for checks that are not
    # completely answered.
    has_passed: bool | None
    has_place: bool  # the answer has a place in its unit's quota, or needs none

    @property
    def exclusion_reason(self) -> str | None:
        """Why the answer does not count, None if it counts."""
        if self.assignment.rater.excluded:
            return self.assignment.rater.exclusion_reason
        return None if self.has_place else OVER_QUOTA

    @property
    def side(self) -> str:
        """Position on the page: "left" or "right", a number from 1 among more, "" if alone."""
        count = len(self.item.answer_places)
        if not count:
            return ""
        position = page_position(self.item, self.assignment.swapped, self.assignment.rotation)
        return ANSWER_SIDES[position] if count == len(ANSWER_SIDES) else str(position + 1)


def page_position(item: RatedItem, swapped: bool, rotation: int) -> int:
    """Return the position (from 0) of an answer among the answers to its moment on a page."""
    count = len(item.answer_places)
    position = (item.answer_places.index(item.stimulus.place) - rotation) % count
    return count - 1 - position if swapped else position


def read_rated_items(campaign: Campaign) -> dict[int, list[RatedItem]]:
    """Return unit id -> its rated items, by place. Practice units are excluded."""
    rows = Stimulus.objects.filter(unit__campaign=campaign).exclude(unit__use=Unit.PRACTICE)
    stimuli_by_unit: dict[int, list[Stimulus]] = {}
    for stimulus in rows.select_related("unit").order_by("unit__index", "place"):
        stimuli_by_unit.setdefault(stimulus.unit_id, []).append(stimulus)
    # Cached, because thousands of units share a few arguments.
    dimensions_of = cache(Instrument.from_json(campaign.instrument).dimensions_of)
    items_by_unit = {}
    for unit_id, stimuli in stimuli_by_unit.items():
        unit = stimuli[0].unit
        has_answers = unit.kind == Unit.UTTERANCE and len(stimuli) > 1
        places = tuple(stimulus.place for stimulus in stimuli) if has_answers else ()
        dimensions = dimensions_of(unit.kind, tuple(unit.situations))
        items_by_unit[unit_id] = [RatedItem(s, places, dimensions) for s in stimuli]
    return items_by_unit


def read_rating_rows(campaign: Campaign, rater: Rater | None = None) -> Iterator[RatingRow]:
    """Yield the rows of one rater or of all people, in a stable order."""
    items_by_unit = read_rated_items(campaign)
    values_by_assignment = _read_values(campaign, rater)
    surplus_ids = _surplus_answers(campaign)
    for assignment in _assignments_of(campaign, rater):
        items = items_by_unit.get(assignment.unit_id, ())
        values = values_by_assignment.get(assignment.pk, {})
        has_place = not assignment.over_quota and assignment.pk not in surplus_ids
        if assignment.state == Assignment.SKIPPED:
            values = {}
        values = _without_partial_rankings(values, items)
        for item in items:
            has_passed = _has_passed(assignment, item, values)
            for dimension in item.dimensions:
                value = values.get((item.stimulus.pk, dimension.key))
                status = _status(assignment, value)
                yield RatingRow(assignment, item, dimension, value, status, has_passed, has_place)


def read_marks(campaign: Campaign, rater: Rater | None = None) -> list[Mark]:
    """Return the rows for statistics, without known answers. The sides of a pair are two units."""
    from webapp.statistics.marks import Mark

    games = Game.objects.filter(unit__campaign=campaign).distinct()
    game_fields: dict[int | None, dict[str, str]] = {None: {"game": ""}}
    game_fields |= {game.pk: {"game": game.code, "deal": build_deal_key(game)} for game in games}
    return [
        Mark(
            assignment=str(row.assignment.key),
            unit=row.item.name,
            moment=row.item.moment,
            condition=row.item.condition,
            rater=row.assignment.rater.pseudonym,
            dimension=row.dimension.key,
            low=row.dimension.min,
            high=row.dimension.max,
            value=row.value,
            status=row.status,
            is_repeat=row.assignment.is_repeat,
            is_attention=row.item.unit.kind == Unit.ATTENTION,
            passed=row.has_passed,
            presentation_index=row.assignment.index,
            active_ms=row.assignment.active_ms,
            excluded=row.exclusion_reason is not None,
            **game_fields[row.item.unit.game_id],
        )
        for row in read_rating_rows(campaign, rater)
        if not row.item.unit.use
    ]


def _assignments_of(campaign: Campaign, rater: Rater | None) -> QuerySet[Assignment]:
    """Return the assignments of one rater or of all people, ordered by rater and page."""
    rows = Assignment.objects.filter(rater__campaign=campaign).prefetch_related("rater")
    rows = rows.filter(rater=rater) if rater else rows.filter(rater__kind=Rater.PERSON)
    return rows.order_by("rater_id", "index")


def _surplus_answers(campaign: Campaign) -> set[int]:
    """Return the ids of assignments with partial answers that have no place in a quota.

    Places go to complete answers first, then to the earliest partial ones. A partial answer
    reserves no place, so another rater may have got it at any time.
    """
    quota_assignments = Assignment.objects.filter(
        quotas.in_quota_filter(), unit__campaign=campaign, unit__use=""
    ).exclude(unit__kind=Unit.ATTENTION)
    partial_answers = quota_assignments.filter(
        state__in=(Assignment.OPEN, Assignment.TIMED_OUT), ratings__isnull=False
    )
    partial_answers = partial_answers.order_by("first_answer_at", "pk").distinct()
    partial_rows = list(partial_answers.values_list("pk", "unit"))
    complete = quota_assignments.filter(
        state=Assignment.ANSWERED, unit__in={unit for _pk, unit in partial_rows}
    )
    taken_places = Counter(complete.values_list("unit", flat=True))
    surplus_ids = set()
    for pk, unit in partial_rows:
        taken_places[unit] += 1
        if taken_places[unit] > campaign.raters_per_unit:
            surplus_ids.add(pk)
    return surplus_ids


def _read_values(campaign: Campaign, rater: Rater | None) -> dict[int, Values]:
    """Return the values of each assignment, by its id."""
    assignments = _assignments_of(campaign, rater).order_by()
    ratings = Rating.objects.filter(assignment__in=assignments.values("pk"))
    rows = ratings.values_list("assignment_id", "stimulus_id", "dimension", "value")
    values_by_assignment: dict[int, Values] = {}
    for pk, stimulus, dimension, value in rows.iterator(chunk_size=5000):
        values_by_assignment.setdefault(pk, {})[stimulus, dimension] = value
    return values_by_assignment


def _without_partial_rankings(values: Values, unit_items: Sequence[RatedItem]) -> Values:
    """Return the values without incomplete rankings, because single ranks have no meaning."""
    if not unit_items or unit_items[0].unit.kind != Unit.RANKING:
        return values
    counts = Counter(dimension for _stimulus, dimension in values)
    return {key: value for key, value in values.items() if counts[key[1]] == len(unit_items)}


def _has_passed(assignment: Assignment, item: RatedItem, values: Values) -> bool | None:
    """Return `RatingRow.has_passed`. A skipped check is failed."""
    if not item.is_check:
        return None
    if assignment.state == Assignment.SKIPPED:
        return False
    item_values = {d.key: values.get((item.stimulus.pk, d.key)) for d in item.dimensions}
    given_values = {key: value for key, value in item_values.items() if value is not None}
    if len(given_values) < len(item_values):
        return None
    if item.unit.use == Unit.GOLD:
        return are_correct(item.unit.known_answers, item.stimulus.place, given_values)
    return all(value == item.unit.expected for value in given_values.values())


def _status(assignment: Assignment, value: int | None) -> str:
    if value is not None:
        return ANSWERED
    if assignment.state in (Assignment.SKIPPED, Assignment.TIMED_OUT):
        return assignment.state
    # A question without a value on a submitted page was skipped.
    return SKIPPED if assignment.state == Assignment.ANSWERED else NOT_REACHED
