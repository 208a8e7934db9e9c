"""Seed strategies: options of a role to begin a plan with (Humanized 2.4, SPEC 2.3).

The strategies of a role are in the ruleset's pack.
"""

from __future__ import annotations

from agents.packs import Pack

GENERAL = ("listen, compare what is claimed, and keep to your own words",)


def seeds(role: str, pack: Pack) -> tuple[str, ...]:
    """Return the seed strategies of `role`, or general ones if it has none."""
    return pack.data.ways.get(role, GENERAL)
