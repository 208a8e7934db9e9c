"""Prompts for judges, a file each.

They are separate from the players' prompts, whose text decides how names are quoted there.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from string import Template

HERE = Path(__file__).parent


@cache
def load_template(name: str) -> Template:
    """Return the template `name`.

    Raises:
        FileNotFoundError: There is no template of this name.
    """
    return Template((HERE / f"{name}.txt").read_text("utf-8"))


def fill_template(name: str, **fields: str) -> str:
    """Return the template with its fields filled, without gaps for empty fields."""
    lines: list[str] = []
    for line in load_template(name).substitute(fields).strip().split("\n"):
        if line.strip() or (lines and lines[-1].strip()):
            lines.append(line.rstrip())
    return "\n".join(lines)
