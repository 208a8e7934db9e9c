"""Tests that names in pages and docstrings exist, and that lines of pages are short."""

from __future__ import annotations

import ast
import builtins
import re
import subprocess
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from tests.walks import PARTS, ROOT

PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"])
MAX_LINE = 100
_CODE = re.compile(r"`([^`\n]+)`")
_FENCE = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)
_FILE_NAME = re.compile(r"(?:[\w-]+/)*[\w-]+\.(?:py|toml|md|html|js|css|sh|jsonl|npz)")
_FILE_LIKE = re.compile(r"\.(?:py|toml|md|html|js|css|sh|jsonl|npz|csv|txt|json)$")
_NAME = re.compile(r"(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:\(\))?")
_NAME_OR_CALL = re.compile(r"((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?:\(.*\))?")
# Names of other libraries.
_LIBRARY_NAMES = {"dataclasses", "ZipFile"}
# Words of pages that are no names of the code: a task, a seed, a token, programs, variables.
_OTHER_NAMES = {
    "play.fill", "talk31", "mate1", "wordfreq", "python3", "OLLAMA_CONTEXT_LENGTH",
    "POSTGRES_CONNECTIONS",
}  # fmt: skip
# Files of a download.
_DOWNLOAD_FILES = {"transcript.jsonl"}


@cache
def project_files() -> tuple[str, ...]:
    folders = (*PARTS, "tests", "templates", "static", "docs")
    paths = [p for name in folders for p in (ROOT / name).rglob("*") if p.is_file()]
    paths += [p for p in ROOT.iterdir() if p.is_file()]
    return tuple("/" + p.relative_to(ROOT).as_posix() for p in paths)


@cache
def sources() -> dict[Path, ast.Module]:
    paths = (p for name in (*PARTS, "tests") for p in (ROOT / name).rglob("*.py"))
    return {path: ast.parse(path.read_text()) for path in paths}


@cache
def names_by_module() -> dict[str, set[str]]:
    """Return the names defined in all modules with the same last part of the name."""
    names_by_stem: dict[str, set[str]] = {}
    for path, tree in sources().items():
        stem = path.parent.name if path.stem == "__init__" else path.stem
        defined = names_by_stem.setdefault(stem, set())
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                defined.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                defined.add(node.id)
        if path.stem == "__init__":
            defined |= {p.stem for p in path.parent.iterdir()}
    return names_by_stem


def code_spans(page: Path) -> list[str]:
    return _CODE.findall(_FENCE.sub("", page.read_text()))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_files_named_by_a_page_exist(page: Path) -> None:
    file_names = {code for code in code_spans(page) if _FILE_NAME.fullmatch(code)} - _DOWNLOAD_FILES
    missing = {
        name
        for name in file_names
        if not any(file.endswith("/" + name) for file in project_files())
    }
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_names_in_a_page_exist(page: Path) -> None:
    names = {match[1] for code in code_spans(page) if (match := _NAME_OR_CALL.fullmatch(code))}
    code_names = {n for n in names - _OTHER_NAMES if not _FILE_LIKE.search(n)}
    assert not {name for name in code_names if not is_known_name(name)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_lines_of_a_page_are_short(page: Path) -> None:
    text = _FENCE.sub("", page.read_text())
    long_lines = [
        line for line in text.splitlines() if len(line) > MAX_LINE and "](http" not in line
    ]
    assert not [line for line in long_lines if not line.startswith("    ")]


@cache
def all_words() -> set[str]:
    """Return all names of the project: definitions, arguments, attributes and short strings."""
    words = set(dir(builtins)) | _LIBRARY_NAMES
    for path, tree in sources().items():
        words |= {path.stem, *path.parent.parts}
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                words.add(node.name)
            elif isinstance(node, ast.Constant) and len(str(node.value)) < 200:
                words.update(re.findall(r"\w+", str(node.value)))
            words.update(str(getattr(node, field, "")) for field in ("id", "attr", "arg"))
    return words


@cache
def members_by_class() -> dict[str, set[str]]:
    """Return the names in the body of each class and in the bodies of its bases."""
    bodies, bases = defaultdict(set), defaultdict(set)
    for tree in sources().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                bases[node.name].update(ast.unparse(b).split(".")[-1] for b in node.bases)
                for inner in ast.walk(node):
                    fields = ("id", "attr", "name")
                    bodies[node.name].update(str(getattr(inner, field, "")) for field in fields)
    for _depth in range(4):
        for name, parents in bases.items():
            bodies[name].update(*(bodies[p] for p in parents if p in bases))
    return bodies


def is_known_name(name: str) -> bool:
    *path, last = name.split(".")
    if path and path[-1] in members_by_class():
        return last in members_by_class()[path[-1]]
    if path and path[-1] in names_by_module():
        return last in names_by_module()[path[-1]]
    return {*path, last} <= all_words()


@pytest.mark.parametrize("package", PARTS)
def test_names_in_docstrings_exist(package: str) -> None:
    missing = []
    for path, tree in sources().items():
        file = path.relative_to(ROOT).as_posix()
        if not file.startswith(f"{package}/"):
            continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                spans = _CODE.findall(ast.get_docstring(node) or "")
                checked_names = [
                    n for n in spans if _NAME.fullmatch(n) and not _FILE_LIKE.search(n)
                ]
                missing += [(file, n) for n in checked_names if not is_known_name(n.rstrip("()"))]
    assert not missing


def test_bench_lists_its_measurements() -> None:
    command = [sys.executable, "-m", "tests.bench", "nothing"]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert process.stderr.startswith("unknown: nothing; known: start, "), process.stderr
