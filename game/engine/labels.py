"""Labels: marks on an answer that its player did not freely produce.

An answer may have several labels. A label is a kind, or a kind and a detail: `fallback:refusal`.
"""

from collections.abc import Iterable

TIMEOUT = "timeout"  # the time ran out
LATE = "late"  # the answer came after the time ran out
STAND_IN = "stand-in"  # a computer player answered for a person
REPAIRED = "repaired"  # the answer is the model's second attempt
SHORTENED = "shortened"  # the text was cut to the permitted length
TRIMMED = "trimmed"  # a part that cannot be spoken was removed
TEMPLATE = "template"  # `template:<situation>`: a prepared line that a rule chose (Guarded 4.4)
OVER_SKIP = "over:skip"  # no Skip was left, so the answer counts as Over
OVER_EMPTY = "over:empty"  # no text was left, so the answer counts as Over

# Labels of agents' answers that lack something; `is_degraded` tests for them.
# `fallback:<cause>`: no usable answer came, so the rules' default applies (SPEC 2.6). Causes are
# `refusal` (the model refused to play), `unspeakable` and others (docs/models.md).
FALLBACK = "fallback"
WITHOUT = "without"  # `without:<faculty>`: that faculty should have prepared notes, and did not
# `stale:<faculty>`: the answer is based on that faculty's notes of an earlier round.
STALE = "stale"
LEFT_OUT = "left-out"  # the prompt had to leave out the oldest talk
BUDGET = "budget"  # the built-in player answered, or made the notes, instead of a model
UNREAD = "unread"  # the built-in player could not understand a statement that was too long
DEGRADED = (FALLBACK, WITHOUT, STALE, LEFT_OUT, BUDGET, UNREAD)


def with_detail(kind: str, detail: str) -> str:
    """Return the label of a kind with a detail: "fallback:timeout"."""
    return f"{kind}:{detail}"


def label_kind(label: str) -> str:
    """Return a label without its detail: "fallback" for "fallback:timeout"."""
    return label.partition(":")[0]


def details_of_kind(kind: str, labels: Iterable[str]) -> list[str]:
    """Return the details of all labels of one kind: ["timeout"] for "fallback:timeout"."""
    return [label.partition(":")[2] for label in labels if label_kind(label) == kind]


def is_degraded(labels: Iterable[str]) -> bool:
    """Return whether an agent answered without part of its input, or another answered for it.

    The others are the rules' default (`fallback`) and the built-in player (`budget`).
    """
    return any(label_kind(label) in DEGRADED for label in labels)


def is_forced(labels: Iterable[str]) -> bool:
    """Return whether the rules answered for a player who gave no usable answer in time."""
    return any(label_kind(label) in (TIMEOUT, FALLBACK) for label in labels)
