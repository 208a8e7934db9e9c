"""Visitors and their seats. A session identifies a browser: players need no account."""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from game import sql_statements
from game.engine import visibility
from game.models import Game, Player, new_key
from webapp.play.error_pages import render_barred_page, render_error_page
from webapp.play.models import Desk, Membership, Removed, Table


@dataclass(frozen=True)
class Guest:
    """A viewer of a table: in a seat, or watching (`player` is None)."""

    game: Game
    player: Player | None
    is_host: bool = False
    is_member: bool = False  # has a membership; a spectator who only knows the address has none
    visitor: uuid.UUID | None = None  # the browser, where an action depends on it

    @property
    def viewer(self) -> visibility.Viewer:
        """The view of the game that the guest has: their seat's, or the public one."""
        return visibility.seat(self.player.seat) if self.player else visibility.PUBLIC


TableView = Callable[Concatenate[HttpRequest, "Guest", ...], HttpResponse]

VISITOR_KEY = "visitor"  # session key of the visitor's id
LINK_KEY = "link"  # session key of the personal study link by which the browser came, if any


def visitor_of(session: Mapping[str, Any]) -> uuid.UUID | None:
    """Return the visitor of a session, None before they first join a table."""
    stored_id = session.get(VISITOR_KEY)
    return uuid.UUID(stored_id) if stored_id else None


def link_of(session: Mapping[str, Any]) -> str:
    """Return the personal study link by which this browser came, "" for none."""
    return str(session.get(LINK_KEY, ""))


def request_visitor(request: HttpRequest) -> uuid.UUID:
    """Return the visitor of a request, or a new one, which only `store_visitor` stores."""
    return visitor_of(request.session) or uuid.uuid4()


def store_visitor(request: HttpRequest, visitor: uuid.UUID) -> None:
    """Store the visitor in this browser's session.

    Call it only after the visitor has joined a table: a refused request must store nothing.
    """
    if request.session.get(VISITOR_KEY) != visitor.hex:
        request.session[VISITOR_KEY] = visitor.hex


def seat_visitor(
    visitor: uuid.UUID, game: Game, player: Player | None, *, is_host: bool = False
) -> None:
    """Give the visitor the seat of `player`, or let them watch (None).

    A change of seat creates a new membership, because `renew_link` depends on the age of rows.
    """
    previous = Membership.objects.filter(visitor=visitor, game=game).first()
    is_host = is_host or bool(previous and previous.host)
    if previous and previous.player != player:
        previous.delete()
    Membership.objects.update_or_create(
        visitor=visitor, game=game, defaults={"player": player, "host": is_host}
    )
    if player:
        Desk.objects.get_or_create(player=player)


def remove_from_seat(player: Player) -> None:
    """Remove the person from the seat. None of their browsers and links leads back into it."""
    Membership.objects.filter(player=player, host=True).update(player=None)
    Membership.objects.filter(player=player).delete()
    Desk.objects.filter(player=player).delete()


def bar_browsers(player: Player) -> None:
    """Bar the browsers of the person in the seat from this table's invitation."""
    memberships = Membership.objects.filter(player=player, host=False)
    rows = [Removed(visitor=m.visitor, game=player.game) for m in memberships]
    Removed.objects.bulk_create(rows, ignore_conflicts=True)


def is_barred(visitor: uuid.UUID | None, game: Game) -> bool:
    return visitor is not None and Removed.objects.filter(visitor=visitor, game=game).exists()


def lift_bars(game: Game) -> bool:
    """Let removed visitors join again. Return False if there are none."""
    removed_count, _by_model = Removed.objects.filter(game=game).delete()
    return removed_count > 0


def renew_invitation(game: Game) -> None:
    Table.objects.filter(game=game).update(invitation=new_key())


def renew_link(player: Player, visitor: uuid.UUID) -> None:
    """Create another private link for the seat.

    Browsers that joined after `visitor` lose the seat, because the previous link may have admitted
    strangers. The person's own browser joined before them, so a stranger can't remove the person.
    """
    Desk.objects.filter(player=player).update(key=new_key())
    membership = Membership.objects.get(player=player, visitor=visitor)
    Membership.objects.filter(player=player, pk__gt=membership.pk).delete()


def set_host(game: Game, player: Player) -> None:
    """Make the player the host. A former host gets the role back only from the new one."""
    Membership.objects.filter(game=game, host=True).update(host=False)
    Membership.objects.filter(game=game, player=player).update(host=True)
    Table.objects.filter(game=game).update(host_seen_at=timezone.now())


def choose_next_host(game: Game) -> None:
    """Make the person longest at the table the host. Call it after the host has left the seat."""
    former_host = Membership.objects.filter(game=game, player=None, host=True)
    successor = Membership.objects.filter(game=game, player__isnull=False).order_by("pk").first()
    if successor:
        Membership.objects.filter(game=game, player=successor.player).update(host=True)
    former_host.delete()


def find_guest(visitor: uuid.UUID | None, code: str) -> Guest | None:
    """Return the visitor as a guest of game `code`, None for outsiders.

    Raise Game.DoesNotExist if there is no such game.
    """
    game = sql_statements.select_first(Game, code=code)
    if game is None:
        raise Game.DoesNotExist
    visitors = [visitor] if visitor else []
    if row := sql_statements.select_first(Membership, game_id=game.pk, visitor=visitors):
        player = sql_statements.select_first(Player, id=row.player_id) if row.player_id else None
        return Guest(game, player, is_host=row.host, is_member=True, visitor=visitor)
    admits_spectators = Table.objects.filter(game=game, spectators=True).exists()
    return Guest(game, None) if admits_spectators and not is_barred(visitor, game) else None


def at_table(view: TableView) -> Callable[..., HttpResponse]:
    """Decorate a view so that it gets the guest of the game in the address.

    The decorated view renders an error page for outsiders and for unknown tables.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, code: str, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            guest = find_guest(visitor_of(request.session), code)
        except Game.DoesNotExist:
            text = _("Check the address for typing errors. The table may not exist.")
            return render_error_page(request, 404, _("Table not found"), text)
        if guest is None:
            if is_barred(visitor_of(request.session), Game.objects.get(code=code)):
                return render_barred_page(request)
            text = _("You have no seat here. Open the table in the browser you play in.")
            return render_error_page(request, 403, _("This is another player’s table"), text)
        return view(request, guest, *args, **kwargs)

    return wrapped


def successor_for(guest: Guest, table: Table) -> str:
    """Return the code of the table at which `table` continued, "" without a seat there.

    All browsers that share the guest's seat count.
    """
    own_seat = {"game": table.game, "player": guest.player, "host": guest.is_host}
    visitors = Membership.objects.filter(**own_seat).values("visitor")
    game = Game.objects.filter(predecessor=table, memberships__visitor__in=visitors).first()
    return game.code if game else ""


def finished_seats(visitor: uuid.UUID) -> QuerySet[Player]:
    """Return the visitor's seats in finished games, without those of studies.

    It includes the seats of other browsers that share a seat with this one.
    """
    own_seats = Player.objects.filter(membership__visitor=visitor, game__table__onward="")
    memberships = Membership.objects.filter(player__in=own_seats)
    return Player.objects.filter(
        membership__visitor__in=memberships.values("visitor"),
        game__ended_at__isnull=False,
        game__called_off=False,
        game__table__onward="",
    )
