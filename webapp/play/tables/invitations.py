"""The pages of the links to a table: of its invitation, and of the private link of each seat.

Opening a link gives no one a seat, because mail programs open links too. The button on its page
does, and the press is recorded (`AuditEntry`). A private link gives every browser that opens it the
same seat.
"""

import uuid
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from game import lobby
from game.engine import rulesets
from game.engine.forms import Illegal
from game.game_actions import free_portrait_paths
from game.models import Game, Player
from webapp.play import rate_limits, refusals, visitors
from webapp.play.disclosure import Disclosure
from webapp.play.error_pages import Link, render_barred_page, render_error_page
from webapp.play.models import AuditEntry, Desk, Membership, Table
from webapp.storable_text import read_number

RESEARCH_DISCLOSED = "research"  # value of the field "told": the page said that research is allowed


@never_cache
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, key: str) -> HttpResponse:
    """Show the invitation. On a post, seat the visitor under the name that they chose, if any."""
    tables = Table.objects.filter(invitation=key, onward="")
    table = tables.select_related("game").first()
    if table is None:
        text = _(
            "The link may be incomplete, or the host has replaced it. Ask the person who "
            "sent it for the current link."
        )
        return render_error_page(request, 404, _("Invitation not found"), text)
    game = table.game
    visitor = visitors.visitor_of(request.session)
    if visitor and Membership.objects.filter(game=game, visitor=visitor).exists():
        return redirect("table", game.code)
    if visitors.is_barred(visitor, game):
        return render_barred_page(request)
    if refusal := _render_closed(request, table):
        return refusal
    if request.method == "GET":
        return _render_invitation(request, table, key)
    name, portrait = request.POST.get("name", ""), read_number(request.POST.get("portrait", ""))
    try:
        return _sit_down(request, game, name, portrait)
    except Illegal as illegal:
        error_text = refusals.refusal_text(illegal)
        if illegal.code == "page_changed":
            table.refresh_from_db()
            form_context = {"name": name, "portrait": portrait, "page_error": error_text}
            return _render_invitation(request, table, key, 409, **form_context)
        if illegal.code in refusals.TIMING_ERRORS:  # another visitor was faster
            game.refresh_from_db()
            return _render_closed(request, table) or redirect("join", key)
        form_context = {"name": name, "portrait": portrait, "name_error": error_text}
        status = refusals.refusal_status(illegal)
        return _render_invitation(request, table, key, status, **form_context)


def _render_invitation(
    request: HttpRequest, table: Table, key: str, status: int = 200, **form_context: Any
) -> HttpResponse:
    """Render the invitation. `form_context` is what was typed, and why it was refused."""
    game = table.game
    context = {
        "key": key,  # as in the address: the host may have renewed it since
        "ruleset": game.ruleset,
        "title": _(rulesets.get(game.ruleset).title),
        "blind": Disclosure(game).is_blind,
        "research": table.research,
        "disclosure": RESEARCH_DISCLOSED if table.research else "",
        "portraits": free_portrait_paths(game),
        "joined_names": _joined_names(game),
        "open_seat_count": game.players.filter(kind=Player.OPEN).count(),
        **form_context,
    }
    return render(request, "play/join.html", context, status=status)


def _sit_down(request: HttpRequest, game: Game, name: str, portrait: int) -> HttpResponse:
    visitor = visitors.request_visitor(request)
    if not rate_limits.table_rate.try_acquire(visitor.hex):
        raise Illegal("too_fast")
    with transaction.atomic():
        # The row lock makes a second press wait, so that it finds the seat of the first.
        Game.objects.select_for_update().get(pk=game.pk)
        if not Membership.objects.filter(game=game, visitor=visitor).exists():
            is_disclosed = request.POST.get("told") == RESEARCH_DISCLOSED
            if not is_disclosed and Table.objects.filter(game=game, research=True).exists():
                raise Illegal("page_changed")
            player = lobby.join(game.pk, name, portrait)
            visitors.seat_visitor(visitor, game, player)
            AuditEntry.objects.create(game=game, what="join", seat=player.seat)
    visitors.store_visitor(request, visitor)
    return redirect("table", game.code)


def _render_closed(request: HttpRequest, table: Table) -> HttpResponse | None:
    """Render the page that says why no one can join the table, None if visitors can join."""
    game = table.game
    can_watch = table.spectators and game.started_at
    link = Link(_("Watch the game"), reverse("table", args=[game.code])) if can_watch else None
    if game.called_off:
        text = _("The host has called this table off.")
        return render_error_page(request, 410, _("This game was called off"), text, link)
    if game.started_at:
        text = _("You can no longer join. If you had a seat here before, use your private link.")
        return render_error_page(request, 409, _("The game has begun"), text, link)
    if not game.players.filter(kind=Player.OPEN).exists():
        text = _("Ask the host to open another seat, then reload this page.")
        return render_error_page(request, 409, _("All seats are taken"), text, link)
    return None


def _joined_names(game: Game) -> list[str]:
    """Return the names of the people who have joined, none at a blind table."""
    if not Disclosure(game).can_name_people:
        return []
    return list(game.players.filter(kind=Player.PERSON).values_list("name", flat=True))


@never_cache
@require_http_methods(["GET", "POST"])
def open_seat_link(request: HttpRequest, key: str) -> HttpResponse:
    """Show the page of a seat's private link. On a post, give this browser the seat."""
    desk = Desk.objects.filter(key=key).select_related("player__game").first()
    if desk is None or Disclosure(desk.player.game).owner_address:
        text = _("The link may be incomplete, or the person who had this seat has left the table.")
        return render_error_page(request, 404, _("Seat not found"), text)
    player, game = desk.player, desk.player.game
    visitor = visitors.visitor_of(request.session)
    membership = Membership.objects.filter(game=game, visitor=visitor).first() if visitor else None
    if membership and membership.player == player:
        return redirect("table", game.code)
    if visitors.is_barred(visitor, game):
        return render_barred_page(request)
    if request.method == "POST":
        visitor = visitors.request_visitor(request)
        _seat_browser(visitor, player)
        visitors.store_visitor(request, visitor)
        return redirect("table", game.code)
    present_player = membership.player if membership else None
    context = {
        "key": key,
        "name": _player_name(player),
        "is_watching": membership is not None,
        "present_name": _player_name(present_player) if present_player else "",
    }
    return render(request, "play/open_seat.html", context)


def _player_name(player: Player) -> str:
    """Return the player's name. A blind table shows none before the game begins."""
    is_unnamed = Disclosure(player.game).is_blind and not player.game.started_at
    return _("a guest") if is_unnamed else player.name


def _seat_browser(visitor: uuid.UUID, player: Player) -> None:
    """Give the visitor the seat, and the host's role if the seat's other browsers have it."""
    is_host = Membership.objects.filter(player=player, host=True).exists()
    with transaction.atomic():
        visitors.seat_visitor(visitor, player.game, player, is_host=is_host)
        AuditEntry.objects.create(game=player.game, what="open_link", seat=player.seat)
