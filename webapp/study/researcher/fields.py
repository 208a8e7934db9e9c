"""Fields of the researchers' forms, and their error messages."""

import re
from contextlib import suppress
from typing import Any, get_type_hints

from django import forms
from django.core.validators import MaxLengthValidator
from django.utils.translation import gettext_lazy as _
from pydantic import StrictInt
from pydantic.fields import FieldInfo

from webapp.study.design.analysis_plan import AnalysisPlan, parse_tests
from webapp.study.design.refusals import Refused
from webapp.study.models import normalize_name
from webapp.study.researcher.labels import LABELS

MAX_LABELS_PER_LIST = 500
MAX_LABEL_FILE_BYTES = 256 * 1024
MAX_LABEL_CHARS = 200
# Options of `setting_field` for any number of choices.
CHECKBOXES: dict[str, Any] = {
    "kind": forms.MultipleChoiceField,
    "required": False,
    "widget": forms.CheckboxSelectMultiple,
}
BOUND_NAMES = ("ge", "le", "min_length", "max_length", "pattern")


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
        error_messages=LABELS["number_errors"],
    )


def radio_buttons(*choices: tuple[str, Any]) -> dict[str, Any]:
    """Return the options of `setting_field` for a choice."""
    return {"kind": forms.ChoiceField, "choices": choices, "widget": forms.RadioSelect}


def lines_of_text(rows: int) -> dict[str, Any]:
    """Return the options of `setting_field` for a text of several lines."""
    return {"kind": MultilineField, "widget": forms.Textarea(attrs={"rows": rows})}


def setting_field(model: type, name: str, kind: Any = forms.CharField, **changes: Any) -> Any:
    """Return the form field of a setting, with its declared label, help and bounds.

    Args:
        model: The Pydantic model or dataclass that declares the setting.
        kind: The class of the field. The fields of numbers and switches ignore it.
        changes: Options of the field that differ from the declaration.
    """
    setting = getattr(model, "model_fields", {}).get(name)  # a dataclass has no model_fields
    if setting is None:
        setting = FieldInfo.from_annotation(get_type_hints(model, include_extras=True)[name])
    bounds = {
        key: getattr(m, key) for m in setting.metadata for key in BOUND_NAMES if hasattr(m, key)
    }
    help_text = "" if setting.description is None else setting.description
    options = {"label": setting.title, "help_text": help_text, **changes}
    is_number = setting.annotation in (int, StrictInt | None)
    if is_number and issubclass(kind, forms.CharField):
        return number_field(**{"low": bounds.get("ge"), "high": bounds.get("le"), **options})
    if setting.annotation is bool:
        return forms.BooleanField(required=False, **options)
    if issubclass(kind, forms.FloatField):
        options = {"min_value": bounds.get("ge"), "max_value": bounds.get("le"), **options}
    if issubclass(kind, forms.CharField):
        is_required = not {"min_length", "pattern"}.isdisjoint(bounds)
        options = {"max_length": bounds.get("max_length"), "required": is_required, **options}
    return kind(**options)


class TestsField(forms.CharField):
    """A text of planned tests, one per line. The cleaned value is the list of tests."""

    def clean(self, value: Any) -> Any:
        try:
            return parse_tests(super().clean(value))
        except Refused as refused:
            raise forms.ValidationError(refused.sentences) from None


def tests_field() -> Any:
    widget = forms.Textarea(attrs={"rows": 4})
    options = {"max_length": 20_000, "required": False, "widget": widget}
    return setting_field(AnalysisPlan, "tests", TestsField, **options)


class MultilineField(forms.CharField):
    """A text of several lines, kept as typed except for the browser's line ends."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(strip=False, **kwargs)

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n").replace("\r", "\n")


def optional_text(label: Any, max_chars: int, help_text: Any = "") -> forms.CharField:
    return forms.CharField(label=label, max_length=max_chars, help_text=help_text, required=False)


def return_address_field() -> forms.URLField:
    """Return the field of the address to which an exit leads."""
    return forms.URLField(
        label=_("Return address"), max_length=400, required=False, assume_scheme="https"
    )


def show_if(field: forms.Field, other_field: str, value: str) -> None:
    """Let the page show the field only while another field has that value (`needs.js`)."""
    field.widget.attrs |= {"data-needs": other_field, "data-needs-value": value}


def set_choices(form: forms.Form, name: str, choices: Any) -> forms.ChoiceField:
    """Set the choices of a field that are known only with the form's data. Return the field."""
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    field.choices = choices
    return field


class ResearcherForm(forms.Form):
    """A form with the site's own error messages for missing and for too long texts."""

    def full_clean(self) -> None:
        # Not in __init__, because subclasses add fields after it.
        for field in self.fields.values():
            if isinstance(field, forms.CharField):
                field.error_messages["required"] = _("Enter a text.")
                for validator in field.validators:
                    if isinstance(validator, MaxLengthValidator):
                        validator.message = _(
                            "This text has %(show_value)d characters."
                            " The maximum is %(limit_value)d."
                        )
        super().full_clean()


class LabelsForm(forms.Form):
    """A form of labels of people, typed or in a file.

    `cleaned_data["labels"]` lists each label once, in the spelling of its first occurrence.
    `list_field` is the name of the field that they come from.
    """

    list_field = "labels"

    labels = forms.CharField(
        label=_("Labels"),
        help_text=_(
            "Enter one label per line, one for each link. Labels are stored separately from the"
            " data and never exported."
        ),
        required=False,
        max_length=100_000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    file = forms.FileField(
        label=_("Or upload a file of labels"),
        help_text=_("One label per line. In tables, the first column is used."),
        required=False,
    )

    def clean_file(self) -> str:
        upload = self.cleaned_data["file"]
        if upload is None:
            return ""
        if upload.size > MAX_LABEL_FILE_BYTES:
            raise forms.ValidationError(_("The file is too large for a list of labels."))
        with suppress(UnicodeDecodeError):
            text: str = upload.read().decode("utf-8-sig")
            if "\x00" not in text:
                return text
        raise forms.ValidationError(_("Save the list as plain text (UTF-8)."))

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        if data.get("file"):
            self.list_field = "file"
        lines = data.get("labels", "").splitlines()
        lines += [re.split(r"[,;\t]", line)[0] for line in (data.get("file") or "").splitlines()]
        labels = [" ".join(line.strip(" \"'").split()) for line in lines]
        labels = [label for label in labels if normalize_name(label)]
        if any(len(label) > MAX_LABEL_CHARS for label in labels):
            text = _("A label has a maximum of {most} characters.").format(most=MAX_LABEL_CHARS)
            self.add_error(self.list_field, text)
        if len(labels) > MAX_LABELS_PER_LIST:
            text = _("The list can have at most {most} labels.").format(most=MAX_LABELS_PER_LIST)
            self.add_error(self.list_field, text)
        labels_by_name: dict[str, str] = {}
        for label in labels:
            labels_by_name.setdefault(normalize_name(label), label)
        data["labels"] = list(labels_by_name.values())
        return data
