"""Yes/no questions on the rules, for people who have just read them."""

from __future__ import annotations

from game.engine.quiz import QuizQuestion, question
from game.engine.wording import gettext_noop

_ = gettext_noop


def questions(players: int, rounds: int, divined: int) -> tuple[QuizQuestion, ...]:
    """Return the questions, with the game's own figures."""
    figures = {"players": players, "rounds": rounds, "divined": divined}
    return (
        question(
            "seer_looks",
            _("At night, does the Seer pick {divined} other players?"),
            is_yes=True,
            why=_("The Seer picks {divined} and learns whether the Werewolf is among them."),
            figures=figures,
        ),
        question(
            "seer_which",
            _(
                "If the Werewolf is among the players that the Seer picked, does the Seer "
                "learn which of them it is?"
            ),
            is_yes=False,
            why=_("The Seer only learns that it is one of them, not which one."),
        ),
        question(
            "one_werewolf",
            _("Is there more than one Werewolf among the {players} players?"),
            is_yes=False,
            why=_("There is one Werewolf, and one Minion who helps."),
            figures=figures,
        ),
        question(
            "masons_know",
            _("Do the two Masons know each other?"),
            is_yes=True,
            why=_("At night each of them learns who the other is."),
        ),
        question(
            "minion_knows",
            _("Does the Minion know who the Werewolf is?"),
            is_yes=False,
            why=_("The Minion helps the Werewolf without knowing who it is."),
        ),
        question(
            "werewolf_knows",
            _("Does the Werewolf know who the Minion is?"),
            is_yes=False,
            why=_("Neither of the two knows the other."),
        ),
        question(
            "night_kill",
            _("Can a player be out of the game because of what happens at night?"),
            is_yes=False,
            why=_("No one is out at night; only the vote decides who is."),
        ),
        question(
            "may_lie",
            _("May you say that you have a role which you do not have?"),
            is_yes=True,
            why=_("Anyone may claim anything, true or not."),
        ),
        question(
            "speaks_once",
            _("Does everyone speak once in each of the {rounds} rounds?"),
            is_yes=True,
            why=_("There are {rounds} rounds, and everyone speaks once in each, in seat order."),
            figures=figures,
        ),
        question(
            "votes_once",
            _("Is there a vote after every round of talk?"),
            is_yes=False,
            why=_("There is one vote, after the last round."),
        ),
        question(
            "votes_seen",
            _("Do you see the votes of the others before you vote?"),
            is_yes=False,
            why=_("Everyone votes at once, in secret until all votes are in."),
        ),
        question(
            "own_vote",
            _("Can you vote for yourself?"),
            is_yes=False,
            why=_("Everyone votes for another player."),
        ),
        question(
            "tie",
            _("If two players tie for the most votes, does everyone stay in the game?"),
            is_yes=False,
            why=_("A tie is broken at random: one of the two is out."),
        ),
        question(
            "werewolf_out",
            _("Does the village win if the Werewolf is voted out?"),
            is_yes=True,
            why=_("That is the one way for the village to win."),
        ),
        question(
            "minion_out",
            _("Does the village win if the Minion is voted out?"),
            is_yes=False,
            why=_("The Werewolf stays, so the Werewolf and the Minion win."),
        ),
        question(
            "tanner_out",
            _("Does the Tanner win by being voted out?"),
            is_yes=True,
            why=_("The Tanner plays alone and wants the votes."),
        ),
    )
