"""A ruleset for tests alone: two days, with one of everything that a ruleset can bring."""

from __future__ import annotations

from tests.two_days.script import TwoDays

RULESET = TwoDays()

__all__ = ["RULESET", "TwoDays"]
