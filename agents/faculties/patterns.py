"""Patterns: the roles that remain possible for each player, by public claims (Impressions 6.1)."""

from __future__ import annotations

from agents import contest
from agents.faculties import Faculty


class PatternsFaculty(Faculty):
    """Faculty whose switch chooses the role patterns (`agents.deduction.role_patterns`).

    It makes no request and no note: the prompt sections compute the patterns from the claims.
    """

    name = contest.PATTERNS
    switches = (contest.PATTERN_VARIANT,)
