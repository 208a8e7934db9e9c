"""Names of the faculties and switches of the contest agent and of the guarded agent.

The contest agent plays in the AIWolf contest (Impressions 6 and 7, SPEC 2.7), the guarded agent is
that of Guarded (SPEC 2.8). The names are separate from the faculties, so that readers of notes need
not import those.
"""

from typing import Literal

from agents.decision import Switch

# Stricter readings of a role pattern (`agents.deduction.role_patterns`). They are ours:
# - victims_human: victims of an attack are not hunted
# - human_results: a player cleared by the claimant does not hold the role that the look was for
# - exact_counts: a role is possible only in a complete deal of the deck
PatternVariant = Literal["victims_human", "human_results", "exact_counts"]
PATTERN_VARIANTS: tuple[PatternVariant, ...] = ("victims_human", "human_results", "exact_counts")
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
VOTES = "votes"  # kind of its request for announced votes

REQUESTS = Switch(
    "requests",
    ("together", "apart"),
    "apart: Impressions 6.1; together is ours",
    "together: one request a talk, all else is prepared or computed; apart: each function makes a"
    " request of its own before each talk",
)
CLAIMS_READING = Switch(
    "claims",
    ("rule", "model", "both"),
    "model: Impressions A.9; the rule is ours",
    "who reads the claims in the talk; with model and both, both readings are stored and their"
    " agreement is counted, and the model's replace the rule's or are added to them",
)
ANALYSIS_READING = Switch(
    "analysis",
    ("rule", "model", "both"),
    "model: Guarded 4.3; the rule is ours",
    "who reads claims, results and announced votes before each talk; with model and both, a model"
    " makes two requests, and its readings replace the rule's or are added to them",
)
PATTERN_VARIANT = Switch(
    "patterns",
    ("paper", *PATTERN_VARIANTS, "off"),
    "paper: Impressions, Figure 19; the others are ours",
    "how strictly the possible roles of everybody follow from public claims",
)
INDUCING_MANNER = Switch(
    "manner",
    ("call", "hint"),
    "hint: Impressions 7.2 and 8; call: its 9.2",
    "whether vote inducing names its target and asks for votes, or only casts doubt",
)
INDUCING_MOMENT = Switch(
    "inducing",
    ("over", "last", "off"),
    "last: Impressions 7; over is ours",
    "when votes are induced: at the last permitted talk of a day; also when the agent would say"
    " that it is done; or never",
)
FAKERS = Switch(
    "fakers",
    ("helpers", "hunted"),
    "helpers: Impressions 6.1 and A.6.2; hunted is ours",
    "who invents results: only those who help the hunted without being hunted, or both",
)
FAKE_ROLE = Switch(
    "fake_role",
    ("night", "exile"),
    "night: Impressions A.6.2; exile is ours",
    "which role is claimed for it: the one that looks at a player each night, or the one that"
    " learns what the exiled player was",
)
FAKE_RESULT = Switch(
    "fake_result",
    ("accuse", "clear"),
    "accuse: Impressions 9.1; clear is ours",
    "what is invented: the guessed rival is reported as hunted, or the guessed hunted player as not"
    " hunted",
)
