"""Faculties by name."""

from __future__ import annotations

from agents.faculties import Faculty
from agents.faculties.favor import Favor
from agents.faculties.judgement import Judgement
from agents.faculties.memory import Memory
from agents.faculties.persona import Persona
from agents.faculties.strategy import Strategy

_PARTS: tuple[Faculty, ...] = (Persona(), Favor(), Strategy(), Judgement(), Memory())
_FACULTIES: dict[str, Faculty] = {part.name: part for part in _PARTS}


def faculty(name: str) -> Faculty:
    """The faculty called `name`. KeyError where there is none."""
    return _FACULTIES[name]
