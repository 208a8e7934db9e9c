"""Prompts for judges, a text file each.

They are not among the players' prompts, because the text of those decides how names are quoted.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from string import Template

FOLDER = Path(__file__).parent


def fill_template(name: str, **fields: str) -> str:
    """Return a filled template. Empty fields leave no more than one empty line."""
    lines: list[str] = []
    for line in _load_template(name).substitute(fields).strip().split("\n"):
        if line.strip() or (lines and lines[-1].strip()):
            lines.append(line.rstrip())
    return "\n".join(lines)


@cache
def _load_template(name: str) -> Template:
    return Template((FOLDER / f"{name}.txt").read_text("utf-8"))
