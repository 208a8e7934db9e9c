"""Tables that are run from elsewhere on the site (`Table.onward`): their people came from there and
go on to there. What the bar above such a table says comes from there too; play does not know it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from webapp.play.chat_parts import Words
from webapp.play.disclosure import Disclosure
from webapp.play.guest import Guest


@dataclass(frozen=True)
class GoingOn:
    """The button by which one goes on from a table whenever one likes: `fields` are posted to
    `address`."""

    address: str
    fields: dict[str, str]


@dataclass(frozen=True)
class Told:
    """Where a guest is on their way, in words; due: when the table ends for them, where it does;
    ask: the address to which they post what they want to ask, as `text`."""

    text: str
    due: datetime | None = None
    on: GoingOn | None = None
    ask: str = ""


@dataclass(frozen=True)
class Bar:
    """What stands above a table. leave: the address where its guest leaves the whole of it."""

    told: Told
    leave: str


_tellers: list[Callable[[Guest], Told | None]] = []
_speakers: list[Callable[[Guest], Sequence[Words]]] = []


def told_by(teller: Callable[[Guest], Told | None]) -> None:
    """From now on `teller` says where a guest is on their way; none for one it does not know."""
    _tellers.append(teller)


def spoken_by(speaker: Callable[[Guest], Sequence[Words]]) -> None:
    """From now on `speaker` gives what was said to a guest; nothing for one it does not know."""
    _speakers.append(speaker)


def words_of(guest: Guest) -> list[Words]:
    """What was said between the guest and whoever runs the table, in order; shown by that."""
    if guest.player is None or not Disclosure(guest.game).onward:
        return []
    return [words for speaker in _speakers for words in speaker(guest)]


def bar_of(guest: Guest) -> Bar | None:
    """The bar of the guest's table; none where the table is run from here."""
    onward = Disclosure(guest.game).onward
    if not onward:
        return None
    told = (teller(guest) for teller in _tellers)
    return Bar(next((one for one in told if one), Told("")), f"{onward}leave")
