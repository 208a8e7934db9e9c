"""Descriptions of the exits of studies, for researchers."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy

from webapp.study.design.stages import ExitKind

EXITS: dict[ExitKind, Any] = {
    "completed": gettext_lazy("participants who finish"),
    "declined": gettext_lazy("participants who do not agree"),
    "screened_out": gettext_lazy("participants who are screened out"),
    "unsuitable": gettext_lazy("participants whose device is not supported"),
    "quiz_early": gettext_lazy("participants who fail the quiz before any game or questionnaire"),
    "quiz_failed": gettext_lazy("participants who fail the quiz later"),
    "waited_out": gettext_lazy("participants who get no game"),
    "full": gettext_lazy("participants who arrive when the study is full"),
    "timed_out": gettext_lazy("raters whose time runs out"),
    "abandoned": gettext_lazy("participants who become inactive"),
    "left": gettext_lazy("participants who leave early"),
    "removed": gettext_lazy("participants whom you remove"),
    "technical": gettext_lazy("participants affected by a technical problem"),
}  # kind -> who takes this exit
# Exits of a study that only rates.
RATER_EXITS: tuple[ExitKind, ...] = (
    "completed", "screened_out", "quiz_failed", "full", "declined", "left", "timed_out",
    "abandoned",
)  # fmt: skip
EXIT_DESCRIPTIONS: dict[str, Any] = {
    "completed": gettext_lazy("finished"),
    "declined": gettext_lazy("did not agree"),
    "screened_out": gettext_lazy("screened out"),
    "unsuitable": gettext_lazy("device not supported"),
    "quiz_early": gettext_lazy("failed the quiz early"),
    "quiz_failed": gettext_lazy("failed the quiz"),
    "waited_out": gettext_lazy("got no game"),
    "full": gettext_lazy("arrived when the study was full"),
    "timed_out": gettext_lazy("out of time"),
    "abandoned": gettext_lazy("became inactive"),
    "left": gettext_lazy("left early"),
    "removed": gettext_lazy("removed by you"),
    "technical": gettext_lazy("technical problem"),
}  # kind -> what is said about a participant who took this exit
