"""Yes/no questions on the rules, for people who have just read them."""

from __future__ import annotations

from game.engine.quiz import question
from game.engine.rulesets.sheriff.settings import PASSES
from game.engine.wording import gettext_noop

_ = gettext_noop

QUIZ = (
    question(
        "two_werewolves",
        _("Are there two Werewolves?"),
        is_yes=True,
        why=_("Two of the seven players are Werewolves."),
    ),
    question(
        "werewolves_know",
        _("Do the Werewolves know each other?"),
        is_yes=True,
        why=_("Each Werewolf learns who the other is before the first night."),
    ),
    question(
        "seer_role",
        _("Does the Seer learn the exact role of the player looked at?"),
        is_yes=True,
        why=_("Each night the Seer looks at one player and learns their exact role."),
    ),
    question(
        "guard_self",
        _("May the Guard protect themselves?"),
        is_yes=True,
        why=_("The Guard may choose any player who is left, themselves too."),
    ),
    question(
        "guard_saves",
        _("If the Guard protects the player that the Werewolves chose, does that one die?"),
        is_yes=False,
        why=_("The player that the Guard protects can’t be killed that night."),
    ),
    question(
        "werewolves_differ",
        _("If the two Werewolves choose different players, does a player die that night?"),
        is_yes=False,
        why=_("A player is attacked only if both choose the same one."),
    ),
    question(
        "tie",
        _("If two players share the most votes, is one of them out?"),
        is_yes=False,
        why=_("In a tie, no one is out."),
    ),
    question(
        "no_vote",
        _("Can you abstain from the vote?"),
        is_yes=True,
        why=_("You can vote for a player or abstain."),
    ),
    question(
        "role_told",
        _("Does the table learn the role of a player who is voted out?"),
        is_yes=False,
        why=_("Their role stays secret until the game is over."),
    ),
    question(
        "sheriff_last",
        _("Does the Sheriff speak last in the talk of a day?"),
        is_yes=True,
        why=_("The Sheriff speaks last, sums up and recommends a vote."),
    ),
    question(
        "sheriff_side",
        _("Does the Sheriff choose on which side the talk begins?"),
        is_yes=True,
        why=_("The player to the left or to the right begins, as the Sheriff chooses."),
    ),
    question(
        "sheriff_counts",
        _("Does the Sheriff’s vote count twice?"),
        is_yes=False,
        why=_("Every vote counts once, the Sheriff’s too."),
    ),
    question(
        "one_werewolf_out",
        _("Has the village won as soon as one Werewolf is out?"),
        is_yes=False,
        why=_("The village wins when no Werewolf is left."),
    ),
    question(
        "equal",
        _("Must the Werewolves be more than all the others to win?"),
        is_yes=False,
        why=_("They win when they are as many as the others."),
    ),
    question(
        "elected",
        _("Is the first Sheriff elected?"),
        is_yes=True,
        why=_("On the first day everyone votes for one of the candidates."),
        election=(True,),
    ),
    question(
        "named",
        _("Is the first Sheriff elected?"),
        is_yes=False,
        why=_("There is no election. On the first day everyone learns who the Sheriff is."),
        election=(False,),
    ),
    question(
        "candidates",
        _("Is every player a candidate for Sheriff?"),
        is_yes=False,
        why=_("Only some players are drawn at random as candidates."),
        election=(True,),
        candidates=(1, 2, 3, 4, 5),
    ),
    question(
        "badge_passes",
        _("Does a Sheriff who dies choose who is the next Sheriff?"),
        is_yes=True,
        why=_("The badge passes to the player that the Sheriff chooses."),
        sheriff_dies=(PASSES,),
    ),
    question(
        "dead_see",
        _("If you are out, do you see everyone’s role?"),
        is_yes=True,
        why=_("Players who are out keep watching and see all roles."),
        dead_see=(True,),
        blind=(False,),
    ),
    question(
        "dead_blind",
        _("If you are out, do you see everyone’s role?"),
        is_yes=False,
        why=_("Players who are out keep watching. The roles are revealed when the game is over."),
        blind=(True,),
    ),
)
