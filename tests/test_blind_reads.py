"""Tests that only `webapp.play.disclosure` reads whether a table is blind."""

from __future__ import annotations

import ast

import pytest

from tests.sources import Sources, read_sources

DISCLOSURE_FILE = "webapp/play/disclosure.py"
FORM_FILES = ("webapp/play/tables/table_form.py",)  # which set it
BUILDER_FILE = "webapp/play/page/table_page.py"


def find_blind_reads(sources: Sources) -> list[str]:
    """Return the places in play that read whether a table is, or will be, blind."""
    reads = []
    for path, source in sources.items():
        if not path.startswith("webapp/play/") or path in (DISCLOSURE_FILE, *FORM_FILES):
            continue
        for node in ast.walk(ast.parse(source)):
            match node:
                case (
                    ast.Attribute(attr="blind" | "revealed_at")
                    | ast.Subscript(slice=ast.Constant(value="blind"))
                    | ast.Call(
                        func=ast.Attribute(attr="get"), args=[ast.Constant(value="blind"), *_]
                    )
                ):
                    reads.append(f"{path}:{node.lineno}")
    return reads


def test_only_disclosure_reads_whether_a_table_is_blind() -> None:
    assert find_blind_reads(read_sources()) == []


@pytest.mark.parametrize("line", ["look.game.blind", "settings['blind']", "settings.get('blind')"])
def test_blind_check_outside_disclosure_is_reported(line: str) -> None:
    source = f"{read_sources()[BUILDER_FILE]}\n{line}\n"
    assert len(find_blind_reads({BUILDER_FILE: source})) == 1
