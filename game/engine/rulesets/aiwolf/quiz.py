"""Yes/no questions on the rules of the contest's games, for people who have just read them."""

from collections.abc import Sequence

from game.engine.quiz import QuizQuestion, no_question, yes_question
from game.engine.wording import gettext_noop as _

_BOTH_GAMES = (
    yes_question(
        "possessed_side",
        _("Does the Possessed win with the Werewolves?"),
        _("The Possessed is human, but on the Werewolves’ side."),
    ),
    no_question(
        "possessed_knows",
        _("Does the Possessed know who the Werewolves are?"),
        _("The Possessed knows only their own role."),
    ),
    no_question(
        "possessed_seen",
        _("If the Seer looks at the Possessed, does the Seer see a Werewolf?"),
        _("The Seer sees who is a Werewolf and who is human; the Possessed is human."),
    ),
    no_question(
        "seer_role",
        _("Does the Seer learn the exact role of the player looked at?"),
        _("The Seer learns only whether it is a Werewolf or human."),
    ),
    no_question(
        "first_day_vote",
        _("Is a player voted out on the first day, the day of greetings?"),
        _("Before the first night there is neither a vote nor an attack."),
    ),
    no_question(
        "role_shown",
        _("Does the table learn the role of a player who is voted out?"),
        _("All roles stay secret until the game is over."),
    ),
    yes_question(
        "tie",
        _("If two players share the most votes, can one of them be out?"),
        _("Then one of them is drawn at random."),
    ),
    yes_question(
        "silence_counts",
        _("If you say nothing when it is your turn, does that use one of your talks?"),
        _("Every turn uses one of them, whatever you do with it."),
    ),
    no_question(
        "done",
        _("If you say that you are done for today, are you asked to speak again today?"),
        _("Your talk is over until the next day."),
    ),
    no_question(
        "equal",
        _("Must the Werewolves be more than the humans to win?"),
        _("They win when they are as many as the humans who are left."),
    ),
    yes_question(
        "votes_shown",
        _("Does everyone see the next morning who voted for whom?"),
        _("The votes are secret only until the morning."),
        vote_visibility=(True,),
    ),
    no_question(
        "votes_hidden",
        _("Does everyone see the next morning who voted for whom?"),
        _("At this table the votes stay secret until the game ends."),
        vote_visibility=(False,),
    ),
    no_question(
        "self_vote",
        _("May you vote for yourself?"),
        _("You vote for one of the other players who are left."),
        allow_self_vote=(False,),
    ),
)
_LARGE_GAME = (
    yes_question(
        "whispers",
        _("Can the Werewolves talk with each other in secret at night?"),
        _("They whisper, as long as at least two of them are left."),
    ),
    no_question(
        "guard_self",
        _("May the Bodyguard protect themselves?"),
        _("The Bodyguard protects another player."),
    ),
    yes_question(
        "medium",
        _("Does the Medium learn whether a player who was voted out was a Werewolf?"),
        _("Only the Medium learns it, in the morning."),
    ),
)


def questions(deck: Sequence[str]) -> tuple[QuizQuestion, ...]:
    return (*_BOTH_GAMES, *(_LARGE_GAME if "medium" in deck else ()))
