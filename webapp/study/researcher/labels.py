"""The labels of `labels.toml` on researchers' pages."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_lazy

# Group -> key -> label.
LABELS: dict[str, dict[str, Any]] = {
    group: {key: gettext_lazy(text) for key, text in labels.items()}
    for group, labels in tomllib.loads(
        Path(__file__).with_suffix(".toml").read_text("utf-8")
    ).items()
}
