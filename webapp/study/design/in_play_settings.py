"""The questions that a study asks during play, as settings of the game (docs/rulesets.md)."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game.engine import rulesets
from game.engine.side_questions import ASK_WHY, POLL_PEOPLE, RATE_LEADER, RATE_PEOPLE
from webapp.study.design.stages import During
from webapp.study.design.value_checks import Refused

# Switch of the design -> the setting that implements it, and why a ruleset may lack it.
_SETTINGS = {
    "confidence": (
        RATE_PEOPLE.key,
        gettext_lazy("{game} doesn’t ask people what they take each other for before they act."),
    ),
    "polls": (POLL_PEOPLE, gettext_lazy("{game} has no straw poll.")),
    "why": (ASK_WHY.key, gettext_lazy("{game} doesn’t ask people why they vote as they do.")),
    "reliability": (
        RATE_LEADER,
        gettext_lazy(
            "{game} has nobody who leads the vote, so nobody to be rated around a speech."
        ),
    ),
}

# Settings that only the design's switches set; a study's table never sets them itself.
RULES_OF_PEOPLE = frozenset({"people_lead", "needs_people"})  # they change nothing without people
KEYS = frozenset(str(key) for key, _why in _SETTINGS.values())


def settings_of(during: During, ruleset: str) -> dict[str, bool]:
    """Return the settings with which games of `ruleset` ask what `during` switches on.

    Raises Refused with a sentence for each switch that the ruleset does not support.
    """
    rules = rulesets.get(ruleset)
    setting_keys = {setting.key for setting in rules.settings}
    wanted_settings = [
        setting_keys_named
        for switch, setting_keys_named in _SETTINGS.items()
        if getattr(during, switch)
    ]
    if lacking := [
        setting_keys_named for key, setting_keys_named in wanted_settings if key not in setting_keys
    ]:
        raise Refused(
            [str(setting_keys_named).format(game=_(rules.title)) for setting_keys_named in lacking]
        )
    return {key: True for key, _setting in wanted_settings}
