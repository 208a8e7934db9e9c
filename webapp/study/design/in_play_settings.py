"""The questions that a study asks during play, and the game settings that implement them."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import StrictBool

from game.engine import rulesets
from game.engine.side_questions import ASK_ROLE_GUESSES, ASK_WHY, POLL_PEOPLE, RATE_LEADER
from webapp.study.design.refusals import Refused
from webapp.study.design.setting_fields import DesignPart


class InPlayQuestions(DesignPart):
    """Switches of questions to people during play, besides the game's own (docs/rulesets.md).

    Attributes:
        confidence: Whether to ask for the role of every living player before each action, and for
            the confidence in it.
        polls: Whether to hold the straw polls that computer players answer.
        why: Whether to ask for the reason for a vote, in one line.
        reliability: Whether to ask for trust in the players before and after the Sheriff's speech,
            and to sort statements by it.
    """

    confidence: StrictBool = False
    polls: StrictBool = False
    why: StrictBool = False
    reliability: StrictBool = False


class InPlaySetting(NamedTuple):
    """The game's setting that implements a switch, and a text for rulesets without it."""

    key: str
    missing_text: Any


# By switch of the design. The switches' names are stored: `reliability` here is trust in a leader,
# not a role guess.
_SETTINGS = {
    "confidence": InPlaySetting(
        ASK_ROLE_GUESSES.key,
        gettext_lazy("{game} does not support role guesses before each action."),
    ),
    "polls": InPlaySetting(POLL_PEOPLE, gettext_lazy("{game} has no straw poll.")),
    "why": InPlaySetting(ASK_WHY.key, gettext_lazy("{game} does not support reasons for votes.")),
    "reliability": InPlaySetting(
        RATE_LEADER,
        gettext_lazy("{game} has no discussion leader, so trust cannot be asked around a speech."),
    ),
}

# Settings that only these switches set, never the table of a design.
IN_PLAY_KEYS = frozenset(setting.key for setting in _SETTINGS.values())


def settings_for_questions(questions: InPlayQuestions, ruleset: str) -> dict[str, bool]:
    """Return setting -> True for each question that is switched on, or raise `Refused`."""
    rules = rulesets.get(ruleset)
    known_keys = {setting.key for setting in rules.settings}
    wanted = [setting for switch, setting in _SETTINGS.items() if getattr(questions, switch)]
    if missing := [setting for setting in wanted if setting.key not in known_keys]:
        raise Refused([str(s.missing_text).format(game=_(rules.title)) for s in missing])
    return {setting.key: True for setting in wanted}
