"""Rows of researchers' accounts: who may become one, who came in, and from where."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from game.models import new_key


class Invitation(models.Model):
    """A one-time link that makes whoever presses its button a researcher."""

    key = models.CharField(max_length=32, unique=True, default=new_key)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True
    )  # none: the first researcher of a new database
    made_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"invitation {self.pk}"


class AuditLine(models.Model):
    """A researcher came in, went, took data out, or changed who may come in."""

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    who = models.CharField(max_length=150)  # the name; the line outlives the account
    what = models.CharField(max_length=20)
    about = models.CharField(max_length=200, blank=True)  # a campaign and file, another researcher
    address = models.CharField(max_length=64)

    def __str__(self) -> str:
        about = f" {self.about}" if self.about else ""
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.who} {self.what}{about} from {self.address}"


class KnownAddress(models.Model):
    """A name has signed in from an address: a keyed digest of both, which tells neither."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    digest = models.CharField(max_length=64, unique=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"an address of {self.user}"
