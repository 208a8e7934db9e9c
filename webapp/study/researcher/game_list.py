"""Finished games in lists for researchers: the filter, and a summary of each game's players."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django import forms
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.recipe import Recipe
from game.engine import rulesets
from game.models import Game, Player
from webapp.study.models import CampaignGame, Slot

GAMES_PER_PAGE = 50
MAX_CONDITION_CHARS = CampaignGame._meta.get_field("condition").max_length or 60


class GameFilterForm(forms.Form):
    """The filter of the list of games. All fields are optional."""

    ruleset = forms.ChoiceField(label=gettext_lazy("Game"), required=False)
    seats = forms.ChoiceField(
        label=gettext_lazy("Players"),
        required=False,
        choices=[
            ("", gettext_lazy("any")),
            ("agents", gettext_lazy("computer players only")),
            ("people", gettext_lazy("with participants")),
        ],
    )
    study = forms.CharField(required=False, max_length=24, widget=forms.HiddenInput)
    condition = forms.CharField(required=False, max_length=120, widget=forms.HiddenInput)
    made = forms.CharField(
        label=gettext_lazy("Played by"),
        required=False,
        max_length=60,
        widget=forms.TextInput(attrs={"placeholder": gettext_lazy("Model or method")}),
    )
    since = forms.DateField(
        label=gettext_lazy("Since"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["ruleset"]
        assert isinstance(field, forms.ChoiceField)
        ruleset_choices = [(n, _(rulesets.get(n).title)) for n in rulesets.names()]
        field.choices = [("", _("any")), *ruleset_choices]


def filter_games(games: QuerySet[Game], filters: dict[str, Any]) -> QuerySet[Game]:
    """Return the games that match the filter, with their players."""
    person = Player.objects.filter(game=OuterRef("pk"), kind=Player.PERSON)
    if filters.get("ruleset"):
        games = games.filter(ruleset=filters["ruleset"])
    if filters.get("seats"):
        games = games.filter(Exists(person) if filters["seats"] == "people" else ~Exists(person))
    if filters.get("study"):
        games = games.filter(slot__study__code=filters["study"])
    if filters.get("condition"):  # the games behind a figure of the results
        games = games.filter(slot__condition__name=filters["condition"], slot__state=Slot.DONE)
    if filters.get("since"):
        games = games.filter(ended_at__date__gte=filters["since"])
    for word in filters.get("made", "").split():
        agents = Player.objects.filter(game=OuterRef("pk"), kind=Player.AGENT)
        by_backend = agents.filter(recipe__backend__icontains=word)
        by_method = agents.filter(recipe__method__icontains=word)
        games = games.filter(Exists(by_backend) | Exists(by_method))
    return games.prefetch_related("players")


def _occupant_name(player: Player) -> str:
    """Return backend and method of a computer player, "people" for others."""
    if player.kind != Player.AGENT:
        return _("people")
    recipe = Recipe.of(player.recipe)
    return f"{recipe.backend} {recipe.method}"


def summarize_game(game: Game) -> tuple[str, str]:
    """Return (the players with their numbers, the default name of the game's condition)."""
    counts = Counter(_occupant_name(p) for p in game.players.all())
    seats = ", ".join(f"{n} {name}" for name, n in counts.most_common())
    condition = " + ".join(sorted(counts, key=lambda name: (name == _("people"), name)))
    return seats, condition if len(condition) <= MAX_CONDITION_CHARS else condition[
        : MAX_CONDITION_CHARS - 1
    ] + "…"
