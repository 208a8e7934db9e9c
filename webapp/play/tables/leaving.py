"""People who go from their seat: by themselves, or put out by the host."""

from __future__ import annotations

from game import host_actions, lobby
from game.models import Game, Player
from webapp.play import visitors


def put_out(game: Game, player: Player) -> None:
    """The person goes and does not come back.

    Not by this browser, and by no other, since the invitation they know opens nothing any more.
    """
    visitors.bar(player)
    if not game.started_at:
        visitors.renew_invitation(game)
    go(game, player)


def go(game: Game, player: Player) -> None:
    """The person goes.

    Before the game the seat is open again, in it a computer player plays on.
    """
    if game.started_at:
        host_actions.leave(game.pk, player.seat)
    else:
        lobby.free(game.pk, player.seat)
    visitors.unseat(player)
