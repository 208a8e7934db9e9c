"""Checks of the stages that have content of their own: quiz, ratings and debriefing.

Each error is a sentence for the researcher.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from webapp.study.design import instruments
from webapp.study.design.rules_text import quiz_bank_of_tables
from webapp.study.design.stages import (
    DebriefingStage,
    Design,
    RatingsStage,
    RulesStage,
    TableDesign,
)
from webapp.study.models import Campaign, Unit
from webapp.study.sessions.participant_steps import WAITING, route

RATED_UNITS = {Unit.UTTERANCE, Unit.PLAYER, Unit.GAME}


def find_errors(design: Design, tables: Sequence[TableDesign], owner: User) -> list[str]:
    """Return the errors of the stages with content.

    Args:
        tables: Those of all conditions.
        owner: The researcher whose campaigns a stage may name.
    """
    return [*_quiz_errors(design, tables), *_rating_errors(design, owner), *_reveal_errors(design)]


def _quiz_errors(design: Design, tables: Sequence[TableDesign]) -> Iterator[str]:
    count = len(quiz_bank_of_tables(tables))
    for stage in design.stages:
        if isinstance(stage, RulesStage) and stage.quiz.questions > count:
            error_text = _(
                "The quiz has {wanted} questions, but only {count} apply to all tables of this "
                "study. Reduce the number."
            )
            yield error_text.format(wanted=stage.quiz.questions, count=count)


def _rating_errors(design: Design, owner: User) -> Iterator[str]:
    stages = [stage for stage in design.stages if isinstance(stage, RatingsStage)]
    names = [stage.campaign or stage.instrument for stage in stages]
    if len(set(names)) < len(names):
        yield _("Two rating stages have the same questionnaire. Choose a different one for each.")
    units = {i.key: i.unit for i in instruments.for_raters()}
    for stage in stages:
        if stage.campaign:
            yield from _campaign_errors(stage, owner)
        elif units.get(stage.instrument) not in RATED_UNITS:
            yield _("There is no rating questionnaire “{key}”.").format(key=stage.instrument)


def _campaign_errors(stage: RatingsStage, owner: User) -> Iterator[str]:
    campaign = Campaign.objects.filter(code=stage.campaign, study__owner=owner).first()
    if campaign is None:
        yield _("You have no ratings with the code {code}.").format(code=stage.campaign)
        return
    if campaign.rival is not None or campaign.choice.get("pick") == "sample":
        yield _(
            "The ratings {code} cannot add games while raters are working. Set them to rate all"
            " units, without comparisons."
        ).format(code=stage.campaign)
    if not campaign.study.rates_only:  # the study's own campaign is opened together with it
        return
    if campaign.units_per_rater != stage.items:
        yield _(
            "The ratings {code} give each rater {count} units, not {wanted}. Enter the same"
            " number in both."
        ).format(code=stage.campaign, count=campaign.units_per_rater, wanted=stage.items)
    if campaign.state != Campaign.OPEN:
        yield _("The ratings {code} are not open. Open that study first.").format(
            code=stage.campaign
        )


def _reveal_errors(design: Design) -> Iterator[str]:
    """Yield a sentence if a game comes after a debriefing that reveals people."""
    steps = route(design)
    games = [s.index for s in steps if s.kind == WAITING]
    for step in steps:
        reveals = isinstance(step.stage, DebriefingStage) and step.stage.reveal
        if reveals and games and step.index < games[-1]:
            yield _(
                "The debriefing reveals who was human, but a game follows it. Move it behind the"
                " last game."
            )
            return
