"""The page on which a researcher chooses a campaign's games and their conditions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from game.engine import rulesets
from game.models import Game
from webapp.study.games.eligible_games import finished_games, usable_games
from webapp.study.models import Campaign, CampaignGame
from webapp.study.rating import campaigns
from webapp.study.researcher.access import own_campaign
from webapp.study.researcher.action_errors import run_or_show_errors
from webapp.study.researcher.all_games import (
    GAMES_PER_PAGE,
    GameFilterForm,
    filter_games,
    summarize_game,
)

MAX_GAMES = 5000  # of one campaign
MAX_ADDED_GAMES = 1000  # at once
MAX_QUERY_CHARS = 2000


@dataclass(frozen=True)
class ListedGame:
    """A finished game in the list.

    Attributes:
        seats: such as "6 house full, 2 people".
        usual: default condition.
        condition: its condition, "" if the game is not chosen.
    """

    code: str
    title: str
    ended_at: Any
    seats: str
    usual: str
    condition: str


class PickForm(GameFilterForm):
    """The filter of the list, with a choice of chosen or other games."""

    chosen = forms.ChoiceField(
        label=gettext_lazy("Chosen"),
        required=False,
        choices=[
            ("", gettext_lazy("all")),
            ("no", gettext_lazy("not yet")),
            ("yes", gettext_lazy("already")),
        ],
    )


def _available_games(
    request: HttpRequest, campaign: Campaign, filters: dict[str, Any]
) -> QuerySet[Game]:
    """Return the games to choose from. Editors do not see games of the owner's other studies."""
    is_chosen = Exists(CampaignGame.objects.filter(campaign=campaign, game=OuterRef("pk")))
    allowed = usable_games(campaign.study.owner_id)
    if request.user.pk != campaign.study.owner_id:
        allowed &= usable_games(request.user.pk or 0)
    allowed |= Q(is_chosen)
    if filters.get("chosen"):
        allowed &= Q(is_chosen) if filters["chosen"] == "yes" else ~Q(is_chosen)
    return filter_games(finished_games(allowed), filters)


def count_games_by_condition(campaign: Campaign) -> list[dict[str, Any]]:
    """Return the conditions with their numbers of games, ordered by name."""
    chosen = CampaignGame.objects.filter(campaign=campaign)
    counted = chosen.values("condition").annotate(games=Count("pk")).order_by("condition")
    return [{**row} for row in counted]


@own_campaign
@require_http_methods(["GET", "POST"])
def games(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the finished games that match the filter, and change the chosen ones."""
    if request.method == "POST":
        return _change_games(request, campaign)
    form = PickForm(request.GET)
    filters = form.cleaned_data if form.is_valid() else {}
    pages = Paginator(_available_games(request, campaign, filters), GAMES_PER_PAGE)
    page = pages.get_page(request.GET.get("page"))
    chosen = dict(
        CampaignGame.objects.filter(campaign=campaign, game__in=[g.pk for g in page])
        .values_list("game", "condition")
        .order_by()
    )
    query = request.GET.copy()
    query.pop("page", None)
    context = {
        "campaign": campaign,
        "tab": "setup",
        "form": form,
        "page": page,
        "games": [_build_row(game, chosen.get(game.pk, "")) for game in page],
        "conditions": count_games_by_condition(campaign),
        "query": query.urlencode(),
        "editable": not campaign.is_locked,
    }
    return render(request, "study/researcher/games.html", context)


def _build_row(game: Game, condition: str) -> ListedGame:
    seats, default_condition = summarize_game(game)
    title = _(rulesets.get(game.ruleset).title)
    return ListedGame(game.code, title, game.ended_at, seats, default_condition, condition)


def _change_games(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Add or remove games, or rename a condition. Redirect to the list with the same filter."""
    query = QueryDict(request.POST.get("query", "")[:MAX_QUERY_CHARS])
    page = reverse("study:games", args=[campaign.code])
    change = transaction.atomic(_apply_change)
    run_or_show_errors(request, lambda: change(request, campaign, query))
    return redirect(f"{page}?{query.urlencode()}" if query else page)


def _apply_change(request: HttpRequest, campaign: Campaign, query: QueryDict) -> None:
    """Perform the requested change. Raises campaigns.Refused."""
    post = request.POST
    action, old_label = post.get("do", ""), post.get("old", "")
    label = " ".join(post.get("condition", "").split())
    chosen = {row.game: row.condition for row in campaign.chosen.select_related("game")}
    if action == "rename":
        if not label:
            raise campaigns.Refused([_("Enter a name for each condition.")])
        chosen = {game: label if name == old_label else name for game, name in chosen.items()}
    elif action == "drop":
        chosen = {game: name for game, name in chosen.items() if name != old_label}
    elif action.startswith("remove:"):
        code = action.removeprefix("remove:")
        chosen = {game: name for game, name in chosen.items() if game.code != code}
    elif action in ("add", "add_all"):
        form = PickForm(query)
        filters = form.cleaned_data if form.is_valid() else {}
        matching_games = _available_games(request, campaign, filters if action == "add_all" else {})
        if action == "add":
            matching_games = matching_games.filter(code__in=post.getlist("game")[:MAX_ADDED_GAMES])
        count_before, chosen = len(chosen), _add_games(chosen, matching_games, label)
        campaigns.change(campaign, games=chosen)
        added_count = len(chosen) - count_before
        text = ngettext("{n} game added.", "{n} games added.", added_count)
        messages.success(request, text.format(n=added_count))
        return
    campaigns.change(campaign, games=chosen)


def _add_games(
    chosen: dict[Game, str], matching_games: QuerySet[Game], label: str
) -> dict[Game, str]:
    """Return the chosen games with the matching ones. Raises campaigns.Refused."""
    new_games = sorted({*matching_games[: MAX_GAMES + 1]} - {*chosen}, key=lambda game: game.pk)
    if not new_games:
        raise campaigns.Refused([_("Choose at least one game that is not chosen yet.")])
    if len(new_games) + len(chosen) > MAX_GAMES:
        text = _("Filter the list first. The maximum is {most} games.").format(most=MAX_GAMES)
        raise campaigns.Refused([text])
    return {**chosen, **{game: label or summarize_game(game)[1] for game in new_games}}
