"""Reads a table's rules from a settings file of another program, such as a contest server."""

from __future__ import annotations

from typing import NamedTuple, cast

import yaml
from django import forms
from django.utils.translation import gettext as _

from game.engine.ruleset import BadSettingsFile, Ruleset

MAX_CHARS = 60_000


class SettingsFile(NamedTuple):
    """What a settings file chooses."""

    settings: dict[str, bool | int | str]
    profiles: list[dict[str, str]]  # of the players, seat by seat


def read_settings_file(ruleset: Ruleset, text: str) -> SettingsFile:
    """Read the YAML file `text`.

    Raises:
        BadSettingsFile: The file is malformed, or the ruleset cannot play it.
    """
    document = _parse_document(text)
    return SettingsFile(ruleset.read_settings(document), ruleset.read_profiles(document))


def _parse_document(text: str) -> object:
    """Parse the YAML file `text`, or raise BadSettingsFile."""
    if len(text) > MAX_CHARS:
        raise BadSettingsFile(f"it is longer than {MAX_CHARS} characters")
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
        max_length=MAX_CHARS,
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
    )
