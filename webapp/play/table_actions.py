"""Actions on a table beside playing (votes enter in `posting`): one post, `do=<act>[:<argument>…]`.

Some are the host's, some anybody's in a seat. 403: not permitted; 400: malformed arguments; 409:
impossible now; in each case nothing changes. What changed something is recorded (`AuditEntry`)
in the same transaction.
"""

from __future__ import annotations

import re

from django.db import transaction

from game.engine.forms import Illegal
from webapp.play.acts import ActionRequest
from webapp.play.acts_by_host import BY_HOST
from webapp.play.acts_by_seat import BY_SEAT
from webapp.play.disclosure import Disclosure
from webapp.play.guest import Guest
from webapp.play.models import AuditEntry

ELSEWHERE = ("take_back", "report")  # what is left of them at a table that is run from elsewhere


class Forbidden(Exception):
    """That act is not this guest's."""


def perform(guest: Guest, do: str, name: str = "", words: str = "") -> None:
    """Do what was asked. Raises Forbidden or Illegal."""
    what = do.partition(":")[0]
    act = BY_HOST.get(what) or BY_SEAT.get(what)
    if act is None:
        raise Illegal("bad_post")
    if not guest.host if what in BY_HOST else guest.player is None:
        raise Forbidden
    if what not in ELSEWHERE and Disclosure(guest.game).onward:
        raise Forbidden
    if not re.fullmatch(act.takes, do[len(what) :], re.ASCII):
        raise Illegal("bad_post")
    asked = ActionRequest(guest, do.split(":")[1:], name, words)
    with transaction.atomic():
        for seat in act.do(asked):
            AuditEntry.objects.create(
                game=guest.game, what=what, seat=seat, by_host=what in BY_HOST
            )
    if act.after:
        act.after(guest.game.pk)
