"""A campaign's ratings as flat rows, one for each value, present or missing.

Statistics and exports both read these rows, so they cannot disagree. The functions return ratings
of people. Those of a judge are returned only if its rater is named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from uuid import UUID

from game.models import Game
from webapp.study.design.instruments import Dimension, Instrument
from webapp.study.games.seat_outcomes import build_deal_key, get_seat_outcomes
from webapp.study.models import Assignment, Campaign, Rater, Rating, Stimulus, Unit
from webapp.study.rating import known_answers

if TYPE_CHECKING:
    from webapp.statistics.marks import Mark

ANSWER_SIDES = ("left", "right")  # The sides of a pair.
OVER_QUOTA = "over quota"  # exclusion reason of a late answer
# Values of `RatingRow.status`.
ANSWERED, SKIPPED, NOT_REACHED, TIMED_OUT = "answered", "skipped", "not_reached", "timed_out"


@dataclass(frozen=True, slots=True)
class RatedItem:
    """The subject of a rating: one stimulus with its unit.

    Attributes:
        unit, game, stimulus: Ids.
        index: Number of the unit in its campaign, from 1.
        use: "gold" for an item with a known answer, else "".
        known_answers: `Unit.known_answers`.
        answer_places: Places of all answers to its moment, () if it is the only one.
        dimensions: The questions that raters are asked about it.
    """

    unit: int
    index: int
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
    use: str
    known_answers: dict[str, Any]
    answer_places: tuple[int, ...]
    dimensions: tuple[Dimension, ...]

    @property
    def name(self) -> str:
        """The moment's name, followed by ".PLACE" for one of several answers or ranked seats."""
        has_siblings = self.answer_places or self.kind == Unit.RANKING
        return f"{self.moment}.{self.place}" if has_siblings else self.moment

    @property
    def is_system_answer(self) -> bool:
        """Whether it is an answer of a comparison system, not from the game."""
        return self.kind == Unit.UTTERANCE and self.place >= Stimulus.FIRST_SYSTEM

    @property
    def moment(self) -> str:
        """The unit's name, such as "u0012"."""
        return f"u{self.index:04d}"

    @property
    def is_check(self) -> bool:
        """Whether it is an attention check or an item with a known answer."""
        return self.kind == Unit.ATTENTION or self.use == known_answers.GOLD


@dataclass(frozen=True, slots=True)
class RaterAssignment:
    """A row of `Assignment` with its rater's pseudonym.

    Attributes:
        unit: Id of the unit.
        index: Number of the page in the rater's order, from 1.
        excluded: Whether the rater is excluded, or the answer came after its place was taken.
    """

    pk: int
    key: UUID
    unit: int
    index: int
    is_repeat: bool
    swapped: bool
    rotation: int
    state: str
    shown_at: datetime | None
    first_answer_at: datetime | None
    submitted_at: datetime | None
    active_ms: int | None
    revision: int
    rater: str
    excluded: bool
    exclusion_reason: str


@dataclass(frozen=True, slots=True)
class RatingRow:
    """One value of one dimension, or the reason why it is missing.

    Attributes:
        status: ANSWERED, SKIPPED, NOT_REACHED or TIMED_OUT.
        has_passed: Whether all values of a check are correct. None for other items, and for checks
            that are not completely answered.
    """

    assignment: RaterAssignment
    item: RatedItem
    dimension: Dimension
    value: int | None
    status: str
    has_passed: bool | None

    @property
    def side(self) -> str:
        """Position on the page: "left" or "right", a number from 1 among more, "" if alone."""
        count = len(self.item.answer_places)
        if not count:
            return ""
        position = page_position(self.item, self.assignment.swapped, self.assignment.rotation)
        return ANSWER_SIDES[position] if count == len(ANSWER_SIDES) else str(position + 1)


def page_position(item: RatedItem, swapped: bool, rotation: int) -> int:
    """Return the position (from 0) of an answer among the answers to its moment on a page.

    Args:
        swapped, rotation: Of the `Assignment`.
    """
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
        .exclude(unit__use=known_answers.PRACTICE)
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
    for assignment in _read_assignments(campaign, rater):
        items = items_by_unit.get(assignment.unit, ())
        values = values_by_assignment.get(assignment.pk, {})
        if assignment.state == Assignment.SKIPPED:
            values = {}
        values = _without_partial_rankings(values, items)
        for item in items:
            has_passed = _has_passed(assignment, item, values)
            for dimension in item.dimensions:
                value = values.get((item.stimulus, dimension.key))
                status = _status(assignment, value)
                yield RatingRow(assignment, item, dimension, value, status, has_passed)


def read_marks(campaign: Campaign, rater: Rater | None = None) -> list[Mark]:
    """Return the same rows for statistics, without items with a known answer.

    The sides of a pair are two units of one moment.
    """
    from webapp.statistics.marks import Mark

    game_fields: dict[int | None, dict[str, Any]] = {None: {"game": ""}}
    seat_fields: dict[tuple[int | None, int | None], dict[str, Any]] = {}
    for game in Game.objects.filter(unit__campaign=campaign).distinct():
        deal = build_deal_key(game)
        game_fields[game.pk] = {"game": game.code, "deal": deal, "winner": game.winner}
        for seat, outcome in enumerate(get_seat_outcomes(game), 1):
            fields = {"role": outcome.role, "team": outcome.team, "out": outcome.out}
            seat_fields[game.pk, seat] = fields
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
            **game_fields[row.item.game],
            **seat_fields.get((row.item.game, row.item.seat), {}),
        )
        for row in read_rating_rows(campaign, rater)
        if not row.item.use
    ]


def _read_assignments(campaign: Campaign, rater: Rater | None) -> list[RaterAssignment]:
    """Return assignments ordered by rater and page, of one rater or of all people."""
    fields = (
        "pk", "key", "unit_id", "index", "is_repeat", "swapped", "rotation", "state", "shown_at",
        "first_answer_at", "submitted_at", "active_ms", "revision", "rater__pseudonym",
        "rater__excluded", "rater__exclusion_reason", "over_quota",
    )  # fmt: skip
    rows = Assignment.objects.filter(rater__campaign=campaign).order_by("rater_id", "index")
    rows = rows.filter(rater=rater) if rater else rows.filter(rater__kind=Rater.PERSON)
    surplus_ids = _surplus_answers(campaign)
    return [_build_assignment(row[0] in surplus_ids, *row) for row in rows.values_list(*fields)]


def _surplus_answers(campaign: Campaign) -> set[int]:
    """Return the ids of assignments with partial answers that have no place in a quota.

    Places go to complete answers first, then to the earliest partial ones. A partial answer
    reserves no place, so another rater may have got it at any time.
    """
    quota_assignments = Assignment.objects.filter(
        unit__campaign=campaign,
        unit__use="",
        is_repeat=False,
        over_quota=False,
        rater__excluded=False,
        rater__kind=Rater.PERSON,
    ).exclude(unit__kind=Unit.ATTENTION)
    partial_answers = quota_assignments.filter(state__in=(Assignment.OPEN, Assignment.TIMED_OUT))
    partial_answers = (
        partial_answers.filter(ratings__isnull=False).order_by("first_answer_at", "pk").distinct()
    )
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


def _build_assignment(is_surplus: bool, *row: Any) -> RaterAssignment:
    """Build an assignment from a database row.

    An answer without a place in its quota is stored but excluded, so that quotas are exact.
    """
    *fields, excluded, reason, over_quota = row
    if (over_quota or is_surplus) and not excluded:
        excluded, reason = True, OVER_QUOTA
    return RaterAssignment(*(*fields, excluded, reason))


def _read_values(
    campaign: Campaign, rater: Rater | None
) -> Mapping[int, dict[tuple[int, str], int]]:
    """Return assignment id -> (stimulus id, dimension) -> value."""
    ratings = Rating.objects.filter(assignment__rater__campaign=campaign)
    if rater:
        ratings = ratings.filter(assignment__rater=rater)
    else:
        ratings = ratings.filter(assignment__rater__kind=Rater.PERSON)
    rows = ratings.values_list("assignment_id", "stimulus_id", "dimension", "value")
    values_by_assignment: dict[int, dict[tuple[int, str], int]] = {}
    for pk, stimulus, dimension, value in rows.iterator(chunk_size=5000):
        values_by_assignment.setdefault(pk, {})[stimulus, dimension] = value
    return values_by_assignment


def _without_partial_rankings(
    values: dict[tuple[int, str], int], unit_items: Sequence[RatedItem]
) -> dict[tuple[int, str], int]:
    """Return the values without incomplete rankings, because single ranks have no meaning."""
    if not unit_items or unit_items[0].kind != Unit.RANKING:
        return values
    counts = Counter(dimension for _stimulus, dimension in values)
    return {key: value for key, value in values.items() if counts[key[1]] == len(unit_items)}


def _has_passed(
    assignment: RaterAssignment, item: RatedItem, values: Mapping[tuple[int, str], int]
) -> bool | None:
    """Return `RatingRow.has_passed`. A skipped check is failed."""
    if not item.is_check:
        return None
    if assignment.state == Assignment.SKIPPED:
        return False
    item_values = {d.key: values.get((item.stimulus, d.key)) for d in item.dimensions}
    given_values = {key: value for key, value in item_values.items() if value is not None}
    if len(given_values) < len(item_values):
        return None
    if item.use == known_answers.GOLD:
        return known_answers.are_correct(item.known_answers, item.place, given_values)
    return all(value == item.expected for value in given_values.values())


def _status(assignment: RaterAssignment, value: int | None) -> str:
    if value is not None:
        return ANSWERED
    if assignment.state in (Assignment.SKIPPED, Assignment.TIMED_OUT):
        return assignment.state
    # A question without a value on a submitted page was skipped.
    return SKIPPED if assignment.state == Assignment.ANSWERED else NOT_REACHED
