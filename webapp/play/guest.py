"""The viewer of a table."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from game.engine import visibility
from game.models import Game, Player


@dataclass(frozen=True)
class Guest:
    """A viewer of a table: in a seat, or watching (`player` is None).

    member: has a membership at the table. A spectator who only knows the address has none. visitor:
    the browser, for acts that depend on which of a person's browsers it is.
    """

    game: Game
    player: Player | None
    host: bool = False
    member: bool = False
    visitor: uuid.UUID | None = None

    @property
    def viewer(self) -> visibility.Viewer:
        return visibility.seat(self.player.seat) if self.player else visibility.PUBLIC
