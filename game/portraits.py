"""Players' portraits, which the person in a seat can choose. `game.services` draws the others.

All functions raise Illegal if the choice is not possible.
"""

from __future__ import annotations

from django.db import transaction

from game import store
from game.engine.forms import Illegal
from game.locked_game import announce, lock_game
from game.models import PORTRAIT_PATH, Game, Player

PORTRAIT_COUNT = 24  # The number of portraits in static/portraits.


def free_portraits(game: Game) -> list[int]:
    """Return the portraits (numbers) to choose from: [] at a blind table and after the game."""
    if game.blind or game.ended_at:
        return []
    taken_numbers = set(game.players.values_list("portrait", flat=True))
    return [number for number in range(1, PORTRAIT_COUNT + 1) if number not in taken_numbers]


def free_portrait_paths(game: Game) -> list[tuple[int, str]]:
    """Return (number, static path) of each portrait that a guest can choose."""
    return [(number, PORTRAIT_PATH.format(number)) for number in free_portraits(game)]


def set_portrait(game: Game, player: Player, number: int) -> None:
    """Give the player a portrait. The caller locks the game and saves the player.

    Raise Illegal: `blind_table`, or `portrait_taken` if it is taken or does not exist.
    """
    if game.blind:
        raise Illegal("blind_table")
    if number not in (player.portrait, *free_portraits(game)):
        raise Illegal("portrait_taken")
    player.portrait = number


def choose_portrait(game_id: int, seat: int, number: int) -> None:
    with transaction.atomic():
        game = lock_game(game_id)
        if game.ended_at:
            raise Illegal("over")
        player = game.players.filter(seat=seat, kind=Player.PERSON, left_at=None).first()
        if player is None:
            raise Illegal("seat_changed")
        set_portrait(game, player, number)
        store.save_player(player, "portrait")
        announce(game)


def claim_portrait(game_id: int, seat: int, number: int) -> None:
    """Give portrait `number` to the player in `seat`, and that player's portrait to its owner.

    Call it only before players have seen each other.
    """
    with transaction.atomic():
        game = lock_game(game_id)
        if game.ended_at:
            raise Illegal("over")
        if game.blind:
            raise Illegal("blind_table")
        player = game.players.get(seat=seat)
        store.swap_portraits(game, player, number)
        announce(game)
