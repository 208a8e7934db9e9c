"""Durations as text that changes at most once a minute."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext as _


def format_duration(seconds: float) -> str:
    """Return "under a minute", "7 min", "2 h 5 min" or "3 days"."""
    minutes = int(seconds // 60)
    if minutes < 1:
        return _("under a minute")
    hours, rest = divmod(minutes, 60)
    if hours >= 48:
        return _("{n} days").format(n=hours // 24)
    if hours:
        return _("{hours} h {minutes} min").format(hours=hours, minutes=rest)
    return _("{minutes} min").format(minutes=minutes)


def since(at: datetime | None, now: datetime) -> str:
    """Return how long ago the time was, "" for None."""
    return format_duration((now - at).total_seconds()) if at else ""
