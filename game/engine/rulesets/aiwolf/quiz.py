"""Yes/no questions on the rules, for people who have just read them."""

from __future__ import annotations

from collections.abc import Sequence

from game.engine.quiz import QuizQuestion, question
from game.engine.wording import gettext_noop

_ = gettext_noop

_SHARED = (
    question(
        "possessed_side",
        _("Does the Possessed win with the Werewolves?"),
        is_yes=True,
        why=_("The Possessed is human, but on the Werewolves’ side."),
    ),
    question(
        "possessed_knows",
        _("Does the Possessed know who the Werewolves are?"),
        is_yes=False,
        why=_("The Possessed knows only their own role."),
    ),
    question(
        "possessed_seen",
        _("If the Seer looks at the Possessed, does the Seer see a Werewolf?"),
        is_yes=False,
        why=_("The Seer sees who is a Werewolf and who is human; the Possessed is human."),
    ),
    question(
        "seer_role",
        _("Does the Seer learn the exact role of the player looked at?"),
        is_yes=False,
        why=_("The Seer learns only whether it is a Werewolf or human."),
    ),
    question(
        "first_day_vote",
        _("Is a player voted out on the first day, the day of greetings?"),
        is_yes=False,
        why=_("Before the first night there is neither a vote nor an attack."),
    ),
    question(
        "role_shown",
        _("Does the table learn the role of a player who is voted out?"),
        is_yes=False,
        why=_("All roles stay secret until the game is over."),
    ),
    question(
        "tie",
        _("If two players share the most votes, can one of them be out?"),
        is_yes=True,
        why=_("Then one of them is drawn at random."),
    ),
    question(
        "silence_counts",
        _("If you say nothing when it is your turn, does that use one of your talks?"),
        is_yes=True,
        why=_("Every turn uses one of them, whatever you do with it."),
    ),
    question(
        "done",
        _("If you say that you are done for today, are you asked to speak again today?"),
        is_yes=False,
        why=_("Your talk is over until the next day."),
    ),
    question(
        "equal",
        _("Must the Werewolves be more than the humans to win?"),
        is_yes=False,
        why=_("They win when they are as many as the humans who are left."),
    ),
    question(
        "votes_shown",
        _("Does everyone see the next morning who voted for whom?"),
        is_yes=True,
        why=_("The votes are secret only until the morning."),
        vote_visibility=(True,),
    ),
    question(
        "votes_hidden",
        _("Does everyone see the next morning who voted for whom?"),
        is_yes=False,
        why=_("At this table the votes stay secret until the game ends."),
        vote_visibility=(False,),
    ),
    question(
        "self_vote",
        _("May you vote for yourself?"),
        is_yes=False,
        why=_("You vote for one of the other players who are left."),
        allow_self_vote=(False,),
    ),
)
_LARGE = (
    question(
        "whispers",
        _("Can the Werewolves talk with each other in secret at night?"),
        is_yes=True,
        why=_("They whisper, as long as at least two of them are left."),
    ),
    question(
        "guard_self",
        _("May the Bodyguard protect themselves?"),
        is_yes=False,
        why=_("The Bodyguard protects another player."),
    ),
    question(
        "medium",
        _("Does the Medium learn whether a player who was voted out was a Werewolf?"),
        is_yes=True,
        why=_("Only the Medium learns it, in the morning."),
    ),
)


def questions(deck: Sequence[str]) -> tuple[QuizQuestion, ...]:
    """Return the questions on the game with that deck."""
    return (*_SHARED, *(_LARGE if "medium" in deck else ()))
