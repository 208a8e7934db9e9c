"""The form of a new table: everything one may choose, and a casting of its computer players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.recipe import Recipe
from game.engine import rulesets
from game.services import USUAL_LIMITS
from webapp.play import minds
from webapp.play.casting import CastForm, casts
from webapp.play.models import Table

DEFAULT_RULESET = "one-night"


def _seconds(label: Any, kind: str) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        min_value=10,
        max_value=3600,
        required=False,
        widget=forms.NumberInput(attrs={"placeholder": USUAL_LIMITS[kind]}),
    )


class TableForm(forms.Form):
    """What one may choose at a new table; a ruleset's own settings join as `rule_<key>`."""

    ruleset = forms.CharField(widget=forms.HiddenInput, initial=DEFAULT_RULESET)
    mode = forms.ChoiceField(
        label=gettext_lazy("You"),
        choices=[
            ("play", gettext_lazy("take a seat and play")),
            ("watch", gettext_lazy("watch the others")),
        ],
        initial="play",
        widget=forms.RadioSelect,
    )
    guests = forms.IntegerField(
        label=gettext_lazy("Friends you invite"),
        help_text=gettext_lazy(
            "You get a link for them, and a lobby to meet in. Computer players take the other"
            " seats."
        ),
        min_value=0,
        required=False,
        initial=0,
    )
    backend = forms.ChoiceField(
        label=gettext_lazy("Who thinks for the computer players"),
        help_text=gettext_lazy("Language models are set up where the server runs."),
        required=False,
        widget=forms.RadioSelect,
    )
    method = forms.ChoiceField(
        label=gettext_lazy("What they have in mind"),
        required=False,
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
    statement_seconds = _seconds(gettext_lazy("for a statement"), "statement")
    vote_seconds = _seconds(gettext_lazy("for a vote"), "vote")
    night_seconds = _seconds(gettext_lazy("for a choice at night"), "night")
    blind = forms.BooleanField(
        label=gettext_lazy("Blind table"),
        help_text=gettext_lazy(
            "Nothing tells who is a person and who is a computer player, until you reveal it after"
            " the game. Everyone keeps the seat’s name and all take their time to speak."
        ),
        required=False,
    )
    spectators = forms.BooleanField(
        label=gettext_lazy("Others may watch"),
        help_text=gettext_lazy("Whoever has the table’s address sees what is public."),
        required=False,
    )
    research = forms.BooleanField(
        label=gettext_lazy("May be used in research"),
        help_text=gettext_lazy(
            "What is said at this table may then be read and rated by others, under the seats’"
            " names. Everyone who sits down is told, and can take their words back after the game."
        ),
        required=False,
    )
    faces = forms.ChoiceField(
        label=gettext_lazy("Faces of the computer players"),
        help_text=gettext_lazy(
            "They like and dislike; a face tells how much. None at blind tables."
        ),
        choices=[
            (Table.ME, gettext_lazy("toward me")),
            (Table.ALL, gettext_lazy("toward everyone")),
            (Table.HIDDEN, gettext_lazy("hidden")),
        ],
        initial=Table.ME,
        required=False,
        widget=forms.RadioSelect,
    )
    personas = forms.BooleanField(
        label=gettext_lazy("Show who the computer players are"),
        help_text=gettext_lazy("Five bars and a few adjectives each."),
        initial=True,
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

    clocks = ("statement_seconds", "vote_seconds", "night_seconds")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._minds()
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
        self.casts: list[CastForm] = casts(list(rulesets.get(known).seat_names), self.data or None)

    def _minds(self) -> None:
        backend, method = self.fields["backend"], self.fields["method"]
        assert isinstance(backend, forms.ChoiceField)
        assert isinstance(method, forms.ChoiceField)
        backend.choices, method.choices = minds.options(), minds.methods()
        backend.initial, method.initial = minds.usual(), Recipe.method
        if len(minds.options()) == 1:  # no model is set up: there is nothing to choose
            backend.widget = forms.HiddenInput()

    def clean_backend(self) -> str:
        name = self.cleaned_data["backend"] or minds.usual()
        if why := minds.trouble(name):
            other = _("Choose the built-in players, or try again when that is mended.")
            raise forms.ValidationError(f"{why} {other}")
        return str(name)

    def clean_ruleset(self) -> str:
        name: str = self.cleaned_data["ruleset"]
        if name not in rulesets.names():
            raise forms.ValidationError(_("There is no such game."))
        return name

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        guests = data.get("guests") or 0
        people = guests + (data.get("mode") == "play")
        if data.get("seed") and people:
            self.add_error(
                "seed", _("A seed can be set only where nobody plays: it tells who is who.")
            )
        if data.get("ruleset") in rulesets.names():
            seats = len(rulesets.get(data["ruleset"]).deck)
            if people > seats:
                most = seats - (data.get("mode") == "play")
                text = _("There are only {seats} seats: invite {most} friends at most.")
                self.add_error("guests", text.format(seats=seats, most=most))
        self._cast(data)
        return data

    def _cast(self, data: dict[str, Any]) -> None:
        """Check every seat's casting: it agrees with itself, and its model can play."""
        troubles: dict[str, str] = {}
        for form in self.casts:
            if form.is_valid():
                form.agree(data.get("method") or Recipe.method, blind=data["blind"])
                if (name := form.cleaned_data.get("backend")) and name != data.get("backend"):
                    if name not in troubles:
                        troubles[name] = minds.trouble(name)
                    if troubles[name]:
                        form.add_error("backend", troubles[name])
        if any(form.errors for form in self.casts):
            self.add_error(None, _("The casting needs another look. What you entered is there."))
        data["casting"] = {
            str(n): made for n, form in enumerate(self.casts, 1) if (made := form.made())
        }


def choices(data: Mapping[str, Any]) -> dict[str, Any]:
    """A valid form's data as the keywords of `open_table`."""
    clocks = ("statement", "vote", "night")
    settings = {k.removeprefix("rule_"): v for k, v in data.items() if k.startswith("rule_")}
    return {
        "ruleset": data["ruleset"],
        "mode": data["mode"],
        "guests": data.get("guests") or 0,
        "pace": "even" if data["blind"] else data["pace"],
        "limits": {c: data[f"{c}_seconds"] for c in clocks if data.get(f"{c}_seconds")},
        "settings": {**settings, "blind": data["blind"]},
        "spectators": data["spectators"],
        "research": data["research"],
        "faces": data["faces"] or Table.ME,
        "personas": data["personas"],
        "seed": data.get("seed", ""),
        "backend": data["backend"],
        "method": data.get("method") or Recipe.method,
        "casting": data.get("casting", {}),
    }
