"""Yes/no questions on the rules of the game with a Sheriff, for people who have just read them."""

from game.engine.quiz import no_question, yes_question
from game.engine.rulesets.sheriff.settings import BADGE_PASSES
from game.engine.wording import gettext_noop as _

QUIZ = (
    yes_question(
        "two_werewolves",
        _("Are there two Werewolves?"),
        _("Two of the seven players are Werewolves."),
    ),
    yes_question(
        "werewolves_know",
        _("Do the Werewolves know each other?"),
        _("Each Werewolf learns who the other is before the first night."),
    ),
    yes_question(
        "seer_role",
        _("Does the Seer learn the exact role of the player looked at?"),
        _("Each night the Seer looks at one player and learns their exact role."),
    ),
    yes_question(
        "guard_self",
        _("May the Guard protect themselves?"),
        _("The Guard may choose any player who is left, themselves too."),
    ),
    no_question(
        "guard_saves",
        _("If the Guard protects the player that the Werewolves chose, does that one die?"),
        _("The player that the Guard protects can’t be killed that night."),
    ),
    no_question(
        "werewolves_differ",
        _("If the two Werewolves choose different players, does a player die that night?"),
        _("A player is attacked only if both choose the same one."),
    ),
    no_question(
        "tie",
        _("If two players share the most votes, is one of them out?"),
        _("In a tie, no one is out."),
    ),
    yes_question(
        "no_vote", _("Can you abstain from the vote?"), _("You can vote for a player or abstain.")
    ),
    no_question(
        "role_told",
        _("Does the table learn the role of a player who is voted out?"),
        _("Their role stays secret until the game is over."),
    ),
    yes_question(
        "sheriff_last",
        _("Does the Sheriff speak last in the talk of a day?"),
        _("The Sheriff speaks last, sums up and recommends a vote."),
    ),
    yes_question(
        "sheriff_side",
        _("Does the Sheriff choose on which side the talk begins?"),
        _("The player to the left or to the right begins, as the Sheriff chooses."),
    ),
    no_question(
        "sheriff_counts",
        _("Does the Sheriff’s vote count twice?"),
        _("Every vote counts once, the Sheriff’s too."),
    ),
    no_question(
        "one_werewolf_out",
        _("Has the village won as soon as one Werewolf is out?"),
        _("The village wins when no Werewolf is left."),
    ),
    no_question(
        "equal",
        _("Must the Werewolves be more than all the others to win?"),
        _("They win when they are as many as the others."),
    ),
    yes_question(
        "elected",
        _("Is the first Sheriff elected?"),
        _("On the first day everyone votes for one of the candidates."),
        election=(True,),
    ),
    no_question(
        "named",
        _("Is the first Sheriff elected?"),
        _("There is no election. On the first day everyone learns who the Sheriff is."),
        election=(False,),
    ),
    no_question(
        "candidates",
        _("Is every player a candidate for Sheriff?"),
        _("Only some players are drawn at random as candidates."),
        election=(True,),
        candidates=(1, 2, 3, 4, 5),
    ),
    yes_question(
        "badge_passes",
        _("Does a Sheriff who dies choose who is the next Sheriff?"),
        _("The badge passes to the player that the Sheriff chooses."),
        sheriff_dies=(BADGE_PASSES,),
    ),
    yes_question(
        "dead_see",
        _("If you are out, do you see everyone’s role?"),
        _("Players who are out keep watching and see all roles."),
        dead_see=(True,),
        blind=(False,),
    ),
    no_question(
        "dead_blind",
        _("If you are out, do you see everyone’s role?"),
        _("Players who are out keep watching. The roles are revealed when the game is over."),
        blind=(True,),
    ),
)
