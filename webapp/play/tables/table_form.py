"""The form of a new table: its settings, and a casting of its computer players."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.recipe import Recipe
from game import clock
from game.engine import rulesets
from game.services import USUAL_LIMITS
from webapp.play import daily_deal
from webapp.play.models import Table
from webapp.play.tables.home import DEFAULT_RULESET, game_choices
from webapp.play.tables.rule_fields import build_rule_field
from webapp.play.tables.settings_files import clean_settings, settings_file_field
from webapp.play.turns import model_choices
from webapp.play.turns.casting import (
    CastForm,
    SwitchesField,
    build_cast_forms,
    check_styles,
    switch_errors,
)

SECONDS_ERROR = gettext_lazy("Enter from 10 to 3600 seconds, or nothing.")


@dataclass(frozen=True)
class FieldError:
    """An error in one field. place: The field's id, for a link to it."""

    label: str
    place: str
    text: str


def _seconds_field(label: Any, kind: str) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        min_value=10,
        max_value=3600,
        required=False,
        widget=forms.NumberInput(attrs={"placeholder": USUAL_LIMITS[kind]}),
        error_messages={
            "min_value": SECONDS_ERROR,
            "max_value": SECONDS_ERROR,
            "invalid": SECONDS_ERROR,
        },
    )


class TableForm(forms.Form):
    """The settings of a new table. A ruleset's own settings are added as `rule_<key>`.

    The page shows the fields of FIRST, then the ruleset's own settings. The remaining fields are in
    a folded section of advanced settings.
    """

    FIRST = ("mode", "guests", "role", "backend", "pace", "spectators", "blind", "plain")

    ruleset = forms.CharField(label=gettext_lazy("Game"), widget=forms.HiddenInput)
    mode = forms.ChoiceField(
        label=gettext_lazy("You"),
        choices=[
            ("play", gettext_lazy("play along")),
            ("watch", gettext_lazy("only watch")),
        ],
        initial="play",
        widget=forms.RadioSelect,
    )
    guests = forms.IntegerField(
        label=gettext_lazy("Friends you invite"),
        help_text=gettext_lazy(
            "How many? You get a link to send them, and a lobby to meet in. Computer players take"
            " the other seats."
        ),
        min_value=0,
        required=False,
        initial=0,
    )
    role = forms.ChoiceField(
        label=gettext_lazy("Your role"),
        help_text=gettext_lazy("You can choose it where you play alone with computer players."),
        required=False,
    )
    backend = forms.ChoiceField(
        label=gettext_lazy("Computer players"),
        help_text=gettext_lazy(
            "The built-in players are always there. Language models are added by whoever runs this"
            " site."
        ),
        required=False,
        widget=forms.RadioSelect,
    )
    method = forms.ChoiceField(
        label=gettext_lazy("What computer players are given"),
        help_text=gettext_lazy(
            "A personality, feelings about the others, a plan: with all of them they play best."
        ),
        required=False,
    )
    pace = forms.ChoiceField(
        label=gettext_lazy("Pace"),
        help_text=gettext_lazy("How quickly the computer players speak and choose."),
        choices=[
            ("slow", gettext_lazy("slow: with time to think")),
            ("natural", gettext_lazy("natural: as people talk")),
            ("brisk", gettext_lazy("brisk: with short pauses")),
            ("instant", gettext_lazy("at once")),
            (
                "quick",
                gettext_lazy("quick: all that is said between two turns of yours, together"),
            ),
        ],
        initial="natural",
        widget=forms.RadioSelect,
    )
    statement_seconds = _seconds_field(gettext_lazy("for a statement"), "statement")
    vote_seconds = _seconds_field(gettext_lazy("for a vote"), "vote")
    night_seconds = _seconds_field(gettext_lazy("for a choice at night"), "night")
    blind = forms.BooleanField(
        label=gettext_lazy("Blind table"),
        help_text=gettext_lazy(
            "Nobody can see who is a person and who is a computer player, until you show it after"
            " the game. Everyone goes by the name of their seat and speaks at the same pace."
        ),
        required=False,
    )
    spectators = forms.BooleanField(
        label=gettext_lazy("Others may watch"),
        help_text=gettext_lazy(
            "Anyone you give the address to can follow the talk, but sees no secrets."
        ),
        required=False,
    )
    plain = forms.BooleanField(
        label=gettext_lazy("Plain speech"),
        help_text=gettext_lazy(
            "Computer players say what they mean in plain words, without sayings and side remarks."
            " This can’t be changed once the table is open."
        ),
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
    claims = forms.ChoiceField(
        label=gettext_lazy("Sheet of claims"),
        help_text=gettext_lazy(
            "A list beside the talk: who claims which role, with which results. A program reads it"
            " from what is said, and may be wrong."
        ),
        choices=[
            ("", gettext_lazy("shown, but not where the game may be used in research")),
            ("shown", gettext_lazy("shown")),
            ("hidden", gettext_lazy("not shown")),
        ],
        required=False,
        widget=forms.RadioSelect,
    )
    faces = forms.ChoiceField(
        label=gettext_lazy("Faces of the computer players"),
        help_text=gettext_lazy(
            "A face shows how much a computer player likes somebody. There are none at blind"
            " tables."
        ),
        choices=[
            (Table.ME, gettext_lazy("how much they like me")),
            (Table.ALL, gettext_lazy("how much they like each of us")),
            (Table.HIDDEN, gettext_lazy("none")),
        ],
        initial=Table.ME,
        required=False,
        widget=forms.RadioSelect,
    )
    switches = SwitchesField()
    personas = forms.BooleanField(
        label=gettext_lazy("Show who the computer players are"),
        help_text=gettext_lazy("A card for each: a few words and five bars about its personality."),
        initial=True,
        required=False,
    )
    seed = forms.CharField(
        label=gettext_lazy("Seed"),
        help_text=gettext_lazy(
            "A word or number of your choice. The same seed gives the same game again. It can be"
            " set only if you watch and nobody else plays."
        ),
        max_length=60,
        required=False,
    )

    clocks = ("statement_seconds", "vote_seconds", "night_seconds")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.profiles: list[dict[str, str]] = []  # of a pasted settings file, seat by seat
        self._set_up_models()
        name = str((self.data or self.initial).get("ruleset") or DEFAULT_RULESET)
        self.game = rulesets.get(name if name in rulesets.names() else DEFAULT_RULESET)
        self.initial["ruleset"] = self.game.name
        roles = [(r.key, _(r.name)) for r in self.game.roles if r.key in self.game.deck]
        self.fields["role"].choices = [("", _("as the cards fall")), *roles]  # type: ignore[attr-defined]
        for setting in self.game.settings:
            self.fields[f"rule_{setting.key}"] = build_rule_field(setting, self.game, casual=True)
        if self.game.settings_file:
            self.fields["settings_file"] = settings_file_field(self.game)
        self.casts: list[CastForm] = build_cast_forms(
            list(self.game.table_names), self.data or None
        )

    @property
    def game_title(self) -> str:
        return _(self.game.title)

    @property
    def games(self) -> list[tuple[str, str, bool]]:
        """The rulesets to choose from as (name, title, is chosen), [] if there is only one."""
        return game_choices(self.game.name)

    def _set_up_models(self) -> None:
        backend, method = self.fields["backend"], self.fields["method"]
        assert isinstance(backend, forms.ChoiceField)
        assert isinstance(method, forms.ChoiceField)
        backend.choices = model_choices.backend_options()
        method.choices = model_choices.method_options()
        backend.initial, method.initial = model_choices.default_backend(), Recipe.method
        if len(model_choices.backend_options()) == 1:  # only the built-in player: nothing to choose
            backend.widget = forms.HiddenInput()
        else:
            models = _("Language models speak as they always do.")
            self.fields["plain"].help_text = f"{self.fields['plain'].help_text} {models}"

    def _is_shown(self, name: str) -> bool:
        return not self[name].is_hidden and name not in self.clocks

    @property
    def first(self) -> list[forms.BoundField]:
        """The fields at the top of the page."""
        return [self[name] for name in self.FIRST if self._is_shown(name)]

    @property
    def rules(self) -> list[forms.BoundField]:
        """The ruleset's own settings, except those that only a study needs."""
        return [self[f"rule_{s.key}"] for s in self.game.settings if not s.is_for_studies]

    @property
    def advanced(self) -> list[forms.BoundField]:
        """The remaining fields, except the clocks, which are grouped."""
        shown_above = {*self.FIRST, *(field.name for field in self.rules)}
        return [self[n] for n in self.fields if n not in shown_above and self._is_shown(n)]

    @property
    def times(self) -> list[forms.BoundField]:
        return [self[name] for name in self.clocks]

    @property
    def advanced_open(self) -> bool:
        """Whether the folded section has an error or a value other than the default."""
        if not self.is_bound:
            return False
        folded = {field.name for field in (*self.advanced, *self.times)}
        return self.casting_open or bool(folded & {*self.errors, *self.changed_data})

    @property
    def seat_models_open(self) -> bool:
        return self.is_bound and any("backend" in cast.changed_data for cast in self.casts)

    @property
    def casting_open(self) -> bool:
        return self.is_bound and any(
            cast.errors or set(cast.changed_data) - {"backend"} for cast in self.casts
        )

    @property
    def faults(self) -> list[FieldError]:
        """The errors, in the order of the page."""
        hidden = [_field_error(field) for field in self.hidden_fields()]
        first = [*hidden, *(_field_error(field) for field in self.first)]
        times = [_field_error(field, _("Time limits")) for field in self.times]
        rules = [_field_error(field) for field in self.rules]
        advanced = [_field_error(field) for field in self.advanced]
        return [
            fault for fault in (*first, *rules, *times, *advanced, *self._casting_errors()) if fault
        ]

    def _casting_errors(self) -> Iterator[FieldError | None]:
        for cast in self.casts:
            yield from (_field_error(field, cast.name) for field in cast.visible_fields())

    def clean_backend(self) -> str:
        name = self.cleaned_data["backend"] or model_choices.default_backend()
        if trouble_text := model_choices.trouble_text(name):
            advice = _("Choose the built-in players, or try again once that is fixed.")
            raise forms.ValidationError(f"{trouble_text} {advice}")
        return str(name)

    def clean_ruleset(self) -> str:
        name: str = self.cleaned_data["ruleset"]
        if name not in rulesets.names():
            raise forms.ValidationError(_("There is no such game."))
        return name

    def clean_settings_file(self) -> str:
        """Copy the rules of a pasted file into the form."""
        text: str = self.cleaned_data["settings_file"]
        if text.strip():
            settings, self.profiles = clean_settings(self.game, text)
            for key, value in settings.items():
                self.cleaned_data[f"rule_{key}"] = value
        return text

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        guests = data.get("guests") or 0
        people = guests + (data.get("mode") == "play")
        if data.get("seed") and people:
            self.add_error(
                "seed", _("A seed can be set only where nobody plays: it shows who is who.")
            )
        if daily_deal.is_unfinished_day(data.get("seed") or ""):
            text = _("This is a deal of the day that can still be played. Choose another seed.")
            self.add_error("seed", text)
        self._check_pace(data, alone=data.get("mode") == "play" and not guests)
        if data.get("role") and (guests or data.get("mode") != "play" or data.get("research")):
            text = _(
                "A role can be chosen only where you play alone, and the game is not for research."
                " Leave it to the cards."
            )
            self.add_error("role", text)
        if data.get("ruleset") in rulesets.names():
            seats = len(rulesets.get(data["ruleset"]).deck)
            if people > seats:
                most = seats - (data.get("mode") == "play")
                text = _("There are only {seats} seats: invite {most} friends at most.")
                self.add_error("guests", text.format(seats=seats, most=most))
        self._clean_casting(data)
        method = data.get("method") or Recipe.method
        for fault in switch_errors([method], data.get("switches") or {}):
            self.add_error("switches", fault)
        return data

    def _check_pace(self, data: dict[str, Any], *, alone: bool) -> None:
        """Refuse the pace quick unless a person plays alone. Replace it if it was preset."""
        if alone or data.get("pace") != clock.QUICK:
            return
        if "pace" not in self.changed_data:
            data["pace"] = "natural" if data.get("guests") else clock.BRISK
            return
        text = _("This pace is for one person alone with computer players. Choose another one.")
        self.add_error("pace", text)

    def _clean_casting(self, data: dict[str, Any]) -> None:
        """Check the casting of every seat and whether its model can play. Add it to `data`."""
        troubles: dict[str, str] = {}
        for form in self.casts:
            if form.is_valid():
                form.check_consistency(data.get("method") or Recipe.method, blind=data["blind"])
                if (name := form.cleaned_data.get("backend")) and name != data.get("backend"):
                    if name not in troubles:
                        troubles[name] = model_choices.trouble_text(name)
                    if troubles[name]:
                        form.add_error("backend", troubles[name])
        if data.get("ruleset"):
            check_styles(self.casts, data["ruleset"])
        if any(form.errors for form in self.casts):
            self.add_error(None, _("Something about the computer players needs another look."))
        castings = [form.chosen_casting() for form in self.casts]
        for casting, profile in zip(castings, self.profiles, strict=False):
            casting["profile"] = profile
        data["casting"] = {str(n): casting for n, casting in enumerate(castings, 1) if casting}


def _field_error(field: forms.BoundField, group: str = "") -> FieldError | None:
    """Return the field's first error, if any. group: its group, such as a seat."""
    if not field.errors:
        return None
    field_id = field.id_for_label or field.subwidgets[0].id_for_label
    label = f"{group}: {field.label}" if group else str(field.label)
    return FieldError(label, field_id, str(field.errors[0]))


def open_table_arguments(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a valid form's data as the keyword arguments of `open_table`."""
    clocks = ("statement", "vote", "night")
    rules = {k.removeprefix("rule_"): v for k, v in data.items() if k.startswith("rule_")}
    settings = {key: value for key, value in rules.items() if value not in (None, "")}
    return {
        "ruleset": data["ruleset"],
        "mode": data["mode"],
        "guests": data.get("guests") or 0,
        "pace": "even" if data["blind"] else data["pace"],
        "limits": {c: data[f"{c}_seconds"] for c in clocks if data.get(f"{c}_seconds")},
        "settings": {**settings, "blind": data["blind"]},
        "spectators": data["spectators"],
        "research": data["research"],
        "claims": {"shown": True, "hidden": False}.get(data["claims"]),
        "faces": data["faces"] or Table.ME,
        "personas": data["personas"],
        "seed": data.get("seed", ""),
        "backend": data["backend"],
        "method": data.get("method") or Recipe.method,
        "plain": data["plain"],
        "switches": data.get("switches") or {},
        "casting": data.get("casting", {}),
        "role": data.get("role", ""),
    }
