"""Stores the situations of games' statements. Only workers find them (`webapp.play.readings`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from game.models import Game
from webapp.play import readings
from webapp.study.models import Situations


def situations_of(game: Game) -> Mapping[int, list[str]] | None:
    """Return position of a statement (from 1) -> its situations, None if no worker has read it."""
    row = Situations.objects.filter(game=game, game_version=game.version).first()
    return {int(position): keys for position, keys in row.keys_by_position.items()} if row else None


def unread_games(games: Collection[Game]) -> list[Game]:
    """Return those of the games that no worker has read in their current state."""
    return readings.games_to_read(Situations, games)


def request_reading(games: Collection[Game]) -> None:
    """Queue the unread ones of the games for a worker, after the commit."""
    readings.request_readings(Situations, games, "study.situations")


def store_situations(game: Game) -> None:
    """Find the situations of a game and store them. Loads `understanding`, so only for workers."""
    from webapp.study.games import situations

    # Read the version before the game, so that a concurrent change makes the row outdated.
    game_version = game.version
    found_situations = situations.find_situations(game)
    Situations.objects.update_or_create(
        game=game, defaults={"game_version": game_version, "keys_by_position": found_situations}
    )
