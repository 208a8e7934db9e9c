"""Rows of outside names: what a service calls a participant, and how names compare."""

from __future__ import annotations

import unicodedata
from typing import Any

from django.db import models
from django.utils.crypto import salted_hmac

from game.engine import speech_text
from game.engine.speech_text import UNSEEN


def normal(text: str) -> str:
    """What an outside name is compared by: "ＡＮＮＡ " and "anna" are one person's, with or without
    characters that are not drawn.
    """
    visible = UNSEEN.sub("", speech_text.tidy(text))
    folded = unicodedata.normalize("NFKC", visible).casefold()
    return "".join(unicodedata.normalize("NFKC", folded).split())[:400]


def digest(study: int, normal_name: str) -> str:
    """Return what an erased participant's outside name is recognised by in one study.

    Only who has the site's secret key can tell whether it is that of a name they know.
    """
    text = f"{study}/{normal_name}"
    return salted_hmac("webapp.study.erased_name", text, algorithm="sha256").hexdigest()


class Identity(models.Model):
    """A participant's outside name, kept apart from the data; it opens nothing."""

    participant = models.OneToOneField("study.Participant", models.CASCADE, related_name="identity")
    label = models.CharField(max_length=200, blank=True)  # PROLIFIC_PID, participant_label …
    study = models.CharField(max_length=200, blank=True)
    session = models.CharField(max_length=200, blank=True)
    # The label as it is compared: without case, width and spaces (`normal`).
    normal = models.CharField(max_length=400, blank=True, db_index=True)

    def __str__(self) -> str:
        return self.label

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.normal = normal(self.label)
        super().save(*args, **kwargs)
