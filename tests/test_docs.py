"""What the documentation names exists: files, modules, functions; and its lines are short."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.walks import PARTS, ROOT

PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"])
MAX_LINE = 100
_CODE = re.compile(r"`([^`\n]+)`")
_FENCE = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"(?:[\w-]+/)*[\w-]+\.(?:py|toml|md|html|js|css|sh|jsonl|npz)")
_DOTTED = re.compile(r"(?:[a-z_]\w*\.)+[A-Za-z_]\w*")
_FILE_LIKE = re.compile(r"\.(?:py|toml|md|html|js|css|sh|jsonl|npz|csv|txt|json)$")
_TASKS = {"play.fill"}
# Files of a download.
_NOT_OURS = {"transcript.jsonl"}


@cache
def files() -> tuple[str, ...]:
    folders = (*PARTS, "tests", "templates", "static", "docs")
    found = [p for name in folders for p in (ROOT / name).rglob("*") if p.is_file()]
    found += [p for p in ROOT.iterdir() if p.is_file()]
    return tuple("/" + p.relative_to(ROOT).as_posix() for p in found)


@cache
def names() -> dict[str, set[str]]:
    """The last part of a module's name -> what all modules of that name define."""
    found: dict[str, set[str]] = {}
    for path in (p for name in (*PARTS, "tests") for p in (ROOT / name).rglob("*.py")):
        stem = path.parent.name if path.stem == "__init__" else path.stem
        defined = found.setdefault(stem, set())
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                defined.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                defined.add(node.id)
        if path.stem == "__init__":
            defined |= {p.stem for p in path.parent.iterdir()}
    return found


def codes(page: Path) -> list[str]:
    return _CODE.findall(_FENCE.sub("", page.read_text()))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_file_that_a_page_names_exists(page: Path) -> None:
    named = {code for code in codes(page) if _FILE.fullmatch(code)} - _NOT_OURS
    missing = {name for name in named if not any(file.endswith("/" + name) for file in files())}
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_function_that_a_page_names_exists(page: Path) -> None:
    missing = []
    for code in codes(page):
        dotted = code.removesuffix("()")
        if _FILE_LIKE.search(dotted) or not _DOTTED.fullmatch(dotted) or dotted in _TASKS:
            continue
        *modules, name = dotted.split(".")
        known = names().get(modules[-1])
        if known is not None and name not in known:
            missing.append(code)
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_lines_are_short(page: Path) -> None:
    text = _FENCE.sub("", page.read_text())
    long = [line for line in text.splitlines() if len(line) > MAX_LINE and "](http" not in line]
    assert not [line for line in long if not line.startswith("    ")]
