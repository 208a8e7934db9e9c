"""Questions of a study to people during a game: role guesses, and reasons for votes.

Rulesets include their settings. `ScriptContext` opens the questions.
"""

# The kind of a role guess and of its answers. Stored games contain this string, and the keys of the
# settings below, so they differ from the names here.
ROLE_GUESS_KIND = "reliability"
VOTE_REASON = "vote_reason"  # the kind of event that holds the reason for a vote
MAX_REASON_WORDS = 40

# Keys of settings. The first two are declared in `shared_declarations.toml`. A ruleset declares the
# others itself if it has a poll, or a badge whose holder speaks last.
ASK_ROLE_GUESSES, ASK_WHY = "rate_people", "ask_why"
POLL_PEOPLE, RATE_LEADER = "poll_people", "rate_leader"
