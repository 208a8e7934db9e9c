"""Labels of a design's stages, for researchers."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from webapp.study.design.stages import (
    BackgroundStage,
    ConsentStage,
    DebriefingStage,
    GameStage,
    InterviewStage,
    PracticeStage,
    QuestionnaireStage,
    RatingsStage,
    RulesStage,
    Stage,
)

STAGE_LABELS = {
    ConsentStage: _("Consent"),
    BackgroundStage: _("Questions about the participant"),
    RulesStage: _("Rules and quiz"),
    PracticeStage: _("Practice round"),
    GameStage: _("Waiting room and game"),
    QuestionnaireStage: _("Questionnaire"),
    RatingsStage: _("Rating of other games"),
    InterviewStage: _("Closing interview"),
    DebriefingStage: _("Debriefing"),
}


def stage_label(stage: Stage) -> str:
    """Return the stage's own title, or the name of its kind."""
    return stage.title or str(STAGE_LABELS[type(stage)])
