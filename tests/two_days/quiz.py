"""Yes/no questions on the two-day game's rules."""

from __future__ import annotations

from game.engine.quiz import QuizQuestion
from game.engine.roles import RuleText
from game.engine.wording import gettext_noop

_ = gettext_noop

QUIZ = (
    QuizQuestion(
        "days",
        RuleText(_("Does the game end after two days?")),
        is_yes=True,
        why=RuleText(_("It lasts two days, whatever happens.")),
    ),
    QuizQuestion(
        "agree",
        RuleText(_("Can one of the two Werewolves kill alone?")),
        is_yes=False,
        why=RuleText(_("Somebody dies only if both choose the same player.")),
    ),
    QuizQuestion(
        "tie",
        RuleText(_("Does a tie in the vote put somebody out in the end?")),
        is_yes=True,
        why=RuleText(_("There is a second vote, and then a lot.")),
    ),
    QuizQuestion(
        "elected",
        RuleText(_("Is the mayor elected?")),
        is_yes=True,
        why=RuleText(_("On the first day some stand for mayor, and everybody votes.")),
        holds={"election": (True,)},
    ),
    QuizQuestion(
        "drawn",
        RuleText(_("Is the mayor elected?")),
        is_yes=False,
        why=RuleText(_("The mayor is drawn by lot.")),
        holds={"election": (False,)},
    ),
)
