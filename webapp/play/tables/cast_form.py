"""The form with the choices for single computer players at a table."""

from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.personas.big_five import FACTORS, NEUTRAL, PROFILES
from agents.personas.characters import CHARACTERS
from agents.personas.own_style import MAX_TOML_CHARS, parse_own_style
from agents.personas.styles import BadStyle
from agents.recipe import MAX_TEMPERATURE, METHODS
from webapp.play.tables.switches_field import SwitchesField, switch_errors
from webapp.play.turns import model_choices, style_checks
from webapp.play.turns.casting import OWN_PERSONA, OWN_STYLE

FACTOR_LABELS = {
    "O": gettext_lazy("Openness"),
    "C": gettext_lazy("Conscientiousness"),
    "E": gettext_lazy("Extraversion"),
    "A": gettext_lazy("Agreeableness"),
    "N": gettext_lazy("Neuroticism"),
}
STYLE_EXAMPLE = """\
name = "Pip"
age = 9
gender = "male"
first_person = "wee Pip"
habits = ["Counts everything on the fingers."]
examples = ["That makes three, and one is fishy."]

[lines]
greeting = "Pip pip, hello all!"
report = "Wee Pip looked! I am {looker}. I looked at {target}, and {target} is {answer}."
"""


class Slider(forms.NumberInput):
    """A number input that browsers show as a slider."""

    input_type = "range"


class CastForm(forms.Form):
    """The choices for a computer player. An empty field stands for the table's choice."""

    backend = forms.ChoiceField(label=gettext_lazy("Played by"), required=False)
    method = forms.ChoiceField(label=gettext_lazy("Method"), required=False)
    persona = forms.ChoiceField(label=gettext_lazy("Personality"), required=False)
    temperature = forms.FloatField(
        label=gettext_lazy("Temperature"),
        help_text=gettext_lazy(
            "How much a language model’s answers vary, from 0 (hardly at all) to 2 (a great deal)."
        ),
        min_value=0,
        max_value=MAX_TEMPERATURE,
        required=False,
        widget=forms.NumberInput(
            attrs={"step": "0.1", "placeholder": gettext_lazy("model default")}
        ),
    )
    style_example = STYLE_EXAMPLE
    switches = SwitchesField()
    style = forms.CharField(
        label=gettext_lazy("Your own style"),
        help_text=gettext_lazy(
            "Describe a person and a way of speaking, and add prepared lines, as in the "
            "example below. Only the guarded agent uses the lines. Lines that you leave "
            "out stay plain. “Try this style” shows all fourteen with their names. The "
            "maximum is {most} characters."
        ),
        required=False,
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false"}),
    )

    def __init__(self, name: str, key: int | str, data: Mapping[str, Any] | None) -> None:
        """Build the form of a seat, or of all seats with a role.

        Args:
            name: What the page calls the seat or role.
            key: The seat's number, or the role's key.
        """
        super().__init__(data, prefix=f"seat-{key}")
        self.name, self.key = name, str(key)
        as_table = ("", _("Same as the table"))
        backend_options = model_choices.backend_options()
        self._set_choices("backend", [as_table, *backend_options])
        if len(backend_options) == 1:  # only the built-in player: nothing to choose
            for hidden_name in ("backend", "temperature"):
                self.fields[hidden_name].widget = forms.HiddenInput()
        self._set_choices("method", [as_table, *model_choices.method_options()])
        self._set_choices("persona", [("", _("Random")), *persona_options()])
        style_help = str(self.fields["style"].help_text)
        self.fields["style"].help_text = style_help.format(most=MAX_TOML_CHARS)
        for factor in FACTORS:
            self.fields[factor] = forms.IntegerField(
                label=FACTOR_LABELS[factor],
                min_value=1,
                max_value=7,
                initial=NEUTRAL,
                required=False,
                widget=Slider(attrs={"step": 1}),
            )

    def _set_choices(self, name: str, choices: list[tuple[str, Any]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    @property
    def general_fields(self) -> list[forms.BoundField]:
        """The fields that the page does not show elsewhere."""
        shown_elsewhere = {*FACTORS, "style"}
        return [field for field in self.visible_fields() if field.name not in shown_elsewhere]

    @property
    def seat_backend(self) -> forms.BoundField:
        """The field of the model, with the name of the seat as its label."""
        field = copy(self["backend"])
        field.label = self.name
        return field

    @property
    def sliders(self) -> list[forms.BoundField]:
        return [self[factor] for factor in FACTORS]

    def clean_style(self) -> str:
        text = str(self.cleaned_data["style"]).replace("\r\n", "\n")
        try:
            if text:
                parse_own_style(text)
        except BadStyle as error:
            raise forms.ValidationError(str(error)) from None
        return text

    def chosen_casting(self) -> dict[str, Any]:
        """Return the choices, as `casting.cast_seat` takes them, {} if nothing was chosen."""
        cleaned = self.cleaned_data
        choices = {k: cleaned[k] for k in ("backend", "method", "persona") if cleaned.get(k)}
        if choices.get("persona") == OWN_PERSONA:
            choices["scores"] = {factor: cleaned.get(factor) or NEUTRAL for factor in FACTORS}
        if choices.get("persona") == OWN_STYLE:
            choices["style"] = cleaned.get("style", "")
        if cleaned.get("switches"):
            choices["switches"] = cleaned["switches"]
        if cleaned.get("temperature") is not None:
            choices["temperature"] = cleaned["temperature"]
        return choices

    def check_consistency(self, method: str, *, is_blind: bool) -> None:
        """Add an error for each choice that contradicts the method or a blind table.

        `method` is the table's, which a seat may override.
        """
        cleaned = self.cleaned_data
        persona = cleaned.get("persona", "")
        method = cleaned.get("method") or method
        if persona and (method not in METHODS or "persona" not in METHODS[method].faculties):
            text = _("This player’s method has no personality. Choose a method with a personality.")
            self.add_error("persona", text)
        for error in switch_errors([method], cleaned.get("switches") or {}):
            self.add_error("switches", error)
        if is_blind and persona.startswith("character:"):
            text = _(
                "Choose another personality. At a blind table, a written character would "
                "reveal a computer player."
            )
            self.add_error("persona", text)
        self._check_style_consistency(is_chosen=persona == OWN_STYLE, is_blind=is_blind)

    def _check_style_consistency(self, *, is_chosen: bool, is_blind: bool) -> None:
        if not is_chosen and self.cleaned_data.get("style"):
            text = _("You wrote a style below. Choose it as the personality, or delete it.")
            self.add_error("persona", text)
        elif is_chosen and not self.cleaned_data.get("style") and "style" not in self.errors:
            self.add_error("style", _("Enter the style that you chose as the personality."))
        elif is_chosen and is_blind:
            text = _(
                "Choose another personality. At a blind table, your own style would reveal a "
                "computer player."
            )
            self.add_error("persona", text)


def check_styles(cast_forms: Iterable[CastForm], ruleset: str) -> None:
    """Add an error to each form whose style is invalid in the game.

    It checks all styles together, because two players cannot have the same name.
    """
    style_by_form = {
        form: form.cleaned_data["style"]
        for form in cast_forms
        if form.is_valid() and form.cleaned_data.get("persona") == OWN_STYLE
    }
    errors = style_checks.style_errors(ruleset, style_by_form.values())
    for form, style in style_by_form.items():
        if style in errors:
            form.add_error("style", errors[style])


def persona_options() -> list[tuple[str, Any]]:
    """List the personas to choose from, in groups as a `ChoiceField` takes them."""
    profiles = [
        (f"profile:{name}", _("research profile {number}").format(number=number))
        for number, name in enumerate(PROFILES, 1)
    ]
    characters = [(f"character:{key}", character.name) for key, character in CHARACTERS.items()]
    own = [
        (OWN_PERSONA, _("Set with the five sliders")),
        (OWN_STYLE, _("Your own style, written below")),
    ]
    return [
        (_("Research profiles"), profiles),
        (_("Written characters"), characters),
        (_("Yours"), own),
    ]


def build_cast_forms(names: list[str], data: Mapping[str, Any] | None) -> list[CastForm]:
    """Build a form for each seat, in order. The fields of seat n begin with `seat-n-`."""
    return [CastForm(name, n, data) for n, name in enumerate(names, 1)]
