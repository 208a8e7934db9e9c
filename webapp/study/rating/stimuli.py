"""Stimuli, the rated items of units: their order and slots on a page, and its rating fields.

A slot is a position on the page and does not reveal the source of a text: "a" is left or alone, "b"
right, "c" next. In a ranking it is the seat ("s3"). The name of a field is slot/dimension.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from webapp.study.design.instruments import Dimension, Instrument
from webapp.study.models import Assignment, Campaign, Stimulus, Unit

ANSWER_SLOTS = ("a", "b", "c", "d", "e", "f")  # the slots of texts, in the order of the page


def first_place(campaign: Campaign) -> int:
    """Return the place of the stimulus whose condition balances the units of a rater."""
    return Stimulus.FIRST_SYSTEM if rates_systems_only(campaign) else 1


def rates_systems_only(campaign: Campaign) -> bool:
    """Return whether only answers of comparison systems are rated, and the log is context."""
    return campaign.without_log and bool(campaign.systems)


def system_answers(**lookups: Any) -> QuerySet[Stimulus]:
    """Return the stimuli that are answers of comparison systems, not texts of the log."""
    rows = Stimulus.objects.filter(unit__kind=Unit.UTTERANCE, place__gte=Stimulus.FIRST_SYSTEM)
    return rows.filter(**lookups)


def shown_stimuli(unit: Unit, *, swapped: bool = False, rotation: int = 0) -> dict[str, Stimulus]:
    """Return slot -> stimulus of a unit, in the order of the page (fields of `Assignment`).

    A campaign may have more answers to a moment than ANSWER_SLOTS until it opens (`rating_plan`).
    The researcher's page of a unit then shows the first ones.
    """
    ordered = sorted(unit.stimuli.all(), key=lambda stimulus: stimulus.place)
    stimuli = [*ordered[rotation:], *ordered[:rotation]]
    if swapped:
        stimuli.reverse()
    if unit.kind == Unit.RANKING:
        return {f"s{stimulus.place}": stimulus for stimulus in stimuli}
    return dict(zip(ANSWER_SLOTS, stimuli, strict=False))


def unit_dimensions(unit: Unit) -> tuple[Dimension, ...]:
    return Instrument.from_json(unit.campaign.instrument).dimensions_of(unit.kind, unit.situations)


@dataclass(frozen=True)
class RatingField:
    """One scale of the page. `stimulus` is the id of the one that the value belongs to."""

    name: str
    slot: str
    stimulus: int
    dimension: Dimension


RatingFields = Mapping[str, RatingField]  # name -> field, of a page


def build_fields(assignment: Assignment) -> RatingFields:
    """Return name -> field of the assignment, in the order of the page.

    Questions that show true roles come last, so that raters answer the others without them.
    """
    unit = assignment.unit
    stimuli = shown_stimuli(unit, swapped=assignment.swapped, rotation=assignment.rotation)
    return {
        (name := f"{slot}/{dimension.key}"): RatingField(name, slot, stimulus.pk, dimension)
        for dimension in sorted(unit_dimensions(unit), key=lambda dimension: dimension.deeds)
        for slot, stimulus in stimuli.items()
    }


def submitted_values(assignment: Assignment, rating_fields: RatingFields) -> dict[str, int]:
    """Return field name -> last submitted value."""
    values = {(r.stimulus_id, r.dimension): r.value for r in assignment.ratings.all()}
    return {
        name: values[key]
        for name, f in rating_fields.items()
        if (key := (f.stimulus, f.dimension.key)) in values
    }


def missing_labels(rating_fields: RatingFields, values: Mapping[str, int]) -> list[str]:
    """Return the labels of the questions without a value, each once."""
    slots = {f.slot for f in rating_fields.values()}
    has_several_texts = len(slots) > 1 and slots <= set(ANSWER_SLOTS)
    labels = (
        f"{f.dimension.label} ({f.slot.upper()})" if has_several_texts else f.dimension.label
        for name, f in rating_fields.items()
        if name not in values
    )
    return list(dict.fromkeys(labels))
