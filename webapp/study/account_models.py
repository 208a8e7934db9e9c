"""Rows of researchers' accounts: invitations, audit lines, known addresses."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from game.models import new_key


class Invitation(models.Model):
    """A one-time link. Pressing its button creates a researcher's account."""

    key = models.CharField(max_length=32, unique=True, default=new_key)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True
    )  # None for the first researcher of a new database
    made_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"invitation {self.pk}"


class AuditLine(models.Model):
    """A researcher's sign-in, sign-out, download, or change of access."""

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    # A name, not a foreign key, because the line outlives the account.
    who = models.CharField(max_length=150)
    what = models.CharField(max_length=20)
    # A campaign and file, or another researcher.
    about = models.CharField(max_length=200, blank=True)
    address = models.CharField(max_length=64)

    def __str__(self) -> str:
        about = f" {self.about}" if self.about else ""
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.who} {self.what}{about} from {self.address}"


class KnownAddress(models.Model):
    """A keyed digest of a user name and an address from which it has signed in.

    It reveals neither.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    digest = models.CharField(max_length=64, unique=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"an address of {self.user}"
