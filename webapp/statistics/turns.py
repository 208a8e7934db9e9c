"""What became of the turns to speak that the rated words come from: selection by success.

A turn in which a model failed has no words, so nobody rates it. Whoever fails often is then judged
by what is left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from webapp.statistics.reported_statistics import Outcome, share

WORDS, FAILED, PASSED, REMOVED = "words", "failed", "passed", "removed"
FATES = (WORDS, FAILED, PASSED, REMOVED)
UNTOLD = "untold"  # of a blind table that has not been revealed
TIMED_OUT, REFUSED, UNUSABLE = "timed_out", "refused", "unusable"
CAUSES = (TIMED_OUT, REFUSED, UNUSABLE)


@dataclass(frozen=True)
class TurnOutcome:
    """One turn to speak of somebody whose words are to be rated.

    fate: `words` (there is something to rate), `failed` (the model's turn failed, for a cause of
    CAUSES), `passed` (nothing was said, and no request failed), `removed` (words taken out since),
    `untold` (in no share: it would tell who is a computer player).
    """

    condition: str
    fate: str
    cause: str = ""  # of a failed one


def selection(turns: Iterable[TurnOutcome]) -> Outcome:
    """By condition: how many turns had which fate, and the share that failed.

    `care` names the selection where any did.
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
