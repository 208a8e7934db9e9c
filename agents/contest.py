"""Names of the faculties and switches of the contest agent and of the guarded agent.

The contest agent plays in the AIWolf contest (Impressions 6 and 7, SPEC 2.7), the guarded agent is
that of Guarded (SPEC 2.8). The names are separate from the faculties, so that readers of notes need
not import those.
"""

from typing import Literal, get_args

from agents.decision import Switch

# Stricter readings of a role pattern (`agents.deduction.role_patterns`). They are ours:
# - victims_human: victims of an attack are not hunted
# - human_results: a player cleared by the claimant does not hold the role that the look was for
# - exact_counts: a role is possible only in a complete deal of the deck
PatternVariant = Literal["victims_human", "human_results", "exact_counts"]
PATTERN_VARIANTS: tuple[PatternVariant, ...] = get_args(PatternVariant)
# Names of the contest agent's faculties, in the order in which they prepare.
CHARACTER = "character"
CLAIMS = "claims"
PATTERNS = "patterns"
SUMMARY = "summary"
GUESS = "guess"
SHARING = "sharing"
INDUCING = "inducing"
CONVERSATION = "conversation"

ANALYSIS = "analysis"  # name of the guarded agent's faculty that reads the talk
VOTES = "votes"  # kind of the request of ANALYSIS for announced votes

REQUESTS = Switch.load("requests")
CLAIMS_READING = Switch.load("claims")
ANALYSIS_READING = Switch.load("analysis")
PATTERN_VARIANT = Switch.load("patterns")
INDUCING_MANNER = Switch.load("manner")
INDUCING_MOMENT = Switch.load("inducing")
FAKERS = Switch.load("fakers")
FAKE_ROLE = Switch.load("fake_role")
FAKE_RESULT = Switch.load("fake_result")
