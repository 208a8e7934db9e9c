"""Labels of a design's stages, for researchers."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

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
    ConsentStage: gettext_lazy("Consent"),
    BackgroundStage: gettext_lazy("Questions about the participant"),
    RulesStage: gettext_lazy("Rules and quiz"),
    PracticeStage: gettext_lazy("Practice round"),
    GameStage: gettext_lazy("Waiting room and game"),
    QuestionnaireStage: gettext_lazy("Questionnaire"),
    RatingsStage: gettext_lazy("Rating of other games"),
    InterviewStage: gettext_lazy("Closing interview"),
    DebriefingStage: gettext_lazy("Debriefing"),
}


def stage_label(stage: Stage) -> str:
    """Return the stage's own title, or the name of its kind."""
    return stage.title or str(STAGE_LABELS[type(stage)])
