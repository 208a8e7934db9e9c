"""Acts on a table: their request, argument and effect."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from game import clock
from game.engine.forms import Illegal
from game.models import Game, Player
from webapp.play.disclosure import Disclosure
from webapp.play.guest import Guest

# An act's argument after its name, as a regular expression; numbers fit the database.
NOTHING = ""
SEAT = r":\d{1,3}"
ANY = rf":any|{SEAT}"  # `any` is for blind tables, where acts must not name a seat
GUEST = r":\d{1,18}"
PICTURE = r":\d{1,2}"
PACE = rf":(?:{'|'.join(clock.PACE_STEPS)})"
WORDS = r":[\w./-]{1,80}:\d{1,3}"  # a statement's window and seat

Seats = Iterable[int | None]  # the changed seats; None: the table itself
TABLE: Seats = (None,)


@dataclass(frozen=True)
class ActionRequest:
    """An act as posted."""

    guest: Guest
    arguments: list[str]
    name: str  # the display name, if the form has one
    words: str  # the text of a chat message

    @property
    def game(self) -> Game:
        return self.guest.game

    @property
    def seat(self) -> int:
        """Return the seat that the act is about. Raises Illegal("bad_post") if it names none."""
        if self.arguments == ["any"]:
            raise Illegal("bad_post")
        return int(self.arguments[0])

    @property
    def statement(self) -> tuple[str, int]:
        """Return (window, seat) of the statement that the act is about."""
        window, seat = self.arguments
        return window, int(seat)

    @property
    def names_people(self) -> bool:
        """Return whether acts may name a person's seat.

        At a blind table that would reveal who is a person.
        """
        return Disclosure(self.game, self.guest.viewer).names_people

    @property
    def mine(self) -> Player:
        assert self.guest.player is not None
        return self.guest.player


@dataclass(frozen=True)
class TableAction:
    """An act on a table.

    `do` raises Illegal and changes nothing, or returns the seats it changed, none if nothing has
    changed.
    """

    do: Callable[[ActionRequest], Seats]
    takes: str = NOTHING
    after: Callable[[int], None] | None = None  # called with the game's id, after the commit
