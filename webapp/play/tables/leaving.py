"""People who leave their seat, voluntarily or removed by the host."""

from __future__ import annotations

from game import host_actions, lobby
from game.models import Game, Player
from webapp.play import visitors


def put_out(game: Game, player: Player) -> None:
    """Remove the person for good.

    This browser is barred. Other browsers can't return either, because the person's invitation
    stops working.
    """
    visitors.bar(player)
    if not game.started_at:
        visitors.renew_invitation(game)
    free_seat(game, player)


def free_seat(game: Game, player: Player) -> None:
    """Free the person's seat before the game; during it a computer player takes over."""
    if game.started_at:
        host_actions.leave(game.pk, player.seat)
    else:
        lobby.release_seat(game.pk, player.seat)
    visitors.unseat(player)
