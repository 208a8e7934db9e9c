"""Units with a known answer: the ranges of correct values (`Unit.known_answers`)."""

from collections.abc import Mapping
from typing import Any

from webapp.study.models import Campaign


def known_answer_units(campaign: Campaign) -> list[list[Any]]:
    """Return [kind, game, position, seat, use, known ranges] of each unit of known answer."""
    rows = campaign.units.exclude(use="").order_by("index")
    fields = ("kind", "game__code", "position", "seat", "use", "known_answers")
    return [list(row) for row in rows.values_list(*fields)]


def correct_range(
    known_answers: Mapping[str, Any], stimulus_place: int, dimension: str
) -> tuple[int, int] | None:
    """Return (min, max) of the correct values, None if every value is correct."""
    limits = known_answers.get("ranges", {}).get(f"{stimulus_place}/{dimension}")
    return (limits[0], limits[1]) if limits else None


def are_correct(
    known_answers: Mapping[str, Any], stimulus_place: int, values: Mapping[str, int]
) -> bool:
    """Return whether all values (by dimension) of the stimulus at that place are correct."""
    for dimension, value in values.items():
        limits = correct_range(known_answers, stimulus_place, dimension)
        if limits and not limits[0] <= value <= limits[1]:
            return False
    return True
