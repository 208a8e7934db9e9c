"""Tests of the imports between the layers of docs/architecture.md, and of each check itself."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import grimp
import pytest

from tests.sources import read_sources
from tests.walks import PARTS, ROOT

# Modules of the standard library without clock, chance, input and output.
PURE_MODULES = {
    *("__future__", "abc", "bisect", "collections", "dataclasses", "enum", "functools", "hashlib"),
    *("heapq", "itertools", "json", "re", "typing", "unicodedata"),
}
RULESETS = "game.engine.rulesets"
EXTRA_MODULES = {
    RULESETS: {"importlib", "pkgutil"},  # the registry searches its folders
    # The loader of a ruleset's files reads them, and pydantic checks them.
    "game.engine.ruleset_files": {"pathlib", "pydantic", "tomllib"},
}


@pytest.fixture
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*PARTS, include_external_packages=True, cache_dir=None)


# -- what import-linter checks


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_import_contracts_hold() -> None:
    process = lint_imports(ROOT)
    assert process.returncode == 0, process.stdout + process.stderr


NO_CIRCLES = "No circles, neither of modules nor of folders"
FORBIDDEN_IMPORTS = [  # (message, importing file, imported module)
    (
        "The engine imports only the standard library, and pydantic for files BROKEN",
        "game/engine/text_checks.py",
        "django",
    ),
    ("Agents know the engine and no web BROKEN", "agents/decision.py", "game.store"),
    ("The game knows neither agents nor web BROKEN", "game/clock.py", "agents.decision"),
    (
        "The log is reached through actions and selectors BROKEN",
        "webapp/study/games/seat_outcomes.py",
        "game.store",
    ),
    (
        "Play knows nothing of studies BROKEN",
        "webapp/play/page/desk_storage.py",
        "webapp.study.models",
    ),
    (
        "Measures and statistics are pure functions BROKEN",
        "webapp/measures/ratio.py",
        "game.engine.events",
    ),
    (f"{NO_CIRCLES} BROKEN", "agents/model_catalog.py", "agents.backends"),
    (
        "No cycles are allowed in webapp.play.",
        "webapp/play/page/chat.py",
        "webapp.play.page.table_page",
    ),
    (
        "No cycles are allowed in webapp.study.",
        "webapp/study/rating/quotas.py",
        "webapp.study.rater.assigning",
    ),
]


def test_each_import_contract_can_fail(tmp_path: Path) -> None:
    for path, source in read_sources().items():
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        imports = [f"import {name}" for _broken, file, name in FORBIDDEN_IMPORTS if file == path]
        target.write_text("\n".join([source, *imports, ""]))
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    process = lint_imports(tmp_path)
    assert process.returncode != 0
    for message, _file, _name in FORBIDDEN_IMPORTS:
        assert message in process.stdout


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
