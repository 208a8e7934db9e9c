"""Checks of a design's bonuses, and of the longest time that the platform allows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webapp.study.design.conditions import ConditionPlan
from webapp.study.design.exits import BonusRule
from webapp.study.design.stages import Design
from webapp.study.planning.estimates import max_minutes
from webapp.study.sessions.bonuses import human_items
from webapp.study.sessions.enrolment import EXTRA_TIME

MAX_EXTRA_TIME = max(EXTRA_TIME)  # per cent of the usual time
BONUS_LABELS: dict[BonusRule, Any] = {
    "won": gettext_lazy("winning a game"),
    "survived": gettext_lazy("surviving a game to its end"),
    "guessed_human": gettext_lazy("a correct guess of human or computer player"),
}


def find_errors(design: Design) -> Iterator[str]:
    """Yield a sentence for each error in the bonuses."""
    counts = Counter(bonus.rule for bonus in design.bonuses)
    for rule, times in counts.items():
        if times > 1:
            error_text = _("There are {n} bonuses for {what}. Keep one.")
            yield error_text.format(n=times, what=BONUS_LABELS[rule])
    if design.bonuses and not design.currency.strip():
        yield _("Choose a currency for the bonuses.")
    for bonus in design.bonuses:
        if bonus.most and bonus.most < bonus.amount:
            error_text = _("The bonus for {what} is {amount}, but its maximum is {most}. Raise it.")
            yield error_text.format(
                what=BONUS_LABELS[bonus.rule], amount=bonus.amount, most=bonus.most
            )
    if "guessed_human" in counts and not _has_human_question(design):
        yield _(
            "There is a bonus for guessing who was human, but no questionnaire asks for it. Add"
            " one after the game, or remove the bonus."
        )


def _has_human_question(design: Design) -> bool:
    try:
        return bool(human_items(design.stages, {}))
    except (LookupError, TypeError):
        return True  # another check reports that error


def find_pay_notes(design: Design, conditions: Sequence[ConditionPlan]) -> Iterator[str]:
    """Yield remarks about the bonuses for researchers."""
    if not design.bonuses:
        return
    if any(condition.table.blind for condition in conditions):
        yield _(
            "Bonuses for games at blind tables are shown and paid after the study is closed and all"
            " games have ended, because earlier they would reveal who is a person."
        )
    has_open_table = any(not condition.table.blind for condition in conditions)
    if has_open_table and any(b.rule == "guessed_human" for b in design.bonuses):
        yield _("At tables that show who is human, every participant earns this bonus.")


def find_duration_errors(design: Design, conditions: Sequence[ConditionPlan]) -> Iterator[str]:
    """Yield a sentence if a participant can take longer than the platform allows."""
    allowed, needed = design.platform.most_minutes, max_minutes(design, conditions)
    if allowed and needed > allowed:
        error_text = _(
            "All stages and the longest waits take up to {n} minutes, but the platform’s maximum"
            " is {most}. Raise the maximum there and here, or shorten stages or waits."
        )
        yield error_text.format(n=needed, most=allowed)


def find_extra_time_notes(design: Design, conditions: Sequence[ConditionPlan]) -> Iterator[str]:
    """Yield a sentence if only participants who choose twice the time can take too long."""
    allowed = design.platform.most_minutes
    if not allowed or not design.reading_factor or max_minutes(design, conditions) > allowed:
        return
    needed = max_minutes(design, conditions, time_limit_percent=MAX_EXTRA_TIME)
    if needed > allowed:
        note_text = _(
            "Participants who choose twice the time can take up to {n} minutes, more than the "
            "platform’s {most}. Pay them with a bonus."
        )
        yield note_text.format(n=needed, most=allowed)
