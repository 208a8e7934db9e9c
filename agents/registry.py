"""Faculties by name."""

from __future__ import annotations

from agents.faculties import Faculty
from agents.faculties.favor import FavorFaculty
from agents.faculties.judgement import JudgementFaculty
from agents.faculties.memory import MemoryFaculty
from agents.faculties.persona import PersonaFaculty
from agents.faculties.reliability import ReliabilityFaculty
from agents.faculties.strategy import StrategyFaculty

_PARTS: tuple[Faculty, ...] = (
    PersonaFaculty(),
    FavorFaculty(),
    StrategyFaculty(),
    JudgementFaculty(),
    ReliabilityFaculty(),
    MemoryFaculty(),
)
_FACULTIES: dict[str, Faculty] = {part.name: part for part in _PARTS}


def faculty(name: str) -> Faculty:
    """Return the faculty with that name. Raises KeyError if there is none."""
    return _FACULTIES[name]
