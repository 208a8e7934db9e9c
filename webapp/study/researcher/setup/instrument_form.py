"""The instrument of a campaign as forms: one for the whole, and one for each item."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webapp.study.design.instruments import MAX_ITEMS, MAX_LINES, Dimension, Example, Instrument
from webapp.study.design.instruments.items import MAX_TEXT_CHARS
from webapp.study.games import situations
from webapp.study.researcher.fields import ResearcherForm, set_choices, setting_field

UNITS = [
    ("utterance", gettext_lazy("a statement")),
    ("player", gettext_lazy("a player over a whole game")),
    ("game", gettext_lazy("a whole game")),
]


class InstrumentForm(ResearcherForm):
    """The form of an instrument without its items: unit, introduction, worked example."""

    title = setting_field(Instrument, "title")
    unit = setting_field(
        Instrument, "unit", forms.ChoiceField, choices=UNITS, widget=forms.RadioSelect
    )
    intro = setting_field(Instrument, "intro", widget=forms.Textarea(attrs={"rows": 4}))
    context = forms.CharField(
        label=gettext_lazy("Previous statements"),
        max_length=MAX_LINES * MAX_TEXT_CHARS,
        required=False,
        help_text=gettext_lazy("Write one per line: the speaker, a colon, then the text."),
        widget=forms.Textarea(attrs={"rows": 4, "placeholder": "Ida: …"}),
    )
    speaker = setting_field(Example, "speaker", max_length=60, required=False)
    text = setting_field(Example, "text", widget=forms.Textarea(attrs={"rows": 2}))

    instrument_fields = ("title", "unit", "intro")
    example_fields = ("context", "speaker", "text")

    def clean_context(self) -> str:
        """Require a speaker and a text in each line."""
        context: str = self.cleaned_data["context"]
        for line in filter(str.strip, context.splitlines()):
            speaker, _colon, text = line.partition(":")
            if not (speaker.strip() and text.strip()):
                message = _("“{line}” has no speaker. Start it with a name and a colon.")
                raise forms.ValidationError(message.format(line=line[:60]))
        return context


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
    value = forms.IntegerField(label=gettext_lazy("Value in the example"), required=False)
    why = forms.CharField(
        label=gettext_lazy("Reason"),
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
    lines = []
    for line in filter(str.strip, instrument_data["context"].splitlines()):
        speaker, _colon, text = line.partition(":")
        lines.append({"speaker": speaker.strip(), "text": text.strip()})
    example = {
        "context": lines,
        "speaker": instrument_data["speaker"],
        "text": instrument_data["text"],
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
