"""Connects an agent's requests to a language model: prompts, schemas, parsing, checks."""

from pathlib import Path

PATTERNS_FOLDER = Path(__file__).parent / "patterns"  # read by `agents.language.patterns`
