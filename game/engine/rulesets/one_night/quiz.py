"""Yes/no questions on the rules, for people who have just read them."""

from __future__ import annotations

from game.engine.quiz import QuizQuestion
from game.engine.roles import RuleText
from game.engine.wording import gettext_noop

_ = gettext_noop


def questions(players: int, rounds: int, divined: int) -> tuple[QuizQuestion, ...]:
    """Return the questions, with the game's own figures."""
    return (
        QuizQuestion(
            "seer_looks",
            RuleText(
                _("At night, does the Seer pick {divined} other players?"), {"divined": divined}
            ),
            True,
            RuleText(
                _("The Seer picks {divined} and learns whether the Werewolf is among them."),
                {"divined": divined},
            ),
        ),
        QuizQuestion(
            "seer_which",
            RuleText(
                _(
                    "If the Werewolf is among the players that the Seer picked, does the Seer "
                    "learn which of them it is?"
                )
            ),
            False,
            RuleText(_("The Seer only learns that it is one of them, not which one.")),
        ),
        QuizQuestion(
            "one_werewolf",
            RuleText(
                _("Is there more than one Werewolf among the {players} players?"),
                {"players": players},
            ),
            False,
            RuleText(_("There is one Werewolf, and one Minion who helps.")),
        ),
        QuizQuestion(
            "masons_know",
            RuleText(_("Do the two Masons know each other?")),
            True,
            RuleText(_("At night each of them learns who the other is.")),
        ),
        QuizQuestion(
            "minion_knows",
            RuleText(_("Does the Minion know who the Werewolf is?")),
            False,
            RuleText(_("The Minion helps the Werewolf without knowing who it is.")),
        ),
        QuizQuestion(
            "werewolf_knows",
            RuleText(_("Does the Werewolf know who the Minion is?")),
            False,
            RuleText(_("Neither of the two knows the other.")),
        ),
        QuizQuestion(
            "night_kill",
            RuleText(_("Can a player be out of the game because of what happens at night?")),
            False,
            RuleText(_("No one is out at night; only the vote decides who is.")),
        ),
        QuizQuestion(
            "may_lie",
            RuleText(_("May you say that you have a role which you do not have?")),
            True,
            RuleText(_("Anyone may claim anything, true or not.")),
        ),
        QuizQuestion(
            "speaks_once",
            RuleText(
                _("Does everyone speak once in each of the {rounds} rounds?"), {"rounds": rounds}
            ),
            True,
            RuleText(
                _("There are {rounds} rounds, and everyone speaks once in each, in seat order."),
                {"rounds": rounds},
            ),
        ),
        QuizQuestion(
            "votes_once",
            RuleText(_("Is there a vote after every round of talk?")),
            False,
            RuleText(_("There is one vote, after the last round.")),
        ),
        QuizQuestion(
            "votes_seen",
            RuleText(_("Do you see the votes of the others before you vote?")),
            False,
            RuleText(_("Everyone votes at once, in secret until all votes are in.")),
        ),
        QuizQuestion(
            "own_vote",
            RuleText(_("Can you vote for yourself?")),
            False,
            RuleText(_("Everyone votes for another player.")),
        ),
        QuizQuestion(
            "tie",
            RuleText(_("If two players tie for the most votes, does everyone stay in the game?")),
            False,
            RuleText(_("A tie is broken at random: one of the two is out.")),
        ),
        QuizQuestion(
            "werewolf_out",
            RuleText(_("Does the village win if the Werewolf is voted out?")),
            True,
            RuleText(_("That is the one way for the village to win.")),
        ),
        QuizQuestion(
            "minion_out",
            RuleText(_("Does the village win if the Minion is voted out?")),
            False,
            RuleText(_("The Werewolf stays, so the Werewolf and the Minion win.")),
        ),
        QuizQuestion(
            "tanner_out",
            RuleText(_("Does the Tanner win by being voted out?")),
            True,
            RuleText(_("The Tanner plays alone and wants the votes.")),
        ),
    )
