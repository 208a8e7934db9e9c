"""What pages and docstrings name exists: files, modules, functions. Lines of pages are short."""

from __future__ import annotations

import ast
import builtins
import re
from collections import defaultdict
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
_NAME = re.compile(r"(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:\(\))?")
_TASKS = {"play.fill"}
# Names of other libraries.
_FOREIGN = {"dataclasses", "ZipFile"}
# Files of a download.
_NOT_OURS = {"transcript.jsonl"}


@cache
def files() -> tuple[str, ...]:
    folders = (*PARTS, "tests", "templates", "static", "docs")
    found = [p for name in folders for p in (ROOT / name).rglob("*") if p.is_file()]
    found += [p for p in ROOT.iterdir() if p.is_file()]
    return tuple("/" + p.relative_to(ROOT).as_posix() for p in found)


@cache
def sources() -> dict[Path, ast.Module]:
    paths = (p for name in (*PARTS, "tests") for p in (ROOT / name).rglob("*.py"))
    return {path: ast.parse(path.read_text()) for path in paths}


@cache
def names() -> dict[str, set[str]]:
    """The last part of a module's name -> what all modules of that name define."""
    found: dict[str, set[str]] = {}
    for path, tree in sources().items():
        stem = path.parent.name if path.stem == "__init__" else path.stem
        defined = found.setdefault(stem, set())
        for node in ast.walk(tree):
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
def test_files_named_by_a_page_exist(page: Path) -> None:
    named = {code for code in codes(page) if _FILE.fullmatch(code)} - _NOT_OURS
    missing = {name for name in named if not any(file.endswith("/" + name) for file in files())}
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_functions_named_by_a_page_exist(page: Path) -> None:
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
def test_lines_of_a_page_are_short(page: Path) -> None:
    text = _FENCE.sub("", page.read_text())
    long = [line for line in text.splitlines() if len(line) > MAX_LINE and "](http" not in line]
    assert not [line for line in long if not line.startswith("    ")]


@cache
def words() -> set[str]:
    """All names of the tree: definitions, arguments, attributes, and words of short strings."""
    found = set(dir(builtins)) | _FOREIGN
    for path, tree in sources().items():
        found |= {path.stem, *path.parent.parts}
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                found.add(node.name)
            elif isinstance(node, ast.Constant) and len(str(node.value)) < 200:
                found.update(re.findall(r"\w+", str(node.value)))
            found.update(str(getattr(node, field, "")) for field in ("id", "attr", "arg"))
    return found


@cache
def members() -> dict[str, set[str]]:
    """A class's name -> all names in its body and in the bodies of its bases."""
    bodies, bases = defaultdict(set), defaultdict(set)
    for tree in sources().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                bases[node.name].update(ast.unparse(b).split(".")[-1] for b in node.bases)
                for inner in ast.walk(node):
                    fields = ("id", "attr", "name")
                    bodies[node.name].update(str(getattr(inner, f, "")) for f in fields)
    for _depth in range(4):
        for name, parents in bases.items():
            bodies[name].update(*(bodies[p] for p in parents if p in bases))
    return bodies


def is_name_of_the_tree(name: str) -> bool:
    *path, last = name.split(".")
    if path and path[-1] in members():
        return last in members()[path[-1]]
    if path and path[-1] in names():
        return last in names()[path[-1]]
    return {*path, last} <= words()


@pytest.mark.parametrize("part", PARTS)
def test_names_in_docstrings_exist(part: str) -> None:
    missing = []
    for path, tree in sources().items():
        place = path.relative_to(ROOT).as_posix()
        if not place.startswith(f"{part}/"):
            continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                named = _CODE.findall(ast.get_docstring(node) or "")
                checked = [n for n in named if _NAME.fullmatch(n) and not _FILE_LIKE.search(n)]
                missing += [(place, n) for n in checked if not is_name_of_the_tree(n.rstrip("()"))]
    assert not missing
