"""Who comes: a browser is known by its session; nobody needs an account."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

from game.models import Game, Player
from webapp.play.build import Guest
from webapp.play.models import Desk, Sitting, Table

KEY = "visitor"
LINK = "link"  # the personal link of a study by which the browser has come, where it has


def visitor_of(session: Mapping[str, Any]) -> uuid.UUID | None:
    """The visitor of a session, none for one who has never sat down."""
    known = session.get(KEY)
    return uuid.UUID(known) if known else None


def link_of(session: Mapping[str, Any]) -> str:
    """What stands for the personal link of a study by which this browser has come; "" for none."""
    return str(session.get(LINK, ""))


def welcome(request: HttpRequest) -> uuid.UUID:
    """The visitor of a request, known from now on. Only for posts: a GET enrols nobody."""
    known = visitor_of(request.session)
    if known is None:
        known = uuid.uuid4()
        request.session[KEY] = known.hex
    return known


def seat_visitor(
    visitor: uuid.UUID, game: Game, player: Player | None, *, host: bool = False
) -> None:
    """Let the visitor sit down (`player`) or watch (none), whatever they did here before."""
    sitting, _ = Sitting.objects.get_or_create(visitor=visitor, game=game)
    sitting.player, sitting.host = player, host or sitting.host
    sitting.save()
    if player:
        Desk.objects.get_or_create(player=player)


def unseat(player: Player) -> None:
    """The person in the seat goes: no browser and no link of theirs leads back into it."""
    Sitting.objects.filter(player=player, host=True).update(player=None)
    Sitting.objects.filter(player=player).delete()
    Desk.objects.filter(player=player).delete()


def guest(visitor: uuid.UUID | None, code: str) -> Guest | None:
    """The visitor as a guest of game `code`; none for outsiders. Game.DoesNotExist if unknown."""
    game = Game.objects.get(code=code)
    sitting = None
    if visitor is not None:
        found = Sitting.objects.filter(visitor=visitor, game=game).select_related("player")
        sitting = found.first()
    if sitting:
        return Guest(game, sitting.player, host=sitting.host, member=True)
    return Guest(game, None) if may_watch(game) else None


def may_watch(game: Game) -> bool:
    """Whether everyone who knows the address may look on."""
    return Table.objects.filter(game=game, spectators=True).exists()
