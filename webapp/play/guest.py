"""The viewer of a table."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from game.engine import visibility
from game.models import Game, Player


@dataclass(frozen=True)
class Guest:
    """A viewer of a table: in a seat, or watching (`player` is None)."""

    game: Game
    player: Player | None
    is_host: bool = False
    is_member: bool = False  # has a membership; a spectator who only knows the address has none
    visitor: uuid.UUID | None = None  # the browser, where an action depends on it

    @property
    def viewer(self) -> visibility.Viewer:
        """The view of the game that the guest has: their seat's, or the public one."""
        return visibility.seat(self.player.seat) if self.player else visibility.PUBLIC
