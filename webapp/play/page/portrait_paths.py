"""Static paths of the portraits, by their numbers (`game.portraits`)."""

from __future__ import annotations

from game import portraits
from game.models import Game, Player


def portrait_path(number: int) -> str:
    return f"portraits/portrait-{number:02d}.svg"


def portrait_of(player: Player) -> str:
    """Return the static path of a player's portrait."""
    return portrait_path(player.portrait)


def portraits_for(game: Game) -> list[tuple[int, str]]:
    """Return (number, static path) of the portraits that a person at the table may choose."""
    return [(number, portrait_path(number)) for number in portraits.free_portraits(game)]
