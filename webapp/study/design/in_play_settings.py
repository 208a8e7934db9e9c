"""The questions that a study asks during play, and the game settings that implement them."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import StrictBool

from game.engine import rulesets
from game.engine.side_questions import ASK_ROLE_GUESSES, ASK_WHY, POLL_PEOPLE, RATE_LEADER
from webapp.study.design.refusals import Refused
from webapp.study.design.setting_fields import DesignPart


class InPlayQuestions(DesignPart):
    """Switches of questions to people during play, besides the game's own (docs/rulesets.md)."""

    # Whether to ask for the role of every living player before each action, and for the confidence
    # in it.
    confidence: StrictBool = False
    polls: StrictBool = False  # whether to hold the straw polls that computer players answer
    why: StrictBool = False  # whether to ask for the reason for a vote, in one line
    # Whether to ask for trust in the players before and after the Sheriff's speech, and to sort
    # statements by it.
    reliability: StrictBool = False


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
