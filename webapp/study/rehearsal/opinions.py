"""Opinions of simulated people: values on a scale, with an effect between conditions.

A value is the middle of its scale, plus the effect if the condition has it, plus deviations of the
rater, the rater under this condition, the deal, the game, the seat, the unit, and of this answer.
All are normal. SPREAD has their standard deviations in steps of a scale from 1 to 5; that of
"slope" is of a rater's difference between two conditions. Longer scales stretch them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from random import Random

# Those of docs/statistics.md, "How often it errs"; "rest" is what `--noise` states.
SPREAD = {
    "rater": 0.5, "slope": 0.2, "deal": 0.3, "game": 0.4, "seat": 0.3, "unit": 0.4, "rest": 0.8,
}  # fmt: skip
STEPS = 4  # of a scale from 1 to 5


@dataclass(frozen=True)
class OpinionSubject:
    """The subject of an opinion, by name. Seats are named within a game, units overall."""

    condition: str
    deal: str
    game: str
    seat: str
    unit: str


@dataclass
class Opinions:
    """Opinions of a crowd.

    effect: how much higher `favored` is rated, in steps of a scale from 1 to 5. noise: the standard
    deviation of one answer. The same seed gives the same deviations.
    """

    seed: str
    favored: str
    effect: float
    noise: float
    _drawn: dict[tuple[str, ...], float] = field(default_factory=dict)

    def of(
        self, rater: str, about: OpinionSubject, item: str, low: int, high: int, answer: Random
    ) -> float:
        """Return the value on the scale for `rater`, not rounded. `answer` draws the noise."""
        parts = {
            "rater": (rater,),
            "deal": (about.deal,),
            "game": (about.game,),
            "seat": (about.game, about.seat),
            "unit": (about.unit,),
        }
        opinion = self.effect * (about.condition == self.favored)
        opinion += sum(
            SPREAD[part] * self._deviation(part, *of, item) for part, of in parts.items()
        )
        opinion += (
            SPREAD["slope"] / sqrt(2) * self._deviation("slope", rater, about.condition, item)
        )
        opinion += self.noise * answer.gauss(0, 1)
        return (low + high) / 2 + opinion * (high - low) / STEPS

    def _deviation(self, *name: str) -> float:
        if name not in self._drawn:
            self._drawn[name] = Random("/".join((self.seed, *name))).gauss(0, 1)
        return self._drawn[name]


def round_to_scale(wished: float, low: int, high: int) -> int:
    """Return the nearest step of the scale."""
    return min(high, max(low, round(wished)))
