"""Yes/no questions on the rules of the one-night game, for people who have just read them.

The ruleset's `script.py` fills in the figures in braces: the numbers of `players`, of `rounds` of
talk, and of players that the Seer picks at night (`divined`). Studies store a question's key.
"""

from game.engine.quiz import no_question, yes_question
from game.engine.wording import gettext_noop as _

QUIZ = (
    yes_question(
        "seer_looks",
        _("At night, does the Seer pick {divined} other players?"),
        _("The Seer picks {divined} and learns whether the Werewolf is among them."),
    ),
    no_question(
        "seer_which",
        _(
            "If the Werewolf is among the players that the Seer picked, does the Seer "
            "learn which of them it is?"
        ),
        _("The Seer only learns that it is one of them, not which one."),
    ),
    no_question(
        "one_werewolf",
        _("Is there more than one Werewolf among the {players} players?"),
        _("There is one Werewolf, and one Minion who helps."),
    ),
    yes_question(
        "masons_know",
        _("Do the two Masons know each other?"),
        _("At night each of them learns who the other is."),
    ),
    no_question(
        "minion_knows",
        _("Does the Minion know who the Werewolf is?"),
        _("The Minion helps the Werewolf without knowing who it is."),
    ),
    no_question(
        "werewolf_knows",
        _("Does the Werewolf know who the Minion is?"),
        _("Neither of the two knows the other."),
    ),
    no_question(
        "night_kill",
        _("Can a player be out of the game because of what happens at night?"),
        _("No one is out at night; only the vote decides who is."),
    ),
    yes_question(
        "may_lie",
        _("May you say that you have a role which you do not have?"),
        _("Anyone may claim anything, true or not."),
    ),
    yes_question(
        "speaks_once",
        _("Does everyone speak once in each of the {rounds} rounds?"),
        _("There are {rounds} rounds, and everyone speaks once in each, in seat order."),
    ),
    no_question(
        "votes_once",
        _("Is there a vote after every round of talk?"),
        _("There is one vote, after the last round."),
    ),
    no_question(
        "votes_seen",
        _("Do you see the votes of the others before you vote?"),
        _("Everyone votes at once, in secret until all votes are in."),
    ),
    no_question(
        "own_vote", _("Can you vote for yourself?"), _("Everyone votes for another player.")
    ),
    no_question(
        "tie",
        _("If two players tie for the most votes, does everyone stay in the game?"),
        _("A tie is broken at random: one of the two is out."),
    ),
    yes_question(
        "werewolf_out",
        _("Does the village win if the Werewolf is voted out?"),
        _("That is the one way for the village to win."),
    ),
    no_question(
        "minion_out",
        _("Does the village win if the Minion is voted out?"),
        _("The Werewolf stays, so the Werewolf and the Minion win."),
    ),
    yes_question(
        "tanner_out",
        _("Does the Tanner win by being voted out?"),
        _("The Tanner plays alone and wants the votes."),
    ),
)
