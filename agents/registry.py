"""Faculties by name."""

from __future__ import annotations

from agents.faculties import Faculty
from agents.faculties.judgement import Judgement

_FACULTIES: dict[str, Faculty] = {part.name: part for part in (Judgement(),)}


def faculty(name: str) -> Faculty:
    """The faculty called `name`. KeyError where there is none."""
    return _FACULTIES[name]
