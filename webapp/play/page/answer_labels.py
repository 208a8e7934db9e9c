"""Texts in the viewer's language for the labels of answers, such as "time ran out"."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game.engine.labels import label_kind

# Texts of the labels of answers (`game.engine.labels`).
LABELS = {
    "stand-in": gettext_lazy("a computer player answered"),
    "timeout": gettext_lazy("time ran out"),
    "late": gettext_lazy("answered late"),
    "fallback": gettext_lazy("stand-in answer"),
    "fallback:refusal": gettext_lazy("the model refused: stand-in answer"),
    "fallback:unspeakable": gettext_lazy("its text could not be used: stand-in answer"),
    "repaired": gettext_lazy("asked twice"),
    "shortened": gettext_lazy("shortened"),
    "trimmed": gettext_lazy("cleaned up"),
    "left-out": gettext_lazy("without the oldest part of the talk"),
    "without:favor": gettext_lazy("without its likes and dislikes"),
    "without:judgement": gettext_lazy("without its judgement"),
    "without:reliability": gettext_lazy("without a judgement of trust"),
    "without:strategy": gettext_lazy("without a plan"),
    "stale:favor": gettext_lazy("with older likes and dislikes"),
    "stale:judgement": gettext_lazy("with an older judgement"),
    "stale:reliability": gettext_lazy("with an older judgement of trust"),
    "stale:strategy": gettext_lazy("with an older plan"),
    "budget": gettext_lazy("by the built-in player: the model’s daily limit was reached"),
    "unread": gettext_lazy("did not understand a long statement"),
    "template": gettext_lazy("stock phrase"),
    "over:skip": gettext_lazy("no pass was left"),
    "over:empty": gettext_lazy("no usable text was left"),
}


def label_text(labels: Iterable[str]) -> str:
    """Return the labels of an answer, translated and without repeats, "" for none."""
    texts = [LABELS.get(label) or LABELS.get(label_kind(label)) or label for label in labels]
    return ", ".join(str(text) for text in dict.fromkeys(texts))


def vote_label(labels: Iterable[str], is_counted: bool) -> str:
    """Return the labels of a vote, translated. After a timeout they say what was counted."""
    label_list = tuple(labels)
    if "timeout" not in label_list:
        return label_text(label_list)
    drawn, not_counted = _("time ran out: drawn at random"), _("time ran out: no vote counted")
    other_labels = label_text(label for label in label_list if label != "timeout")
    return ", ".join(filter(None, [drawn if is_counted else not_counted, other_labels]))
