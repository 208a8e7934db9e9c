"""Prompts of whole games, kept as files so that a change of one shows in review."""

from __future__ import annotations

import difflib

from tests.agents.golden import FOLDER, golden


def test_prompts_are_the_reviewed_ones() -> None:
    kept = {
        str(path.relative_to(FOLDER)): path.read_text("utf-8") for path in FOLDER.rglob("*.txt")
    }
    made = golden()
    assert set(made) == set(kept), "run `python -m tests.agents.golden`"
    for name, text in made.items():
        changes = difflib.unified_diff(kept[name].splitlines(), text.splitlines(), lineterm="")
        told = "\n".join(changes)
        assert not told, f"{name}; `python -m tests.agents.golden` rewrites it:\n{told}"
