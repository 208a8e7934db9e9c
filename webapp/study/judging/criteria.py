"""The paper's scores of a whole game (Humanized G.1 to G.3), and their critics.

The wording and the critics are ours, and the poles are the paper's. Each criterion has its own
critic, who knows the true roles and reasons before the score. Decimals are possible.
"""

from __future__ import annotations

from dataclasses import dataclass

LOW, HIGH = 1.0, 10.0  # ends of the scale


@dataclass(frozen=True)
class Criterion:
    """One score of a game."""

    key: str
    label: str
    question: str
    persona: str  # default persona of the criterion's critic
    low: str = ""  # the poles of its scale, "" if the score is computed from lists
    high: str = ""


RATER_PERSONA = (
    "You are a critic of plays and games. You read slowly, use the whole of a scale, and say what"
    " you think even where it is not kind."
)

CRITERIA = (
    Criterion(
        "engagement",
        "Engagement",
        "How well can the players be told apart by the way they talk?",
        "You are a theatre critic who has spent thirty years listening to dialogue. You notice at"
        " once when two people on a stage speak with the same voice.",
        low="all the voices sound alike",
        high="every player has a distinct voice of their own",
    ),
    Criterion(
        "wonder",
        "Wonder",
        "How hard was it to foresee what would come next?",
        "You are a critic of crime novels who has read thousands of them. You mostly know the"
        " culprit by the third chapter, and treasure a book that fools you.",
        low="predictable from beginning to end",
        high="unpredictable until the last word",
    ),
    Criterion(
        "attraction",
        "Attraction",
        "How much does the game draw its reader in?",
        "You are a television critic who watches far more than anybody should. You give a show ten"
        " minutes, and know exactly when it loses you.",
        low="unappealing: one would put it away",
        high="gripping: one can't stop reading",
    ),
)
# Scores that are computed from the lists of a judge.
VARIATION, MEMORABILITY = "variation", "memorability"
LIST_CRITERIA = (
    Criterion(
        VARIATION,
        "Variation",
        "Who says of whom which role they have?",
        "You are a court reporter who notes what was said, and adds nothing to it.",
    ),
    Criterion(
        MEMORABILITY,
        "Memorability",
        "Which sentences stay in mind, and how far does each turn the game?",
        "You are an editor of famous lines. You know which sentence of an evening is quoted the"
        " next morning.",
    ),
)
