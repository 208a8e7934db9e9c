"""The casting of a table: the choices for single computer players, their form and their effect."""

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import replace
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.personas.big_five import FACTORS, NEUTRAL, PROFILES, Persona
from agents.personas.characters import CHARACTERS
from agents.personas.own_style import MAX_TOML_CHARS, parse_own_style
from agents.personas.styles import BadStyle
from agents.recipe import MAX_TEMPERATURE, METHODS, BadRecipe, Recipe, parse_switches
from webapp.play.turns import model_choices, style_checks

OWN_PERSONA, OWN_STYLE = "own", "style"
FACTOR_LABELS = {
    "O": gettext_lazy("Openness"),
    "C": gettext_lazy("Conscientiousness"),
    "E": gettext_lazy("Extraversion"),
    "A": gettext_lazy("Agreeableness"),
    "N": gettext_lazy("Neuroticism"),
}
# Numbers of pictures in static/portraits that match each character's age and kind.
CHARACTER_PORTRAITS = {
    "lady": 22,
    "fisherman": 3,
    "rancher": 2,
    "child": 24,
    "mascot": 6,
    "judge": 8,
    "student": 17,
    "cook": 12,
    "librarian": 18,
    "magician": 1,
}

SWITCHES_LABEL = gettext_lazy("Model options")
SWITCHES_HELP = gettext_lazy(
    "For research: details of the method, as in “claims=model, manner=hint”. "
    "Leave it empty to use the defaults."
)
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


class SwitchesField(forms.CharField):
    """A text field for a method's switches, "claims=model, manner=hint". Its value is a dict."""

    def __init__(self, label: Any = SWITCHES_LABEL, help_text: Any = SWITCHES_HELP) -> None:
        super().__init__(label=label, help_text=help_text, max_length=500, required=False)

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return ", ".join(f"{name}={chosen}" for name, chosen in value.items())
        return value

    def to_python(self, value: Any) -> dict[str, str]:  # type: ignore[override]
        if isinstance(value, Mapping):
            return dict(value)
        texts = [text for text in str(value or "").split(",") if text.strip()]
        try:
            return parse_switches(texts)
        except BadRecipe:
            raise forms.ValidationError(
                _("Enter each option once with its value, as in “claims=model, manner=hint”.")
            ) from None

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.prepare_value(initial or "") != str(data or "").strip())

    def run_validators(self, value: Any) -> None:
        """Check nothing: the valid switches depend on the method (`switch_errors`)."""


def switch_errors(methods: Iterable[str], switches: Mapping[str, str]) -> Iterator[str]:
    """Yield an error for each switch that none of the methods has with this value."""
    switch_by_name = {
        s.name: s for name in methods if name in METHODS for s in METHODS[name].switches
    }
    for name, value in switches.items():
        if not switch_by_name:
            yield _("There is no option “{name}” here. Remove it.").format(name=name[:40])
        elif name not in switch_by_name:
            text = _("There is no option “{name}” here. Choose {known}.")
            yield text.format(name=name[:40], known=", ".join(switch_by_name))
        elif value not in switch_by_name[name].values:
            text = _("The option “{name}” can’t be “{value}”. Choose {known}.")
            values = ", ".join(switch_by_name[name].values)
            yield text.format(name=name, value=str(value)[:40], known=values)


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
        super().__init__(data, prefix=f"seat-{key}")
        self.name, self.key = name, str(key)
        as_table = ("", _("Same as the table"))
        self._set_choices("backend", [as_table, *model_choices.backend_options()])
        if len(model_choices.backend_options()) == 1:  # only the built-in player: nothing to choose
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
    def choices(self) -> list[forms.BoundField]:
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
        """Return the choices, JSON-shaped, or {} if nothing was chosen."""
        cleaned = self.cleaned_data
        recipe_data = {k: cleaned[k] for k in ("backend", "method", "persona") if cleaned.get(k)}
        if recipe_data.get("persona") == OWN_PERSONA:
            recipe_data["scores"] = {factor: cleaned.get(factor) or NEUTRAL for factor in FACTORS}
        if recipe_data.get("persona") == OWN_STYLE:
            recipe_data["style"] = cleaned.get("style", "")
        if cleaned.get("switches"):
            recipe_data["switches"] = cleaned["switches"]
        if cleaned.get("temperature") is not None:
            recipe_data["temperature"] = cleaned["temperature"]
        return recipe_data

    def check_consistency(self, method: str, *, is_blind: bool) -> None:
        """Add an error for each choice that contradicts the method or a blind table.

        `method` is the table's, which a seat may override.
        """
        cleaned = self.cleaned_data
        chosen = cleaned.get("persona", "")
        method = cleaned.get("method") or method
        if chosen and (method not in METHODS or "persona" not in METHODS[method].faculties):
            text = _("This player’s method has no personality. Choose a method with a personality.")
            self.add_error("persona", text)
        for error in switch_errors([method], cleaned.get("switches") or {}):
            self.add_error("switches", error)
        if is_blind and chosen.startswith("character:"):
            text = _(
                "Choose another personality. At a blind table, a written character would "
                "reveal a computer player."
            )
            self.add_error("persona", text)
        self._check_style_consistency(chosen == OWN_STYLE, is_blind)

    def _check_style_consistency(self, is_chosen: bool, is_blind: bool) -> None:
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
    for form, text in style_by_form.items():
        if text in errors:
            form.add_error("style", errors[text])


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


def cast_seat(recipe: Recipe, seed: str, choice: Mapping[str, Any], character: str = "") -> Recipe:
    """Return the table's recipe with the choices for one seat.

    Args:
        seed: Draws the persona if neither `choice` nor `character` has one.
        choice: What `CastForm.chosen_casting` returned for the seat. A design may add
            `persona_seed`, which replaces `seed` for the words of the persona, so that all games
            have the same description.
        character: The key of a written character, for a choice without a persona; "" for none.
    """
    words_seed = str(choice.get("persona_seed") or seed)
    recipe = replace(
        recipe.with_method(choice.get("method") or recipe.method, choice.get("switches")),
        backend=choice.get("backend") or recipe.backend,
        temperature=choice.get("temperature", recipe.temperature),
        profile=choice.get("profile") or recipe.profile,
    )
    kind, _sep, key = str(choice.get("persona", "")).partition(":")
    if kind == "profile":
        recipe = replace(recipe, persona=Persona.profile(key, words_seed))
    elif kind == "character":
        recipe = replace(recipe, persona=Persona.of_character(key, words_seed))
    elif kind == OWN_PERSONA:
        recipe = replace(recipe, persona=Persona(dict(choice["scores"]), words_seed))
    elif kind == OWN_STYLE:
        recipe = replace(recipe, persona=Persona.of_style(choice["style"], words_seed))
    return recipe.cast(seed, character)
