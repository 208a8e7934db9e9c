"""Minds of simulated participants: attentive ones have opinions, careless ones have none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from webapp.study.rehearsal.html_page import HtmlQuestion
from webapp.study.rehearsal.opinions import Opinions, OpinionSubject, round_to_scale

KNOWN = 0.95  # share of questions with a right answer that an attentive person answers correctly
KEPT_CHOICES_SHARE = 0.9  # share of the page's preselected choices that stay
LEFT_OUT = 0.05  # share of optional questions that are left out
SAID = (
    "I have nothing to hide. Ask me what you like.",
    "Somebody here is very quiet, and I wonder why.",
    "I believe who has spoken before me, for now.",
    "That does not fit with what was said a moment ago.",
    "I am with the village. Let us vote together this time.",
    "I was not sure at first, but now I am.",
)


@dataclass
class Attentive:
    """Answers by opinions.

    right: text of a question -> the right answer. condition: the one this person has played in, ""
    before. Item names tell opinions apart.
    """

    name: str
    opinions: Opinions
    right: Mapping[str, str]
    condition: Callable[[], str]
    draw: Random

    def answer(self, question: HtmlQuestion) -> list[str]:
        if question.kind in ("text", "number"):
            return _typed(question, self.draw)
        choices = [c for c in question.choices if c.value]
        if not choices:
            return [question.choices[0].value] if question.kind == "one" else []
        if question.kind == "some":
            count = question.count or self.draw.randint(1, len(choices))
            return [c.value for c in self.draw.sample(choices, min(count, len(choices)))]
        if (right_value := self.right.get(question.words)) in {c.value for c in choices}:
            wrong = [c.value for c in choices if c.value != right_value]
            return [str(right_value) if self.draw.random() < KNOWN else self.draw.choice(wrong)]
        chosen_before = [c.value for c in choices if c.chosen]
        if chosen_before and self.draw.random() < KEPT_CHOICES_SHARE:
            return chosen_before[:1]
        if len(choices) < len(question.choices) and self.draw.random() < LEFT_OUT:
            return [""]
        if scale := question.scale:
            return [str(self._scale_value(question, *scale))]
        return [self.draw.choice(choices).value]

    def _scale_value(self, question: HtmlQuestion, low: int, high: int) -> int:
        values = [int(c.value) for c in question.choices if c.value]
        condition = self.condition()
        about = OpinionSubject(condition, condition, self.name, "", question.name)
        wished = self.opinions.of(self.name, about, question.name, low, high, self.draw)
        return min(values, key=lambda v: abs(v - round_to_scale(wished, low, high)))


@dataclass
class Careless:
    """Chooses the same position everywhere, and answers as little as possible."""

    draw: Random
    alike: float

    def answer(self, question: HtmlQuestion) -> list[str]:
        if question.kind == "text":
            return ["ok"]
        if question.kind == "number":
            return _typed(question, self.draw)
        choices = [c.value for c in question.choices if c.value]
        if not choices:
            return [question.choices[0].value] if question.kind == "one" else []
        if question.kind == "some":
            return choices[: question.count or 1]
        return [choices[int(self.alike * len(choices))]]


def _typed(question: HtmlQuestion, draw: Random) -> list[str]:
    if question.kind == "number":
        low, high = question.limits or (1, 9)
        return [str(draw.randint(low, high))]
    text = draw.choice(SAID)
    return [text[: question.longest] if question.longest else text]
