"""Opinions of simulated people, and how people with or without opinions answer.

An opinion is the middle of its scale, plus the effect in the favored condition, plus normal
deviations of the rater, the rater in this condition, the deal, the game, the seat, the unit and
this answer.
SPREAD has their standard deviations in steps of a scale from 1 to 5. "slope" is that of a rater's
difference between two conditions. Longer scales stretch them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import sqrt
from random import Random

from webapp.study.rehearsal.html_page import HtmlQuestion

CORRECT_SHARE = 0.95  # of questions with a right answer, by attentive people
KEPT_CHOICES_SHARE = 0.9  # of the page's preselected choices that stay
OMITTED_SHARE = 0.05  # of optional questions
SAMPLE_SENTENCES = (
    "I have nothing to hide. Ask me what you like.",
    "Somebody here is very quiet, and I wonder why.",
    "I believe who has spoken before me, for now.",
    "That does not fit with what was said a moment ago.",
    "I am with the village. Let us vote together this time.",
    "I was not sure at first, but now I am.",
)
# As in docs/statistics.md, "How often it errs". "rest" is the noise of one answer (`--noise`).
SPREAD = {
    "rater": 0.5, "slope": 0.2, "deal": 0.3, "game": 0.4, "seat": 0.3, "unit": 0.4, "rest": 0.8,
}  # fmt: skip
SCALE_STEPS = 4  # from 1 to 5


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


@dataclass
class Attentive:
    """The mind of a person who answers by opinions, one for each item.

    Attributes:
        right_answers: label of a question -> the right answer.
        condition: returns the condition of the person's last game, "" before it.
    """

    name: str
    opinions: Opinions
    right_answers: Mapping[str, str]
    condition: Callable[[], str]
    draw: Random

    def answer(self, question: HtmlQuestion) -> list[str]:
        if question.kind in ("text", "number"):
            return _type_answer(question, self.draw)
        choices = [c for c in question.choices if c.value]
        if not choices:
            return [question.choices[0].value] if question.kind == "one" else []
        if question.kind == "some":
            count = question.count or self.draw.randint(1, len(choices))
            return [c.value for c in self.draw.sample(choices, min(count, len(choices)))]
        if (right_answer := self.right_answers.get(question.label)) in {c.value for c in choices}:
            wrong_answers = [c.value for c in choices if c.value != right_answer]
            is_right = self.draw.random() < CORRECT_SHARE
            return [str(right_answer) if is_right else self.draw.choice(wrong_answers)]
        preselected = [c.value for c in choices if c.is_preselected]
        if preselected and self.draw.random() < KEPT_CHOICES_SHARE:
            return preselected[:1]
        if len(choices) < len(question.choices) and self.draw.random() < OMITTED_SHARE:
            return [""]
        if scale := question.scale:
            return [str(self._scale_value(question, *scale))]
        return [self.draw.choice(choices).value]

    def _scale_value(self, question: HtmlQuestion, low: int, high: int) -> int:
        values = [int(c.value) for c in question.choices if c.value]
        condition = self.condition()
        subject = OpinionSubject(condition, condition, self.name, "", question.name)
        opinion = self.opinions.value_for(self.name, subject, question.name, low, high, self.draw)
        return min(values, key=lambda v: abs(v - round_to_scale(opinion, low, high)))


@dataclass
class Careless:
    """The mind of a person who always chooses the same position, and answers the minimum.

    Attributes:
        position: From 0 to 1, of the choices.
    """

    draw: Random
    position: float

    def answer(self, question: HtmlQuestion) -> list[str]:
        if question.kind == "text":
            return ["ok"]
        if question.kind == "number":
            return _type_answer(question, self.draw)
        choices = [c.value for c in question.choices if c.value]
        if not choices:
            return [question.choices[0].value] if question.kind == "one" else []
        if question.kind == "some":
            return choices[: question.count or 1]
        return [choices[int(self.position * len(choices))]]


def _type_answer(question: HtmlQuestion, draw: Random) -> list[str]:
    if question.kind == "number":
        low, high = question.limits or (1, 9)
        return [str(draw.randint(low, high))]
    text = draw.choice(SAMPLE_SENTENCES)
    return [text[: question.max_chars] if question.max_chars else text]
