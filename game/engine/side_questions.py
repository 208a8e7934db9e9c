"""Questions of a study to people during a game: role guesses, and reasons for votes.

Rulesets include these settings. `ScriptContext` opens the questions.
"""

from game.engine.roles import Setting
from game.engine.wording import gettext_noop as _

# The kind of a role guess and of its answers. Stored games contain this string, and the key of the
# setting below, so both differ from the names here.
ROLE_GUESS_KIND = "reliability"
VOTE_REASON = "vote_reason"  # the kind of event that holds the reason for a vote
MAX_REASON_WORDS = 40

# Settings that a ruleset includes itself if it has a poll, or a badge whose holder speaks last.
POLL_PEOPLE, RATE_LEADER = "poll_people", "rate_leader"

ASK_ROLE_GUESSES = Setting(
    "rate_people",
    _("Ask people for role guesses"),
    _(
        "People guess the roles before each of their actions, except on the first night. Only "
        "they see their answers."
    ),
    is_for_studies=True,
)
ASK_WHY = Setting(
    "ask_why",
    _("Ask people for the reason of their vote"),
    _("They can add a sentence to their vote. No other player ever sees it."),
    is_for_studies=True,
)
