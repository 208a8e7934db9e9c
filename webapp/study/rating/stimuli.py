"""Stimuli, the rated items of units: their order and names on a page, and its rating fields.

A field's name is slot/dimension. The slot is the position of the text and does not reveal its
source: "a" left or alone, "b" right, "c" next. In a ranking it is the seat ("s3").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from webapp.study.design.instruments import Dimension, Instrument
from webapp.study.models import Assignment, Campaign, Stimulus, Unit

SLOTS = ("a", "b", "c", "d", "e", "f")  # of the answers to one moment, in the order shown


def first_place(campaign: Campaign) -> int:
    """Return the place of the item by whose condition units are balanced.

    Attention checks have only place 1, and no condition.
    """
    return Stimulus.FIRST_SYSTEM if rates_systems_only(campaign) else 1


def rates_systems_only(campaign: Campaign) -> bool:
    """Return whether the log's texts are only context and never rated."""
    return campaign.without_log and bool(campaign.systems)


def system_answers(**lookups: Any) -> QuerySet[Stimulus]:
    """Return the stimuli that are answers of systems rather than the log's texts."""
    rows = Stimulus.objects.filter(unit__kind=Unit.UTTERANCE, place__gte=Stimulus.FIRST_SYSTEM)
    return rows.filter(**lookups)


def shown_order(
    stimuli: Iterable[Stimulus], *, swapped: bool = False, rotation: int = 0
) -> list[Stimulus]:
    """Return a unit's stimuli as a page shows them (`Assignment.rotation`)."""
    ordered = sorted(stimuli, key=lambda stimulus: stimulus.place)
    rotated = [*ordered[rotation:], *ordered[:rotation]]
    return rotated[::-1] if swapped else rotated


def unit_dimensions(unit: Unit) -> tuple[Dimension, ...]:
    """Return the dimensions on which a unit is rated, in order."""
    return Instrument.from_json(unit.campaign.instrument).dimensions_of(unit.kind, unit.situations)


def slot_names(unit: Unit, stimuli: Sequence[Stimulus]) -> list[str]:
    """Return the names of a unit's stimuli on pages, in the order shown.

    A stimulus is an answer to a moment, or a seat of a ranking.
    """
    if unit.kind == Unit.RANKING:
        return [f"s{stimulus.place}" for stimulus in stimuli]
    return list(SLOTS[: len(stimuli)])


@dataclass(frozen=True)
class RatingField:
    """One scale of the page, and the stimulus that its value belongs to."""

    name: str
    slot: str
    stimulus: int
    dimension: Dimension


def build_fields(assignment: Assignment) -> dict[str, RatingField]:
    """Return name -> field of the assignment, in the order of the page.

    Questions that show true roles come last, because others are better answered without them.
    """
    unit = assignment.unit
    stimuli = shown_order(
        unit.stimuli.all(), swapped=assignment.swapped, rotation=assignment.rotation
    )
    slot_stimuli = list(zip(slot_names(unit, stimuli), stimuli, strict=False))
    return {
        f"{slot}/{dimension.key}": RatingField(f"{slot}/{dimension.key}", slot, s.pk, dimension)
        for dimension in sorted(unit_dimensions(unit), key=lambda d: d.deeds)
        for slot, s in slot_stimuli
    }


def submitted_values(
    assignment: Assignment, rating_fields: Mapping[str, RatingField]
) -> dict[str, int]:
    """Return field name -> last submitted value."""
    names = {(f.stimulus, f.dimension.key): name for name, f in rating_fields.items()}
    rows = assignment.ratings.all()
    values = {names.get((r.stimulus_id, r.dimension), ""): r.value for r in rows}
    return {name: values[name] for name in rating_fields if name in values}


def missing_labels(
    rating_fields: Mapping[str, RatingField], values: Mapping[str, int]
) -> list[str]:
    """Return the labels of the questions without a value, each once."""
    own_slots = {f.slot for f in rating_fields.values()}
    is_pair = len(own_slots) > 1 and own_slots <= set(SLOTS)
    missing_fields = [f for name, f in rating_fields.items() if name not in values]
    labels = (
        f"{f.dimension.label} ({f.slot.upper()})" if is_pair else f.dimension.label
        for f in missing_fields
    )
    return list(dict.fromkeys(labels))
