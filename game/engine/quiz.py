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
        is_yes: whether "yes" is the right answer.
        why: one sentence, shown with the answer.
        holds: setting -> values. At a table with other values the question is not asked, because
            its answer would be wrong. Empty: it is right at every table.
    """

    key: str
    text: RuleText
    is_yes: bool
    why: RuleText
    holds: Mapping[str, tuple[bool | int | str, ...]] = field(default_factory=dict)


def question(
    key: str,
    text: str,
    *,
    is_yes: bool,
    why: str,
    figures: Mapping[str, int] | None = None,
    **holds: tuple[bool | int | str, ...],
) -> QuizQuestion:
    """Return a question from its texts and the `figures` in them."""
    params = dict(figures or {})
    return QuizQuestion(key, RuleText(text, params), is_yes, RuleText(why, params), holds)


def questions_for_settings(
    questions: Sequence[QuizQuestion], settings: Sequence[Setting], chosen: Mapping[str, Any]
) -> list[QuizQuestion]:
    """Return the questions whose answers are right at a table with the `chosen` settings."""
    values = {**effective_settings(settings, chosen), BLIND: bool(chosen.get(BLIND))}
    return [q for q in questions if all(values[key] in v for key, v in q.holds.items())]
