"""Rules of a study with people: assignment, waiting room, dropouts, ethics, questions in play."""

from typing import Annotated, Literal

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from pydantic import Field, StrictBool, StrictInt

from game.engine import rulesets
from game.engine.side_questions import ASK_ROLE_GUESSES, ASK_WHY, POLL_PEOPLE, RATE_LEADER
from webapp.study.design.refusals import Refused
from webapp.study.design.setting_fields import DesignPart, LongText, ShortText, setting

Days = Annotated[StrictInt, Field(ge=0, le=10_000)]


class AssignmentRules(DesignPart):
    """Assignment of games to conditions and of people to games."""

    games: StrictInt = setting(
        _("Games per condition"),
        _("The number of games that count. Other participants play the rest again."),
        default=10, ge=1, le=1000,
    )  # fmt: skip
    games_each: StrictInt = setting(_("Games per participant"), default=1, ge=1, le=10)
    # `shared`: the n-th games of all conditions have one deal. `fresh`: every game has its own.
    deals: Literal["shared", "fresh"] = setting(_("Roles of the seats"), default="shared")
    distinct_conditions: StrictBool = setting(
        _("Each condition only once per participant"), default=True
    )
    meet_once: StrictBool = setting(_("Participants never meet twice"), default=False)


class WaitingRoom(DesignPart):
    """Rules of the waiting room."""

    least: StrictInt = setting(
        _("Minimum wait (seconds)"),
        _("A minimum hides how many participants are expected."),
        default=0, ge=0, le=600,
    )  # fmt: skip
    ready: StrictInt = setting(_("Time to press “I am ready” (seconds)"), default=20, ge=5, le=120)
    leave_paid_after: StrictInt = setting(
        _("Leaving with pay after (seconds)"), default=300, ge=0, le=3600
    )
    most: StrictInt = setting(_("Maximum wait (seconds)"), default=600, ge=30, le=3600)
    # At the maximum wait, games begin with computer players, or waiting ends with pay.
    at_most: Literal["begin", "end"] = setting(
        _("If a participant is still missing then"), default="end"
    )
    short_counts: StrictBool = setting(
        _("Games with computer players in open seats count"),
        _("Otherwise other participants play the game again."),
        default=False,
    )


class Dropout(DesignPart):
    """Policy for participants who are away from a game or leave its questions unanswered."""

    FIELDS_ADDED_LATER = ("missed",)

    policy: Literal["wait", "stand_in", "end"] = setting(
        _("If a participant leaves a game"), default="stand_in"
    )
    grace: StrictInt = setting(_("… after this many seconds of absence"), default=60, ge=10, le=900)
    missed: StrictInt = setting(
        _("… or after this many missed questions in a row"),
        _("It also applies while their page is open. Enter 0 for never."),
        default=5, ge=0, le=20,
    )  # fmt: skip
    counts: StrictBool = setting(
        _("Games with such a replacement count"),
        _("Otherwise other participants play the game again."),
        default=False,
    )


class Ethics(DesignPart):
    """A study's answers to the questions of an ethics board. 0 means not decided.

    `identity_days` counts from the study's closing, as `retention_days` does.
    """

    controller: ShortText = setting(
        _("Data controller"), _("The university or person that is legally responsible."), default=""
    )
    contact: ShortText = setting(
        _("Contact"),
        _("An e-mail or postal address. Participants read it before they agree."),
        default="",
    )
    board: ShortText = setting(_("Board and approval number"), _("If available."), default="")
    legal_basis: str = setting(
        _("Legal basis"),
        _("For example: consent, GDPR Art. 6(1)(a)."),
        default="", max_length=1000,
    )  # fmt: skip
    least_age: StrictInt = setting(
        _("Minimum age (years)"), _("Enter 0 to skip the question."), default=0, ge=0, le=99
    )
    retention_days: Days = setting(
        _("Days until all personal data are deleted"),
        _("From the day the study closes. Enter 0 to keep them."),
        default=0,
    )
    identity_days: Days = setting(
        _("Days until external names and payments are deleted"),
        _("Enter 0 to delete them with the other data."),
        default=0,
    )
    withdraw_days: Days = setting(
        _("Days in which participants can have their data deleted"),
        _("From their own end. Enter 0 for as long as data are kept."),
        default=0,
    )
    terms: LongText = setting(
        _("Terms of the model providers"),
        _("What they do with text, for how long, and where. You can use Markdown."),
        default="",
    )
    publish_words: StrictBool = setting(
        _("Ask for permission to publish participants’ text"),
        _("A separate checkbox next to the consent. It is never required."),
        default=False,
    )
    consent_again: StrictBool = setting(
        _("Ask for consent again after the debriefing"),
        _("Participants confirm or withdraw their consent now that they know the purpose."),
        default=False,
    )


class InPlayQuestions(DesignPart):
    """Switches of questions to people during play, besides the game's own (docs/rulesets.md)."""

    confidence: StrictBool = setting(
        _("Role guesses before each action"),
        _("Participants guess the role of every living player, with a confidence."),
        default=False,
    )
    polls: StrictBool = setting(
        _("Straw poll after each round"),
        _("The votes are secret. Computer players vote as well."),
        default=False,
    )
    why: StrictBool = setting(_("Ask for reasons"), _("One line for each vote."), default=False)
    reliability: StrictBool = setting(
        _("Trust before and after the leader speaks"),
        _(
            "Only in games with a discussion leader. “Unchanged” is one press. Statements are"
            " sorted by the rating of their speaker."
        ),
        default=False,
    )


# Switch of the design -> the game's setting that implements it, and a text for rulesets without it.
# The switches' names are stored: `reliability` here is trust in a leader, not a role guess.
_SETTINGS = {
    "confidence": (
        ASK_ROLE_GUESSES,
        _("{game} does not support role guesses before each action."),
    ),
    "polls": (POLL_PEOPLE, _("{game} has no straw poll.")),
    "why": (ASK_WHY, _("{game} does not support reasons for votes.")),
    "reliability": (
        RATE_LEADER,
        _("{game} has no discussion leader, so trust cannot be asked around a speech."),
    ),
}

# Settings that only these switches set, never the table of a design.
IN_PLAY_KEYS = frozenset(key for key, _missing_text in _SETTINGS.values())


def settings_for_questions(questions: InPlayQuestions, ruleset: str) -> dict[str, bool]:
    """Return setting -> True for each question that is switched on, or raise `Refused`."""
    rules = rulesets.get(ruleset)
    known_keys = {setting.key for setting in rules.settings}
    wanted = [setting for switch, setting in _SETTINGS.items() if getattr(questions, switch)]
    if missing_texts := [text for key, text in wanted if key not in known_keys]:
        raise Refused([str(text).format(game=gettext(rules.title)) for text in missing_texts])
    return {key: True for key, _missing_text in wanted}
