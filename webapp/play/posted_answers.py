"""The views for posts of a table (answers, guesses, notes, drafts, actions) and polled updates.

An action is anything that people do besides playing. It is one post, `do=<action>[:<argument>…]`.
Some actions belong to the host, some to every player. Errors change nothing: 403 not permitted, 400
malformed arguments, 409 impossible now. Changes are recorded (`AuditEntry`) in the same
transaction.
"""

from __future__ import annotations

import re
import uuid
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import conditional_page, require_GET, require_POST

from game import selectors, services
from game.engine.forms import PASSES, Illegal
from game.locked_game import lock_game
from webapp.play import presence, rate_limits, refusals, visitors
from webapp.play.disclosure import Disclosure
from webapp.play.error_pages import render_error_page
from webapp.play.live import push
from webapp.play.models import AuditEntry, Membership
from webapp.play.page import host_panel, lobby_view
from webapp.play.page.desk_storage import save_draft, save_guess, save_note
from webapp.play.page.page_builder import page_for
from webapp.play.page.snapshot import take_snapshot
from webapp.play.tables.actions import ActionRequest
from webapp.play.tables.actions_by_host import ACTIONS_BY_HOST
from webapp.play.tables.actions_by_seat import ACTIONS_BY_SEAT
from webapp.play.visitors import Guest
from webapp.proxies import client_address
from webapp.storable_text import storable


@conditional_page  # a page that already has this frame gets an empty "not modified" response
@require_GET
@visitors.at_table
def news(request: HttpRequest, guest: Guest) -> HttpResponse:
    """Return the updates of a page without a socket, as the socket would send them."""
    visitor = visitors.visitor_of(request.session) or client_address(request)
    if not rate_limits.news.allows(f"{guest.game.pk}/{visitor}"):
        return HttpResponse(status=429)
    presence.record_presence(guest.game.pk, [guest])
    return HttpResponse(_render_updates(request, guest))


@require_POST
@visitors.at_table
def answer(request: HttpRequest, guest: Guest) -> HttpResponse:
    if guest.player is None:
        return refuse(request, guest, Illegal("not_asked"), 403)
    if not rate_limits.answers.allows(f"{guest.game.pk}/{guest.player.seat}"):
        return refuse(request, guest, Illegal("too_fast"))
    try:
        window, post, posted_answer = _parse_answer(request)
        services.answer(
            guest.game.pk, guest.player.seat, window, posted_answer, post=post, is_agent=False
        )
    except Illegal as illegal:
        return refuse(request, guest, illegal)
    if posted_answer.get("text") and "pass" not in posted_answer:
        save_draft(guest.player, "", is_secret="secret" in request.POST)
    return _accept(request, guest)


def _accept(request: HttpRequest, guest: Guest, *, sends_news: bool = True) -> HttpResponse:
    """Answer a post that was accepted.

    The response holds the page's updates, or nothing if it needs none (`sends_news`). A page
    without scripts is redirected to the table.
    """
    if not request.htmx:  # type: ignore[attr-defined]
        return redirect("table", guest.game.code)
    return HttpResponse(_render_updates(request, guest)) if sends_news else HttpResponse(status=204)


def _render_updates(request: HttpRequest, guest: Guest) -> str:
    """Render the updates for the sender's page. Without a cursor it gets no entries."""
    viewer_guest = visitors.find_guest(visitors.visitor_of(request.session), guest.game.code)
    if viewer_guest is None:
        return ""
    query = request.POST if request.method == "POST" else request.GET
    if not viewer_guest.game.started_at or query.get("lobby"):
        return lobby_view.render_lobby(viewer_guest, take_snapshot(viewer_guest.game))
    cursor = query.get("cursor", "")
    is_valid_cursor = cursor.isdecimal() and len(cursor) < 10
    return push.render_frame(page_for(viewer_guest, int(cursor) if is_valid_cursor else 10**9))


def _parse_answer(request: HttpRequest) -> tuple[str, uuid.UUID, dict[str, Any]]:
    """Parse an answer's form. Return (window key, post id, answer).

    Raises:
        Illegal: `bad_post` if a field is missing or malformed.
    """
    form = request.POST
    try:
        post = uuid.UUID(form["post"]) if form.get("post") else uuid.uuid4()
        window = storable(form["window"])
    except (KeyError, ValueError):
        raise Illegal("bad_post") from None
    posted_answer: dict[str, Any] = {"targets": form.getlist("target")}
    posted_answer |= {"pass": form["manner"]} if form.get("manner") in PASSES else {}
    posted_answer |= {name: form[name] for name in ("text", "to", "abstain", "why") if name in form}
    if "rated" in form:
        rated_seats = () if "unchanged" in form else form.getlist("rated")
        posted_answer["ratings"] = {
            seat: {"role": form[f"role-{seat}"], "confidence": form.get(f"confidence-{seat}", "")}
            for seat in rated_seats
            if form.get(f"role-{seat}")
        }
    return window, post, posted_answer


def refuse(request: HttpRequest, guest: Guest, illegal: Illegal, status: int = 0) -> HttpResponse:
    """Answer a post that was refused, with the reason.

    A typed text stays on the page, and on the server as the draft.
    """
    text, usual_status = refusals.explain(illegal)
    typed_text = request.POST.get("text", "")
    if guest.player and typed_text and illegal.code != "answered":
        save_draft(guest.player, typed_text, is_secret="secret" in request.POST)
    if request.htmx:  # type: ignore[attr-defined]
        body = render(request, "play/refused.html", {"text": text}).content
        if usual_status == 409:  # the page was outdated: update it
            body += _render_updates(request, guest).encode()
        return HttpResponse(body, status=status or usual_status)
    return render_error_page(request, status or usual_status, _("That did not work"), text)


@require_POST
@visitors.at_table
def save_desk(request: HttpRequest, guest: Guest) -> HttpResponse:
    if guest.player is None:
        return HttpResponse(status=403)
    if not rate_limits.desk.allows(f"{guest.game.pk}/{guest.player.seat}"):
        return HttpResponse(status=429)
    if not save_note(guest, request.POST):
        return HttpResponse(status=422)
    return _accept(request, guest, sends_news=False)


@require_POST
@visitors.at_table
def guess(request: HttpRequest, guest: Guest) -> HttpResponse:
    """Store a person's private suspicion at night. It is not part of the game."""
    if guest.player is None:
        return refuse(request, guest, Illegal("not_a_member"), 403)
    if not rate_limits.desk.allows(f"{guest.game.pk}/{guest.player.seat}"):
        return refuse(request, guest, Illegal("too_fast"))
    phase = selectors.view_for(guest.game, guest.viewer).state.moment.phase_number
    if not save_guess(guest.player, phase, request.POST.get("target", "")):
        return refuse(request, guest, Illegal("not_an_option"))
    return _accept(request, guest)


@require_POST
@visitors.at_table
def draft(request: HttpRequest, guest: Guest) -> HttpResponse:
    if guest.player is None:
        return HttpResponse(status=403)
    if not rate_limits.desk.allows(f"{guest.game.pk}/{guest.player.seat}"):
        return HttpResponse(status=429)
    save_draft(guest.player, request.POST.get("text", ""), is_secret="secret" in request.POST)
    return HttpResponse(status=204)


@require_POST
@visitors.at_table
def act(request: HttpRequest, guest: Guest) -> HttpResponse:
    """Perform an action on a table."""
    if not guest.is_member:
        return refuse(request, guest, Illegal("not_a_member"), 403)
    if not rate_limits.desk.allows(f"{guest.game.pk}/{visitors.visitor_of(request.session)}"):
        return refuse(request, guest, Illegal("too_fast"))
    action = storable(request.POST.get("do", ""))
    try:
        name, text = (storable(request.POST.get(key, "")) for key in ("name", "words"))
        perform_action(guest, action, name, text)
    except Forbidden:
        return refuse(request, guest, Illegal("not_yours"), 403)
    except Illegal as illegal:
        return refuse(request, guest, illegal)
    host_panel.remember_pace(request.session, action)
    if action == "leave":
        return redirect("home")
    if action == "erase":
        notice = _(
            "What you said at this table and the name you chose have been deleted, and you can no "
            "longer open the table. Votes and roles remain under the name of your seat."
        )
        return render_error_page(request, 200, _("Your text has been withdrawn"), notice)
    return _accept(request, guest)


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
    if action_name not in ACTIONS_AT_OWNED_TABLES and Disclosure(guest.game).owner_address:
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
