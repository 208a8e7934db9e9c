"""Descriptions of the exits of studies, for researchers."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy

from webapp.study.design.stages import ExitKind

EXITS: dict[ExitKind, Any] = {
    "completed": gettext_lazy("those who come to the end"),
    "declined": gettext_lazy("those who don’t agree to take part"),
    "screened_out": gettext_lazy("those whom the study does not ask"),
    "unsuitable": gettext_lazy("those whose device can’t do it"),
    "quiz_early": gettext_lazy("those who fail the quiz before any game or questionnaire"),
    "quiz_failed": gettext_lazy("those who fail the quiz later on"),
    "waited_out": gettext_lazy("those who waited in vain"),
    "full": gettext_lazy("those who come when the study is full"),
    "timed_out": gettext_lazy("those whose time for the ratings is over"),
    "abandoned": gettext_lazy("those who go away without a word"),
    "left": gettext_lazy("those who leave on the way"),
    "removed": gettext_lazy("those whom you remove"),
    "technical": gettext_lazy("those for whom something broke"),
}  # kind -> who takes this exit
# Exits of a study that only rates.
RATER_EXITS: tuple[ExitKind, ...] = (
    "completed", "screened_out", "quiz_failed", "full", "declined", "left", "timed_out",
    "abandoned",
)  # fmt: skip
EXIT_DESCRIPTIONS: dict[str, Any] = {
    "completed": gettext_lazy("came to the end"),
    "declined": gettext_lazy("did not agree"),
    "screened_out": gettext_lazy("not asked by the study"),
    "unsuitable": gettext_lazy("their device can’t do it"),
    "quiz_early": gettext_lazy("failed the quiz early"),
    "quiz_failed": gettext_lazy("failed the quiz"),
    "waited_out": gettext_lazy("waited in vain"),
    "full": gettext_lazy("came when it was full"),
    "timed_out": gettext_lazy("out of time"),
    "abandoned": gettext_lazy("went away without a word"),
    "left": gettext_lazy("left on the way"),
    "removed": gettext_lazy("removed by you"),
    "technical": gettext_lazy("something broke for them"),
}  # kind -> what is said about a participant who took this exit
