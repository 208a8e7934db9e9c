"""Where participants are sent from other pages of the site."""

from __future__ import annotations

from webapp.study.models import Study


def onward(study: Study) -> str:
    """Back to the way: to the step at which this browser's participant is."""
    return f"/take/go/{study.key}/"
