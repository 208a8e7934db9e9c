"""Which picture stands for a player: drawn from the seed, or chosen by the person in the seat."""

from __future__ import annotations

from django.db import transaction

from game import store
from game.engine.forms import Illegal
from game.locked_game import announce, locked
from game.models import Game, Player

PORTRAITS = 24  # in static/portraits


def free(game: Game) -> list[int]:
    """Return the numbers that nobody at the table has.

    None at a blind table, where nobody chooses.
    """
    if game.blind or game.ended_at:
        return []
    taken_numbers = set(game.players.values_list("portrait", flat=True))
    return [number for number in range(1, PORTRAITS + 1) if number not in taken_numbers]


def take(game: Game, player: Player, number: int) -> None:
    """Give the player a portrait.

    Whoever calls locks the game and saves the player.

    Raises Illegal: `blind_table`, or `portrait_taken` where another has it or there is none.
    """
    if game.blind:
        raise Illegal("blind_table")
    if number not in (player.portrait, *free(game)):
        raise Illegal("portrait_taken")
    player.portrait = number


def choose(game_id: int, seat: int, number: int) -> None:
    """The person in `seat` has another portrait.

    Raises Illegal: `over`, `seat_changed`, and as `take` does.
    """
    with transaction.atomic():
        game = locked(game_id)
        if game.ended_at:
            raise Illegal("over")
        player = game.players.filter(seat=seat, kind=Player.PERSON, left_at=None).first()
        if player is None:
            raise Illegal("seat_changed")
        take(game, player, number)
        store.save_player(player, "portrait")
        announce(game)


def claim(game_id: int, seat: int, number: int) -> None:
    """The player in `seat` has that portrait.

    Whoever has it gets theirs. For a table that has just been set, where nobody has seen the other
    yet. Raises Illegal: `over`, or `blind_table`.
    """
    with transaction.atomic():
        game = locked(game_id)
        if game.ended_at:
            raise Illegal("over")
        if game.blind:
            raise Illegal("blind_table")
        player = game.players.get(seat=seat)
        store.swap_portraits(game, player, number)
        announce(game)
