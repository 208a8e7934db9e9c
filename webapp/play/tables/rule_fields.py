"""The fields of a ruleset's own settings in a form, and settings files of other programs."""

from typing import Any, cast

import yaml
from django import forms
from django.utils.html import format_html
from django.utils.translation import gettext as _

from game.engine.declarations import Setting, format_value
from game.engine.ruleset import BadSettingsFile, Ruleset
from game.engine.wording import gettext_noop

MAX_SETTINGS_FILE_CHARS = 60_000
SettingsFile = tuple[dict[str, bool | int | str], list[dict[str, str]]]  # settings, profiles
ON_OFF_TEXTS = {True: gettext_noop("on"), False: gettext_noop("off")}


def read_settings_file(ruleset: Ruleset, text: str) -> SettingsFile:
    """Return the settings and players' profiles of a YAML file, or raise BadSettingsFile."""
    document = _parse_document(text)
    return ruleset.read_settings(document), ruleset.read_profiles(document)


def _parse_document(text: str) -> object:
    """Parse the YAML file `text`, or raise BadSettingsFile."""
    if len(text) > MAX_SETTINGS_FILE_CHARS:
        raise BadSettingsFile(f"it is longer than {MAX_SETTINGS_FILE_CHARS} characters")
    try:
        tokens = yaml.scan(text, yaml.SafeLoader)
        # Aliases can expand without bound: such a file is not loaded.
        has_aliases = any(isinstance(token, yaml.AliasToken) for token in tokens)
        document = None if has_aliases else cast(object, yaml.safe_load(text))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark else ""
        raise BadSettingsFile(f"it is no YAML{where}") from None
    except (RecursionError, ValueError):  # nested too deeply, or with a date such as 2020-13-01
        raise BadSettingsFile("it is no settings file") from None
    if has_aliases:
        raise BadSettingsFile("it uses aliases, which are not allowed")
    return document


def settings_file_field(ruleset: Ruleset) -> forms.CharField:
    """Build the field for a settings file.

    Pasted, not uploaded: a browser keeps the text when the form is refused.
    """
    help_text = _("Paste {kind} here. Its settings replace the rules above.")
    return forms.CharField(
        label=_("Rules from a file"),
        help_text=help_text.format(kind=_(ruleset.settings_file)),
        max_length=MAX_SETTINGS_FILE_CHARS,
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
    )


def build_rule_field(setting: Setting, ruleset: Ruleset, *, is_casual: bool = False) -> forms.Field:
    """Build the field of a ruleset's own setting, with its value for studies or casual games.

    If the setting needs a value of another setting, the widget names both: `needs.js` shows the
    field only with that value. Without scripts a sentence explains it.
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
