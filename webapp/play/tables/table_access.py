"""Decorators that find the guest of a table or refuse the request, for all views of a table."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from game.models import Game
from webapp.play import visitors
from webapp.play.error_pages import message, removed_message
from webapp.play.guest import Guest
from webapp.play.page import table_owners

TableView = Callable[Concatenate[HttpRequest, Guest, ...], HttpResponse]


def at_table(view: TableView) -> Callable[..., HttpResponse]:
    """Decorate a view so that it gets the guest of the game in the address.

    The decorated view renders an error page for outsiders and for unknown tables.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, code: str, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            guest = visitors.guest(visitors.visitor_of(request.session), code)
        except Game.DoesNotExist:
            text = _("Check the address for typing errors. The table may not exist.")
            return message(request, 404, _("Table not found"), text)
        if guest is None and visitors.is_barred(
            visitors.visitor_of(request.session), Game.objects.get(code=code)
        ):
            return removed_message(request)
        if guest is None:
            text = _("You have no seat here. Open the table in the browser you play in.")
            return message(request, 403, _("This is another player’s table"), text)
        return view(request, guest, *args, **kwargs)

    return wrapped


def at_replay(view: TableView) -> Callable[..., HttpResponse]:
    """Decorate a view of a replay, as `at_table` does.

    Visitors whom another app allows to see the replay are guests without a player.
    """
    seated_view = at_table(view)

    @wraps(view)
    def wrapped(request: HttpRequest, code: str, *args: Any, **kwargs: Any) -> HttpResponse:
        game = Game.objects.filter(code=code).first()
        is_guest = game and visitors.guest(visitors.visitor_of(request.session), code)
        if game and not is_guest and table_owners.can_watch_replay(request, game):
            return view(request, Guest(game, None), *args, **kwargs)
        return seated_view(request, code, *args, **kwargs)

    return wrapped
