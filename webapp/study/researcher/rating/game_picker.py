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
from webapp.study.researcher.game_list import A_PAGE, GameFilterForm, filter_games, game_summary

MOST = 5000  # the most games of one campaign


@dataclass(frozen=True)
class ListedGame:
    """A finished game in the list."""

    code: str
    title: str
    ended_at: Any
    seats: str  # "6 house full, 2 people"
    usual: str  # default condition
    condition: str  # its condition; "" if it isn't chosen


class PickForm(GameFilterForm):
    """The filter of games, among those chosen or not."""

    chosen = forms.ChoiceField(
        label=gettext_lazy("Chosen"),
        required=False,
        choices=[
            ("", gettext_lazy("all")),
            ("no", gettext_lazy("not yet")),
            ("yes", gettext_lazy("already")),
        ],
    )


def _finished(request: HttpRequest, campaign: Campaign, filters: dict[str, Any]) -> QuerySet[Game]:
    """Return the games to choose from. An editor sees none of the owner's other studies."""
    mine = Exists(CampaignGame.objects.filter(campaign=campaign, game=OuterRef("pk")))
    which = usable_games(campaign.study.owner_id)
    if request.user.pk != campaign.study.owner_id:
        which &= usable_games(request.user.pk or 0)
    which |= Q(mine)
    if filters.get("chosen"):
        which &= Q(mine) if filters["chosen"] == "yes" else ~Q(mine)
    return filter_games(finished_games(which), filters)


def conditions(campaign: Campaign) -> list[dict[str, Any]]:
    """Return the conditions with their numbers of games, ordered by name."""
    chosen = CampaignGame.objects.filter(campaign=campaign)
    counted = chosen.values("condition").annotate(games=Count("pk")).order_by("condition")
    return [{**row} for row in counted]


@own_campaign
@require_http_methods(["GET", "POST"])
def games(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    if request.method == "POST":
        return _change(request, campaign)
    form = PickForm(request.GET)
    filters = form.cleaned_data if form.is_valid() else {}
    pages = Paginator(_finished(request, campaign, filters), A_PAGE)
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
        "games": [_build_found(game, chosen.get(game.pk, "")) for game in page],
        "conditions": conditions(campaign),
        "query": query.urlencode(),
        "editable": not campaign.locked,
    }
    return render(request, "study/researcher/games.html", context)


def _build_found(game: Game, condition: str) -> ListedGame:
    seats, usual = game_summary(game)
    title = _(rulesets.get(game.ruleset).title)
    return ListedGame(game.code, title, game.ended_at, seats, usual, condition)


def _change(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Add, remove or rename games' conditions. Then redirect to the list with the same filter."""
    query = QueryDict(request.POST.get("query", "")[:2000])
    page = reverse("study:games", args=[campaign.code])
    try:
        with transaction.atomic():
            _perform(request, campaign, query)
    except campaigns.Refused as refused:
        for sentence in refused.sentences:
            messages.error(request, sentence)
    return redirect(f"{page}?{query.urlencode()}" if query else page)


def _perform(request: HttpRequest, campaign: Campaign, query: QueryDict) -> None:
    """Perform the requested change. Raises campaigns.Refused."""
    post = request.POST
    do, old = post.get("do", ""), post.get("old", "")
    label = " ".join(post.get("condition", "").split())
    chosen = {row.game: row.condition for row in campaign.chosen.select_related("game")}
    if do == "rename":
        if not label:
            raise campaigns.Refused([_("A condition needs a name.")])
        chosen = {game: label if name == old else name for game, name in chosen.items()}
    elif do == "drop":
        chosen = {game: name for game, name in chosen.items() if name != old}
    elif do.startswith("remove:"):
        code = do.removeprefix("remove:")
        chosen = {game: name for game, name in chosen.items() if game.code != code}
    elif do in ("add", "add_all"):
        form = PickForm(query)
        filters = form.cleaned_data if form.is_valid() else {}
        finished = _finished(request, campaign, filters if do == "add_all" else {})
        if do == "add":
            finished = finished.filter(code__in=post.getlist("game")[:1000])
        before, chosen = len(chosen), _with(chosen, finished, label)
        campaigns.change(campaign, games=chosen)
        n = len(chosen) - before
        messages.success(request, ngettext("{n} game added.", "{n} games added.", n).format(n=n))
        return
    campaigns.change(campaign, games=chosen)


def _with(chosen: dict[Game, str], finished: QuerySet[Game], label: str) -> dict[Game, str]:
    """Return the chosen games and the matching ones. Raises campaigns.Refused."""
    games = sorted({*finished[: MOST + 1]} - {*chosen}, key=lambda game: game.pk)
    if not games:
        raise campaigns.Refused([_("Choose at least one game that isn’t chosen yet.")])
    if len(games) + len(chosen) > MOST:
        text = _("A study takes {most} games at most. Filter them first.").format(most=MOST)
        raise campaigns.Refused([text])
    return {**chosen, **{game: label or game_summary(game)[1] for game in games}}
