"""A clock that a test moves by hand."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from game import clock


class Clock:
    """Clock that a test moves by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.at = timezone.now()
        monkeypatch.setattr(clock, "now", lambda: self.at)

    def pass_(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)
