"""Removes a guest from a table for the host, and frees the seat of a person who leaves."""

from __future__ import annotations

from game import game_actions, lobby
from game.models import Game, Player
from webapp.play import visitors


def remove_guest(game: Game, player: Player) -> None:
    """Remove the person from the table for good, on behalf of the host.

    The person's browsers are barred. Before the game the invitation is renewed, so that the person
    can't return with another browser either.
    """
    visitors.bar_browsers(player)
    if not game.started_at:
        visitors.renew_invitation(game)
    free_seat(game, player)


def free_seat(game: Game, player: Player) -> None:
    """Free the person's seat. Once the game has begun, a computer player takes it over."""
    if game.started_at:
        game_actions.leave(game.pk, player.seat)
    else:
        lobby.release_seat(game.pk, player.seat)
    visitors.remove_from_seat(player)
