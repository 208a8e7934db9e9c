"""The questions that a study asks during play, as settings of the game (docs/rulesets.md)."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import StrictBool

from game.engine import rulesets
from game.engine.side_questions import ASK_WHY, POLL_PEOPLE, RATE_LEADER, RATE_PEOPLE
from webapp.study.design.refusals import Refused
from webapp.study.design.setting_fields import DesignPart


class During(DesignPart):
    """Questions to people during play, besides the game's own.

    Attributes:
        confidence: Role and confidence of every living player, before each action.
        polls: Straw polls, as computer players answer them.
        why: A line of reason with a vote.
        reliability: Before and after the Sheriff's speech. Statements are sorted by it.
    """

    confidence: StrictBool = False
    polls: StrictBool = False
    why: StrictBool = False
    reliability: StrictBool = False


# Switch of the design -> (setting that implements it, text for rulesets without it).
_SETTINGS = {
    "confidence": (
        RATE_PEOPLE.key,
        gettext_lazy("{game} does not support role guesses before each action."),
    ),
    "polls": (POLL_PEOPLE, gettext_lazy("{game} has no straw poll.")),
    "why": (ASK_WHY.key, gettext_lazy("{game} does not support reasons for votes.")),
    "reliability": (
        RATE_LEADER,
        gettext_lazy("{game} has no discussion leader, so trust cannot be asked around a speech."),
    ),
}

RULES_OF_PEOPLE = frozenset({"people_lead", "needs_people"})  # without effect without people
# Settings that only the design's switches set, never a study's table.
KEYS = frozenset(str(key) for key, _reason in _SETTINGS.values())


def game_settings(during: During, ruleset: str) -> dict[str, bool]:
    """Return the settings of `ruleset` for the questions that `during` switches on.

    Raises:
        Refused: With a sentence for each question that the ruleset does not support.
    """
    rules = rulesets.get(ruleset)
    known_keys = {setting.key for setting in rules.settings}
    wanted_settings = [row for switch, row in _SETTINGS.items() if getattr(during, switch)]
    if missing_reasons := [reason for key, reason in wanted_settings if key not in known_keys]:
        raise Refused([str(reason).format(game=_(rules.title)) for reason in missing_reasons])
    return {key: True for key, _reason in wanted_settings}
