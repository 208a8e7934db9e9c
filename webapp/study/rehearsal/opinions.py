"""Opinions of simulated people: values on a scale, with an effect between conditions.

A value is the middle of its scale, plus the effect in the favored condition, plus normal deviations
of the rater, the rater in this condition, the deal, the game, the seat, the unit and this answer.
SPREAD has their standard deviations in steps of a scale from 1 to 5. "slope" is that of a rater's
difference between two conditions. Longer scales stretch them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from random import Random

# As in docs/statistics.md, "How often it errs". "rest" is the noise of one answer (`--noise`).
SPREAD = {
    "rater": 0.5, "slope": 0.2, "deal": 0.3, "game": 0.4, "seat": 0.3, "unit": 0.4, "rest": 0.8,
}  # fmt: skip
SCALE_STEPS = 4  # from 1 to 5


@dataclass(frozen=True)
class OpinionSubject:
    """Names of what an opinion is about. A seat's name is unique in its game, a unit's overall."""

    condition: str
    deal: str
    game: str
    seat: str
    unit: str


@dataclass
class Opinions:
    """Opinions of a crowd. The same seed gives the same deviations.

    Attributes:
        favored: the condition that is rated higher.
        effect: by how much, in steps of a scale from 1 to 5.
        noise: standard deviation of one answer, in the same steps.
    """

    seed: str
    favored: str
    effect: float
    noise: float
    _deviations: dict[tuple[str, ...], float] = field(default_factory=dict)

    def value_for(
        self, rater: str, subject: OpinionSubject, item: str, low: int, high: int, answer: Random
    ) -> float:
        """Return the rater's value on the scale, not rounded. `answer` draws the noise."""
        names_by_part = {
            "rater": (rater,),
            "deal": (subject.deal,),
            "game": (subject.game,),
            "seat": (subject.game, subject.seat),
            "unit": (subject.unit,),
        }
        opinion = self.effect * (subject.condition == self.favored)
        opinion += sum(
            SPREAD[part] * self._deviation(part, *names, item)
            for part, names in names_by_part.items()
        )
        opinion += (
            SPREAD["slope"] / sqrt(2) * self._deviation("slope", rater, subject.condition, item)
        )
        opinion += self.noise * answer.gauss(0, 1)
        return (low + high) / 2 + opinion * (high - low) / SCALE_STEPS

    def _deviation(self, *name: str) -> float:
        if name not in self._deviations:
            self._deviations[name] = Random("/".join((self.seed, *name))).gauss(0, 1)
        return self._deviations[name]


def round_to_scale(value: float, low: int, high: int) -> int:
    """Return the nearest step of the scale."""
    return min(high, max(low, round(value)))
