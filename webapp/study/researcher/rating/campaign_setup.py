"""The setup pages of a campaign: settings, the plan that follows from them, and games."""

from contextlib import suppress
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from game.engine import rulesets
from game.models import Game
from webapp.study.design.refusals import Refused
from webapp.study.games.eligible_games import finished_games, usable_games
from webapp.study.models import Campaign, CampaignGame
from webapp.study.rating import campaigns, rating_plan
from webapp.study.researcher import all_games
from webapp.study.researcher.access import own_campaign
from webapp.study.researcher.labels import LABELS
from webapp.study.researcher.rating.campaign_form import CampaignForm, build_settings
from webapp.study.researcher.responses import render_form_page, run_or_show_errors
from webapp.study.researcher.setup.setup_parts import setup_parts

MAX_CAMPAIGN_GAMES = 5000
MAX_GAMES_ADDED_AT_ONCE = 1000
MAX_FILTER_CHARS = 2000
# Buttons to other pages, which save first.
PAGES_AFTER_SAVE = ("games", "instrument", "units")


@own_campaign("GET", "POST")
def setup(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the form with the plan. Store a posted one, and redirect to the requested page."""
    is_locked = campaign.has_ratings
    if request.method == "GET":
        return _render_page(request, campaign, CampaignForm(campaign, is_locked=is_locked))
    refused: list[str] = []
    form = CampaignForm(campaign, request.POST, is_locked=is_locked)
    if form.is_valid():
        new_settings = build_settings(campaign, form.cleaned_data)
        if is_locked:  # the other fields are read-only
            changeable = [name for name in campaigns.ALWAYS_CHANGEABLE if name in new_settings]
            new_settings = {name: new_settings[name] for name in changeable}
        try:
            campaigns.change(campaign, **new_settings)
            if request.POST.get("do") == "open":
                if problems := rating_plan.build_plan(campaign)["problems"]:
                    raise Refused(problems)
                return redirect("study:study_open", campaign.study.code)
            messages.success(request, _("Saved."))
            page = request.POST.get("do")
            return redirect(f"study:{page if page in PAGES_AFTER_SAVE else 'setup'}", campaign.code)
        except Refused as error:
            refused = error.sentences
            campaign.refresh_from_db()
    return _render_page(request, campaign, form, refused)


def _render_page(
    request: HttpRequest, campaign: Campaign, form: CampaignForm, refused: list[str] | None = None
) -> HttpResponse:
    context = {
        "campaign": campaign,
        "form": form,
        "refused": refused or [],
        "plan": None if form.is_locked else rating_plan.build_plan(campaign),
        "conditions": count_games_by_condition(campaign),
        "locked": form.is_locked,
        "parts": setup_parts(campaign.study),
        "part": "rating",
        "tab": "setup",
    }
    return render_form_page(request, "setup", context)


@own_campaign("POST")
def campaign_plan(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Return the plan of the settings typed so far. Nothing is stored."""
    form = CampaignForm(campaign, request.POST)
    if form.is_valid():
        with suppress(Refused):  # only saving shows errors
            campaigns.set_settings(campaign, build_settings(campaign, form.cleaned_data))
    context = {
        "campaign": campaign,
        "plan": rating_plan.build_plan(campaign),
        "incomplete": [form[name].label for name in form.errors if name != "__all__"],
    }
    return render(request, "study/researcher/plan.html", context)


class PickForm(all_games.GameFilterForm):
    """The filter of the list, with a choice of chosen or other games."""

    chosen = forms.ChoiceField(
        label=gettext_lazy("Chosen"),
        required=False,
        choices=list(LABELS["chosen_filters"].items()),
    )


def count_games_by_condition(campaign: Campaign) -> list[dict[str, Any]]:
    rows = campaign.chosen_games.values("condition").annotate(games=Count("pk"))
    return [dict(row) for row in rows.order_by("condition")]


@own_campaign("GET", "POST")
def games(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the finished games that match the filter, and change the chosen ones."""
    if request.method == "POST":
        return _change_games(request, campaign)
    form = PickForm(request.GET)
    filters = form.cleaned_data if form.is_valid() else {}
    page, query = all_games.paginate(request, _available_games(request, campaign, filters))
    chosen = campaign.chosen_games.filter(game__in=[game.pk for game in page])
    conditions = dict(chosen.values_list("game", "condition").order_by())
    context = {
        "campaign": campaign,
        "tab": "setup",
        "form": form,
        "page": page,
        "games": [_build_row(game, conditions.get(game.pk, "")) for game in page],
        "conditions": count_games_by_condition(campaign),
        "query": query,
        "editable": not campaign.has_ratings,
    }
    return render(request, "study/researcher/games.html", context)


def _available_games(
    request: HttpRequest, campaign: Campaign, filters: dict[str, Any]
) -> QuerySet[Game]:
    """Return the games to choose from. Editors see only those that they may use themselves."""
    is_chosen = Exists(CampaignGame.objects.filter(campaign=campaign, game=OuterRef("pk")))
    allowed = usable_games(campaign.study.owner_id)
    if request.user.pk != campaign.study.owner_id:
        allowed &= usable_games(request.user.pk or 0)
    allowed |= Q(is_chosen)
    if filters.get("chosen"):
        allowed &= Q(is_chosen) if filters["chosen"] == "yes" else ~Q(is_chosen)
    return all_games.filter_games(finished_games(allowed), filters)


def _build_row(game: Game, condition: str) -> dict[str, Any]:
    """Return a game as the list shows it, with the default name of its condition."""
    return {
        "code": game.code,
        "title": _(rulesets.get(game.ruleset).title),
        "ended_at": game.ended_at,
        **all_games.summarize_game(game),
        "condition": condition,
    }


def _change_games(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Add or remove games, or rename a condition. Redirect to the list with the same filter."""
    query = QueryDict(request.POST.get("query", "")[:MAX_FILTER_CHARS])
    address = reverse("study:games", args=[campaign.code])
    run_or_show_errors(request, lambda: _apply_change(request, campaign, query))
    return redirect(f"{address}?{query.urlencode()}" if query else address)


@transaction.atomic
def _apply_change(request: HttpRequest, campaign: Campaign, query: QueryDict) -> None:
    post = request.POST
    action, old_name = post.get("do", ""), post.get("old", "")
    new_name = " ".join(post.get("condition", "").split())
    chosen = {row.game: row.condition for row in campaign.chosen_games.select_related("game")}
    if action == "rename":
        if not new_name:
            raise Refused([_("Enter a name for each condition.")])
        chosen = {game: new_name if name == old_name else name for game, name in chosen.items()}
    elif action == "drop":
        chosen = {game: name for game, name in chosen.items() if name != old_name}
    elif action.startswith("remove:"):
        code = action.removeprefix("remove:")
        chosen = {game: name for game, name in chosen.items() if game.code != code}
    elif action in ("add", "add_all"):
        form = PickForm(query)
        filters = form.cleaned_data if action == "add_all" and form.is_valid() else {}
        matching_games = _available_games(request, campaign, filters)
        if action == "add":
            codes = post.getlist("game")[:MAX_GAMES_ADDED_AT_ONCE]
            matching_games = matching_games.filter(code__in=codes)
        new_chosen = _add_games(chosen, matching_games, new_name)
        campaigns.change(campaign, games=new_chosen)
        added_count = len(new_chosen) - len(chosen)
        text = ngettext("{n} game added.", "{n} games added.", added_count)
        messages.success(request, text.format(n=added_count))
        return
    campaigns.change(campaign, games=chosen)


def _add_games(
    chosen: dict[Game, str], matching_games: QuerySet[Game], condition: str
) -> dict[Game, str]:
    """Return the chosen and the matching games, each with its condition.

    Raise Refused if no game is new, or if there are too many.
    """
    new_games = {*matching_games[: MAX_CAMPAIGN_GAMES + 1]} - {*chosen}
    if not new_games:
        raise Refused([_("Choose at least one game that is not chosen yet.")])
    if len(new_games) + len(chosen) > MAX_CAMPAIGN_GAMES:
        text = _("Filter the list first. The maximum is {most} games.")
        raise Refused([text.format(most=MAX_CAMPAIGN_GAMES)])
    return chosen | {
        game: condition or all_games.summarize_game(game)["default_condition"]
        for game in sorted(new_games, key=lambda game: game.pk)
    }
