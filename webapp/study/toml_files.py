"""Reads TOML files that are beside a module: its data, or the labels that pages show."""

import tomllib
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_lazy


def read_tables(script: str, name: str) -> dict[str, Any]:
    """Return the content of the file `name` beside the module `script` (its `__file__`)."""
    return tomllib.loads(Path(script).with_name(name).read_text("utf-8"))


def read_labels(script: str, name: str) -> dict[str, Any]:
    """Return the content of the file as `read_tables`, with texts that are translated lazily."""
    labels: dict[str, Any] = _translate(read_tables(script, name))
    return labels


def _translate(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _translate(entry) for key, entry in value.items()}
    return gettext_lazy(value) if isinstance(value, str) else value
