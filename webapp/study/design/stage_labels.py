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
    ConsentStage: gettext_lazy("Agreeing to take part"),
    BackgroundStage: gettext_lazy("Questions about the person"),
    RulesStage: gettext_lazy("The rules, with a quiz"),
    PracticeStage: gettext_lazy("A practice round"),
    GameStage: gettext_lazy("The waiting room and the game"),
    QuestionnaireStage: gettext_lazy("A questionnaire"),
    RatingsStage: gettext_lazy("Rating other games"),
    InterviewStage: gettext_lazy("A closing interview"),
    DebriefingStage: gettext_lazy("What it was about"),
}


def stage_label(stage: Stage) -> str:
    """Return the stage's own title, or the name of its kind."""
    return stage.title or str(STAGE_LABELS[type(stage)])
