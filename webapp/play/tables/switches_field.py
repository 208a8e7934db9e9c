"""A form field for the switches of a method, and the check of its value."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.recipe import METHODS, BadRecipe, parse_switches

SWITCHES_LABEL = gettext_lazy("Model options")
SWITCHES_HELP = gettext_lazy(
    "For research: details of the method, as in “claims=model, manner=hint”. "
    "Leave it empty to use the defaults."
)


class SwitchesField(forms.CharField):
    """A text field for a method's switches, "claims=model, manner=hint". Its value is a dict."""

    def __init__(self, label: Any = SWITCHES_LABEL, help_text: Any = SWITCHES_HELP) -> None:
        super().__init__(label=label, help_text=help_text, max_length=500, required=False)

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return ", ".join(f"{name}={content}" for name, content in value.items())
        return value

    def to_python(self, value: Any) -> dict[str, str]:  # type: ignore[override]
        if isinstance(value, Mapping):
            return dict(value)
        text = str(value or "")
        super().run_validators(text)  # here, because afterwards the value is no text
        texts = [part for part in text.split(",") if part.strip()]
        try:
            return parse_switches(texts)
        except BadRecipe:
            raise forms.ValidationError(
                _("Enter each option once with its value, as in “claims=model, manner=hint”.")
            ) from None

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.prepare_value(initial or "") != str(data or "").strip())

    def run_validators(self, value: Any) -> None:
        """Check nothing more: the valid switches depend on the method (`switch_errors`)."""


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
