"""Actions on a table besides playing (votes enter in `posted_answers`).

An action is one post, `do=<act>[:<argument>…]`. Some belong to the host, some to every player.
Errors change nothing: 403 not permitted, 400 malformed arguments, 409 impossible now. Changes are
recorded (`AuditEntry`) in the same transaction.
"""

from __future__ import annotations

import re

from django.db import transaction

from game.engine.forms import Illegal
from game.locked_game import lock_game
from webapp.play.disclosure import Disclosure
from webapp.play.guest import Guest
from webapp.play.models import AuditEntry, Membership
from webapp.play.tables.acts import ActionRequest
from webapp.play.tables.acts_by_host import BY_HOST
from webapp.play.tables.acts_by_seat import BY_SEAT

ACTS_AT_OWNED_TABLES = ("take_back", "report")  # the only ones at a table that another app runs


class Forbidden(Exception):
    """This guest may not perform the act."""


def _check_right(guest: Guest, act_name: str) -> None:
    if not guest.host if act_name in BY_HOST else guest.player is None:
        raise Forbidden


def _lock_and_reload_guest(guest: Guest) -> Guest:
    """Lock the game and read the guest again.

    Another person may have become host, or have removed this guest, since the request was admitted.
    """
    game = lock_game(guest.game.pk)
    memberships = Membership.objects.filter(game=game).select_related("player")
    row = memberships.filter(visitor=guest.visitor).first() if guest.visitor else None
    if row is None:
        raise Forbidden
    return Guest(game, row.player, host=row.host, member=True, visitor=guest.visitor)


def perform_act(guest: Guest, do: str, name: str = "", words: str = "") -> None:
    """Perform the act. Raises Forbidden or Illegal."""
    act_name = do.partition(":")[0]
    act = BY_HOST.get(act_name) or BY_SEAT.get(act_name)
    if act is None:
        raise Illegal("bad_post")
    _check_right(guest, act_name)
    if act_name not in ACTS_AT_OWNED_TABLES and Disclosure(guest.game).onward:
        raise Forbidden
    if not re.fullmatch(act.argument, do[len(act_name) :], re.ASCII):
        raise Illegal("bad_post")
    with transaction.atomic():
        # A report notifies its study first, so these acts must not lock the game's row before.
        if act_name not in ACTS_AT_OWNED_TABLES:
            guest = _lock_and_reload_guest(guest)
            _check_right(guest, act_name)
        for seat in act.do(ActionRequest(guest, do.split(":")[1:], name, words)):
            AuditEntry.objects.create(
                game=guest.game, what=act_name, seat=seat, by_host=act_name in BY_HOST
            )
    if act.after:
        act.after(guest.game.pk)
