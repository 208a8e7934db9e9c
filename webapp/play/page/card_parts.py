"""Computer players' cards: persona, and whom they favor."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.play.page.transcript_parts import Seat


@dataclass(frozen=True)
class Feeling:
    """A move of a favor, told to the one it moved toward."""

    round: int  # before which it moved
    favor: int  # 1..100, after
    change: int
    why: str  # "" where nobody knows


@dataclass(frozen=True)
class Toward:
    """What a computer player feels toward one of the others."""

    seat: Seat
    level: int  # 1..5
    favor: int  # 1..100


@dataclass(frozen=True)
class Bar:
    """One factor of a persona."""

    name: str
    score: int  # 1..7


@dataclass(frozen=True)
class Mate:
    """A computer player's card (`#company`), as far as the table shows it."""

    seat: Seat
    level: int  # of its favor toward the viewer, 1..5; 0: not shown
    favor: int
    history: list[Feeling]
    toward: list[Toward]  # empty where the table shows only what concerns the viewer
    bars: list[Bar]  # empty where the table hides personas
    adjectives: str
    character: str  # the name of a written character, "" for none
    who: str  # who that is, in a sentence
