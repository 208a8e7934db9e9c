"""Paths to participants' pages, for other parts of the site."""

from __future__ import annotations

from webapp.study.models import Study


def current_step_path(study: Study) -> str:
    """Return the path that leads to the current step of this browser's participant."""
    return f"/take/go/{study.key}/"
