"""Questions that test whether a person has understood a game's rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from game.engine.roles import RuleText, Setting, effective_settings

BLIND = "blind"  # a setting that every table has, besides those of its ruleset


@dataclass(frozen=True)
class QuizQuestion:
    """One yes/no question on the rules.

    Attributes:
        answer: true for yes.
        why: one sentence, shown with the answer.
        holds: setting -> the values for which the answer is right; empty: right at every table.
    """

    key: str
    text: RuleText
    answer: bool
    why: RuleText
    holds: Mapping[str, tuple[bool | int | str, ...]] = field(default_factory=dict)


def questions_for_settings(
    questions: Sequence[QuizQuestion], settings: Sequence[Setting], chosen: Mapping[str, Any]
) -> list[QuizQuestion]:
    """Return the questions whose answers are right at a table with the `chosen` settings."""
    values = {**effective_settings(settings, chosen), BLIND: bool(chosen.get(BLIND))}
    return [q for q in questions if all(values[key] in fits for key, fits in q.holds.items())]
