"""Who comes: a browser is known by its session; nobody needs an account."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

from game import statements
from game.models import Game, Player, new_key
from webapp.play.guest import Guest
from webapp.play.models import Desk, Membership, Removed, Table

KEY = "visitor"
LINK = "link"  # the personal link of a study by which the browser has come, where it has


def visitor_of(session: Mapping[str, Any]) -> uuid.UUID | None:
    """Return the visitor of a session, none for one who has never sat down."""
    stored_id = session.get(KEY)
    return uuid.UUID(stored_id) if stored_id else None


def link_of(session: Mapping[str, Any]) -> str:
    """Return what stands for the personal link of a study by which this browser has come.

    Returns "" for none.
    """
    return str(session.get(LINK, ""))


def request_visitor(request: HttpRequest) -> uuid.UUID:
    """Return the visitor of a request.

    A new one is not known before `welcome`.
    """
    return visitor_of(request.session) or uuid.uuid4()


def welcome(request: HttpRequest, visitor: uuid.UUID) -> None:
    """The browser is the visitor's from now on.

    Only where somebody has sat down: whoever is refused leaves nothing behind, and a GET enrols
    nobody.
    """
    if request.session.get(KEY) != visitor.hex:
        request.session[KEY] = visitor.hex


def seat_visitor(
    visitor: uuid.UUID, game: Game, player: Player | None, *, host: bool = False
) -> None:
    """Let the visitor sit down (`player`) or watch (none), whatever they did here before.

    In another seat than before they come last: `renew_link` goes by who came first.
    """
    before = Membership.objects.filter(visitor=visitor, game=game).first()
    host = host or bool(before and before.host)
    if before and before.player != player:
        before.delete()
    Membership.objects.update_or_create(
        visitor=visitor, game=game, defaults={"player": player, "host": host}
    )
    if player:
        Desk.objects.get_or_create(player=player)


def unseat(player: Player) -> None:
    """The person in the seat goes: no browser and no link of theirs leads back into it."""
    Membership.objects.filter(player=player, host=True).update(player=None)
    Membership.objects.filter(player=player).delete()
    Desk.objects.filter(player=player).delete()


def bar(player: Player) -> None:
    """The browsers of the person in the seat do not come back to this table by its invitation."""
    browsers = Membership.objects.filter(player=player, host=False).values_list(
        "visitor", flat=True
    )
    rows = [Removed(visitor=visitor, game=player.game) for visitor in browsers]
    Removed.objects.bulk_create(rows, ignore_conflicts=True)


def is_barred(visitor: uuid.UUID | None, game: Game) -> bool:
    return visitor is not None and Removed.objects.filter(visitor=visitor, game=game).exists()


def readmit(game: Game) -> bool:
    """Return whoever was removed may come again.

    Returns False where nobody was.
    """
    removed, _each = Removed.objects.filter(game=game).delete()
    return removed > 0


def renew_invitation(game: Game) -> None:
    Table.objects.filter(game=game).update(invitation=new_key())


def renew_link(player: Player, visitor: uuid.UUID) -> None:
    """Another private link for the seat.

    The person's browsers that came after `visitor` leave the seat: the one before, in wrong hands,
    let them in, and can't put out whose it was.
    """
    Desk.objects.filter(player=player).update(key=new_key())
    here = Membership.objects.get(player=player, visitor=visitor)
    Membership.objects.filter(player=player, pk__gt=here.pk).delete()


def guest(visitor: uuid.UUID | None, code: str) -> Guest | None:
    """Return the visitor as a guest of game `code`.

    Returns None for outsiders. Game.DoesNotExist if unknown.
    """
    game = next(iter(statements.select(Game, code=code)), None)
    if game is None:
        raise Game.DoesNotExist
    seated = [visitor] if visitor else []
    for row in statements.select(Membership, game_id=game.pk, visitor=seated):
        in_seat = [row.player_id] if row.player_id else []
        player = next(iter(statements.select(Player, id=in_seat)), None)
        return Guest(game, player, host=row.host, member=True, visitor=visitor)
    return Guest(game, None) if may_watch(game) and not is_barred(visitor, game) else None


def may_watch(game: Game) -> bool:
    """Return whether everyone who knows the address may look on."""
    return Table.objects.filter(game=game, spectators=True).exists()


def successor_for(guest: Guest, table: Table) -> str:
    """The code of the table that `table`'s people went on to, "" where the guest has no place."""
    mine = Membership.objects.filter(game=table.game, player=guest.player, host=guest.host)
    memberships = Membership.objects.filter(
        game=table.successor_id, visitor__in=mine.values("visitor")
    )
    membership = memberships.select_related("game").first()
    return membership.game.code if membership else ""
