"""Minds of simulated people: their answers to the questions of a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from webapp.study.rehearsal.html_page import HtmlQuestion
from webapp.study.rehearsal.opinions import Opinions, OpinionSubject, round_to_scale

# Shares of an attentive person's answers.
CORRECT_ANSWER_SHARE = 0.95  # share of the questions with a right answer that are answered rightly
# In this share of questions with a preselected choice, the choice is kept.
KEPT_CHOICES_SHARE = 0.9
OMITTED_OPTIONAL_SHARE = 0.05
SAMPLE_SENTENCES = (
    "I have nothing to hide. Ask me what you like.",
    "Somebody here is very quiet, and I wonder why.",
    "I believe who has spoken before me, for now.",
    "That does not fit with what was said a moment ago.",
    "I am with the village. Let us vote together this time.",
    "I was not sure at first, but now I am.",
)


@dataclass
class AttentiveMind:
    """The mind of a person who answers by opinions."""

    name: str
    opinions: Opinions
    right_answers: Mapping[str, str]  # label of a question -> the right answer
    # Returns the condition of the person's last game, "" before the first.
    condition: Callable[[], str]
    rng: Random

    def answer(self, question: HtmlQuestion) -> list[str]:
        """Return the values for one question, [] to omit it."""
        if question.kind in ("text", "number"):
            return _type_answer(question, self.rng)
        values = question.choice_values
        if not values:
            return [question.choices[0].value] if question.kind == "one" else []
        if question.kind == "some":
            count = question.count or self.rng.randint(1, len(values))
            return self.rng.sample(values, min(count, len(values)))
        if (right_answer := self.right_answers.get(question.label)) in values:
            wrong_answers = [value for value in values if value != right_answer]
            is_right = self.rng.random() < CORRECT_ANSWER_SHARE
            return [str(right_answer) if is_right else self.rng.choice(wrong_answers)]
        preselected = [c.value for c in question.choices if c.value and c.is_preselected]
        if preselected and self.rng.random() < KEPT_CHOICES_SHARE:
            return preselected[:1]
        if len(values) < len(question.choices) and self.rng.random() < OMITTED_OPTIONAL_SHARE:
            return [""]
        if scale := question.scale:
            return [str(self._scale_value(question, *scale))]
        return [self.rng.choice(values)]

    def _scale_value(self, question: HtmlQuestion, low: int, high: int) -> int:
        values = map(int, question.choice_values)
        condition = self.condition()
        subject = OpinionSubject(condition, condition, self.name, "", question.name)
        opinion = self.opinions.value_for(self.name, subject, question.name, low, high, self.rng)
        return min(values, key=lambda v: abs(v - round_to_scale(opinion, low, high)))


@dataclass
class CarelessMind:
    """The mind of a person who answers the minimum, always at the same position (0 to 1)."""

    rng: Random
    position: float

    def answer(self, question: HtmlQuestion) -> list[str]:
        if question.kind == "text":
            return ["ok"]
        if question.kind == "number":
            return _type_answer(question, self.rng)
        values = question.choice_values
        if not values:
            return [question.choices[0].value] if question.kind == "one" else []
        if question.kind == "some":
            return values[: question.count or 1]
        return [values[int(self.position * len(values))]]


def _type_answer(question: HtmlQuestion, rng: Random) -> list[str]:
    if question.kind == "number":
        low, high = question.limits or (1, 9)
        return [str(rng.randint(low, high))]
    text = rng.choice(SAMPLE_SENTENCES)
    return [text[: question.max_chars] if question.max_chars else text]
