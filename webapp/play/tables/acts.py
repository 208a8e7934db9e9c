"""What an act on a table is: how it is asked for, what it takes, and what it was done to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from game import clock
from game.engine.forms import Illegal
from game.models import Game, Player
from webapp.play.disclosure import Disclosure
from webapp.play.guest import Guest

# What an act takes after its name, as a regular expression; numbers small enough for the database.
NOTHING = ""
SEAT = r":\d{1,3}"
ANY = rf":any|{SEAT}"  # `any` is for blind tables, where no seat is named
GUEST = r":\d{1,18}"
PICTURE = r":\d{1,2}"
PACE = rf":(?:{'|'.join(clock.LADDER)})"
WORDS = r":[\w./-]{1,80}:\d{1,3}"  # a statement's window and seat

Seats = Iterable[int | None]  # those to which something was done; None: to the table
TABLE: Seats = (None,)


@dataclass(frozen=True)
class ActionRequest:
    """An act as it was posted."""

    guest: Guest
    arguments: list[str]
    name: str  # the display name, where the form has one
    words: str  # what is said in the chat

    @property
    def game(self) -> Game:
        return self.guest.game

    @property
    def seat(self) -> int:
        """The seat the act is about. Raises Illegal("bad_post") where none is named."""
        if self.arguments == ["any"]:
            raise Illegal("bad_post")
        return int(self.arguments[0])

    @property
    def statement(self) -> tuple[str, int]:
        """(window, seat) of the statement the act is about."""
        window, seat = self.arguments
        return window, int(seat)

    @property
    def names_people(self) -> bool:
        """Whether an act may be done to a person by seat.

        At a blind table that would tell.
        """
        return Disclosure(self.game, self.guest.viewer).names_people

    @property
    def mine(self) -> Player:
        assert self.guest.player is not None
        return self.guest.player


@dataclass(frozen=True)
class TableAction:
    """`do` raises Illegal and changes nothing, or gives what it was done to.

    Nothing where nothing has changed.
    """

    do: Callable[[ActionRequest], Seats]
    takes: str = NOTHING
    after: Callable[[int], None] | None = None  # done to the game of that key, once committed
