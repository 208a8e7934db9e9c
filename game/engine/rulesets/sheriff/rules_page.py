"""The course of a game with a Sheriff, for the page of the rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from game.engine.roles import RuleText
from game.engine.rulesets.sheriff.settings import PASSES
from game.engine.wording import gettext_noop

_ = gettext_noop
_ELECTED = _(
    "On the first day, players drawn by lot stand for Sheriff. Each says why, in at most {words}"
    " words, then everybody votes, or for nobody. With equally many votes the one drawn first is"
    " the Sheriff."
)
_ELECTED_ALL_DAY = _(
    "The first day is for the election: players drawn by lot stand for Sheriff. Each says why, in"
    " at most {words} words, then everybody votes, or for nobody. With equally many votes the one"
    " drawn first is the Sheriff. Then night falls; nobody is voted out on this day."
)
_VOTED = _(
    "Everyone votes at once, in secret until all votes are in, or for nobody. Whoever alone has the"
    " most votes is out; their role stays secret. A tie puts nobody out."
)
_VOTED_AND_PASSED = _(
    "Everyone votes at once, in secret until all votes are in, or for nobody. Whoever alone has the"
    " most votes is out; their role stays secret. A tie puts nobody out. A Sheriff who dies chooses"
    " who has the badge next."
)
_TIED = _(
    "Everyone votes at once, in secret until all votes are in, or for nobody. Whoever has the most"
    " votes is out; their role stays secret. If several have the most, the one that the Sheriff"
    " voted for is out; else nobody is."
)
_TIED_AND_PASSED = _(
    "Everyone votes at once, in secret until all votes are in, or for nobody. Whoever has the most"
    " votes is out; their role stays secret. If several have the most, the one that the Sheriff"
    " voted for is out; else nobody is. A Sheriff who dies chooses who has the badge next."
)
_NIGHT = _(
    "Both Werewolves choose somebody, one after the other. Only if they agree is anybody attacked;"
    " one who is left alone chooses alone. The Seer looks at one player and learns their exact"
    " role. The Guard protects one. In the morning all hear who died, or that nobody did."
)
_SAFE_NIGHT = _(
    "Nobody is attacked in the first night; only the Seer looks. Later both Werewolves choose"
    " somebody, one after the other. Only if they agree is anybody attacked; one who is left alone"
    " chooses alone. The Seer looks at one player and learns their exact role. The Guard protects"
    " one. In the morning all hear who died, or that nobody did."
)
_LAST_DAY = _("A game that goes on until the vote of day {days} ends after it, and nobody wins.")
_LAST_DAY_OR_SHERIFF = _(
    "If the Sheriff dies, the game ends and nobody wins. A game that goes on until the vote of day"
    " {days} ends after it, and nobody wins either."
)
# (whether the Sheriff breaks ties, whether the badge is passed on) -> the rules of the vote
_VOTING = {
    (False, False): _VOTED,
    (False, True): _VOTED_AND_PASSED,
    (True, False): _TIED,
    (True, True): _TIED_AND_PASSED,
}
_NAMED = _("Nobody is elected: on the first day all hear who the Sheriff is.")


def steps_at(settings: Mapping[str, Any], max_words: int) -> list[tuple[str, RuleText]]:
    """Return (title, text) of each step at a table with these effective settings."""
    return [
        (
            _("Night"),
            RuleText(_SAFE_NIGHT if settings["safe_first_night"] else _NIGHT),
        ),
        (
            _("Election"),
            RuleText(
                _ELECTED_ALL_DAY if settings["election_day"] else _ELECTED, {"words": max_words}
            ),
        )
        if settings["election"]
        else (_("Sheriff"), RuleText(_NAMED)),
        (
            _("Day"),
            RuleText(
                _(
                    "The Sheriff chooses whether the player to the left or to the right begins."
                    " Everyone speaks once, in at most {words} words, and the Sheriff last: to"
                    " sum up, and to say whom to vote for."
                ),
                {"words": max_words},
            ),
        ),
        (
            _("Vote"),
            RuleText(_VOTING[settings["sheriff_breaks_ties"], settings["sheriff_dies"] == PASSES]),
        ),
        (
            _("End"),
            RuleText(
                _LAST_DAY if settings["sheriff_dies"] == PASSES else _LAST_DAY_OR_SHERIFF,
                {"days": settings["max_rounds"]},
            ),
        ),
    ]
