"""How a written character speaks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Voice:
    """Flourishes, phrases as in `agents.house.phrasing`: `before` opens a statement, `after` closes
    it, `soft` stands before a sentence that begins with "I". `words`: what it says for what others
    say; where a fact is told, only what spells out a contraction.

    No phrase may be understood as a speech act (tests expand every one).
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    soft: tuple[str, ...]
    words: tuple[tuple[str, str], ...]
