"""Opening tables: which seats, which pace, which rules; the form and the three quick ways in."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.recipe import Recipe
from game import services
from game.engine import rulesets
from game.engine.draws import Draws
from game.models import Game, Player
from webapp.play.visitors import seat_visitor

DEFAULT_RULESET = "one-night"


def _seconds(label: Any, help_text: Any) -> forms.IntegerField:
    return forms.IntegerField(
        label=label, help_text=help_text, min_value=10, max_value=3600, required=False
    )


class TableForm(forms.Form):
    """What one may choose at a new table; a ruleset's own settings join as `rule_<key>`."""

    ruleset = forms.CharField(widget=forms.HiddenInput, initial=DEFAULT_RULESET)
    mode = forms.ChoiceField(
        label=gettext_lazy("You"),
        choices=[
            ("play", gettext_lazy("take a seat and play")),
            ("watch", gettext_lazy("watch computer players")),
        ],
        initial="play",
        widget=forms.RadioSelect,
    )
    pace = forms.ChoiceField(
        label=gettext_lazy("Pace of the computer players"),
        choices=[
            ("natural", gettext_lazy("natural: they take the time to speak")),
            ("instant", gettext_lazy("instant")),
        ],
        initial="natural",
        widget=forms.RadioSelect,
    )
    statement_seconds = _seconds(
        gettext_lazy("Seconds for a statement"),
        gettext_lazy("Leave empty for no limit. When time runs out you said nothing."),
    )
    vote_seconds = _seconds(
        gettext_lazy("Seconds for a vote"),
        gettext_lazy("Leave empty for no limit. When time runs out the lot votes."),
    )
    night_seconds = _seconds(
        gettext_lazy("Seconds for a choice at night"),
        gettext_lazy("Leave empty for no limit. When time runs out the lot chooses."),
    )
    blind = forms.BooleanField(
        label=gettext_lazy("Blind table"),
        help_text=gettext_lazy("Nothing tells who is a person and who is a computer player."),
        required=False,
    )
    seed = forms.CharField(
        label=gettext_lazy("Seed"),
        help_text=gettext_lazy(
            "The same seed deals the same game again. Only where nobody plays; empty: any."
        ),
        max_length=60,
        required=False,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        name = str((self.data or {}).get("ruleset") or DEFAULT_RULESET)
        known = name if name in rulesets.names() else DEFAULT_RULESET
        for setting in rulesets.get(known).settings:
            kind = forms.BooleanField if isinstance(setting.default, bool) else forms.IntegerField
            self.fields[f"rule_{setting.key}"] = kind(
                label=_(setting.label),
                help_text=_(setting.help),
                initial=setting.default,
                required=False,
            )

    def clean_ruleset(self) -> str:
        name: str = self.cleaned_data["ruleset"]
        if name not in rulesets.names():
            raise forms.ValidationError(_("There is no such game."))
        return name

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        if data.get("seed") and data.get("mode") != "watch":
            self.add_error(
                "seed", _("A seed can be set only where nobody plays: it tells who is who.")
            )
        return data


def choices(data: Mapping[str, Any]) -> dict[str, Any]:
    """A valid form's data as the keywords of `open_table`."""
    clocks = ("statement", "vote", "night")
    settings = {k.removeprefix("rule_"): v for k, v in data.items() if k.startswith("rule_")}
    return {
        "ruleset": data["ruleset"],
        "mode": data["mode"],
        "pace": data["pace"],
        "limits": {c: data[f"{c}_seconds"] for c in clocks if data.get(f"{c}_seconds")},
        "settings": {**settings, "blind": data["blind"]},
        "seed": data.get("seed", ""),
    }


def open_table(
    visitor: uuid.UUID,
    *,
    ruleset: str = DEFAULT_RULESET,
    mode: str = "play",
    pace: str = "natural",
    limits: Mapping[str, int] | None = None,
    settings: Mapping[str, Any] | None = None,
    seed: str = "",
) -> Game:
    """Open a table and let the visitor sit down at it (`play`) or watch (`watch`)."""
    seed = seed or secrets.token_hex(16)
    count = len(rulesets.get(ruleset).deck)
    agent = services.SeatPlan(Player.AGENT, Recipe().data())
    plans = [agent] * count
    mine = Draws(seed).below("the visitor's seat", count) if mode == "play" else None
    if mine is not None:
        plans[mine] = services.SeatPlan(Player.PERSON)
    game = services.create(ruleset, plans, seed=seed, settings=settings, pace=pace, limits=limits)
    player = game.players.get(seat=mine + 1) if mine is not None else None
    seat_visitor(visitor, game, player)
    return game


def same_again(visitor: uuid.UUID, game: Game, *, mode: str) -> Game:
    """A new game at a table like `game`'s: the same rules, pace and limits, freshly dealt."""
    return open_table(
        visitor,
        ruleset=game.ruleset,
        mode=mode,
        pace=game.pace,
        limits=game.limits,
        settings=game.settings,
    )
