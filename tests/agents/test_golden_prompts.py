"""Prompts of whole games match the golden files, so a review shows every change."""

from __future__ import annotations

import difflib

from tests.agents.golden import FOLDER, golden_prompts


def test_prompts_match_the_golden_files() -> None:
    stored = {
        str(path.relative_to(FOLDER)): path.read_text("utf-8") for path in FOLDER.rglob("*.txt")
    }
    current = golden_prompts()
    assert set(current) == set(stored), "run `python -m tests.agents.golden`"
    for name, text in current.items():
        changes = difflib.unified_diff(stored[name].splitlines(), text.splitlines(), lineterm="")
        diff = "\n".join(changes)
        assert not diff, f"{name}; `python -m tests.agents.golden` rewrites it:\n{diff}"
