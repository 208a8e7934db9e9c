"""The pages of all kinds of steps: a kind without one of its own is a text with a button."""

from __future__ import annotations

from webapp.study.participant.debriefing import DebriefingPage
from webapp.study.participant.game_step import GamePage
from webapp.study.participant.practice import PracticePage
from webapp.study.participant.questionnaires import Questionnaires
from webapp.study.participant.ratings import RatingsPage
from webapp.study.participant.rules import RulesPage
from webapp.study.participant.stage_pages import page_of, register
from webapp.study.participant.waiting_room import WaitingPage

__all__ = ["page_of"]

register(RulesPage())
register(PracticePage())
register(WaitingPage())
register(GamePage())
register(RatingsPage())
register(DebriefingPage())
for _kind in ("background", "questionnaire", "interview"):
    register(Questionnaires(_kind))
