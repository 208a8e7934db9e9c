"""Who comes: a browser is known by its session; nobody needs an account."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

from game.models import Game, Player
from webapp.play.build import Guest
from webapp.play.models import Desk, Sitting

KEY = "visitor"


def visitor_of(session: Mapping[str, Any]) -> uuid.UUID | None:
    """The visitor of a session, none for one who has never sat down."""
    known = session.get(KEY)
    return uuid.UUID(known) if known else None


def welcome(request: HttpRequest) -> uuid.UUID:
    """The visitor of a request, known from now on. Only for posts: a GET enrols nobody."""
    known = visitor_of(request.session)
    if known is None:
        known = uuid.uuid4()
        request.session[KEY] = known.hex
    return known


def seat_visitor(visitor: uuid.UUID, game: Game, player: Player | None) -> None:
    """Let the visitor sit down (`player`) or watch (none)."""
    Sitting.objects.create(visitor=visitor, game=game, player=player)
    if player:
        Desk.objects.get_or_create(player=player)


def guest(visitor: uuid.UUID | None, code: str) -> Guest | None:
    """The visitor as a guest of game `code`; none for outsiders. Game.DoesNotExist if unknown."""
    game = Game.objects.get(code=code)
    if visitor is None:
        return None
    sitting = Sitting.objects.filter(visitor=visitor, game=game).select_related("player").first()
    return Guest(game, sitting.player) if sitting else None
