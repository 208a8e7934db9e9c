"""Yes/no questions on the rules, for people who have just read them."""

from __future__ import annotations

from collections.abc import Sequence

from game.engine.quiz import QuizQuestion
from game.engine.roles import RuleText
from game.engine.wording import gettext_noop

_ = gettext_noop


def _question(
    key: str, text: str, *, answer: bool, why: str, **holds: tuple[bool | int | str, ...]
) -> QuizQuestion:
    return QuizQuestion(key, RuleText(text), answer, RuleText(why), holds=holds)


_SHARED = (
    _question(
        "possessed_side",
        _("Does the Possessed win with the Werewolves?"),
        answer=True,
        why=_("The Possessed is human, but on the Werewolves’ side."),
    ),
    _question(
        "possessed_knows",
        _("Does the Possessed know who the Werewolves are?"),
        answer=False,
        why=_("The Possessed knows only their own role."),
    ),
    _question(
        "possessed_seen",
        _("If the Seer looks at the Possessed, does the Seer see a Werewolf?"),
        answer=False,
        why=_("The Seer sees who is a Werewolf and who is human; the Possessed is human."),
    ),
    _question(
        "seer_role",
        _("Does the Seer learn the exact role of the player looked at?"),
        answer=False,
        why=_("The Seer learns only whether it is a Werewolf or human."),
    ),
    _question(
        "first_day_vote",
        _("Is a player voted out on the first day, the day of greetings?"),
        answer=False,
        why=_("Before the first night there is neither a vote nor an attack."),
    ),
    _question(
        "role_shown",
        _("Does the table learn the role of a player who is voted out?"),
        answer=False,
        why=_("All roles stay secret until the game is over."),
    ),
    _question(
        "tie",
        _("If two players share the most votes, can one of them be out?"),
        answer=True,
        why=_("Then one of them is drawn at random."),
    ),
    _question(
        "silence_counts",
        _("If you say nothing when it is your turn, does that use one of your talks?"),
        answer=True,
        why=_("Every turn uses one of them, whatever you do with it."),
    ),
    _question(
        "done",
        _("If you say that you are done for today, are you asked to speak again today?"),
        answer=False,
        why=_("Your talk is over until the next day."),
    ),
    _question(
        "equal",
        _("Must the Werewolves be more than the humans to win?"),
        answer=False,
        why=_("They win when they are as many as the humans who are left."),
    ),
    _question(
        "votes_shown",
        _("Does everyone see the next morning who voted for whom?"),
        answer=True,
        why=_("The votes are secret only until the morning."),
        vote_visibility=(True,),
    ),
    _question(
        "votes_hidden",
        _("Does everyone see the next morning who voted for whom?"),
        answer=False,
        why=_("At this table the votes stay secret until the game ends."),
        vote_visibility=(False,),
    ),
    _question(
        "self_vote",
        _("May you vote for yourself?"),
        answer=False,
        why=_("You vote for one of the other players who are left."),
        allow_self_vote=(False,),
    ),
)
_LARGE = (
    _question(
        "whispers",
        _("Can the Werewolves talk with each other in secret at night?"),
        answer=True,
        why=_("They whisper, as long as at least two of them are left."),
    ),
    _question(
        "guard_self",
        _("May the Bodyguard protect themselves?"),
        answer=False,
        why=_("The Bodyguard protects another player."),
    ),
    _question(
        "medium",
        _("Does the Medium learn whether a player who was voted out was a Werewolf?"),
        answer=True,
        why=_("Only the Medium learns it, in the morning."),
    ),
)


def questions(deck: Sequence[str]) -> tuple[QuizQuestion, ...]:
    """Return the questions on the game with that deck."""
    return (*_SHARED, *(_LARGE if "medium" in deck else ()))
