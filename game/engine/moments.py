"""A point in a game (day, phase, round, pass), carried by windows, notes and requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True, order=True)
class Moment:
    """A moment of a game, ordered by where its phase opened in the log, then by its pass.

    Attributes:
        phase_number: how many phases had opened by then, its own included; 0 before the first.
        pass_: the pass of talk in that phase, from 1; 0 for what belongs to the whole phase.
        day, phase, round: as the ruleset named them when the phase opened. They do not affect the
            order.
    """

    phase_number: int = 0
    pass_: int = 0
    day: int = field(default=0, compare=False)
    phase: str = field(default="", compare=False)
    round: int = field(default=0, compare=False)

    @property
    def phase_start(self) -> Moment:
        """The moment at which this moment's phase opened."""
        return replace(self, pass_=0)

    def data(self) -> dict[str, Any]:
        """Return the JSON form."""
        return dict(vars(self))

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Moment:
        """Return the moment of a JSON form made by `data()`."""
        return cls(**data)


BEFORE_FIRST_PHASE = Moment()
