"""Durations as texts for the monitor. They change at most once a minute."""

from datetime import datetime

from django.utils.translation import gettext as _

MIN_DAYS_IN_HOURS = 48  # from this many hours on, a duration is given in days


def format_duration(seconds: float) -> str:
    """Return "less than a minute", "7 min", "2 h 5 min" or "3 days"."""
    minutes = int(seconds // 60)
    if minutes < 1:
        return _("less than a minute")
    hours, remaining_minutes = divmod(minutes, 60)
    if hours >= MIN_DAYS_IN_HOURS:
        return _("{n} days").format(n=hours // 24)
    if hours:
        return _("{hours} h {minutes} min").format(hours=hours, minutes=remaining_minutes)
    return _("{minutes} min").format(minutes=minutes)


def format_age(since: datetime | None, now: datetime) -> str:
    """Return the duration from `since` to `now`, "" for None."""
    return format_duration((now - since).total_seconds()) if since else ""
