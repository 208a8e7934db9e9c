"""Changes the host of a table: at their wish, after they left, or while they are away.

The host is the person who opened the table, until they make another person the host, leave, or are
away for long. A host who returns gets the role back only from the new host.
"""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from game.engine.forms import Illegal
from game.locked_game import announce, lock_game
from game.models import Game, Player
from webapp.play.models import Membership, Table
from webapp.play.page.snapshot import is_host_away


def take_over(game_id: int, player: Player) -> None:
    """Make the person in the seat the host, because the host has been away for long."""
    with transaction.atomic():
        game = _lock_unfinished_game(game_id)
        if not is_host_away(game, Table.objects.filter(game=game).first(), timezone.now()):
            raise Illegal("host_here")
        _set_host(game, player)


def make_host(game_id: int, player: Player) -> None:
    """Make the person in the seat the host."""
    with transaction.atomic():
        game = _lock_unfinished_game(game_id)
        if not Membership.objects.filter(player=player).exists():
            raise Illegal("seat_changed")
        _set_host(game, player)


def choose_successor(game: Game) -> None:
    """Make the person longest at the table the host. Call it after the host has left the seat."""
    former_host = Membership.objects.filter(game=game, player=None, host=True)
    successor = Membership.objects.filter(game=game, player__isnull=False).order_by("pk").first()
    if successor:
        Membership.objects.filter(game=game, player=successor.player).update(host=True)
    former_host.delete()


def _lock_unfinished_game(game_id: int) -> Game:
    game = lock_game(game_id)
    if game.ended_at:
        raise Illegal("over")
    return game


def _set_host(game: Game, player: Player) -> None:
    Membership.objects.filter(game=game, host=True).update(host=False)
    Membership.objects.filter(game=game, player=player).update(host=True)
    Table.objects.filter(game=game).update(host_seen_at=timezone.now())
    announce(game)
