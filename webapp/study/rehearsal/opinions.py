"""Opinions of simulated people as values on a scale.

An opinion is the middle of its scale, plus the effect in the favored condition, plus normal
deviations of the rater, the rater in this condition, the deal, the game, the seat, the unit and
this answer. They are stretched for longer scales.
"""

from dataclasses import dataclass, field
from math import sqrt
from random import Random

# Part -> standard deviation, in steps of a scale from 1 to 5 (docs/statistics.md, "How often it
# errs"). "slope": of a rater's difference between two conditions. "rest": of one answer; rehearsals
# have `Assumptions.noise` instead.
SPREAD = {
    "rater": 0.5, "slope": 0.2, "deal": 0.3, "game": 0.4, "seat": 0.3, "unit": 0.4, "rest": 0.8,
}  # fmt: skip
SCALE_STEPS = 4  # a scale from 1 to 5 has four steps


@dataclass(frozen=True)
class OpinionSubject:
    """The subject of an opinion, by names. A seat's name is unique in its game only."""

    condition: str
    deal: str
    game: str
    seat: str
    unit: str


@dataclass
class Opinions:
    """Opinions of a crowd. The same seed gives the same deviations."""

    seed: str
    favored: str  # the condition that is rated `effect` higher
    effect: float  # the favored condition is rated this many steps (of a scale from 1 to 5) higher
    noise: float  # standard deviation of one answer, in the same steps
    _deviations: dict[tuple[str, ...], float] = field(default_factory=dict)

    def value_for(
        self, rater: str, subject: OpinionSubject, item: str, low: int, high: int, rng: Random
    ) -> float:
        """Return the rater's value on the scale, not rounded. `rng` gives the noise."""
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
        slope = self._deviation("slope", rater, subject.condition, item)
        opinion += SPREAD["slope"] / sqrt(2) * slope
        opinion += self.noise * rng.gauss(0, 1)
        return (low + high) / 2 + opinion * (high - low) / SCALE_STEPS

    def _deviation(self, *key: str) -> float:
        """Return the standard normal deviation of a part, the same for the same key."""
        if key not in self._deviations:
            self._deviations[key] = Random("/".join((self.seed, *key))).gauss(0, 1)
        return self._deviations[key]


def round_to_scale(value: float, low: int, high: int) -> int:
    """Return the nearest step of the scale."""
    return min(high, max(low, round(value)))
