"""What an action on a table is: its argument, its effect, and the request for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from game import clock
from game.engine.forms import Illegal
from game.models import Game, Player
from webapp.play.disclosure import Disclosure
from webapp.play.visitors import Guest

# Regular expressions for the argument after an action's name. The numbers fit the database.
NO_ARGUMENT = ""
SEAT = r":\d{1,3}"
SEAT_OR_ANY = rf":any|{SEAT}"  # `any` is for blind tables, where actions must not name a seat
NUMBER = r":\d{1,18}"
PORTRAIT = r":\d{1,2}"
PACE = rf":(?:{'|'.join(clock.PACE_STEPS)})"
STATEMENT = r":[\w./-]{1,80}:\d{1,3}"  # a statement's window and seat


@dataclass(frozen=True)
class ActionRequest:
    """A guest's request for an action."""

    guest: Guest
    arguments: list[str]  # the parts of the argument, which matches `TableAction.argument`
    name: str  # the display name, if the form has one
    text: str  # the text of a chat message

    @property
    def game(self) -> Game:
        return self.guest.game

    @property
    def seat(self) -> int:
        """The seat that the action names. "any" names none (Illegal: `bad_post`)."""
        if self.arguments == ["any"]:
            raise Illegal("bad_post")
        return int(self.arguments[0])

    @property
    def statement(self) -> tuple[str, int]:
        """The statement that the action names, as (window, seat)."""
        window, seat = self.arguments
        return window, int(seat)

    @property
    def can_name_people(self) -> bool:
        """Whether actions may name a person's seat. At a blind table that would reveal them."""
        return Disclosure(self.game, self.guest.viewer).can_name_people

    @property
    def own_player(self) -> Player:
        """The player in the guest's seat. The action must belong to seats (`ACTIONS_BY_SEAT`)."""
        assert self.guest.player is not None
        return self.guest.player


@dataclass(frozen=True)
class TableAction:
    """An action on a table.

    Attributes:
        perform: Performs the action and returns the seats it changed, None for the usual result: an
            action of a player changes their own seat, one of the host no seat, only the table. If
            the action is impossible, it raises Illegal and changes nothing.
        argument: The regular expression of the action's argument.
        after: Called with the game's id after the commit.
    """

    perform: Callable[[ActionRequest], Sequence[int] | None]
    argument: str = NO_ARGUMENT
    after: Callable[[int], None] | None = None
