"""The views for what a table's page posts.

A page posts answers, actions (`tables.actions`), and private data: drafts, notes, guesses.
"""

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from game import locked_game, selectors
from game.engine.events import PASSES
from game.engine.forms import Illegal
from webapp.middleware import is_htmx_request
from webapp.play import rate_limits, refusals, visitors
from webapp.play.error_pages import render_error_page
from webapp.play.live import push
from webapp.play.page import host_panel, lobby_view
from webapp.play.page.desk_storage import save_draft, save_guess, save_note
from webapp.play.page.snapshot import Snapshot
from webapp.play.page.table_page import Page, parse_position
from webapp.play.tables.actions import Forbidden, perform_action
from webapp.play.visitors import Guest
from webapp.storable_text import storable


@require_POST
@visitors.at_table
def answer(request: HttpRequest, guest: Guest) -> HttpResponse:
    if guest.player is None:
        return refuse(request, guest, Illegal("not_asked"), 403)
    game_id, seat = guest.game.pk, guest.player.seat
    if not rate_limits.answer_rate.try_acquire(f"{game_id}/{seat}"):
        return refuse(request, guest, Illegal("too_fast"))
    try:
        window_key, request_id, fields = _parse_answer(request)
        locked_game.record_answer(
            game_id, seat, window_key, fields, request_id=request_id, is_agent=False
        )
    except Illegal as illegal:
        return refuse(request, guest, illegal)
    if fields.get("text") and "pass" not in fields:
        save_draft(guest.player, "", is_secret="secret" in request.POST)
    return _accept(request, guest)


def _accept(request: HttpRequest, guest: Guest, *, has_updates: bool = True) -> HttpResponse:
    """Answer a post that was accepted, with the updates of the page if there are any.

    A page without scripts is redirected to the table.
    """
    if not is_htmx_request(request):
        return redirect("table", guest.game.code)
    if not has_updates:
        return HttpResponse(status=204)
    return HttpResponse(render_updates(request, guest))


def render_updates(request: HttpRequest, guest: Guest) -> str:
    """Render the updates for the sender's page. Without a valid cursor it gets no lines."""
    # Read again, because the post may have changed the game, or ended the guest's membership.
    guest_now = visitors.find_guest(visitors.visitor_of(request.session), guest.game.code)
    if guest_now is None:
        return ""
    query = request.POST if request.method == "POST" else request.GET
    if not guest_now.game.started_at or query.get("lobby"):
        return lobby_view.render_lobby(guest_now, Snapshot(guest_now.game))
    return push.render_frame(Page(guest_now, parse_position(query.get("cursor", ""))))


def _parse_answer(request: HttpRequest) -> tuple[str, uuid.UUID, dict[str, Any]]:
    """Return (window key, request id, answer as `locked_game.record_answer` takes it).

    Raise Illegal (`bad_post`) if the window or the id is malformed.
    """
    form = request.POST
    try:
        request_id = uuid.UUID(form["post"]) if form.get("post") else uuid.uuid4()
        window_key = storable(form["window"])
    except (KeyError, ValueError):
        raise Illegal("bad_post") from None
    fields: dict[str, Any] = {"targets": form.getlist("target")}
    fields |= {"pass": form["manner"]} if form.get("manner") in PASSES else {}
    fields |= {name: form[name] for name in ("text", "to", "abstain", "why") if name in form}
    if "rated" in form:
        # The button `unchanged` sends no new ratings, though the form's rows hold the latest ones.
        rated_seats = () if "unchanged" in form else form.getlist("rated")
        fields["ratings"] = {
            seat: {"role": form[f"role-{seat}"], "confidence": form.get(f"confidence-{seat}", "")}
            for seat in rated_seats
            if form.get(f"role-{seat}")
        }
    return window_key, request_id, fields


def refuse(request: HttpRequest, guest: Guest, illegal: Illegal, status: int = 0) -> HttpResponse:
    """Answer a post that was refused, with the reason. A typed statement is kept as the draft.

    `status` replaces the usual HTTP status of the reason.
    """
    text, status = refusals.refusal_text(illegal), status or refusals.refusal_status(illegal)
    typed_text = request.POST.get("text", "")
    # An answered window has the player's statement already: there is nothing to keep.
    if guest.player and typed_text and illegal.code != "answered":
        save_draft(guest.player, typed_text, is_secret="secret" in request.POST)
    if is_htmx_request(request):
        body = render(request, "play/refused.html", {"text": text}).content
        if illegal.code in refusals.TIMING_ERRORS:  # the page was outdated: update it
            body += render_updates(request, guest).encode()
        return HttpResponse(body, status=status)
    return render_error_page(request, status, _("That did not work"), text)


@require_POST
@visitors.at_table
def store_note(request: HttpRequest, guest: Guest) -> HttpResponse:
    if guest.player is None:
        return HttpResponse(status=403)
    if not rate_limits.desk_rate.try_acquire(f"{guest.game.pk}/{guest.player.seat}"):
        return HttpResponse(status=429)
    if not save_note(guest, request.POST):
        return HttpResponse(status=422)
    return _accept(request, guest, has_updates=False)


@require_POST
@visitors.at_table
def store_guess(request: HttpRequest, guest: Guest) -> HttpResponse:
    """Store a player's private guess at night. It is not part of the game."""
    if guest.player is None:
        return refuse(request, guest, Illegal("not_a_member"))
    if not rate_limits.desk_rate.try_acquire(f"{guest.game.pk}/{guest.player.seat}"):
        return refuse(request, guest, Illegal("too_fast"))
    phase = selectors.view_for(guest.game, guest.viewer).state.moment.phase_number
    if not save_guess(guest.player, phase, request.POST.get("target", "")):
        return refuse(request, guest, Illegal("not_an_option"))
    return _accept(request, guest)


@require_POST
@visitors.at_table
def store_draft(request: HttpRequest, guest: Guest) -> HttpResponse:
    if guest.player is None:
        return HttpResponse(status=403)
    if not rate_limits.desk_rate.try_acquire(f"{guest.game.pk}/{guest.player.seat}"):
        return HttpResponse(status=429)
    save_draft(guest.player, request.POST.get("text", ""), is_secret="secret" in request.POST)
    return HttpResponse(status=204)


@require_POST
@visitors.at_table
def act(request: HttpRequest, guest: Guest) -> HttpResponse:
    """Perform the action that the field `do` names."""
    if not guest.is_member:
        return refuse(request, guest, Illegal("not_a_member"))
    visitor = visitors.visitor_of(request.session)
    if not rate_limits.desk_rate.try_acquire(f"{guest.game.pk}/{visitor}"):
        return refuse(request, guest, Illegal("too_fast"))
    action = storable(request.POST.get("do", ""))
    try:
        name, text = (storable(request.POST.get(key, "")) for key in ("name", "words"))
        perform_action(guest, action, name, text)
    except Forbidden:
        return refuse(request, guest, Illegal("not_yours"))
    except Illegal as illegal:
        return refuse(request, guest, illegal)
    if action.startswith("pace:"):
        request.session[host_panel.PACE_KEY] = action.removeprefix("pace:")
    if action == "leave":
        return redirect("home")
    if action == "erase":
        notice = _(
            "What you said at this table and the name you chose have been deleted, and you can no "
            "longer open the table. Votes and roles remain under the name of your seat."
        )
        return render_error_page(request, 200, _("Your text has been withdrawn"), notice)
    return _accept(request, guest)
