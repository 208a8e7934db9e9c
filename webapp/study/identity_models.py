"""Rows of outside names: what a service calls a participant, and how names are compared."""

from __future__ import annotations

import unicodedata
from typing import Any

from django.db import models
from django.utils.crypto import salted_hmac

from game.engine import text_checks
from game.engine.text_checks import INVISIBLE_SIGN


def normalize_name(text: str) -> str:
    """Normalise an outside name for comparison.

    "ＡＮＮＡ " and "anna" are the same, with or without invisible characters.
    """
    visible = INVISIBLE_SIGN.sub("", text_checks.tidy(text))
    folded = unicodedata.normalize("NFKC", visible).casefold()
    return "".join(unicodedata.normalize("NFKC", folded).split())[:400]


def digest_name(study: int, normal_name: str) -> str:
    """Return the keyed digest by which a study recognises an erased participant's outside name.

    Only the holder of the site's secret key can test whether a name has this digest.
    """
    text = f"{study}/{normal_name}"
    return salted_hmac("webapp.study.erased_name", text, algorithm="sha256").hexdigest()


class Identity(models.Model):
    """A participant's outside name, stored apart from the data. It grants no access."""

    participant = models.OneToOneField("study.Participant", models.CASCADE, related_name="identity")
    label = models.CharField(max_length=200, blank=True)  # PROLIFIC_PID, participant_label …
    study = models.CharField(max_length=200, blank=True)
    session = models.CharField(max_length=200, blank=True)
    # The label as it is compared: without case, width and spaces (`normalize_name`).
    normal = models.CharField(max_length=400, blank=True, db_index=True)

    def __str__(self) -> str:
        return self.label

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.normal = normalize_name(self.label)
        super().save(*args, **kwargs)
