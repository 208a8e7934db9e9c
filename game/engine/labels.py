"""Labels: marks on an answer that its player did not freely produce.

`timeout` the time ran out · `late` answered after the time ran out · `stand-in` a computer player
answered for a person · `fallback:<cause>` no usable answer came: the rules' default (SPEC 2.6);
causes are `refusal` (the model refused to play), `unspeakable` and others (docs/models.md) ·
`repaired` the second attempt · `shortened` cut to the permitted length · `trimmed` a part that
can't be spoken was removed · `left-out` the prompt had to leave out the oldest talk ·
`without:<faculty>` made without what that faculty should have prepared · `stale:<faculty>` made
with an older round's · `unread` the built-in player could not understand a statement that was too
long · `budget` the built-in player answered, or prepared, instead of a model ·
`template:<situation>` a prepared line that a rule chose (Guarded 4.4) · `over:skip` no Skip was
left, so it counts as Over · `over:empty` no text was left.
"""

from __future__ import annotations

from collections.abc import Iterable

TIMEOUT, LATE = "timeout", "late"
FALLBACK, WITHOUT, STALE, LEFT_OUT = "fallback", "without", "stale", "left-out"
BUDGET, UNREAD, TEMPLATE = "budget", "unread", "template"
DEGRADED = (FALLBACK, WITHOUT, STALE, LEFT_OUT, BUDGET, UNREAD)


def kind(label: str) -> str:
    """Return a label without its detail: "fallback:timeout" is of kind "fallback"."""
    return label.partition(":")[0]


def of_kind(label_kind: str, labels: Iterable[str]) -> list[str]:
    """Return the details of all labels of one kind: ["timeout"] of "fallback" for
    "fallback:timeout".
    """
    return [label.partition(":")[2] for label in labels if kind(label) == label_kind]


def degraded(labels: Iterable[str]) -> bool:
    """Return whether the answer was made without some of its input."""
    return any(kind(label) in DEGRADED for label in labels)


def is_forced(labels: Iterable[str]) -> bool:
    """Return whether the rules answered for a player who gave no usable answer in time."""
    return any(kind(label) in (TIMEOUT, FALLBACK) for label in labels)
