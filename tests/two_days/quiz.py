"""Yes/no questions on the two-day game's rules."""

from __future__ import annotations

from game.engine.quiz import QuizQuestion
from game.engine.wording import gettext_noop as _

QUIZ = (
    QuizQuestion(
        "days",
        _("Does the game end after two days?"),
        is_yes=True,
        explanation=_("It lasts two days, whatever happens."),
    ),
    QuizQuestion(
        "agree",
        _("Can one of the two Werewolves kill alone?"),
        is_yes=False,
        explanation=_("Somebody dies only if both choose the same player."),
    ),
    QuizQuestion(
        "tie",
        _("Does a tie in the vote put somebody out in the end?"),
        is_yes=True,
        explanation=_("There is a second vote, and then a lot."),
    ),
    QuizQuestion(
        "elected",
        _("Is the mayor elected?"),
        is_yes=True,
        explanation=_("On the first day some stand for mayor, and everybody votes."),
        holds={"election": (True,)},
    ),
    QuizQuestion(
        "drawn",
        _("Is the mayor elected?"),
        is_yes=False,
        explanation=_("The mayor is drawn by lot."),
        holds={"election": (False,)},
    ),
)
