"""Actions on a table besides playing (votes enter in `posted_answers`).

An action is one post, `do=<action>[:<argument>…]`. Some belong to the host, some to every player.
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
from webapp.play.tables.actions import ActionRequest
from webapp.play.tables.actions_by_host import ACTIONS_BY_HOST
from webapp.play.tables.actions_by_seat import ACTIONS_BY_SEAT

ACTIONS_AT_OWNED_TABLES = ("take_back", "report")  # the only ones at a table that another app runs


class Forbidden(Exception):
    """This guest may not perform the action."""


def _check_right(guest: Guest, action_name: str) -> None:
    if not guest.is_host if action_name in ACTIONS_BY_HOST else guest.player is None:
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
    return Guest(game, row.player, is_host=row.host, is_member=True, visitor=guest.visitor)


def perform_action(guest: Guest, action_text: str, name: str = "", text: str = "") -> None:
    """Perform the action that a post names.

    Args:
        action_text: The value of the post's field `do`: the action's name and arguments.
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
    if action_name not in ACTIONS_AT_OWNED_TABLES and Disclosure(guest.game).onward:
        raise Forbidden
    if not re.fullmatch(action.argument, action_text[len(action_name) :], re.ASCII):
        raise Illegal("bad_post")
    with transaction.atomic():
        # A report notifies its study first, so these actions must not lock the game's row before.
        if action_name not in ACTIONS_AT_OWNED_TABLES:
            guest = _lock_and_reload_guest(guest)
            _check_right(guest, action_name)
        for seat in action.perform(ActionRequest(guest, action_text.split(":")[1:], name, text)):
            AuditEntry.objects.create(
                game=guest.game, what=action_name, seat=seat, by_host=action_name in ACTIONS_BY_HOST
            )
    if action.after:
        action.after(guest.game.pk)
