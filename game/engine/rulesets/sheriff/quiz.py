"""Yes/no questions on the rules, for people who have just read them."""

from __future__ import annotations

from game.engine.quiz import BLIND, QuizQuestion
from game.engine.roles import RuleText
from game.engine.rulesets.sheriff.settings import PASSES
from game.engine.wording import gettext_noop

_ = gettext_noop

QUIZ = (
    QuizQuestion(
        "two_werewolves",
        RuleText(_("Are there two Werewolves?")),
        True,
        RuleText(_("Two of the seven players are Werewolves.")),
    ),
    QuizQuestion(
        "werewolves_know",
        RuleText(_("Do the Werewolves know each other?")),
        True,
        RuleText(_("Each Werewolf learns who the other is before the first night.")),
    ),
    QuizQuestion(
        "seer_role",
        RuleText(_("Does the Seer learn the exact role of the player looked at?")),
        True,
        RuleText(_("Each night the Seer looks at one player and learns their exact role.")),
    ),
    QuizQuestion(
        "guard_self",
        RuleText(_("May the Guard protect themselves?")),
        True,
        RuleText(_("The Guard may choose any player who is left, themselves too.")),
    ),
    QuizQuestion(
        "guard_saves",
        RuleText(
            _("If the Guard protects the player that the Werewolves chose, does that one die?")
        ),
        False,
        RuleText(_("The player that the Guard protects can’t be killed that night.")),
    ),
    QuizQuestion(
        "werewolves_differ",
        RuleText(
            _("If the two Werewolves choose different players, does a player die that night?")
        ),
        False,
        RuleText(_("A player is attacked only if both choose the same one.")),
    ),
    QuizQuestion(
        "tie",
        RuleText(_("If two players share the most votes, is one of them out?")),
        False,
        RuleText(_("In a tie, no one is out.")),
    ),
    QuizQuestion(
        "no_vote",
        RuleText(_("Can you abstain from the vote?")),
        True,
        RuleText(_("You can vote for a player or abstain.")),
    ),
    QuizQuestion(
        "role_told",
        RuleText(_("Does the table learn the role of a player who is voted out?")),
        False,
        RuleText(_("Their role stays secret until the game is over.")),
    ),
    QuizQuestion(
        "sheriff_last",
        RuleText(_("Does the Sheriff speak last in the talk of a day?")),
        True,
        RuleText(_("The Sheriff speaks last, sums up and recommends a vote.")),
    ),
    QuizQuestion(
        "sheriff_side",
        RuleText(_("Does the Sheriff choose on which side the talk begins?")),
        True,
        RuleText(_("The player to the left or to the right begins, as the Sheriff chooses.")),
    ),
    QuizQuestion(
        "sheriff_counts",
        RuleText(_("Does the Sheriff’s vote count twice?")),
        False,
        RuleText(_("Every vote counts once, the Sheriff’s too.")),
    ),
    QuizQuestion(
        "one_werewolf_out",
        RuleText(_("Has the village won as soon as one Werewolf is out?")),
        False,
        RuleText(_("The village wins when no Werewolf is left.")),
    ),
    QuizQuestion(
        "equal",
        RuleText(_("Must the Werewolves be more than all the others to win?")),
        False,
        RuleText(_("They win when they are as many as the others.")),
    ),
    QuizQuestion(
        "elected",
        RuleText(_("Is the first Sheriff elected?")),
        True,
        RuleText(_("On the first day everyone votes for one of the candidates.")),
        holds={"election": (True,)},
    ),
    QuizQuestion(
        "named",
        RuleText(_("Is the first Sheriff elected?")),
        False,
        RuleText(_("There is no election. On the first day everyone learns who the Sheriff is.")),
        holds={"election": (False,)},
    ),
    QuizQuestion(
        "candidates",
        RuleText(_("Is every player a candidate for Sheriff?")),
        False,
        RuleText(_("Only some players are drawn at random as candidates.")),
        holds={"election": (True,), "candidates": (1, 2, 3, 4, 5)},
    ),
    QuizQuestion(
        "badge_passes",
        RuleText(_("Does a Sheriff who dies choose who is the next Sheriff?")),
        True,
        RuleText(_("The badge passes to the player that the Sheriff chooses.")),
        holds={"sheriff_dies": (PASSES,)},
    ),
    QuizQuestion(
        "dead_see",
        RuleText(_("If you are out, do you see everyone’s role?")),
        True,
        RuleText(_("Players who are out keep watching and see all roles.")),
        holds={"dead_see": (True,), BLIND: (False,)},
    ),
    QuizQuestion(
        "dead_blind",
        RuleText(_("If you are out, do you see everyone’s role?")),
        False,
        RuleText(
            _("Players who are out keep watching. The roles are revealed when the game is over.")
        ),
        holds={BLIND: (True,)},
    ),
)
