"""Rows of rooms: permanent links that lead to one study after another."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Room(models.Model):
    """A permanent link for participants. It leads to the study that its owner has chosen.

    `labels` are those that may enter, as the owner writes them. If empty, every visitor may.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="rooms")
    name = models.CharField(max_length=40, unique=True)  # in its link
    labels = models.JSONField(default=list)
    study = models.ForeignKey(
        "study.Study", models.SET_NULL, null=True, blank=True, related_name="rooms"
    )

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class RoomVisit(models.Model):
    """An open waiting page of a room. The row is deleted soon after the page is closed."""

    room = models.ForeignKey(Room, models.CASCADE, related_name="visits")
    key = models.CharField(max_length=400)  # the label as it is compared, or a key of the page
    label = models.CharField(max_length=200, blank=True)
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint("room", "key", name="one_visit_a_label")]
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.label or 'somebody'} in {self.room}"
