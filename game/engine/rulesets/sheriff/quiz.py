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
        RuleText(_("Whoever the Guard protects can’t be killed that night.")),
    ),
    QuizQuestion(
        "werewolves_differ",
        RuleText(_("If the two Werewolves choose different players, does anybody die that night?")),
        False,
        RuleText(_("Somebody is attacked only if both choose the same player.")),
    ),
    QuizQuestion(
        "tie",
        RuleText(_("If two players share the most votes, is one of them out?")),
        False,
        RuleText(_("A tie puts nobody out.")),
    ),
    QuizQuestion(
        "no_vote",
        RuleText(_("May you vote for nobody?")),
        True,
        RuleText(_("You can vote for a player, or for nobody.")),
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
        RuleText(_("The Sheriff sums up at the end, and says whom to vote for.")),
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
        RuleText(_("On the first day some stand for Sheriff, and everybody votes.")),
        holds={"election": (True,)},
    ),
    QuizQuestion(
        "named",
        RuleText(_("Is the first Sheriff elected?")),
        False,
        RuleText(_("On the first day all hear who the Sheriff is; there is no election.")),
        holds={"election": (False,)},
    ),
    QuizQuestion(
        "candidates",
        RuleText(_("Do all players who are left stand for Sheriff?")),
        False,
        RuleText(_("Those who stand for Sheriff are drawn by lot, and not all are.")),
        holds={"election": (True,), "candidates": (1, 2, 3, 4, 5)},
    ),
    QuizQuestion(
        "badge_passes",
        RuleText(_("Does a Sheriff who dies choose who is the next Sheriff?")),
        True,
        RuleText(_("The badge goes on to whoever the Sheriff names.")),
        holds={"sheriff_dies": (PASSES,)},
    ),
    QuizQuestion(
        "dead_see",
        RuleText(_("If you are out, do you see who everybody is?")),
        True,
        RuleText(_("Whoever is out watches on and sees all roles.")),
        holds={"dead_see": (True,), BLIND: (False,)},
    ),
    QuizQuestion(
        "dead_blind",
        RuleText(_("If you are out, do you see who everybody is?")),
        False,
        RuleText(_("Whoever is out watches on; the roles are told when the game is over.")),
        holds={BLIND: (True,)},
    ),
)
