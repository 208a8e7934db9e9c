"""The course of a game with a Sheriff, for the rules page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from game.engine.roles import RulesSection
from game.engine.rulesets.sheriff.settings import BADGE_PASSES
from game.engine.wording import gettext_noop as _

_ELECTION = _(
    "On the first day, some players are drawn at random as candidates for Sheriff. Each "
    "explains why in at most {words} words. Then everyone votes or abstains. In a tie, the "
    "candidate who was drawn first becomes Sheriff."
)
_ELECTION_DAY = _(
    "The first day is for the election. Some players are drawn at random as candidates for "
    "Sheriff. Each explains why in at most {words} words. Then everyone votes or abstains. In a"
    " tie, the candidate who was drawn first becomes Sheriff. Then night falls; no one is voted"
    " out on this day."
)
_VOTE = _(
    "Everyone votes or abstains. All votes are revealed together. The player with the most "
    "votes is voted out; their role stays secret. In a tie, no one is."
)
_VOTE_THEN_BADGE = _(
    "Everyone votes or abstains. All votes are revealed together. The player with the most "
    "votes is voted out; their role stays secret. In a tie, no one is. A Sheriff who dies "
    "chooses the next Sheriff."
)
_TIE_BREAK = _(
    "Everyone votes or abstains. All votes are revealed together. The player with the most "
    "votes is voted out; their role stays secret. In a tie, the Sheriff's vote decides; if the "
    "Sheriff voted for none of the tied players, no one is out."
)
_TIE_BREAK_THEN_BADGE = _(
    "Everyone votes or abstains. All votes are revealed together. The player with the most "
    "votes is voted out; their role stays secret. In a tie, the Sheriff's vote decides; if the "
    "Sheriff voted for none of the tied players, no one is out. A Sheriff who dies chooses the "
    "next Sheriff."
)
_NIGHT = _(
    "The two Werewolves choose a player, one after the other. They attack only if they agree; "
    "the last Werewolf chooses alone. The Seer looks at one player and learns their exact role."
    " The Guard protects one. In the morning everyone learns who died, or that no one did."
)
_SAFE_NIGHT = _(
    "On the first night only the Seer acts, and no one is attacked. From then on the two "
    "Werewolves choose a player, one after the other. They attack only if they agree; the last "
    "Werewolf chooses alone. The Seer looks at one player and learns their exact role. The "
    "Guard protects one. In the morning everyone learns who died, or that no one did."
)
_LAST_DAY = _("If there is no winner after the vote of day {days}, the game ends without one.")
_LAST_DAY_OR_SHERIFF = _(
    "If the Sheriff dies, the game ends without a winner. It also does if no team has won after"
    " the vote of day {days}."
)
# (whether the Sheriff breaks ties, whether the badge is passed on) -> the rules of the vote
_VOTING = {
    (False, False): _VOTE,
    (False, True): _VOTE_THEN_BADGE,
    (True, False): _TIE_BREAK,
    (True, True): _TIE_BREAK_THEN_BADGE,
}
_NO_ELECTION = _("There is no election. On the first day everyone learns who the Sheriff is.")


def describe_course(settings: Mapping[str, Any], max_words: int) -> list[RulesSection]:
    """Return the course of a game as (title, text), at a table with these effective settings."""
    sheriff = RulesSection(_("Sheriff"), _NO_ELECTION)
    if settings["election"]:
        election = _ELECTION_DAY if settings["election_day"] else _ELECTION
        sheriff = RulesSection(_("Election"), election, {"words": max_words})
    return [
        RulesSection(_("Night"), _SAFE_NIGHT if settings["safe_first_night"] else _NIGHT),
        sheriff,
        RulesSection(
            _("Day"),
            _(
                "The Sheriff chooses whether the player to the left or to the right speaks "
                "first. Everyone speaks once, in at most {words} words. The Sheriff speaks "
                "last, sums up and recommends a vote."
            ),
            {"words": max_words},
        ),
        RulesSection(
            _("Vote"),
            _VOTING[settings["sheriff_breaks_ties"], settings["sheriff_dies"] == BADGE_PASSES],
        ),
        RulesSection(
            _("End"),
            _LAST_DAY if settings["sheriff_dies"] == BADGE_PASSES else _LAST_DAY_OR_SHERIFF,
            {"days": settings["max_rounds"]},
        ),
    ]
