"""Tests of the imports between the layers of docs/architecture.md."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import grimp
import pytest

from tests.walks import PARTS, ROOT

# Modules of the standard library without clock, chance, input and output.
PURE_MODULES = {
    *("__future__", "abc", "bisect", "collections", "dataclasses", "enum", "functools", "hashlib"),
    *("heapq", "itertools", "json", "re", "typing", "unicodedata"),
}
RULESETS = "game.engine.rulesets"
EXTRA_MODULES = {RULESETS: {"importlib", "pkgutil"}}  # the registry searches its folders


@pytest.fixture
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*PARTS, include_external_packages=True, cache_dir=None)


# -- what import-linter checks


def test_import_contracts_hold() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout + process.stderr


# -- what the graph of imports shows


def impure_imports(graph: grimp.ImportGraph) -> Iterator[str]:
    """Yield imports of the engine other than itself and PURE_MODULES."""
    for module in graph.find_descendants("game.engine"):
        allowed = PURE_MODULES | EXTRA_MODULES.get(module, set())
        for imported in graph.find_modules_directly_imported_by(module):
            if not imported.startswith("game.engine.") and imported not in allowed:
                yield f"{module} -> {imported}"


def imports_between_rulesets(graph: grimp.ImportGraph) -> Iterator[str]:
    """Yield imports from a ruleset to another ruleset, or to the registry."""
    for ruleset in graph.find_children(RULESETS):
        for module in {ruleset, *graph.find_descendants(ruleset)}:
            for imported in graph.find_modules_directly_imported_by(module):
                if imported.startswith(RULESETS) and not f"{imported}.".startswith(f"{ruleset}."):
                    yield f"{module} -> {imported}"


Check = Callable[[grimp.ImportGraph], Iterator[str]]
FORBIDDEN_EDGES: list[tuple[Check, str, str]] = [
    (impure_imports, "game.engine.seeded_random", "random"),
    (impure_imports, "game.engine.events", "game.models"),
    (imports_between_rulesets, f"{RULESETS}.one_night", f"{RULESETS}.another"),
    (imports_between_rulesets, f"{RULESETS}.one_night", RULESETS),
]


@pytest.mark.parametrize("check", [impure_imports, imports_between_rulesets])
def test_layers_do_not_import_forbidden_modules(check: Check, graph: grimp.ImportGraph) -> None:
    assert list(check(graph)) == []


@pytest.mark.parametrize(("check", "importer", "imported"), FORBIDDEN_EDGES)
def test_forbidden_import_is_reported(
    check: Check, importer: str, imported: str, graph: grimp.ImportGraph
) -> None:
    graph.add_import(importer=importer, imported=imported)
    assert list(check(graph)) == [f"{importer} -> {imported}"]
