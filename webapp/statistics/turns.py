"""Counts the outcomes of the turns whose statements are rated, which shows selection by success.

A turn in which a model failed has no text and is not rated. So a model that fails often is judged
by its other turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from webapp.statistics.reported_statistics import Outcome, share

WORDS, FAILED, PASSED, REMOVED = "words", "failed", "passed", "removed"
FATES = (WORDS, FAILED, PASSED, REMOVED)
UNTOLD = "untold"  # a turn of a blind table that is not revealed yet
TIMED_OUT, REFUSED, UNUSABLE = "timed_out", "refused", "unusable"
CAUSES = (TIMED_OUT, REFUSED, UNUSABLE)


@dataclass(frozen=True)
class TurnOutcome:
    """One turn to speak of a player whose statements are rated.

    Attributes:
        fate: `words` (there is a text to rate), `failed` (a model's request failed), `passed`
            (nothing was said, and no request failed), `removed` (the text was removed), `untold`
            (in no share, because it would reveal who is a computer player).
        cause: One of CAUSES if the turn failed, else "".
    """

    condition: str
    fate: str
    cause: str = ""


def selection(turns: Iterable[TurnOutcome]) -> Outcome:
    """Return, by condition, the number of turns with each fate, and the share that failed.

    `care` has a warning if any turn failed.
    """
    counts_by_condition: dict[str, Counter[str]] = {}
    for turn in turns:
        counts_by_condition.setdefault(turn.condition, Counter()).update(
            [turn.fate, turn.cause or "-"]
        )
    rows = [_row(condition, counts) for condition, counts in sorted(counts_by_condition.items())]
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
