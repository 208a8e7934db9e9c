"""Seed strategies: what somebody of a role may do, to begin a plan with (Humanized 2.4, SPEC 2.3).

A role's own stand in the ruleset's pack.
"""

from __future__ import annotations

from agents.packs import Pack

GENERAL = ("listen, compare what is claimed, and keep to your own words",)


def seeds(role: str, pack: Pack) -> tuple[str, ...]:
    """The seed strategies of `role`.

    General ones for a role that has none.
    """
    return pack.data.ways.get(role, GENERAL)
