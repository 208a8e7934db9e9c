"""Settings files of other programs, such as a contest server's, for the rules of a table."""

from __future__ import annotations

import yaml
from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from game.engine.ruleset import BadSettingsFile, Ruleset

MOST_CHARACTERS = 60_000


def read_settings(ruleset: Ruleset, text: str) -> dict[str, bool | int | str]:
    """Return the settings that the YAML file `text` chooses. Raises BadSettingsFile."""
    return ruleset.read_settings(_document(text))


def read_profiles(ruleset: Ruleset, text: str) -> list[dict[str, str]]:
    """Return the players' profiles in the YAML file `text`. Raises BadSettingsFile."""
    return ruleset.read_profiles(_document(text))


def _document(text: str) -> object:
    """Return the document. Raises BadSettingsFile."""
    if len(text) > MOST_CHARACTERS:
        raise BadSettingsFile(f"it is longer than {MOST_CHARACTERS} characters")
    try:
        return _safe_document(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark else ""
        raise BadSettingsFile(f"it is no YAML{where}") from None
    except (RecursionError, ValueError):
        raise BadSettingsFile("it is no settings file") from None


def _safe_document(text: str) -> object:
    """Parse a document of plain data. Raises YAMLError, also for aliases, which can explode."""
    if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text, yaml.SafeLoader)):
        raise yaml.YAMLError("aliases")
    document: object = yaml.safe_load(text)
    return document


def clean_settings(
    ruleset: Ruleset, text: str
) -> tuple[dict[str, bool | int | str], list[dict[str, str]]]:
    """Return (what a pasted file chooses, the players' profiles in it). Raises ValidationError."""
    try:
        return read_settings(ruleset, text), read_profiles(ruleset, text)
    except BadSettingsFile as error:
        raise ValidationError(_("This file can’t be read: {error}.").format(error=error)) from None


def settings_file_field(ruleset: Ruleset) -> forms.CharField:
    """Build the field for pasting such a file: pasted text survives a refused post."""
    return forms.CharField(
        label=_("Rules from a file"),
        help_text=_("Paste {kind} here. What it says replaces the rules above.").format(
            kind=_(ruleset.settings_file)
        ),
        max_length=MOST_CHARACTERS,
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
    )
