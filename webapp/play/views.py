"""The views of play's pages. `table_posts` has those for what a table's page posts."""

import json
from dataclasses import replace
from typing import Any

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

from agents.recipe import Recipe
from game.engine import rulesets
from game.engine.declarations import casual_settings
from game.engine.forms import Illegal
from game.engine.visibility import PUBLIC
from game.game_actions import free_portrait_paths
from game.models import Game
from webapp.middleware import is_htmx_request
from webapp.play import daily_deal, presence, rate_limits, refusals, table_owners, visitors
from webapp.play.disclosure import Disclosure
from webapp.play.error_pages import render_error_page
from webapp.play.page import host_panel
from webapp.play.page.lobby_view import Lobby
from webapp.play.page.table_page import FirstPage, OlderLines, parse_position
from webapp.play.replay import text_export
from webapp.play.replay.hindsight import build_hindsight, find_hindsight
from webapp.play.replay.public_replay import AnonymousGame, build_preview, draw_last_vote
from webapp.play.replay.replay_builder import build_guest_replay, build_replay
from webapp.play.replay_access import at_public_replay, at_replay
from webapp.play.table_posts import refuse, render_updates
from webapp.play.tables import opening
from webapp.play.tables.rules_pages import DEFAULT_RULESET, all_rules_pages, how_to_page, rules_page
from webapp.play.tables.table_form import TableForm, build_table_options
from webapp.play.tables.your_games import YourGames, visitor_games
from webapp.play.turns import model_choices, style_checks
from webapp.play.visitors import Guest
from webapp.proxies import client_address, site_address

REFRESH_S = 10  # without scripts, a page that waits for others reloads this often


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    context = {
        "rulesets": all_rules_pages(),
        "games": visitor_games(visitors.visitor_of(request.session)),
        "model": model_choices.default_model(),
        "daily": daily_deal.todays_deal(visitors.visitor_of(request.session)),
    }
    return render(request, "home.html", context)


@require_GET
def your_games_page(request: HttpRequest) -> HttpResponse:
    page = YourGames(visitors.visitor_of(request.session))
    return render(request, "your_games.html", {"page": page, "site": site_address(request)})


def _open_table(
    request: HttpRequest, options: opening.TableOptions, *, is_quick: bool = False
) -> HttpResponse:
    """Open a table and redirect to it. A repeated press redirects to the table of the first.

    A quick table was not set up in the form. It has the visitor's preferred pace.
    """
    key = opening.press_key(request, use_visitor=is_quick)
    if press := opening.find_press(key):
        visitors.store_visitor(request, press.visitor)
        assert press.game
        return redirect("table", press.game.code)
    visitor = visitors.request_visitor(request)
    if refusal := rate_limits.count_table(visitor, request.session, client_address(request)):
        illegal = Illegal(refusal)
        status, text = refusals.refusal_status(illegal), refusals.refusal_text(illegal)
        return render_error_page(request, status, _("Too many tables"), text)
    if is_quick:
        pace = host_panel.preferred_pace(request.session, options.mode)
        options = replace(options, pace=pace)
    game, host_visitor = opening.open_once(key, visitor, options)
    visitors.store_visitor(request, host_visitor)
    return redirect("table", game.code)


def _open_quick_table(request: HttpRequest, options: opening.TableOptions) -> HttpResponse:
    """Open a table without the form, with the chosen or the first model if it is available."""
    backend = request.POST.get("backend", "")
    if backend not in model_choices.known_backends():
        backend = model_choices.default_backend()
    if backend_error := model_choices.backend_error(backend):
        context = {"why": backend_error, "again": request.path}
        return render(request, "play/no_model.html", context, status=503)
    return _open_table(request, replace(options, recipe=Recipe(backend)), is_quick=True)


def _posted_ruleset(request: HttpRequest) -> str:
    """Return the game named in the post, else the default game."""
    name = request.POST.get("ruleset", "")
    return name if name in rulesets.names() else DEFAULT_RULESET


@require_POST
def play_now(request: HttpRequest) -> HttpResponse:
    """Open a table of the game named in the post, else of the default game."""
    ruleset = _posted_ruleset(request)
    settings = casual_settings(rulesets.get(ruleset).settings)
    return _open_quick_table(request, opening.TableOptions(ruleset=ruleset, settings=settings))


@require_POST
def daily(request: HttpRequest) -> HttpResponse:
    """Open today's deal with the built-in players, or redirect to the visitor's game of it."""
    deal = daily_deal.todays_deal(visitors.visitor_of(request.session))
    if deal.game:
        return redirect("table", deal.game.code)
    seed = daily_deal.seed_of(deal.day)
    options = opening.TableOptions(ruleset=daily_deal.RULESET, seed=seed)
    return _open_table(request, options, is_quick=True)


@require_POST
def watch(request: HttpRequest) -> HttpResponse:
    return _open_quick_table(request, opening.TableOptions(mode="watch"))


@cache_control(private=True, no_cache=True)  # form fields survive the browser's "back"
@require_http_methods(["GET", "POST"])
def new_table(request: HttpRequest) -> HttpResponse:
    posted = request.POST if request.method == "POST" else None
    preferred_pace = host_panel.preferred_pace(request.session)
    initial = {"ruleset": request.GET.get("ruleset", ""), "pace": preferred_pace}
    form = TableForm(posted, initial=initial)
    if request.method == "POST" and form.is_valid():
        response = _open_table(request, build_table_options(form.cleaned_data))
        if "pace" in form.changed_data and response.status_code == 302:
            request.session[host_panel.PACE_KEY] = form.cleaned_data["pace"]
        return response
    return render(request, "new_table.html", {"form": form}, status=422 if form.errors else 200)


@require_POST
def try_style(request: HttpRequest, seat: str) -> HttpResponse:
    """Show how the style of a seat in the form is understood, and what a model says in it."""
    visitor = visitors.visitor_of(request.session)
    limit_key = visitor.hex if visitor else client_address(request)
    if rate_limits.style_trial_rate.try_acquire(limit_key):
        tried = style_checks.try_style(request.POST, seat, _posted_ruleset(request))
    else:
        text = _("You can try a style six times a minute. Wait a little and try again.")
        tried = {"errors": text}
    page = "style_tried.html" if is_htmx_request(request) else "style_tried_page.html"
    return render(request, page, {"tried": tried}, status=422 if tried["errors"] else 200)


@cache_control(private=True, no_cache=True)
@require_GET
def rules(request: HttpRequest, ruleset: str) -> HttpResponse:
    page = rules_page(ruleset)
    if page is None:
        text = _("The available games are listed on the home page.")
        return render_error_page(request, 404, _("Game not found"), text)
    return render(request, "rules.html", {"rules": page})


@require_GET
def how_to(request: HttpRequest, ruleset: str = "") -> HttpResponse:
    """Explain a round of a game in pictures."""
    if not ruleset:
        return redirect("how_to", DEFAULT_RULESET)
    if page := how_to_page(ruleset):
        return render(request, "how_to.html", page)
    return rules(request, ruleset)  # it answers that there is no such game


def _refresh_s(request: HttpRequest, *, is_waiting: bool) -> int:
    """Return after how many seconds a page without scripts reloads itself, 0 for never.

    It reloads while it waits for others. The address parameter `still` stops it, because a reload
    would lose text that is being typed.
    """
    return REFRESH_S if is_waiting and "still" not in request.GET else 0


@require_GET
@visitors.at_table
def table(request: HttpRequest, guest: Guest) -> HttpResponse:
    """Show the lobby before the game begins, and the game after that."""
    common = {
        "site": site_address(request),
        "portraits": free_portrait_paths(guest.game) if guest.player else [],
        "still": "still" in request.GET,
    }
    if not guest.game.started_at:
        refresh_s = _refresh_s(request, is_waiting=not guest.game.ended_at)
        context = {"lobby": Lobby(guest), "refresh_s": refresh_s, **common}
        return render(request, "play/lobby.html", context)
    if presence.mark_watched(guest.game.pk):
        guest.game.refresh_from_db()
    page = FirstPage(guest)
    has_open_choice = page.choice and not page.choice.is_answered
    is_waiting = not (page.awaited.is_mine or has_open_choice or guest.game.ended_at)
    context = {
        "page": page,
        "viewer": "seat" if guest.player else "watcher",
        "rules": rules_page(guest.game.ruleset, guest.game.settings),
        "bar": table_owners.find_bar(guest),
        "refresh_s": _refresh_s(request, is_waiting=is_waiting),
        **common,
    }
    return render(request, "play/table.html", context)


@conditional_page  # a page that has this frame already gets an empty "not modified" response
@require_GET
@visitors.at_table
def poll_updates(request: HttpRequest, guest: Guest) -> HttpResponse:
    """Return the updates for a page without a connected socket, as the socket would send them."""
    visitor = visitors.visitor_of(request.session) or client_address(request)
    if not rate_limits.poll_rate.try_acquire(f"{guest.game.pk}/{visitor}"):
        return HttpResponse(status=429)
    presence.record_presence(guest.game.pk, [guest])
    return HttpResponse(render_updates(request, guest))


@never_cache  # one URL returns the page or its lines
@require_GET
@visitors.at_table
def earlier(request: HttpRequest, guest: Guest) -> HttpResponse:
    """Show the lines before position `before` of the guest's stream, by default the latest.

    A script gets only the lines, a browser a whole page.
    """
    if not guest.game.started_at:
        return redirect("table", guest.game.code)
    page = OlderLines(guest, parse_position(request.GET.get("before", "")))
    templates = "play/push_earlier.html", "play/before.html"
    return _render_by_requester(request, *templates, {"page": page})


@require_POST
@visitors.at_table
def play_again(request: HttpRequest, guest: Guest) -> HttpResponse:
    if not guest.is_member:
        return refuse(request, guest, Illegal("not_a_member"))
    visitor = visitors.request_visitor(request)
    if not guest.game.ended_at:
        return refuse(request, guest, Illegal("not_over"))
    if Disclosure(guest.game).owner_address:
        return refuse(request, guest, Illegal("not_yours"))
    if refusal := rate_limits.count_table(visitor, request.session, client_address(request)):
        return refuse(request, guest, Illegal(refusal))
    return redirect("table", opening.open_similar_table(visitor, guest.game).code)


def _render_by_requester(
    request: HttpRequest, part: str, page: str, context: dict[str, Any]
) -> HttpResponse:
    """Render the template `part` for the page's script, and `page` for a browser."""
    is_part = is_htmx_request(request)
    response = render(request, part if is_part else page, {**context, "oob": is_part})
    patch_vary_headers(response, ["HX-Request"])
    return response


@never_cache  # one URL returns the page or its parts
@require_GET
@at_replay
def replay(request: HttpRequest, guest: Guest) -> HttpResponse:
    """Show a finished game at line `at`, from the view `as`. A script gets only parts."""
    query = request.GET
    page = build_guest_replay(guest, query.get("as", ""), query.get("at", ""))
    owners = table_owners.owners if page.statement_key[1] else []  # the line is a statement
    links = (owner.link_at(request, guest.game, *page.statement_key) for owner in owners)
    link = next(filter(None, links), None)
    templates = "play/replay/moment.html", "play/replay/page.html"
    return _render_by_requester(request, *templates, {"page": page, "link": link})


@never_cache
@require_GET
@at_public_replay
def public_replay(request: HttpRequest, key: str, game: Game) -> HttpResponse:
    """Show the replay of a public link, as `replay` does.

    It begins with the public view, because the first line of the other view reveals the roles.
    """
    query, replayed = request.GET, AnonymousGame(game)
    page = build_replay(replayed, query.get("as") or PUBLIC.kind, query.get("at", ""))
    context: dict[str, Any] = {"page": page, "key": key, "site": site_address(request)}
    if not is_htmx_request(request):
        context["preview"] = build_preview(replayed)
        context["hindsight"] = build_hindsight(replayed, request.path)
    templates = "play/replay/moment.html", "play/replay/public.html"
    return _render_by_requester(request, *templates, context)


@never_cache  # once the link is revoked, its picture must not be shown either
@require_GET
@at_public_replay
def public_picture(request: HttpRequest, key: str, game: Game) -> HttpResponse:
    return HttpResponse(draw_last_vote(AnonymousGame(game)), content_type="image/png")


@never_cache  # one URL returns the page or its part
@require_GET
@at_replay
def hindsight(request: HttpRequest, guest: Guest) -> HttpResponse:
    """Show the lines that decided a finished game, once a worker has found them."""
    page = find_hindsight(guest)
    context = {"hindsight": page, "refresh_s": _refresh_s(request, is_waiting=not page.is_ready)}
    templates = "play/hindsight.html", "play/hindsight_page.html"
    return _render_by_requester(request, *templates, context)


@require_GET
@visitors.at_table
def transcript(request: HttpRequest, guest: Guest, form: str) -> HttpResponse:
    """Download the transcript so far, as this guest may see it."""
    if Disclosure(guest.game).owner_address:
        return refuse(request, guest, Illegal("not_yours"))
    if form == "jsonl":
        lines = text_export.log_rows(guest)
        body = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        kind = "application/x-ndjson"
    else:
        body, kind = text_export.play_script(guest), "text/plain"
    response = HttpResponse(body, content_type=f"{kind}; charset=utf-8")
    name = f"fabula-{guest.game.code}.{form}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
