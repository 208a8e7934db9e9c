"""The form of a rating page for its template: the texts, and a scale for each question and text."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from webapp.study.design.instruments import Dimension
from webapp.study.models import Assignment, Unit
from webapp.study.rating.rater_view import RatedText, RenderedUnit, render_unit
from webapp.study.rating.stimuli import RatingField, build_fields, submitted_values

MAX_NARROW_STEPS = 7  # scales with more steps get a wide layout
PLACE_PREFIX = "place"  # without scripts, the fields of a ranking are place/RANK/DIMENSION


@dataclass(frozen=True)
class Scale:
    """The row of buttons of one field."""

    field: RatingField
    value: int | None  # the chosen value, None for none
    side: str  # label of the rated text, such as "A"; "" if there is only one

    @property
    def id(self) -> str:
        return f"{self.field.slot}-{self.field.dimension.key}"

    @property
    def is_wide(self) -> bool:
        return len(self.field.dimension.values) > MAX_NARROW_STEPS


@dataclass(frozen=True)
class FormQuestion:
    """A question with its scale for each rated text."""

    dimension: Dimension
    scales: tuple[Scale, ...]


@dataclass(frozen=True)
class RankPlace:
    """A rank in a ranking."""

    number: int  # the rank, from 1
    name: str  # name of its form field
    slot: str  # the slot of the player with that rank (`RatingField.slot`), "" for none


@dataclass(frozen=True)
class RankingQuestion:
    """One question of a ranking: the players, and the ranks that they have so far."""

    dimension: Dimension
    players: tuple[RatedText, ...]
    places: tuple[RankPlace, ...]

    @property
    def is_complete(self) -> bool:
        return all(place.slot for place in self.places)


class RatingForm:
    """The form of an assignment's page. A submitted `refused_form` is shown again."""

    def __init__(
        self, assignment: Assignment, refused_form: Mapping[str, str] | None = None
    ) -> None:
        self.assignment = assignment
        self.fields = build_fields(assignment)
        self.values = submitted_values(assignment, self.fields)
        self.refused_form = refused_form

    @cached_property
    def rendered(self) -> RenderedUnit:
        page = self.assignment
        return render_unit(page.unit, swapped=page.swapped, rotation=page.rotation)

    @property
    def is_pair(self) -> bool:
        return len(self.rendered.sides) > 1 and not self.is_ranking

    @property
    def is_ranking(self) -> bool:
        return self.assignment.unit.kind == Unit.RANKING

    @property
    def rates_no_single_text(self) -> bool:
        """Whether a player or a game is rated, and not a text."""
        return not any(side.text for side in self.rendered.sides)

    @property
    def questions(self) -> list[FormQuestion]:
        """The questions of a page that is not a ranking."""
        scales_by_dimension: dict[str, list[Scale]] = {}
        for name, field in self.fields.items():
            side = field.slot.upper() if self.is_pair else ""
            scale = Scale(field, self.values.get(name), side)
            scales_by_dimension.setdefault(field.dimension.key, []).append(scale)
        return [
            FormQuestion(scales[0].field.dimension, tuple(scales))
            for scales in scales_by_dimension.values()
        ]

    @property
    def rankings(self) -> list[RankingQuestion]:
        """The questions of a ranking."""
        dimensions = dict.fromkeys(f.dimension for f in self.fields.values())
        sides = self.rendered.sides
        return [RankingQuestion(d, sides, tuple(self._rank_places(d))) for d in dimensions]

    def _rank_places(self, dimension: Dimension) -> Iterator[RankPlace]:
        slots_by_value = {
            self.values[name]: f.slot
            for name, f in self.fields.items()
            if f.dimension == dimension and name in self.values
        }
        for value in reversed(dimension.values):
            name, slot = f"{PLACE_PREFIX}/{value}/{dimension.key}", slots_by_value.get(value, "")
            if self.refused_form is not None:
                slot = self.refused_form.get(name, "")
            yield RankPlace(dimension.place_of(value), name, slot)

    @property
    def digit_keys(self) -> tuple[int, int] | None:
        """The lowest and the highest digit key that rates, None if all values are above 9."""
        values = {value for f in self.fields.values() for value in f.dimension.values}
        digits = [value for value in values if value < 10]
        return (min(digits), max(digits)) if digits else None

    @property
    def uses_zero_key_for_ten(self) -> bool:
        """Whether the key 0 stands for 10, as it does on a scale without a 0."""
        scales = [f.dimension.values for f in self.fields.values()]
        return any(10 in s and 0 not in s for s in scales)

    @property
    def has_values_beyond_digits(self) -> bool:
        """Whether a scale has values without a digit key."""
        return any(f.dimension.max > 9 for f in self.fields.values())
