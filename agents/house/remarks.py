"""A remark: one thing to say. A statement is made of the few remarks with the highest weights.

Kinds are named by the parts that roles play in the talk (`agents.packs.Part`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

from agents.language import number_word
from agents.packs import Pack, Result

Named = int | str | tuple[int, ...]  # what fills a slot: a seat, ready words, several seats
GONE = ("d", "e")  # the slots of those who may be out of the game
CROWD = 4  # so many at most are listed as claiming the same


class RemarkPlace(IntEnum):
    """Position of a remark in a statement. Most positions hold at most one."""

    OPEN = 0
    REPLY = 1
    ANSWER = 2  # to a question
    CLAIM = 3
    TABLE = 4
    TURN = 5  # why one changes one's mind
    LEAD = 6  # who wanted to hear what follows
    DOUBT = 7
    TRUST = 8
    VOTE = 9
    ASK = 10
    CLOSE = 11


@dataclass(frozen=True)
class RemarkKind:
    """Common properties of the remarks of a kind.

    about: the slot of the player whom it is about, "" for nobody. theme: kinds of one theme make
    the same point, which a statement makes once.
    """

    position: RemarkPlace
    weight: float
    about: str
    theme: str


def _kinds() -> dict[str, RemarkKind]:
    text = Path(__file__).with_name("remark_kinds.toml").read_text("utf-8")
    kinds = {}
    for position, rows in tomllib.loads(text).items():
        for kind, row in rows.items():
            weight, about, theme = (*row.split(" ", 2), "", "")[:3]
            about = about.strip("-")
            kinds[kind] = RemarkKind(RemarkPlace[position.upper()], float(weight), about, theme)
    return kinds


KINDS = _kinds()


@dataclass(frozen=True)
class Remark:
    """kind: of the phrases.

    weight: the heaviest are said. names: slot -> seat, several seats, or ready words.

    about: the seat it is about, where saying it twice would be tiresome. role: the role that the
    kind's part stands for. look: what it tells of somebody's look. meets: the number of the
    statement that it owes an answer to, from 1; 0 for none.
    """

    kind: str
    weight: float
    position: RemarkPlace
    names: Mapping[str, Named] = field(default_factory=dict)
    about: int = 0
    role: str = ""
    look: Result | None = None
    meets: int = 0

    @property
    def seats(self) -> set[int]:
        """All seats that it names."""
        seats = set[int]()
        for value in self.names.values():
            seats |= {value} if isinstance(value, int) else set[int]()
            seats |= set(value) if isinstance(value, tuple) else set[int]()
        return seats

    @property
    def theme(self) -> str:
        """The point that it makes."""
        return (KINDS[self.kind].theme if self.kind in KINDS else "") or self.kind

    @property
    def leads(self) -> bool:
        """Whether it only leads to another move, and makes no point of its own."""
        return self.position == RemarkPlace.LEAD or self.kind == "answer_role"

    def repeats(self, earlier: Remark) -> bool:
        """Return whether both make one point, and are no answers to two players."""
        are_answers = self.position == earlier.position == RemarkPlace.ANSWER and not self.leads
        to_two = are_answers and self.names.get("x") != earlier.names.get("x")
        return self.theme == earlier.theme and not to_two

    @property
    def key(self) -> str:
        """How it is remembered as having been said."""
        return f"{self.kind}:{self.about}"


def remark(
    kind: str,
    names: Mapping[str, Named] | None = None,
    /,
    *,
    weight: float | None = None,
    about: int | None = None,
    role: str = "",
    look: Result | None = None,
    **slots: Named,
) -> Remark:
    """Return a remark of a kind of `remark_kinds.toml`, with what fills its slots.

    weight, about: where they are not the kind's own.
    """
    usual, filled = KINDS[kind], {**(names or {}), **slots}
    if about is None:
        seat = filled.get(usual.about, 0)
        about = seat if isinstance(seat, int) else 0
    weight = usual.weight if weight is None else weight
    return Remark(kind, weight, usual.position, filled, about, role, look)


def counted(pack: Pack, role: str, claims: int) -> dict[str, Named]:
    """Return the slots {n} and {k}: how many claim `role`, and how many the deck holds."""
    return {"n": number_word(claims), "k": number_word(pack.deck.count(role))}


def look_slots(look: Result) -> dict[str, Named]:
    """Return the slots of those looked at: a, b, …"""
    return dict(zip("abcdefgh", look.targets, strict=False))
