"""Reads files of labels: TOML files with the texts of pages."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_lazy


def read_labels(script: str, name: str) -> dict[str, Any]:
    """Return the labels of the file `name` beside the module `script`, to be translated lazily."""
    tables = tomllib.loads(Path(script).with_name(name).read_text("utf-8"))
    return {key: _translate(value) for key, value in tables.items()}


def _translate(label: Any) -> Any:
    if isinstance(label, dict):
        return {key: _translate(value) for key, value in label.items()}
    return gettext_lazy(label) if isinstance(label, str) else label
