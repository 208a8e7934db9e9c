"""The fields of a ruleset's own settings in the form of a new table."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.html import format_html
from django.utils.translation import gettext as _

from game.engine.roles import Setting, format_value
from game.engine.ruleset import Ruleset
from game.engine.wording import gettext_noop

ON_OFF_TEXTS = {True: gettext_noop("on"), False: gettext_noop("off")}


def build_rule_field(setting: Setting, ruleset: Ruleset, *, is_casual: bool = False) -> forms.Field:
    """Build the field of a ruleset's own setting.

    If the setting needs a value of another setting, the widget names both: `needs.js` shows the
    field only with that value. Without scripts a sentence explains it.

    Args:
        is_casual: Use the initial value for casual games, not for studies.
    """
    field = _build_field(setting, is_casual)
    if setting.needs:
        key, value = setting.needs
        required_setting = next(s for s in ruleset.settings if s.key == key)
        value_text = dict(required_setting.choices).get(str(value), ON_OFF_TEXTS[value is True])
        text = _("Applies only when “{setting}” is set to {value}.")
        text = text.format(setting=_(required_setting.label), value=_(value_text))
        field.help_text = format_html("{} <span data-unseen>{}</span>", field.help_text, text)
        field.widget.attrs |= {"data-needs": f"rule_{key}", "data-needs-value": format_value(value)}
    return field


def _build_field(setting: Setting, is_casual: bool) -> forms.Field:
    has_casual_value = is_casual and setting.casual is not None
    common: dict[str, Any] = {
        "label": _(setting.label),
        "help_text": _(setting.help),
        "initial": setting.casual if has_casual_value else setting.default,
        "required": False,
    }
    if isinstance(setting.default, bool):
        return forms.BooleanField(**common)
    if isinstance(setting.default, int):
        return forms.IntegerField(
            min_value=setting.min_value, max_value=setting.max_value, **common
        )
    if setting.choices:
        options = [(key, _(label)) for key, label in setting.choices]
        return forms.ChoiceField(choices=options, widget=forms.RadioSelect, **common)
    return forms.CharField(max_length=setting.max_characters, **common)
