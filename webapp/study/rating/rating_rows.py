"""A campaign's ratings as flat rows, one for each value, present or missing.

Statistics and exports both read these rows, so they cannot disagree. The functions return ratings
of people. Those of a judge are returned only if its rater is named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from uuid import UUID

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
    """The subject of a rating: one stimulus with its unit.

    Attributes without a comment are those of `Stimulus` and `Unit`.
    """

    unit: int  # id of the unit; `game`, `stimulus` and `utterance` are ids too
    index: int  # number of the unit in its campaign, from 1
    kind: str
    game: int | None
    position: int
    seat: int | None
    expected: int | None
    stimulus: int
    place: int
    condition: str
    utterance: UUID | None
    speaker_kind: str
    model: str
    method: str
    labels: list[str]
    use: str  # "gold" for an item with a known answer, else ""
    known_answers: dict[str, Any]
    answer_places: tuple[int, ...]  # places of all answers to its moment, () if it is the only one
    dimensions: tuple[Dimension, ...]  # the questions that raters are asked about it

    @property
    def name(self) -> str:
        """The moment's name, followed by ".PLACE" for one of several answers or ranked seats."""
        has_siblings = self.answer_places or self.kind == Unit.RANKING
        return f"{self.moment}.{self.place}" if has_siblings else self.moment

    @property
    def is_system_answer(self) -> bool:
        """Whether the text is an answer of a comparison system, not from the game."""
        return self.kind == Unit.UTTERANCE and self.place >= Stimulus.FIRST_SYSTEM

    @property
    def moment(self) -> str:
        """The unit's name, such as "u0012"."""
        return f"u{self.index:04d}"

    @property
    def is_check(self) -> bool:
        """Whether the unit is an attention check or an item with a known answer."""
        return self.kind == Unit.ATTENTION or self.use == Unit.GOLD


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
    position = (item.answer_places.index(item.place) - rotation) % count
    return count - 1 - position if swapped else position


# Field of a RatedItem -> lookup from a Stimulus.
_ITEM_LOOKUPS = {
    "unit": "unit_id", "index": "unit__index", "kind": "unit__kind", "game": "unit__game_id",
    "position": "unit__position", "seat": "unit__seat", "expected": "unit__expected",
    "stimulus": "pk", "place": "place", "condition": "condition", "utterance": "utterance_id",
    "speaker_kind": "speaker_kind", "model": "model", "method": "method", "labels": "labels",
    "use": "unit__use", "known_answers": "unit__known_answers",
}  # fmt: skip


def read_rated_items(campaign: Campaign) -> dict[int, list[RatedItem]]:
    """Return unit id -> its rated items, by place. Practice units are excluded."""
    instrument = Instrument.from_json(campaign.instrument)
    stimuli = (
        Stimulus.objects.filter(unit__campaign=campaign)
        .exclude(unit__use=Unit.PRACTICE)
        .order_by("unit__index", "place")
        .values_list(*_ITEM_LOOKUPS.values(), "unit__situations")
    )
    rows = [(dict(zip(_ITEM_LOOKUPS, values, strict=False)), values[-1]) for values in stimuli]
    places_by_unit: dict[int, list[int]] = {}
    for item_fields, _situations in rows:
        if item_fields["kind"] == Unit.UTTERANCE:
            places_by_unit.setdefault(item_fields["unit"], []).append(item_fields["place"])
    dimensions_of = cache(instrument.dimensions_of)  # thousands of units share a few arguments
    items_by_unit: dict[int, list[RatedItem]] = {}
    for item_fields, situations in rows:
        if item_fields["kind"] == Unit.RANKING:
            item_fields["seat"] = item_fields["place"]
        places = places_by_unit.get(item_fields["unit"], [])
        item = RatedItem(
            **item_fields,
            answer_places=tuple(places) if len(places) > 1 else (),
            dimensions=dimensions_of(item_fields["kind"], tuple(situations)),
        )
        items_by_unit.setdefault(item.unit, []).append(item)
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
                value = values.get((item.stimulus, dimension.key))
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
            is_attention=row.item.kind == Unit.ATTENTION,
            passed=row.has_passed,
            presentation_index=row.assignment.index,
            active_ms=row.assignment.active_ms,
            excluded=row.exclusion_reason is not None,
            **game_fields[row.item.game],
        )
        for row in read_rating_rows(campaign, rater)
        if not row.item.use
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
    if not unit_items or unit_items[0].kind != Unit.RANKING:
        return values
    counts = Counter(dimension for _stimulus, dimension in values)
    return {key: value for key, value in values.items() if counts[key[1]] == len(unit_items)}


def _has_passed(assignment: Assignment, item: RatedItem, values: Values) -> bool | None:
    """Return `RatingRow.has_passed`. A skipped check is failed."""
    if not item.is_check:
        return None
    if assignment.state == Assignment.SKIPPED:
        return False
    item_values = {d.key: values.get((item.stimulus, d.key)) for d in item.dimensions}
    given_values = {key: value for key, value in item_values.items() if value is not None}
    if len(given_values) < len(item_values):
        return None
    if item.use == Unit.GOLD:
        return are_correct(item.known_answers, item.place, given_values)
    return all(value == item.expected for value in given_values.values())


def _status(assignment: Assignment, value: int | None) -> str:
    if value is not None:
        return ANSWERED
    if assignment.state in (Assignment.SKIPPED, Assignment.TIMED_OUT):
        return assignment.state
    # A question without a value on a submitted page was skipped.
    return SKIPPED if assignment.state == Assignment.ANSWERED else NOT_REACHED
