"""Descriptions of the exits of studies, for researchers."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from webapp.study.design.stages import ExitKind

EXITS: dict[ExitKind, Any] = {
    "completed": _("participants who finish"),
    "declined": _("participants who do not agree"),
    "screened_out": _("participants who are screened out"),
    "unsuitable": _("participants whose device is not supported"),
    "quiz_early": _("participants who fail the quiz before any game or questionnaire"),
    "quiz_failed": _("participants who fail the quiz later"),
    "waited_out": _("participants who get no game"),
    "full": _("participants who arrive when the study is full"),
    "timed_out": _("raters whose time runs out"),
    "abandoned": _("participants who become inactive"),
    "left": _("participants who leave early"),
    "removed": _("participants you remove"),
    "technical": _("participants affected by a technical problem"),
}  # kind -> who takes this exit
# Exits of a study that only rates.
RATER_EXITS: tuple[ExitKind, ...] = (
    "completed", "screened_out", "quiz_failed", "full", "declined", "left", "timed_out",
    "abandoned",
)  # fmt: skip
EXIT_DESCRIPTIONS: dict[str, Any] = {
    "completed": _("finished"),
    "declined": _("did not agree"),
    "screened_out": _("screened out"),
    "unsuitable": _("device not supported"),
    "quiz_early": _("failed the quiz early"),
    "quiz_failed": _("failed the quiz"),
    "waited_out": _("got no game"),
    "full": _("arrived when the study was full"),
    "timed_out": _("out of time"),
    "abandoned": _("became inactive"),
    "left": _("left early"),
    "removed": _("removed by you"),
    "technical": _("technical problem"),
}  # kind -> what is said about a participant who took this exit
