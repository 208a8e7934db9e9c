"""Fields of the researchers' forms, and their error messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_type_hints

from django import forms
from django.core.validators import MaxLengthValidator
from django.utils.translation import gettext_lazy as _
from pydantic import StrictInt
from pydantic.fields import FieldInfo

from webapp.study.design.analysis_plan import AnalysisPlan, parse_tests
from webapp.study.design.refusals import Refused

BOUNDS = ("ge", "le", "min_length", "max_length", "pattern")


def number_field(
    label: Any, low: int, high: int | None, help_text: Any = "", **more: Any
) -> forms.IntegerField:
    """Return a field of whole numbers from `low` to `high` (None: no limit)."""
    return forms.IntegerField(
        label=label,
        min_value=low,
        max_value=high,
        help_text=help_text,
        **more,
        error_messages={
            "required": _("Enter a number."),
            "invalid": _("Enter a whole number."),
            "min_value": _("Enter %(limit_value)s or more."),
            "max_value": _("Enter %(limit_value)s or less."),
        },
    )


def switch_field(label: Any, help_text: Any = "") -> forms.BooleanField:
    """Return a checkbox."""
    return forms.BooleanField(label=label, help_text=help_text, required=False)


def choice_field(
    label: Any, choices: Sequence[tuple[str, Any]], help_text: Any = ""
) -> forms.Field:
    """Return a field of radio buttons."""
    return forms.ChoiceField(
        label=label, choices=choices, help_text=help_text, widget=forms.RadioSelect
    )


def setting_field(model: type, name: str, kind: Any = forms.CharField, **changes: Any) -> Any:
    """Return the form field of a setting, with its declared label, help and bounds.

    Args:
        kind: The class of the field, unless its type determines it.
        changes: Options that differ in this form.
    """
    setting = getattr(model, "model_fields", {}).get(name)  # a dataclass has no model_fields
    if setting is None:
        setting = FieldInfo.from_annotation(get_type_hints(model, include_extras=True)[name])
    bounds = {key: getattr(m, key) for m in setting.metadata for key in BOUNDS if hasattr(m, key)}
    text = "" if setting.description is None else setting.description
    options = {"label": setting.title, "help_text": text, **changes}
    is_number = setting.annotation in (int, StrictInt | None)
    if is_number and issubclass(kind, forms.CharField):
        return number_field(**{"low": bounds.get("ge"), "high": bounds.get("le"), **options})
    if setting.annotation is bool:
        return switch_field(**options)
    if issubclass(kind, forms.CharField):
        is_required = not {"min_length", "pattern"}.isdisjoint(bounds)
        options = {"max_length": bounds.get("max_length"), "required": is_required, **options}
    return kind(**options)


def tests_field() -> Any:
    """Return the field of the planned tests, one a line (`clean_tests_text`)."""
    widget = forms.Textarea(attrs={"rows": 4})
    options = {"max_length": 20_000, "required": False, "widget": widget}
    return setting_field(AnalysisPlan, "tests", forms.CharField, **options)


def clean_tests_text(text: str) -> list[dict[str, Any]]:
    """Return the planned tests of the field's text.

    Raises:
        ValidationError: A line is no test.
    """
    try:
        return parse_tests(text)
    except Refused as refused:
        raise forms.ValidationError(refused.sentences) from None


class MultilineField(forms.CharField):
    """A text of several lines, kept as typed except for the browser's line ends."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(strip=False, **kwargs)

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n").replace("\r", "\n")


def optional_text(
    label: Any, max_chars: int, help_text: Any = "", *, rows: int = 0
) -> forms.CharField:
    """Return an optional text field, with several lines if their number `rows` is given."""
    options = {"label": label, "max_length": max_chars, "help_text": help_text, "required": False}
    if rows:
        return MultilineField(widget=forms.Textarea(attrs={"rows": rows}), **options)
    return forms.CharField(**options)


def show_if(field: forms.Field, other_field: str, value: str) -> None:
    """Let the page show the field only if another one has that value (needs.js)."""
    field.widget.attrs |= {"data-needs": other_field, "data-needs-value": value}


def set_error_messages(form: forms.Form) -> None:
    """Set error messages for missing and for too long texts, which say what to do."""
    for field in form.fields.values():
        if isinstance(field, forms.CharField):
            field.error_messages["required"] = _("Enter a text.")
            for validator in field.validators:
                if isinstance(validator, MaxLengthValidator):
                    validator.message = _(
                        "This text has %(show_value)d characters. The maximum is %(limit_value)d."
                    )
