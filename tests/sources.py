"""The project's sources, for tests that analyse code."""

from __future__ import annotations

from functools import cache

from tests.walks import PARTS, ROOT

Sources = dict[str, str]  # path from the project's root -> source


@cache
def read_sources() -> Sources:
    """Return the sources of all packages without migrations."""
    files = (file for name in PARTS for file in (ROOT / name).rglob("*.py"))
    texts = {str(file.relative_to(ROOT)): file.read_text() for file in files}
    return {path: text for path, text in texts.items() if "/migrations/" not in path}
