"""Rows of outside names: what a service calls a participant, and how names compare."""

from __future__ import annotations

import unicodedata
from typing import Any

from django.db import models


def normal(text: str) -> str:
    """What an outside name is compared by: "ＡＮＮＡ " and "anna" are one person's."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(unicodedata.normalize("NFKC", folded).split())[:400]


class Identity(models.Model):
    """What the outside calls a participant, kept apart from the data; it opens nothing."""

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
