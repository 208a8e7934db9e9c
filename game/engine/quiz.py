"""Questions that test whether a person has understood a game's rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from game.engine.roles import Setting, effective_settings

BLIND = "blind"  # a setting that every table has, besides those of its ruleset
Values = Sequence[bool | int | str]  # values of one setting


@dataclass(frozen=True)
class QuizQuestion:
    """One yes/no question on the rules.

    Attributes:
        is_yes: whether "yes" is the right answer.
        explanation: one sentence, shown with the right answer.
        figures: replace the placeholders in both texts.
        holds: setting -> values with which the answer is right. Other tables do not get the
            question. Empty: the answer is right at every table.
    """

    key: str
    text: str
    is_yes: bool
    explanation: str
    figures: Mapping[str, int] = field(default_factory=dict)
    holds: Mapping[str, Values] = field(default_factory=dict)


def questions_for_settings(
    questions: Sequence[QuizQuestion], settings: Sequence[Setting], chosen: Mapping[str, Any]
) -> list[QuizQuestion]:
    """Return the questions whose answers are right at a table with the `chosen` settings."""
    values = {**effective_settings(settings, chosen), BLIND: bool(chosen.get(BLIND))}
    return [q for q in questions if all(values[key] in v for key, v in q.holds.items())]
