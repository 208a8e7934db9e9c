"""A campaign's ratings as flat rows, one for each value, present or missing.

Statistics and exports both read these rows, so they cannot disagree. The rows of judges are
included only if their rater is requested.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from game.models import Game
from webapp.study.design.instruments import Dimension, Instrument
from webapp.study.games.seat_outcomes import build_deal_key, get_seat_outcomes
from webapp.study.models import Assignment, Campaign, Rater, Rating, Stimulus, Unit
from webapp.study.rating import known_answers

if TYPE_CHECKING:
    from webapp.statistics.marks import Mark
SIDES = ("left", "right")  # of two answers on a page
OVER_QUOTA = "over quota"  # exclusion reason of a late answer
ANSWERED, SKIPPED, NOT_REACHED, TIMED_OUT = "answered", "skipped", "not_reached", "timed_out"


@dataclass(frozen=True, slots=True)
class RatedItem:
    """The subject of a rating: one stimulus with its unit."""

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
    use: str  # "gold": an item of known answer; "" otherwise
    known: dict[str, Any]
    answers: tuple[int, ...]  # places of all answers to its moment, () if it is the only one
    asked: tuple[Dimension, ...]

    @property
    def name(self) -> str:
        """The rated item's name: "u0012", for one of several answers or ranked seats "u0012.1"."""
        has_siblings = self.answers or self.kind == Unit.RANKING
        return f"{self.moment}.{self.place}" if has_siblings else self.moment

    @property
    def is_system_answer(self) -> bool:
        """Whether it is an answer of another system, not from the game."""
        return self.kind == Unit.UTTERANCE and self.place >= Stimulus.FIRST_SYSTEM

    @property
    def moment(self) -> str:
        return f"u{self.index:04d}"

    @property
    def is_check(self) -> bool:
        """Whether it is an attention check or an item of known answer."""
        return self.kind == Unit.ATTENTION or self.use == known_answers.GOLD


@dataclass(frozen=True, slots=True)
class RaterAssignment:
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
    """One value of one dimension, or the reason why it is missing."""

    assignment: RaterAssignment
    item: RatedItem
    dimension: Dimension
    value: int | None
    status: str
    has_passed: bool | None  # whether all values of a check are correct, None for other items

    @property
    def side(self) -> str:
        """Position on the page: "left" or "right", a number from 1 among more, "" if alone."""
        count = len(self.item.answers)
        if not count:
            return ""
        number = shown_number(self.item, self.assignment.swapped, self.assignment.rotation)
        return SIDES[number] if count == len(SIDES) else str(number + 1)


def shown_number(item: RatedItem, swapped: bool, rotation: int) -> int:
    """Return the number of answers to the same moment that a page shows before this one."""
    count = len(item.answers)
    number = (item.answers.index(item.place) - rotation) % count
    return count - 1 - number if swapped else number


# Field of a RatedItem -> lookup from a Stimulus.
_ITEM_LOOKUPS = {
    "unit": "unit_id", "index": "unit__index", "kind": "unit__kind", "game": "unit__game_id",
    "position": "unit__position", "seat": "unit__seat", "expected": "unit__expected",
    "stimulus": "pk", "place": "place", "condition": "condition", "utterance": "utterance_id",
    "speaker_kind": "speaker_kind", "model": "model", "method": "method", "labels": "labels",
    "use": "unit__use", "known": "unit__known",
}  # fmt: skip


def rated_items(campaign: Campaign) -> dict[int, list[RatedItem]]:
    """Return unit id -> its rated items, by place. Practice units are excluded."""
    instrument = Instrument.from_json(campaign.instrument)
    rows = list(
        Stimulus.objects.filter(unit__campaign=campaign)
        .exclude(unit__use=known_answers.PRACTICE)
        .order_by("unit__index", "place")
        .values_list(*_ITEM_LOOKUPS.values(), "unit__situations")
    )
    names = tuple(_ITEM_LOOKUPS)
    places_by_unit: dict[int, list[int]] = {}
    for row in rows:
        if row[names.index("kind")] == Unit.UTTERANCE:
            places_by_unit.setdefault(row[0], []).append(row[names.index("place")])
    answers = {unit: tuple(of_unit) for unit, of_unit in places_by_unit.items() if len(of_unit) > 1}
    dimensions_by_kind: dict[tuple[str, tuple[str, ...]], tuple[Dimension, ...]] = {}
    items_by_unit: dict[int, list[RatedItem]] = {}
    for row in rows:
        facts: dict[str, Any] = dict(zip(names, row, strict=False))
        if facts["kind"] == Unit.RANKING:
            facts["seat"] = facts["place"]
        key = (facts["kind"], tuple(row[-1]))
        if key not in dimensions_by_kind:
            dimensions_by_kind[key] = instrument.dimensions_of(*key)
        item = RatedItem(**facts, answers=answers.get(row[0], ()), asked=dimensions_by_kind[key])
        items_by_unit.setdefault(item.unit, []).append(item)
    return items_by_unit


def read_assignments(campaign: Campaign, only: Rater | None = None) -> list[RaterAssignment]:
    """Return assignments ordered by rater and page, of one rater or of all people."""
    fields = (
        "pk", "key", "unit_id", "index", "is_repeat", "swapped", "rotation", "state", "shown_at",
        "first_answer_at", "submitted_at", "active_ms", "revision", "rater__pseudonym",
        "rater__excluded", "rater__exclusion_reason", "over_quota",
    )  # fmt: skip
    rows = Assignment.objects.filter(rater__campaign=campaign).order_by("rater_id", "index")
    rows = rows.filter(rater=only) if only else rows.filter(rater__kind=Rater.PERSON)
    beyond_quota = _answers_beyond_quota(campaign)
    return [_build_assignment(row[0] in beyond_quota, *row) for row in rows.values_list(*fields)]


def _answers_beyond_quota(campaign: Campaign) -> set[int]:
    """Return the ids of partial answers without a place in their unit's quota.

    Complete answers come first, then the earliest partial ones. No place is reserved for a partial
    answer, so its place may have been assigned to another rater at any time.
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
    complete_counts = Counter(complete.values_list("unit", flat=True))
    beyond_quota = set()
    for pk, unit in partial_rows:
        complete_counts[unit] += 1
        if complete_counts[unit] > campaign.raters_per_unit:
            beyond_quota.add(pk)
    return beyond_quota


def _build_assignment(beyond_quota: bool, *row: Any) -> RaterAssignment:
    """Build an assignment from a database row.

    An answer whose place was taken before is stored but excluded, so that quotas are exact.
    """
    *facts, excluded, reason, over_quota = row
    if (over_quota or beyond_quota) and not excluded:
        excluded, reason = True, OVER_QUOTA
    return RaterAssignment(*(*facts, excluded, reason))


def read_rating_rows(campaign: Campaign, only: Rater | None = None) -> Iterator[RatingRow]:
    """Yield the rows of one rater or of all people, in a stable order."""
    items_by_unit, values = rated_items(campaign), _values(campaign, only)
    for assignment in read_assignments(campaign, only):
        unit_values = values.get(assignment.pk, {})
        if assignment.state == Assignment.SKIPPED:
            unit_values = {}
        unit_values = _without_partial_rankings(unit_values, items_by_unit.get(assignment.unit, ()))
        for item in items_by_unit.get(assignment.unit, ()):
            passed = _check_passed(assignment, item, unit_values)
            for dimension in item.asked:
                value = unit_values.get((item.stimulus, dimension.key))
                yield RatingRow(
                    assignment, item, dimension, value, _status(assignment, value), passed
                )


def _values(campaign: Campaign, only: Rater | None) -> Mapping[int, dict[tuple[int, str], int]]:
    """Return assignment id -> (stimulus id, dimension) -> value."""
    rated = Rating.objects.filter(assignment__rater__campaign=campaign)
    if only:
        rated = rated.filter(assignment__rater=only)
    else:
        rated = rated.filter(assignment__rater__kind=Rater.PERSON)
    values_by_assignment: dict[int, dict[tuple[int, str], int]] = {}
    for pk, stimulus, dimension, value in rated.values_list(
        "assignment_id", "stimulus_id", "dimension", "value"
    ).iterator(chunk_size=5000):
        values_by_assignment.setdefault(pk, {})[stimulus, dimension] = value
    return values_by_assignment


def _without_partial_rankings(
    values: dict[tuple[int, str], int], unit_items: Sequence[RatedItem]
) -> dict[tuple[int, str], int]:
    """Return the values without incomplete rankings, because a single rank has no meaning."""
    if not unit_items or unit_items[0].kind != Unit.RANKING:
        return values
    count = Counter(dimension for _stimulus, dimension in values)
    return {key: value for key, value in values.items() if count[key[1]] == len(unit_items)}


def _status(assignment: RaterAssignment, value: int | None) -> str:
    if value is not None:
        return ANSWERED
    if assignment.state in (Assignment.SKIPPED, Assignment.TIMED_OUT):
        return assignment.state
    # A question that is empty in a complete answer was skipped.
    return SKIPPED if assignment.state == Assignment.ANSWERED else NOT_REACHED


def _check_passed(
    assignment: RaterAssignment, item: RatedItem, values: Mapping[tuple[int, str], int]
) -> bool | None:
    """Return whether a check was passed. A skipped check is failed.

    Returns:
        None if the item is no check or not completely answered.
    """
    if not item.is_check:
        return None
    if assignment.state == Assignment.SKIPPED:
        return False
    item_values = {d.key: values.get((item.stimulus, d.key)) for d in item.asked}
    given_values = {key: value for key, value in item_values.items() if value is not None}
    if len(given_values) < len(item_values):
        return None
    if item.use == known_answers.GOLD:
        return known_answers.are_expected(item.known, item.place, given_values)
    return all(value == item.expected for value in given_values.values())


def to_ratings(campaign: Campaign, only: Rater | None = None) -> list[Mark]:
    """Return one mark for each value, present or missing, in a stable order.

    The sides of a pair are two units of one moment. Items of known answer are excluded.

    Args:
        only: The rater whose ratings are returned, by default all people.
    """
    from webapp.statistics.marks import Mark

    games = {game.pk: game for game in Game.objects.filter(unit__campaign=campaign).distinct()}
    facts = {
        pk: {"game": game.code, "deal": build_deal_key(game), "winner": game.winner}
        for pk, game in games.items()
    }
    seat_facts: dict[tuple[int | None, int | None], dict[str, Any]] = {}
    for pk, game in games.items():
        for seat, outcome in enumerate(get_seat_outcomes(game), 1):
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
        for row in read_rating_rows(campaign, only)
        if not row.item.use
    ]
