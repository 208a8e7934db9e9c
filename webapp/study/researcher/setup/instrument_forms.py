"""Forms of an instrument, for raters or participants: one for the whole, one for each item."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from webapp.study.design.instruments import (
    MAX_ITEMS,
    MAX_LINES,
    Dimension,
    Example,
    Instrument,
    Item,
)
from webapp.study.design.instruments.items import (
    FIELDS_OF_ANSWER,
    GUESS_ANSWERS,
    MAX_OPTION_CHARS,
    MAX_OPTIONS,
    MAX_TEXT_CHARS,
    MIN_OPTIONS,
)
from webapp.study.design.setting_fields import KEY_PATTERN
from webapp.study.games import situations
from webapp.study.researcher.fields import ResearcherForm, set_choices, setting_field
from webapp.study.researcher.labels import LABELS

OPTION_SEPARATOR = "|"  # separates the key of an option for data files from its label
# What a line has beside the label: a key of up to 40 characters, separator, spaces, line end.
OPTION_KEY_ALLOWANCE_CHARS = 50


class InstrumentForm(ResearcherForm):
    """The form of an instrument without its items: unit, introduction, worked example."""

    title = setting_field(Instrument, "title")
    unit = setting_field(
        Instrument,
        "unit",
        forms.ChoiceField,
        choices=list(LABELS["rated_units"].items()),
        widget=forms.RadioSelect,
    )
    intro = setting_field(Instrument, "intro", widget=forms.Textarea(attrs={"rows": 4}))
    context = forms.CharField(
        label=_("Previous statements"),
        max_length=MAX_LINES * MAX_TEXT_CHARS,
        required=False,
        help_text=_("Write one per line: the speaker, a colon, then the text."),
        widget=forms.Textarea(attrs={"rows": 4, "placeholder": "Ida: …"}),
    )
    speaker = setting_field(Example, "speaker", max_length=60, required=False)
    text = setting_field(Example, "text", widget=forms.Textarea(attrs={"rows": 2}))

    instrument_fields = ("title", "unit", "intro")
    example_fields = ("context", "speaker", "text")

    def clean_context(self) -> list[dict[str, str]]:
        """Return the lines, each with a speaker and a text."""
        lines = []
        for line in filter(str.strip, self.cleaned_data["context"].splitlines()):
            speaker, _colon, text = map(str.strip, line.partition(":"))
            if not (speaker and text):
                message = _("“{line}” has no speaker. Start it with a name and a colon.")
                raise forms.ValidationError(message.format(line=line[:60]))
            lines.append({"speaker": speaker, "text": text})
        return lines


class ItemForm(ResearcherForm):
    """The form of one item, with its value in the example."""

    key = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)
    label = setting_field(Dimension, "label")
    question = setting_field(Dimension, "question", widget=forms.Textarea(attrs={"rows": 2}))
    min = setting_field(Dimension, "min", high=99)
    low_pole = setting_field(Dimension, "low_pole")
    max = setting_field(Dimension, "max", high=100)
    high_pole = setting_field(Dimension, "high_pole")
    situation = setting_field(Dimension, "situation", forms.ChoiceField, required=False)
    rank = setting_field(Dimension, "rank")
    deeds = setting_field(Dimension, "deeds")
    value = forms.IntegerField(label=_("Value in the example"), required=False)
    why = forms.CharField(
        label=_("Reason"),
        max_length=MAX_TEXT_CHARS,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        text = _("where {label}")
        choices = [(key, text.format(label=name)) for key, name in situations.ALL_LABELS.items()]
        set_choices(self, "situation", [("", _("always")), *choices])

    def clean(self) -> dict[str, Any]:
        """Require an ascending scale, and the example's value on it."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        low, high, value = data.get("min"), data.get("max"), data.get("value")
        if low is None or high is None:
            return data
        if low >= high:
            self.add_error("max", _("Enter more than the lowest value."))
        elif value is not None and not low <= value <= high:
            self.add_error("value", _("Enter {low} to {high}.").format(low=low, high=high))
        return data


def build_item_formset(form_class: type[forms.Form]) -> Any:
    """Return the class of a formset with 1 to MAX_ITEMS items."""
    return forms.formset_factory(
        form_class,
        extra=0,
        min_num=1,
        validate_min=True,
        max_num=MAX_ITEMS,
        validate_max=True,
        absolute_max=2 * MAX_ITEMS,  # limit of rendered forms, however many were posted
    )


ItemFormSet = build_item_formset(ItemForm)
NEW_ITEM = {"min": 1, "max": 5}  # initial data of an added item


def build_initial_data(data: Mapping[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return an instrument as the initial data of its form and of the items' forms."""
    example = data.get("example") or {}
    lines = (f"{line['speaker']}: {line['text']}" for line in example.get("context", ()))
    instrument_data = {
        **{name: data.get(name, "") for name in InstrumentForm.instrument_fields},
        "context": "\n".join(lines),
        "speaker": example.get("speaker", ""),
        "text": example.get("text", ""),
    }
    values, reasons = example.get("values", {}), example.get("why", {})
    items = [
        {**item, "value": values.get(item["key"]), "why": reasons.get(item["key"], "")}
        for item in data.get("dimensions", ())
    ]
    return instrument_data, items or [dict(NEW_ITEM)]


def build_instrument(
    instrument_data: Mapping[str, Any], items: list[dict[str, Any]]
) -> dict[str, Any]:
    assign_keys(items)
    names = (
        "key", "label", "question", "low_pole", "high_pole", "min", "max", "situation", "rank",
        "deeds",
    )  # fmt: skip
    return {
        "key": "own",
        **{name: instrument_data[name] for name in InstrumentForm.instrument_fields},
        "dimensions": [{name: item[name] for name in names} for item in items],
        "example": _build_example(instrument_data, items),
    }


def _build_example(
    instrument_data: Mapping[str, Any], items: list[dict[str, Any]]
) -> dict[str, Any]:
    example = {
        **{name: instrument_data[name] for name in InstrumentForm.example_fields},
        "values": {item["key"]: item["value"] for item in items if item.get("value") is not None},
        "why": {item["key"]: item["why"] for item in items if item.get("why")},
    }
    return example if any(example.values()) else {}


def assign_keys(items: Sequence[dict[str, Any]]) -> None:
    """Set a key for each item that has none."""
    taken_keys = {item["key"] for item in items if item["key"]}
    for number, item in enumerate(items, 1):
        item["key"] = item["key"] or derive_key(item["label"], number, taken_keys)
        taken_keys.add(item["key"])


def derive_key(label: str, number: int, taken_keys: Collection[str], kind: str = "item") -> str:
    """Return a free key for data files: from the label, else from `kind` and `number`."""
    slug = slugify(label).replace("-", "_")[:30].strip("_")
    stem = slug if slug[:1].isalpha() else f"{kind}_{number}"
    candidates = (stem, *(f"{stem}_{suffix}" for suffix in range(2, 99)))
    return next(key for key in candidates if key not in taken_keys)


class QuestionnaireForm(forms.Form):
    """The form of a questionnaire without its items: unit, order, introduction.

    `rotated` and `drawn` are the `order` and the `direction` of an `Instrument`.
    """

    title = setting_field(Instrument, "title")
    unit = forms.ChoiceField(
        label=_("When it is asked"),
        choices=list(LABELS["questionnaire_units"].items()),
        widget=forms.RadioSelect,
        initial="session",
    )
    intro = setting_field(
        Instrument, "intro", label=_("Introduction"), widget=forms.Textarea(attrs={"rows": 3})
    )
    rotated = forms.BooleanField(
        label=_("Rotate the starting item per participant"),
        required=False,
        help_text=_("It is drawn once, and stays the same after a reload."),
    )
    drawn = forms.BooleanField(
        label=_("Reverse the scales for half of the participants"),
        required=False,
        help_text=_("The data always use the direction given below."),
    )


class QuestionnaireItemForm(ResearcherForm):
    """The form of one item. Its kind of answer determines which fields are used."""

    key = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)
    label = setting_field(Item, "label", help_text=_("Appears in the data, not on the page."))
    question = setting_field(Item, "question", widget=forms.Textarea(attrs={"rows": 2}))
    answer = setting_field(
        Item, "answer", forms.ChoiceField, choices=list(LABELS["answers"].items())
    )
    options = setting_field(
        Item,
        "options",
        max_length=MAX_OPTIONS * (MAX_OPTION_CHARS + OPTION_KEY_ALLOWANCE_CHARS),
        required=False,
        help_text=_(
            "Write one option per line. A short name for the data can precede it: often | Every day"
        ),
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    min = setting_field(Item, "min", required=False)
    low_pole = setting_field(Item, "low_pole", required=False)
    max = setting_field(Item, "max", required=False)
    high_pole = setting_field(Item, "high_pole", required=False)
    longest = setting_field(Item, "longest", required=False)
    unsure = setting_field(Item, "unsure")
    required = setting_field(Item, "required")
    page_break = setting_field(Item, "page_break")
    table_row = setting_field(Item, "table_row")
    ask_if = setting_field(Item, "ask_if", required=False)

    def clean(self) -> dict[str, Any]:
        """Require the fields that the kind of answer uses (`FIELDS_OF_ANSWER`)."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        used_fields = FIELDS_OF_ANSWER.get(data.get("answer", ""), ())
        low, high = data.get("min"), data.get("max")
        if "max" in used_fields and (low is None or high is None or low >= high):
            self.add_error("max", _("Enter a lowest value and a greater highest value."))
        for pole in ("low_pole", "high_pole"):
            if pole in used_fields and not data.get(pole):
                self.add_error(pole, _("Enter a label for this end."))
        if "longest" in used_fields and not (data.get("longest") or "longest" in self.errors):
            self.add_error("longest", _("Enter a maximum length."))
        if "options" in used_fields and len(parse_options(data.get("options", ""))) < MIN_OPTIONS:
            self.add_error("options", _("Enter at least two options, one per line."))
        return data


QuestionnaireItemFormSet = build_item_formset(QuestionnaireItemForm)
# Initial data of an added item: the defaults of `Item`, with a ticked box.
NEW_QUESTION = {
    **{name: getattr(Item, name) for name in ("answer", "min", "max", "longest")},
    "required": "on",
}


def parse_options(text: str) -> list[dict[str, str]]:
    """Return the options of a text with one per line, as dicts of `key` and `label`.

    A line is "key | label". Without a valid key before the separator, the whole line is the label,
    and the key is derived from it. Blank lines are ignored.
    """
    options: list[dict[str, str]] = []
    for number, line in enumerate(filter(str.strip, text.splitlines()), 1):
        key_text, separator, label_text = line.partition(OPTION_SEPARATOR)
        is_keyed = bool(separator and re.fullmatch(KEY_PATTERN, key_text.strip()))
        label = label_text if is_keyed else line
        taken_keys = {option["key"] for option in options}
        key = key_text.strip() if is_keyed else derive_key(label, number, taken_keys, "answer")
        options.append({"key": key, "label": label.strip()})
    return options


def build_questionnaire_data(instrument: Instrument) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the initial data of an instrument's form, and of the form of each of its items."""
    instrument_data = {
        "title": instrument.title,
        "unit": "seat" if instrument.is_about_each_player else "session",
        "intro": instrument.intro,
        "rotated": instrument.order == "rotated",
        "drawn": instrument.direction == "drawn",
    }
    items = [
        {
            **{name: getattr(item, name) for name in QuestionnaireItemForm.base_fields},
            # An item without a label is new, and gets its key from the label (`assign_keys`).
            "key": item.key if item.label else "",
            "options": "\n".join(f"{o.key} {OPTION_SEPARATOR} {o.label}" for o in item.options),
        }
        for item in instrument.items
    ]
    return instrument_data, items


def build_questionnaire(
    instrument_data: Mapping[str, Any],
    items: list[dict[str, Any]],
    key: str,
    taken_keys: Collection[str],
) -> dict[str, Any]:
    """Return the JSON form of the instrument that the forms' cleaned data describe.

    Without a `key`, it gets one that is not in `taken_keys`. So do items without a key, in place.
    """
    assign_keys(items)
    return {
        "key": key or derive_key(instrument_data["title"], 1, taken_keys, "questions"),
        **{name: instrument_data[name] for name in ("title", "unit", "intro")},
        "order": "rotated" if instrument_data["rotated"] else "fixed",
        "direction": "drawn" if instrument_data["drawn"] else "fixed",
        "dimensions": [_build_question(item) for item in items],
    }


def _build_question(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON form of an item, with the fields that its kind of answer uses."""
    answer = item["answer"]
    names = ["key", "label", "question", "answer", "required", *FIELDS_OF_ANSWER[answer]]
    names += ["page_break", "table_row", "ask_if"]
    if answer in GUESS_ANSWERS:
        names.append("unsure")
    return {name: parse_options(item[name]) if name == "options" else item[name] for name in names}
