"""The form of a new table: its settings, and the choices for its computer players."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from agents.recipe import Recipe
from game import clock
from game.engine import rulesets
from game.engine.ruleset import BadSettingsFile
from game.lobby import DEFAULT_LIMITS
from webapp.play import daily_deal
from webapp.play.models import Table
from webapp.play.tables.cast_form import CastForm, build_cast_forms, check_styles
from webapp.play.tables.opening import TableOptions
from webapp.play.tables.rule_fields import build_rule_field, read_settings_file, settings_file_field
from webapp.play.tables.rules_pages import DEFAULT_RULESET, game_choices
from webapp.play.tables.switches_field import SwitchesField, switch_errors
from webapp.play.turns import model_choices

SECONDS_ERROR = _("Enter a number of seconds from 10 to 3600, or leave this empty.")


@dataclass(frozen=True)
class FieldError:
    """An error in the list above the form."""

    label: str
    field_id: str  # id of the field, to which the error links
    text: str


def _seconds_field(label: Any, kind: str) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        min_value=10,
        max_value=3600,
        required=False,
        widget=forms.NumberInput(attrs={"placeholder": DEFAULT_LIMITS[kind]}),
        error_messages=dict.fromkeys(("min_value", "max_value", "invalid"), SECONDS_ERROR),
    )


class TableForm(forms.Form):
    """The settings of a new table. A ruleset's own settings are added as `rule_<key>`.

    The page shows TOP_FIELDS, then the ruleset's own settings, then the others in a folded section.
    """

    TOP_FIELDS = ("mode", "guests", "role", "backend", "pace", "spectators", "blind", "plain")

    ruleset = forms.ChoiceField(
        label=_("Game"),
        widget=forms.HiddenInput,
        error_messages={"invalid_choice": _("Choose one of the listed games.")},
    )
    mode = forms.ChoiceField(
        label=_("Your part"),
        choices=[("play", _("Play")), ("watch", _("Watch"))],
        initial="play",
        widget=forms.RadioSelect,
    )
    guests = forms.IntegerField(
        label=_("Invited friends"),
        help_text=_(
            "You get a link to send to your friends and a lobby to meet in. Computer "
            "players take the other seats."
        ),
        min_value=0,
        required=False,
        initial=0,
    )
    role = forms.ChoiceField(
        label=_("Your role"),
        help_text=_("You can choose a role only if you play alone with computer players."),
        required=False,
    )
    backend = forms.ChoiceField(
        label=_("Computer players"),
        help_text=_(
            "The built-in players are always available. The operator of this site can add "
            "language models."
        ),
        required=False,
        widget=forms.RadioSelect,
    )
    method = forms.ChoiceField(
        label=_("Method of the computer players"),
        help_text=_(
            "Computer players play best with a personality, feelings about the others and a plan."
        ),
        required=False,
    )
    pace = forms.ChoiceField(
        label=_("Pace"),
        help_text=_("How fast the computer players speak and choose."),
        choices=[
            ("slow", _("Slow: with time to think")),
            ("natural", _("Natural: as people talk")),
            ("brisk", _("Brisk: with short pauses")),
            ("instant", _("Instant")),
            ("quick", _("Quick: everything between two of your turns appears together")),
        ],
        initial="natural",
        widget=forms.RadioSelect,
    )
    statement_seconds = _seconds_field(_("Per statement"), "statement")
    vote_seconds = _seconds_field(_("Per vote"), "vote")
    night_seconds = _seconds_field(_("Per choice at night"), "night")
    blind = forms.BooleanField(
        label=_("Blind table"),
        help_text=_(
            "No one can see who is a person and who is a computer player until you reveal it after "
            "the game. Everyone uses the name of their seat and speaks at the same pace."
        ),
        required=False,
    )
    spectators = forms.BooleanField(
        label=_("Allow spectators"),
        help_text=_("Anyone with the address can follow the talk, but sees no secrets."),
        required=False,
    )
    plain = forms.BooleanField(
        label=_("Plain speech"),
        help_text=_(
            "Computer players say what they mean in plain language, without sayings and "
            "side remarks. You cannot change this after the table is open."
        ),
        required=False,
    )
    research = forms.BooleanField(
        label=_("Allow research use"),
        help_text=_(
            "Others may read and rate what is said at this table, under the names of the seats. "
            "Everyone who sits down is informed, and can withdraw what they said after the game."
        ),
        required=False,
    )
    claims = forms.ChoiceField(
        label=_("Claims panel"),
        help_text=_(
            "A list beside the talk shows who claims which role and which results. A "
            "program reads it from the talk and can make mistakes."
        ),
        choices=[
            ("", _("Shown, except in games for research")),
            ("shown", _("Shown")),
            ("hidden", _("Not shown")),
        ],
        required=False,
        widget=forms.RadioSelect,
    )
    faces = forms.ChoiceField(
        label=_("Faces of the computer players"),
        help_text=_(
            "A face shows how much a computer player likes a player. Blind tables show no faces."
        ),
        choices=[
            (Table.ME, _("How much they like me")),
            (Table.ALL, _("How much they like each person")),
            (Table.HIDDEN, _("None")),
        ],
        initial=Table.ME,
        required=False,
        widget=forms.RadioSelect,
    )
    switches = SwitchesField()
    personas = forms.BooleanField(
        label=_("Show the computer players’ personalities"),
        help_text=_(
            "Each computer player has a card with a few words and five bars about its personality."
        ),
        initial=True,
        required=False,
    )
    seed = forms.CharField(
        label=_("Seed"),
        help_text=_(
            "Enter a word or number. The same seed gives the same game again. You can set "
            "it only if you watch and no one else plays."
        ),
        max_length=60,
        required=False,
    )

    TIME_LIMIT_FIELDS = ("statement_seconds", "vote_seconds", "night_seconds")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Seat by seat, the profiles of a pasted settings file.
        self.profiles: list[dict[str, str]] = []
        self._set_up_models()
        name = str((self.data or self.initial).get("ruleset") or DEFAULT_RULESET)
        self.game = rulesets.get(name if name in rulesets.names() else DEFAULT_RULESET)
        self.initial["ruleset"] = self.game.name
        self.fields["ruleset"].choices = [(n, n) for n in rulesets.names()]  # type: ignore[attr-defined]
        roles = [(r.key, _(r.name)) for r in self.game.roles if r.key in self.game.deck]
        self.fields["role"].choices = [("", _("Random")), *roles]  # type: ignore[attr-defined]
        for setting in self.game.settings:
            field = build_rule_field(setting, self.game, is_casual=True)
            self.fields[f"rule_{setting.key}"] = field
        if self.game.settings_file:
            self.fields["settings_file"] = settings_file_field(self.game)
        names = list(self.game.table_names)
        self.casts: list[CastForm] = build_cast_forms(names, self.data or None)

    @property
    def game_title(self) -> str:
        return str(_(self.game.title))

    @property
    def games(self) -> list[tuple[str, str, bool]]:
        return game_choices(self.game.name)

    def _set_up_models(self) -> None:
        backend: Any = self.fields["backend"]
        method: Any = self.fields["method"]
        backend.choices = model_choices.backend_options()
        method.choices = model_choices.method_options()
        backend.initial, method.initial = model_choices.default_backend(), Recipe.method
        if len(model_choices.backend_options()) == 1:  # only the built-in player: nothing to choose
            backend.widget = forms.HiddenInput()
        else:
            models = _("Language models are not affected.")
            self.fields["plain"].help_text = f"{self.fields['plain'].help_text} {models}"

    def _is_shown(self, name: str) -> bool:
        return not self[name].is_hidden and name not in self.TIME_LIMIT_FIELDS

    @property
    def top_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.TOP_FIELDS if self._is_shown(name)]

    @property
    def rule_fields(self) -> list[forms.BoundField]:
        """The ruleset's own settings, except those that only a study needs."""
        return [self[f"rule_{s.key}"] for s in self.game.settings if not s.is_for_studies]

    @property
    def advanced_fields(self) -> list[forms.BoundField]:
        """The remaining fields, except the time limits, which are grouped."""
        shown_above = {*self.TOP_FIELDS, *(field.name for field in self.rule_fields)}
        return [self[n] for n in self.fields if n not in shown_above and self._is_shown(n)]

    @property
    def time_limit_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.TIME_LIMIT_FIELDS]

    @property
    def is_advanced_open(self) -> bool:
        """Whether the folded section has an error or a value other than the default."""
        if not self.is_bound:
            return False
        folded = {field.name for field in (*self.advanced_fields, *self.time_limit_fields)}
        return self.is_casting_open or bool(folded & {*self.errors, *self.changed_data})

    @property
    def are_seat_models_open(self) -> bool:
        return self.is_bound and any("backend" in cast.changed_data for cast in self.casts)

    @property
    def is_casting_open(self) -> bool:
        changed = (cast.errors or set(cast.changed_data) - {"backend"} for cast in self.casts)
        return self.is_bound and any(changed)

    @property
    def field_errors(self) -> list[FieldError]:
        """The errors, in the order of the page."""
        groups = [
            ("", [*self.hidden_fields(), *self.top_fields, *self.rule_fields]),
            (str(_("Time limits")), self.time_limit_fields),
            ("", self.advanced_fields),
            *((cast.name, cast.visible_fields()) for cast in self.casts),
        ]
        return [_field_error(f, label) for label, fields in groups for f in fields if f.errors]

    def clean_backend(self) -> str:
        name = self.cleaned_data["backend"] or model_choices.default_backend()
        if error_text := model_choices.backend_error(name):
            advice = _("Choose the built-in players, or try again when the problem is fixed.")
            raise forms.ValidationError(f"{error_text} {advice}")
        return str(name)

    def clean_settings_file(self) -> str:
        """Copy the rules of a pasted file into the form."""
        text: str = self.cleaned_data["settings_file"]
        if text.strip():
            try:
                settings, self.profiles = read_settings_file(self.game, text)
            except BadSettingsFile as error:
                error_text = _("The file could not be read: {error}.").format(error=error)
                raise forms.ValidationError(error_text) from None
            for key, value in settings.items():
                self.cleaned_data[f"rule_{key}"] = value
        return text

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        is_playing, guests = data.get("mode") == "play", data.get("guests") or 0
        is_alone = is_playing and not guests
        self._check_seed(data.get("seed") or "", has_people=is_playing or guests > 0)
        self._check_pace(data, is_alone=is_alone)
        if data.get("role") and (not is_alone or data.get("research")):
            text = _(
                "You can choose a role only if you play alone and the game is not for "
                "research. Choose “Random”."
            )
            self.add_error("role", text)
        seats = len(self.game.deck)
        if data.get("ruleset") and guests + is_playing > seats:
            text = _("There are only {seats} seats. Invite up to {max_friends} friends.")
            self.add_error("guests", text.format(seats=seats, max_friends=seats - is_playing))
        self._clean_casting(data)
        method = data.get("method") or Recipe.method
        for error in switch_errors([method], data.get("switches") or {}):
            self.add_error("switches", error)
        return data

    def _check_seed(self, seed: str, *, has_people: bool) -> None:
        people_error = _(
            "Remove the seed, or choose to watch without friends. A seed reveals every role."
        )
        unfinished_day_error = _(
            "This seed belongs to a daily game that can still be played. Choose another seed."
        )
        if seed and has_people:
            self.add_error("seed", people_error)
        if daily_deal.is_unfinished_day(seed):
            self.add_error("seed", unfinished_day_error)

    def _check_pace(self, data: dict[str, Any], *, is_alone: bool) -> None:
        """Refuse the pace quick unless a person plays alone. Replace it if it was preset."""
        if is_alone or data.get("pace") != clock.QUICK:
            return
        if "pace" not in self.changed_data:
            data["pace"] = "natural" if data.get("guests") else clock.BRISK
            return
        text = _(
            "This pace works only for one person alone with computer players. Choose another pace."
        )
        self.add_error("pace", text)

    def _clean_casting(self, data: dict[str, Any]) -> None:
        """Check the casting of every seat and whether its model can play. Add it to `data`."""
        find_error = cache(model_choices.backend_error)  # checks each backend once
        for form in self.casts:
            if form.is_valid():
                form.check_consistency(data.get("method") or Recipe.method, is_blind=data["blind"])
                name = form.cleaned_data.get("backend")
                if name and name != data.get("backend") and (error := find_error(name)):
                    form.add_error("backend", error)
        if data.get("ruleset"):
            check_styles(self.casts, data["ruleset"])
        if any(form.errors for form in self.casts):
            self.add_error(None, _("Check the settings of the computer players."))
        castings = [form.chosen_casting() for form in self.casts]
        for casting, profile in zip(castings, self.profiles, strict=False):
            casting["profile"] = profile
        data["casting"] = {str(n): casting for n, casting in enumerate(castings, 1) if casting}


def _field_error(field: forms.BoundField, group_label: str) -> FieldError:
    field_id = field.id_for_label or field.subwidgets[0].id_for_label
    label = f"{group_label}: {field.label}" if group_label else str(field.label)
    return FieldError(label, field_id, str(field.errors[0]))


def build_table_options(data: Mapping[str, Any]) -> TableOptions:
    """Build the options of a new table from a valid form's data."""
    rules = {k.removeprefix("rule_"): v for k, v in data.items() if k.startswith("rule_")}
    settings = {key: value for key, value in rules.items() if value not in (None, "")}
    limits = {name: data.get(f"{name}_seconds") for name in ("statement", "vote", "night")}
    names = [field.name for field in fields(TableOptions)]
    chosen = {name: data[name] for name in names if data.get(name) not in (None, "")}
    chosen |= {
        "pace": "even" if data["blind"] else data["pace"],
        "limits": {name: seconds for name, seconds in limits.items() if seconds},
        "settings": {**settings, "blind": data["blind"]},
        "claims": {"shown": True, "hidden": False}.get(data["claims"]),
        "recipe": Recipe(
            data["backend"],
            data.get("method") or Recipe.method,
            has_plain_speech=data["plain"],
            switches=data.get("switches") or {},
        ),
    }
    return TableOptions(**chosen)
