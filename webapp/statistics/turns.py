"""The outcomes of the turns whose statements are rated: shows selection by success.

A turn in which a model failed has no text, so nobody rates it. A model that fails often is then
judged by its remaining turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from webapp.statistics.reported_statistics import Outcome, share

WORDS, FAILED, PASSED, REMOVED = "words", "failed", "passed", "removed"
FATES = (WORDS, FAILED, PASSED, REMOVED)
UNTOLD = "untold"  # of a blind table that is not revealed
TIMED_OUT, REFUSED, UNUSABLE = "timed_out", "refused", "unusable"
CAUSES = (TIMED_OUT, REFUSED, UNUSABLE)


@dataclass(frozen=True)
class TurnOutcome:
    """One turn to speak of a player whose statements are rated.

    fate: `words` (there is a text to rate), `failed` (the model's turn failed, for a cause of
    CAUSES), `passed` (nothing was said, and no request failed), `removed` (the text was removed),
    `untold` (in no share: it would reveal who is a computer player).
    """

    condition: str
    fate: str
    cause: str = ""  # of a failed turn


def selection(turns: Iterable[TurnOutcome]) -> Outcome:
    """Return, by condition, the number of turns with each fate, and the share that failed.

    `care` warns of the selection if any turn failed.
    """
    fates_by_condition: dict[str, Counter[str]] = {}
    for turn in turns:
        fates_by_condition.setdefault(turn.condition, Counter()).update(
            [turn.fate, turn.cause or "-"]
        )
    rows = [_row(condition, counts) for condition, counts in sorted(fates_by_condition.items())]
    care = ["selection_by_success"] if any(row[FAILED] for row in rows) else []
    return {"conditions": rows, "care": care}


def _row(condition: str, counts: Counter[str]) -> Outcome:
    turns = sum(counts[fate] for fate in FATES)
    return {
        "condition": condition,
        "turns": turns,
        **{fate: counts[fate] for fate in (*FATES, UNTOLD)},
        "causes": {cause: counts[cause] for cause in CAUSES},
        "share_failed": share(counts[FAILED], turns, "no_turns"),
    }
