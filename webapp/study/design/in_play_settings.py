"""The questions that a study asks during play, and the game settings that implement them."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import StrictBool

from game.engine import rulesets
from game.engine.side_questions import ASK_ROLE_GUESSES, ASK_WHY, POLL_PEOPLE, RATE_LEADER
from webapp.study.design.refusals import Refused
from webapp.study.design.setting_fields import DesignPart, setting


class InPlayQuestions(DesignPart):
    """Switches of questions to people during play, besides the game's own (docs/rulesets.md)."""

    confidence: StrictBool = setting(
        gettext_lazy("Role guesses before each action"),
        gettext_lazy("Participants guess the role of every living player, with a confidence."),
        default=False,
    )
    polls: StrictBool = setting(
        gettext_lazy("Straw poll after each round"),
        gettext_lazy("The votes are secret. Computer players vote as well."),
        default=False,
    )
    why: StrictBool = setting(
        gettext_lazy("Ask for reasons"), gettext_lazy("One line for each vote."), default=False
    )
    reliability: StrictBool = setting(
        gettext_lazy("Trust before and after the leader speaks"),
        gettext_lazy(
            "Only in games with a discussion leader. “Unchanged” is one press. Statements are"
            " sorted by the rating of their speaker."
        ),
        default=False,
    )


# Switch of the design -> the game's setting that implements it, and a text for rulesets without it.
# The switches' names are stored: `reliability` here is trust in a leader, not a role guess.
_SETTINGS = {
    "confidence": (
        ASK_ROLE_GUESSES.key,
        gettext_lazy("{game} does not support role guesses before each action."),
    ),
    "polls": (POLL_PEOPLE, gettext_lazy("{game} has no straw poll.")),
    "why": (ASK_WHY.key, gettext_lazy("{game} does not support reasons for votes.")),
    "reliability": (
        RATE_LEADER,
        gettext_lazy("{game} has no discussion leader, so trust cannot be asked around a speech."),
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
        raise Refused([str(text).format(game=_(rules.title)) for text in missing_texts])
    return {key: True for key, _missing_text in wanted}
