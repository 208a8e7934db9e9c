"""Pages and posts of play. Views are thin: they find the guest, call services, render."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import (
    conditional_page,
    require_GET,
    require_http_methods,
    require_POST,
)

from game import selectors, services
from game.engine.forms import PASSES, Illegal
from game.models import Game
from webapp.play import (
    acts,
    limits,
    lobby,
    minds,
    presence,
    presses,
    push,
    sentences,
    story,
    tables,
    tempo,
    unwatched,
    visitors,
)
from webapp.play.build import page_for
from webapp.play.desk import save_draft, save_guess, save_note
from webapp.play.failures import message
from webapp.play.guest import Guest
from webapp.play.home import games_of, rules_page, ruleset_list
from webapp.play.how_to import how_to_page
from webapp.play.lobby import lobby_for
from webapp.play.look import look_at
from webapp.play.portraits import portraits_for
from webapp.play.replay.build import NoReplay, replay_for
from webapp.play.table_form import DEFAULT_RULESET, TableForm, choices
from webapp.proxies import address_of
from webapp.text import storable

TableView = Callable[Concatenate[HttpRequest, Guest, ...], HttpResponse]


def at_table(view: TableView) -> Callable[..., HttpResponse]:
    """Find the guest of the game in the address; outsiders and unknown tables end here."""

    @wraps(view)
    def wrapped(request: HttpRequest, code: str, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            guest = visitors.guest(visitors.visitor_of(request.session), code)
        except Game.DoesNotExist:
            text = _("The address may contain a typing mistake, or there was never such a table.")
            return message(request, 404, _("There is no such table"), text)
        if guest is None and visitors.is_barred(visitors.visitor_of(request.session), _game(code)):
            text = _("The host has removed you from it. There are other tables on the first page.")
            return message(request, 403, _("You have no place at this table any more"), text)
        if guest is None:
            text = _("You have no seat here. Open it in the browser you play in.")
            return message(request, 403, _("This is somebody else’s table"), text)
        return view(request, guest, *args, **kwargs)

    return wrapped


def _game(code: str) -> Game:
    return Game.objects.get(code=code)


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    context = {
        "rulesets": ruleset_list(),
        "games": games_of(visitors.visitor_of(request.session)),
    }
    return render(request, "home.html", context)


def _open(request: HttpRequest, *, at_once: bool = False, **choices: Any) -> HttpResponse:
    """A new table for this visitor; the one there is where the button is pressed again."""
    key = presses.key_of(request, or_visitor=at_once)
    if press := presses.earlier(key):
        visitors.welcome(request, press.visitor)
        assert press.game
        return redirect("table", press.game.code)
    visitor = visitors.coming(request)
    if not limits.may_open_table(visitor, request.session, address_of(request)):
        return message(request, 429, _("Too many tables at once"), _too_many())
    choices = tempo.liked(request.session, choices)
    game, host = presses.once(key, visitor, lambda who: tables.open_table(who, **choices))
    visitors.welcome(request, host)
    return redirect("table", game.code)


def _too_many() -> str:
    return _(
        "Many tables were opened just now, by you or by others on your network. Wait a few minutes"
        " before you open another one. Your games are on the first page."
    )


def _quick(request: HttpRequest, **choices: Any) -> HttpResponse:
    """A table at once, with the model that is set up, if one is and it answers."""
    asked = request.POST.get("backend", "")
    backend = asked if asked in minds.known() else minds.usual()
    if why := minds.trouble(backend):
        context = {"why": why, "again": request.path}
        return render(request, "play/no_model.html", context, status=503)
    return _open(request, at_once=True, backend=backend, **choices)


@require_POST
def play_now(request: HttpRequest) -> HttpResponse:
    return _quick(request)


@require_POST
def watch(request: HttpRequest) -> HttpResponse:
    return _quick(request, mode="watch")


@cache_control(private=True, no_cache=True)  # what was filled in survives "back"
@require_http_methods(["GET", "POST"])
def new_table(request: HttpRequest) -> HttpResponse:
    asked = {"ruleset": request.GET.get("ruleset", "")}
    form = TableForm(request.POST if request.method == "POST" else None, initial=asked)
    if request.method == "POST" and form.is_valid():
        return _open(request, **choices(form.cleaned_data))
    return render(request, "new_table.html", {"form": form}, status=422 if form.errors else 200)


@cache_control(private=True, no_cache=True)
@require_GET
def rules(request: HttpRequest, ruleset: str) -> HttpResponse:
    page = rules_page(ruleset)
    if page is None:
        text = _("The games that are played here are listed on the first page.")
        return message(request, 404, _("There is no such game"), text)
    return render(request, "rules.html", {"rules": page})


@require_GET
def how_to(request: HttpRequest, ruleset: str = "") -> HttpResponse:
    """A round in pictures; without a name, of the game that opens unless one chooses."""
    if not ruleset:
        return redirect("how_to", DEFAULT_RULESET)
    page = how_to_page(ruleset)
    return render(request, "how_to.html", page) if page else rules(request, ruleset)


@require_GET
@at_table
def table(request: HttpRequest, guest: Guest) -> HttpResponse:
    """The lobby while the table gathers, the game once it has begun."""
    site = f"{request.scheme}://{request.get_host()}"
    shared = {"site": site, "portraits": portraits_for(guest.game) if guest.player else []}
    if not guest.game.started_at:
        return render(request, "play/lobby.html", {"lobby": lobby_for(guest), **shared})
    if unwatched.note_look(guest.game.pk):
        guest.game.refresh_from_db()
    viewer = "seat" if guest.player else "watcher"
    page = page_for(guest)
    context = {"page": page, "viewer": viewer, "rules": rules_page(page.ruleset), **shared}
    return render(request, "play/table.html", context)


@conditional_page  # a page that has this frame already is told so, and nothing else
@require_GET
@at_table
def news(request: HttpRequest, guest: Guest) -> HttpResponse:
    """What a page without a socket has not shown yet, as the socket would bring it."""
    visitor = visitors.visitor_of(request.session) or address_of(request)
    if not limits.news.allows(f"{guest.game.pk}/{visitor}"):
        return HttpResponse(status=429)
    presence.note(guest.game.pk, [guest])
    return HttpResponse(_news(request, guest))


@require_POST
@at_table
def answer(request: HttpRequest, guest: Guest) -> HttpResponse:
    if guest.player is None:
        return _refused(request, guest, Illegal("not_asked"), 403)
    if not limits.answers.allows(f"{guest.game.pk}/{guest.player.seat}"):
        return _refused(request, guest, Illegal("too_fast"))
    try:
        window, post, given = _posted(request)
        services.answer(guest.game.pk, guest.player.seat, window, given, post=post, agent=False)
    except Illegal as illegal:
        return _refused(request, guest, illegal)
    if given.get("text") and "pass" not in given:
        save_draft(guest.player, "")
    if not request.htmx:  # type: ignore[attr-defined]
        return redirect("table", guest.game.code)
    return HttpResponse(_news(request, guest))


def _news(request: HttpRequest, guest: Guest) -> str:
    """What the sender's page has not shown yet; no entries where it says nothing of its cursor."""
    found = visitors.guest(visitors.visitor_of(request.session), guest.game.code)
    if found is None:
        return ""
    asked = request.POST if request.method == "POST" else request.GET
    if not found.game.started_at or asked.get("lobby"):
        return lobby.frame(found, look_at(found.game))
    cursor = asked.get("cursor", "")
    known = cursor.isdecimal() and len(cursor) < 10
    return push.frame(page_for(found, int(cursor) if known else 10**9))


def _posted(request: HttpRequest) -> tuple[str, uuid.UUID, dict[str, Any]]:
    """(window key, post id, what was answered) of an answer's form. Raises Illegal("bad_post")."""
    form = request.POST
    try:
        post = uuid.UUID(form["post"]) if form.get("post") else uuid.uuid4()
        window = storable(form["window"])
    except (KeyError, ValueError):
        raise Illegal("bad_post") from None
    given: dict[str, Any] = {"targets": form.getlist("target")}
    given |= {"pass": form["manner"]} if form.get("manner") in PASSES else {}
    given |= {name: form[name] for name in ("text", "to", "abstain") if name in form}
    if "rated" in form:
        given["ratings"] = {
            seat: {"role": form[f"role-{seat}"], "confidence": form.get(f"confidence-{seat}", "")}
            for seat in form.getlist("rated")
            if form.get(f"role-{seat}")
        }
    return window, post, given


def _refused(request: HttpRequest, guest: Guest, illegal: Illegal, status: int = 0) -> HttpResponse:
    """The refusal in words; what was typed stays on the page and, as the draft, with us."""
    text, fitting = sentences.refusal(illegal)
    typed = request.POST.get("text", "")
    if guest.player and typed and illegal.code != "answered":
        save_draft(guest.player, typed)
    if request.htmx:  # type: ignore[attr-defined]
        body = render(request, "play/refused.html", {"text": text}).content
        if fitting == 409:  # the page was out of step: bring it in step
            body += _news(request, guest).encode()
        return HttpResponse(body, status=status or fitting)
    return message(request, status or fitting, _("That did not work"), text)


@require_POST
@at_table
def note(request: HttpRequest, guest: Guest) -> HttpResponse:
    if guest.player is None:
        return HttpResponse(status=403)
    if not limits.desk.allows(f"{guest.game.pk}/{guest.player.seat}"):
        return HttpResponse(status=429)
    if not save_note(guest, request.POST):
        return HttpResponse(status=422)
    if request.htmx:  # type: ignore[attr-defined]
        return HttpResponse(status=204)
    return redirect("table", guest.game.code)


@require_POST
@at_table
def guess(request: HttpRequest, guest: Guest) -> HttpResponse:
    """Whom the person suspects at night: for themselves alone, no part of the game."""
    if guest.player is None:
        return _refused(request, guest, Illegal("not_a_member"), 403)
    phase = selectors.view_for(guest.game, guest.viewer).state.moment.phase_number
    if not save_guess(guest.player, phase, request.POST.get("target", "")):
        return _refused(request, guest, Illegal("not_an_option"))
    if not request.htmx:  # type: ignore[attr-defined]
        return redirect("table", guest.game.code)
    return HttpResponse(_news(request, guest))


@require_POST
@at_table
def draft(request: HttpRequest, guest: Guest) -> HttpResponse:
    if guest.player is None:
        return HttpResponse(status=403)
    if not limits.desk.allows(f"{guest.game.pk}/{guest.player.seat}"):
        return HttpResponse(status=429)
    save_draft(guest.player, request.POST.get("text", ""))
    return HttpResponse(status=204)


@require_POST
@at_table
def again(request: HttpRequest, guest: Guest) -> HttpResponse:
    if not guest.member:
        return _refused(request, guest, Illegal("not_a_member"), 403)
    visitor = visitors.coming(request)
    if not guest.game.ended_at:
        return _refused(request, guest, Illegal("not_over"))
    if not limits.may_open_table(visitor, request.session, address_of(request)):
        return _refused(request, guest, Illegal("many_tables"))
    return redirect("table", tables.same_again(visitor, guest.game).code)


@require_POST
@at_table
def act(request: HttpRequest, guest: Guest) -> HttpResponse:
    """Everything people do to a table beside playing (`webapp.play.acts`)."""
    if not guest.member:
        return _refused(request, guest, Illegal("not_a_member"), 403)
    if not limits.desk.allows(f"{guest.game.pk}/{visitors.visitor_of(request.session)}"):
        return _refused(request, guest, Illegal("too_fast"))
    do = storable(request.POST.get("do", ""))
    try:
        name, words = (storable(request.POST.get(key, "")) for key in ("name", "words"))
        acts.perform(guest, do, name, words)
    except acts.Forbidden:
        return _refused(request, guest, Illegal("not_yours"), 403)
    except Illegal as illegal:
        return _refused(request, guest, illegal)
    tempo.remember(request.session, do)
    if do == "leave":
        return redirect("home")
    if do == "erase":
        text = _(
            "What you said at this table and the name you chose are deleted, and you can’t open"
            " the table any more."
            " The votes and the roles stay, under the name of the seat."
        )
        return message(request, 200, _("It is taken back"), text)
    if not request.htmx:  # type: ignore[attr-defined]
        return redirect("table", guest.game.code)
    return HttpResponse(_news(request, guest))


@never_cache  # one address gives the page or its parts
@require_GET
@at_table
def replay(request: HttpRequest, guest: Guest) -> HttpResponse:
    """A finished game, line `at` as `as` saw it; only the parts that change where a script asks."""
    asked = request.GET
    try:
        page = replay_for(guest, asked.get("as", ""), asked.get("at", ""))
    except NoReplay as none:
        return message(request, none.status, none.title, none.text, none.way)
    part = request.headers.get("HX-Request") == "true"
    template = "play/replay/moment.html" if part else "play/replay/page.html"
    response = render(request, template, {"page": page, "oob": part})
    patch_vary_headers(response, ["HX-Request"])
    return response


@require_GET
@at_table
def transcript(request: HttpRequest, guest: Guest, form: str) -> HttpResponse:
    """The story so far as this guest may know it; after the end, as everyone may."""
    if form == "jsonl":
        lines = story.lines(guest)
        body = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        kind = "application/x-ndjson"
    else:
        body, kind = story.text(guest), "text/plain"
    response = HttpResponse(body, content_type=f"{kind}; charset=utf-8")
    name = f"fabula-{guest.game.code}.{form}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
