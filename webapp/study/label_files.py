"""Reads files of labels: TOML files with the texts of pages."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_lazy


def read_labels(script: str, name: str) -> dict[str, Any]:
    """Return the labels of the file `name` beside the module `script`, to be translated lazily."""
    return _translate(tomllib.loads(Path(script).with_name(name).read_text("utf-8")))


def _translate(labels: dict[str, Any]) -> dict[str, Any]:
    return {
        key: _translate(label) if isinstance(label, dict) else gettext_lazy(label)
        for key, label in labels.items()
    }
