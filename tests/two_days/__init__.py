"""A ruleset for tests: two days that use every feature of the engine once."""

from __future__ import annotations

from tests.two_days.script import TwoDays

RULESET = TwoDays()

__all__ = ["RULESET", "TwoDays"]
