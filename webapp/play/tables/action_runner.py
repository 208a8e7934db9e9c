"""Performs an action on a table: anything that people do besides playing.

A page posts it as `do=<action>[:<argument>…]`. Some actions belong to the host, others to every
player. The seats that an action changed are recorded (`AuditEntry`) in the same transaction.
"""

from __future__ import annotations

import re

from django.db import transaction

from game.engine.forms import Illegal
from game.locked_game import lock_game
from webapp.play.disclosure import Disclosure
from webapp.play.models import AuditEntry, Membership
from webapp.play.tables.actions import ActionRequest
from webapp.play.tables.actions_by_host import ACTIONS_BY_HOST
from webapp.play.tables.actions_by_seat import ACTIONS_BY_SEAT
from webapp.play.visitors import Guest

ACTIONS_AT_OWNED_TABLES = ("take_back", "report")  # the only ones at a table that another app runs


class Forbidden(Exception):
    """The guest has no right to the action."""


def perform_action(guest: Guest, action_text: str, name: str = "", text: str = "") -> None:
    """Perform the action that a post names.

    Args:
        action_text: The value of the post's field `do`.
        name: The display name, if the form has one.
        text: The text of a chat message.

    Raises:
        Forbidden: The guest has no right to the action.
        Illegal: The arguments are malformed, or the action is impossible now.
    """
    action_name = action_text.partition(":")[0]
    action = ACTIONS_BY_HOST.get(action_name) or ACTIONS_BY_SEAT.get(action_name)
    if action is None:
        raise Illegal("bad_post")
    _check_right(guest, action_name)
    if action_name not in ACTIONS_AT_OWNED_TABLES and Disclosure(guest.game).owner_address:
        raise Forbidden
    if not re.fullmatch(action.argument, action_text[len(action_name) :], re.ASCII):
        raise Illegal("bad_post")
    with transaction.atomic():
        # A report's signal must be sent before the game's row is locked (`signals.text_reported`).
        if action_name not in ACTIONS_AT_OWNED_TABLES:
            guest = _lock_and_reload_guest(guest)
            _check_right(guest, action_name)
        seats = action.perform(ActionRequest(guest, action_text.split(":")[1:], name, text))
        is_by_host = action_name in ACTIONS_BY_HOST
        usual_seat = None if is_by_host or guest.player is None else guest.player.seat
        for seat in [usual_seat] if seats is None else seats:
            AuditEntry.objects.create(
                game=guest.game, what=action_name, seat=seat, by_host=is_by_host
            )
    if action.after:
        action.after(guest.game.pk)


def _check_right(guest: Guest, action_name: str) -> None:
    has_right = guest.is_host if action_name in ACTIONS_BY_HOST else guest.player is not None
    if not has_right:
        raise Forbidden


def _lock_and_reload_guest(guest: Guest) -> Guest:
    """Lock the game and read the guest again.

    Since the request was admitted, the host may have changed, or may have removed this guest.
    """
    game = lock_game(guest.game.pk)
    memberships = Membership.objects.filter(game=game).select_related("player")
    row = memberships.filter(visitor=guest.visitor).first() if guest.visitor else None
    if row is None:
        raise Forbidden
    return Guest(game, row.player, is_host=row.host, is_member=True, visitor=guest.visitor)
