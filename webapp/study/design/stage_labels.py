"""Labels of the kinds of stages for researchers, and their titles for participants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from webapp.study.design import stages


@dataclass(frozen=True)
class StageNames:
    """The names of a kind of stage: for researchers, and as the heading of its page."""

    label: Any
    title: Any = ""


# In the usual order of a study.
STAGE_NAMES: Mapping[type[stages.Stage], StageNames] = {
    stages.ConsentStage: StageNames(_("Consent")),
    stages.BackgroundStage: StageNames(_("Questions about the participant"), _("About you")),
    stages.RulesStage: StageNames(_("Rules and quiz"), _("How the game works")),
    stages.PracticeStage: StageNames(_("Practice round"), _("Practice game")),
    stages.GameStage: StageNames(_("Waiting room and game"), _("The game")),
    stages.QuestionnaireStage: StageNames(_("Questionnaire"), _("Your impressions")),
    stages.RatingsStage: StageNames(_("Rating of other games"), _("Rate other games")),
    stages.InterviewStage: StageNames(_("Closing interview"), _("Looking back")),
    stages.DebriefingStage: StageNames(_("Debriefing"), _("About this study")),
}


def stage_label(stage: stages.Stage) -> str:
    """Return the stage's own title, or the name of its kind for researchers."""
    return stage.title or str(STAGE_NAMES[type(stage)].label)
