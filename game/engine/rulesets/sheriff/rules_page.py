"""The course of a game with a Sheriff, for the rules page."""

from collections.abc import Mapping
from typing import Any

from game.engine.roles import RulesSection
from game.engine.rulesets.sheriff.settings import BADGE_PASSES
from game.engine.wording import gettext_noop as _

_CANDIDATES = _(
    "Each explains why in at most {words} words. Then everyone votes or abstains. In a tie, the "
    "candidate who was drawn first becomes Sheriff."
)
# Sentences by whether the first day ends with the election.
_ELECTION = {
    False: (
        _("On the first day, some players are drawn at random as candidates for Sheriff."),
        _CANDIDATES,
    ),
    True: (
        _("The first day is for the election."),
        _("Some players are drawn at random as candidates for Sheriff."),
        _CANDIDATES,
        _("Then night falls; no one is voted out on this day."),
    ),
}
_VOTE = _(
    "Everyone votes or abstains. All votes are revealed together. The player with the most "
    "votes is voted out; their role stays secret."
)
# Sentence by whether the Sheriff breaks ties.
_TIE = {
    False: _("In a tie, no one is."),
    True: _(
        "In a tie, the Sheriff's vote decides; if the Sheriff voted for none of the tied players, "
        "no one is out."
    ),
}
_BADGE_PASSES = _("A Sheriff who dies chooses the next Sheriff.")
_HUNT = _(
    "They attack only if they agree; the last Werewolf chooses alone. The Seer looks at one player"
    " and learns their exact role. The Guard protects one. In the morning everyone learns who died,"
    " or that no one did."
)
# Sentences by whether the first night is without an attack.
_NIGHT = {
    False: (_("The two Werewolves choose a player, one after the other."), _HUNT),
    True: (
        _("On the first night only the Seer acts, and no one is attacked."),
        _("From then on the two Werewolves choose a player, one after the other."),
        _HUNT,
    ),
}
_LAST_DAY = _("If there is no winner after the vote of day {days}, the game ends without one.")
_LAST_DAY_OR_SHERIFF = _(
    "If the Sheriff dies, the game ends without a winner. It also does if no team has won after"
    " the vote of day {days}."
)
_NO_ELECTION = _("There is no election. On the first day everyone learns who the Sheriff is.")
_DAY = _(
    "The Sheriff chooses whether the player to the left or to the right speaks first. Everyone "
    "speaks once, in at most {words} words. The Sheriff speaks last, sums up and recommends a vote."
)


def describe_course(settings: Mapping[str, Any], max_words: int) -> list[RulesSection]:
    """Return the course of a game at a table with these effective settings."""
    figures = {"words": max_words, "days": settings["max_rounds"]}
    sheriff = RulesSection(_("Sheriff"), (_NO_ELECTION,))
    if settings["election"]:
        sheriff = RulesSection(_("Election"), _ELECTION[settings["election_day"]], figures)
    passes_badge = settings["sheriff_dies"] == BADGE_PASSES
    last_day = _LAST_DAY if passes_badge else _LAST_DAY_OR_SHERIFF
    vote: tuple[str, ...] = (_VOTE, _TIE[settings["sheriff_breaks_ties"]])
    return [
        RulesSection(_("Night"), _NIGHT[settings["safe_first_night"]]),
        sheriff,
        RulesSection(_("Day"), (_DAY,), figures),
        RulesSection(_("Vote"), (*vote, _BADGE_PASSES) if passes_badge else vote),
        RulesSection(_("End"), (last_day,), figures),
    ]
