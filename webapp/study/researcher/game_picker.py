"""Which finished games a campaign draws from, and which condition each belongs to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from agents.recipe import Recipe
from game.engine import rulesets
from game.models import Game, Player
from webapp.study import campaigns
from webapp.study.eligible_games import agreed
from webapp.study.models import Campaign, CampaignGame
from webapp.study.researcher.access import own_campaign

A_PAGE = 50  # games
MOST = 5000  # games of one campaign
LONGEST = CampaignGame._meta.get_field("condition").max_length or 60


@dataclass(frozen=True)
class Found:
    """A finished game in the list."""

    code: str
    title: str
    ended_at: Any
    seats: str  # "6 house full, 2 people"
    usual: str  # the condition it would belong to
    condition: str  # that it belongs to; "" where it isn't chosen


class GameFilterForm(forms.Form):
    """What is looked for. Everything may be left as it is."""

    ruleset = forms.ChoiceField(label=gettext_lazy("Game"), required=False)
    seats = forms.ChoiceField(
        label=gettext_lazy("At the table"),
        required=False,
        choices=[
            ("", gettext_lazy("anybody")),
            ("agents", gettext_lazy("computer players only")),
            ("people", gettext_lazy("people too")),
        ],
    )
    made = forms.CharField(
        label=gettext_lazy("Played by"),
        required=False,
        max_length=60,
        widget=forms.TextInput(attrs={"placeholder": gettext_lazy("model or method")}),
    )
    since = forms.DateField(
        label=gettext_lazy("Since"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    chosen = forms.ChoiceField(
        label=gettext_lazy("Chosen"),
        required=False,
        choices=[
            ("", gettext_lazy("all")),
            ("no", gettext_lazy("not yet")),
            ("yes", gettext_lazy("already")),
        ],
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["ruleset"]
        assert isinstance(field, forms.ChoiceField)
        known = [(n, _(rulesets.get(n).title)) for n in rulesets.names()]
        field.choices = [("", _("any")), *known]


def _finished(campaign: Campaign, wanted: dict[str, Any]) -> QuerySet[Game]:
    mine = CampaignGame.objects.filter(campaign=campaign, game=OuterRef("pk"))
    person = Player.objects.filter(game=OuterRef("pk"), kind=Player.PERSON)
    over = Game.objects.filter(ended_at__isnull=False, called_off=False)
    games = over.filter(agreed() | Exists(mine))
    if wanted.get("ruleset"):
        games = games.filter(ruleset=wanted["ruleset"])
    if wanted.get("seats"):
        games = games.filter(Exists(person) if wanted["seats"] == "people" else ~Exists(person))
    if wanted.get("since"):
        games = games.filter(ended_at__date__gte=wanted["since"])
    if wanted.get("chosen"):
        games = games.filter(Exists(mine) if wanted["chosen"] == "yes" else ~Exists(mine))
    for word in wanted.get("made", "").split():
        made = Player.objects.filter(game=OuterRef("pk"), kind=Player.AGENT)
        by = made.filter(recipe__backend__icontains=word)
        how = made.filter(recipe__method__icontains=word)
        games = games.filter(Exists(by) | Exists(how))
    return games.order_by("-ended_at", "-pk").prefetch_related("players")


def _by(player: Player) -> str:
    if player.kind != Player.AGENT:
        return _("people")
    recipe = Recipe.of(player.recipe)
    return f"{recipe.backend} {recipe.method}"


def summary(game: Game) -> tuple[str, str]:
    """(who sat there, with numbers; the condition the game would belong to)."""
    by = Counter(_by(p) for p in game.players.all())
    seats = ", ".join(f"{n} {name}" for name, n in by.most_common())
    usual = " + ".join(sorted(by, key=lambda name: (name == _("people"), name)))
    return seats, usual if len(usual) <= LONGEST else usual[: LONGEST - 1] + "…"


def conditions(campaign: Campaign) -> list[dict[str, Any]]:
    """The conditions so far and their games' number, in the order of their names."""
    chosen = CampaignGame.objects.filter(campaign=campaign)
    counted = chosen.values("condition").annotate(games=Count("pk")).order_by("condition")
    return [{**row} for row in counted]


@own_campaign
@require_http_methods(["GET", "POST"])
def games(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    if request.method == "POST":
        return _change(request, campaign)
    form = GameFilterForm(request.GET)
    wanted = form.cleaned_data if form.is_valid() else {}
    pages = Paginator(_finished(campaign, wanted), A_PAGE)
    page = pages.get_page(request.GET.get("page"))
    chosen = dict(
        CampaignGame.objects.filter(campaign=campaign, game__in=[g.pk for g in page])
        .values_list("game", "condition")
        .order_by()
    )
    asked = request.GET.copy()
    asked.pop("page", None)
    context = {
        "campaign": campaign,
        "tab": "setup",
        "form": form,
        "page": page,
        "games": [_found(game, chosen.get(game.pk, "")) for game in page],
        "conditions": conditions(campaign),
        "query": asked.urlencode(),
        "editable": not campaign.locked,
    }
    return render(request, "study/researcher/games.html", context)


def _found(game: Game, condition: str) -> Found:
    seats, usual = summary(game)
    title = _(rulesets.get(game.ruleset).title)
    return Found(game.code, title, game.ended_at, seats, usual, condition)


def _change(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Add, remove or rename; then back to the list as it was filtered."""
    asked = QueryDict(request.POST.get("query", "")[:2000])
    page = reverse("study:games", args=[campaign.code])
    try:
        with transaction.atomic():
            _done(request, campaign, asked)
    except campaigns.Refused as refused:
        for sentence in refused.sentences:
            messages.error(request, sentence)
    return redirect(f"{page}?{asked.urlencode()}" if asked else page)


def _done(request: HttpRequest, campaign: Campaign, asked: QueryDict) -> None:
    """Do what was asked for. Raises campaigns.Refused."""
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
        form = GameFilterForm(asked)
        wanted = form.cleaned_data if form.is_valid() else {}
        found = _finished(campaign, wanted if do == "add_all" else {})
        if do == "add":
            found = found.filter(code__in=post.getlist("game")[:1000])
        before, chosen = len(chosen), _with(chosen, found, label)
        campaigns.change(campaign, games=chosen)
        n = len(chosen) - before
        messages.success(request, ngettext("{n} game added.", "{n} games added.", n).format(n=n))
        return
    campaigns.change(campaign, games=chosen)


def _with(chosen: dict[Game, str], found: QuerySet[Game], label: str) -> dict[Game, str]:
    """The chosen games and those found. Raises campaigns.Refused."""
    games = sorted({*found[: MOST + 1]} - {*chosen}, key=lambda game: game.pk)
    if not games:
        raise campaigns.Refused([_("Choose at least one game that isn’t chosen yet.")])
    if len(games) + len(chosen) > MOST:
        text = _("A campaign takes {most} games at most. Filter them first.").format(most=MOST)
        raise campaigns.Refused([text])
    return {**chosen, **{game: label or summary(game)[1] for game in games}}
