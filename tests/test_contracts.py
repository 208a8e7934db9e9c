"""Tests of the layers that docs/architecture.md describes, and of each check itself."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import grimp
import pytest
from django.apps import apps

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("webapp", "game", "agents")
# Modules of the standard library without clock, chance, input and output.
PURE_MODULES = {
    *("__future__", "abc", "bisect", "collections", "dataclasses", "enum", "functools", "hashlib"),
    *("heapq", "itertools", "json", "re", "typing", "unicodedata"),
}
RULESETS = "game.engine.rulesets"
EXTRA_MODULES = {RULESETS: {"importlib", "pkgutil"}}  # the registry searches its folders
ABOVE_PLAY = ("webapp.study", "webapp.lab")
Sources = dict[str, str]  # path from the project's root -> source


@pytest.fixture(scope="module")
def sources() -> Sources:
    files = (file for name in PACKAGES for file in (ROOT / name).rglob("*.py"))
    texts = {str(file.relative_to(ROOT)): file.read_text() for file in files}
    return {path: text for path, text in texts.items() if "/migrations/" not in path}


@pytest.fixture
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*PACKAGES, include_external_packages=True, cache_dir=None)


# -- what import-linter checks


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_import_contracts_hold() -> None:
    process = lint_imports(ROOT)
    assert process.returncode == 0, process.stdout + process.stderr


NO_CIRCLES = "No circles, neither of modules nor of folders"
FORBIDDEN_IMPORTS = [  # (message, importing file, imported module)
    ("The engine imports only the standard library BROKEN", "game/engine/text_checks.py", "django"),
    ("Agents know the engine and no web BROKEN", "agents/mind.py", "game.store"),
    ("The game knows neither agents nor web BROKEN", "game/clock.py", "agents.mind"),
    (
        "The log is reached through services and selectors BROKEN",
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
        "webapp.play.page.page_builder",
    ),
    (
        "No cycles are allowed in webapp.study.",
        "webapp/study/rating/quotas.py",
        "webapp.study.rater.assigning",
    ),
]


def test_each_import_contract_can_fail(tmp_path: Path, sources: Sources) -> None:
    for path, source in sources.items():
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
    """Yield imports from a ruleset to another one, or to the registry."""
    for ruleset in graph.find_children(RULESETS):
        for module in {ruleset, *graph.find_descendants(ruleset)}:
            for imported in graph.find_modules_directly_imported_by(module):
                if imported.startswith(RULESETS) and not f"{imported}.".startswith(f"{ruleset}."):
                    yield f"{module} -> {imported}"


def imports_above_play(graph: grimp.ImportGraph) -> Iterator[str]:
    """Yield imports from play to packages that depend on it, such as studies."""
    for module in {"webapp.play", *graph.find_descendants("webapp.play")}:
        for imported in graph.find_modules_directly_imported_by(module):
            if imported.startswith(ABOVE_PLAY):
                yield f"{module} -> {imported}"


Check = Callable[[grimp.ImportGraph], Iterator[str]]
FORBIDDEN_EDGES: list[tuple[Check, str, str]] = [
    (impure_imports, "game.engine.seeded_random", "random"),
    (impure_imports, "game.engine.events", "game.models"),
    (imports_between_rulesets, f"{RULESETS}.one_night", f"{RULESETS}.another"),
    (imports_between_rulesets, f"{RULESETS}.one_night", RULESETS),
    (imports_above_play, "webapp.play.live.broadcaster", "webapp.study.models"),
    (imports_above_play, "webapp.play.replay.viewer_transcript", "webapp.lab.runs"),
]


@pytest.mark.parametrize("check", [impure_imports, imports_between_rulesets, imports_above_play])
def test_layers_do_not_import_forbidden_modules(check: Check, graph: grimp.ImportGraph) -> None:
    assert list(check(graph)) == []


@pytest.mark.parametrize(("check", "importer", "imported"), FORBIDDEN_EDGES)
def test_forbidden_import_is_reported(
    check: Check, importer: str, imported: str, graph: grimp.ImportGraph
) -> None:
    graph.add_import(importer=importer, imported=imported)
    assert list(check(graph)) == [f"{importer} -> {imported}"]


# -- modules that write the game's rows

WRITE_METHODS = {
    *("save", "delete", "update", "create", "bulk_create", "bulk_update"),
    *("get_or_create", "update_or_create", "asave", "adelete", "aupdate", "acreate"),
}
STORE_FILE = "game/store.py"


@cache
def game_models() -> set[str]:
    return {model.__name__ for model in apps.get_app_config("game").get_models()}


@cache
def relations_to_rows() -> set[str]:
    """Return the names of attributes that lead to rows of the game.

    From one another, and from models that refer to them.
    """
    models = {m: m._meta for m in apps.get_models()}
    game = {m for m in models if m._meta.app_label == "game"}
    return {
        field.name
        for meta in models.values()
        for field in meta.get_fields()
        if field.is_relation and field.related_model in game
    }


class WriteFinder(ast.NodeVisitor):
    """Finds calls that write rows of the game in a module.

    On its models, on values read from them, on arguments declared as one of them, and on related
    rows. Names belong to their function.

    all_rows: the game itself has no other rows, so each write there counts.
    """

    def __init__(self, tree: ast.Module, *, all_rows: bool = False) -> None:
        self.all_rows = all_rows
        self.relations, self.line_numbers, self.rows = relations_to_rows(), list[int](), set[str]()
        self.models = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module == "game.models"
            for alias in node.names
            if alias.name in game_models()
        }
        self._learn(tree)
        self.visit(tree)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        before = self.rows
        self.rows = set(before)
        self._learn(node)
        self.generic_visit(node)
        self.rows = before

    def _learn(self, scope: ast.Module | ast.FunctionDef) -> None:
        """Collect the names that hold rows, or sets of rows, in a scope."""
        count = -1
        while len(self.rows) > count:
            count = len(self.rows)
            for node in _scope_nodes(scope):
                match node:
                    case ast.Assign(targets=targets, value=value) if self._row(value):
                        self._name(*targets)
                    case ast.NamedExpr(target=target, value=value) if self._row(value):
                        self._name(target)
                    case ast.For(target=target, iter=source) if self._row(source):
                        self._name(target)
                    case ast.comprehension(target=target, iter=source) if self._row(source):
                        self._name(target)
                    case ast.arg(arg=name, annotation=ast.Name(id=model)) if model in self.models:
                        self.rows.add(name)

    def _writes(self, value: ast.expr) -> bool:
        return self.all_rows or self._row(value)

    def _name(self, *targets: ast.expr) -> None:
        self.rows |= {target.id for target in targets if isinstance(target, ast.Name)}

    def _row(self, node: ast.expr) -> bool:
        """Return whether the expression is a model of the game, a set of its rows, or a row."""
        match node:
            case ast.Name(id=name):
                return name in self.models or name in self.rows
            case ast.Attribute(attr=attr) if attr in self.relations:
                return True
            case ast.Attribute(value=value, attr="objects" | "_default_manager"):
                return self._row(value)
            case ast.Call(func=ast.Attribute(value=value)):
                return self._row(value)
            case ast.Call(func=ast.Name(id="list" | "sorted" | "iter" | "next"), args=[first, *_]):
                return self._row(first)
            case ast.Call(func=ast.Name(id=name)):
                return name in self.models
            case ast.Subscript(value=value):
                return self._row(value)
        return False

    def visit_Call(self, node: ast.Call) -> None:
        match node.func:
            case ast.Attribute(value=value, attr=attr) if attr in WRITE_METHODS and self._writes(
                value
            ):
                self.line_numbers.append(node.lineno)
        self.generic_visit(node)


def _scope_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a scope without those of functions in it."""
    for node in ast.iter_child_nodes(scope):
        if not isinstance(node, ast.FunctionDef):
            yield node
            yield from _scope_nodes(node)


def find_writes(sources: Sources) -> list[str]:
    return [
        f"{path}:{line}"
        for path, source in sources.items()
        if path != STORE_FILE
        for line in WriteFinder(
            ast.parse(source), all_rows=Path(path).parent == Path("game")
        ).line_numbers
    ]


def test_only_store_writes_rows_of_the_game(sources: Sources) -> None:
    assert find_writes(sources) == []
    assert len(WriteFinder(ast.parse(sources[STORE_FILE])).line_numbers) > 15


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("game/host_actions.py", "Player.objects.filter(seat=1).update(stand_in=True)"),
        ("game/locked_game.py", "WindowRow.objects.bulk_create([])"),
        ("game/locked_game.py", "def f(game: Game) -> None:\n    game.save()"),
        ("game/locked_game.py", "Move(1).rows['key'].save()"),
        ("webapp/play/tables/invitations.py", "row = Game.objects.get(pk=1)\nrow.save()"),
        ("webapp/play/page/chat.py", "Game.objects.get(pk=1).players.all().delete()"),
        ("webapp/play/page/desk_storage.py", "[player.save() for player in Player.objects.all()]"),
        ("webapp/play/turns/withdrawals.py", "Desk().player.save()"),
        ("webapp/study/rating/rater_erasure.py", "Stimulus().utterance.delete()"),
    ],
)
def test_write_outside_the_store_is_reported(path: str, line: str, sources: Sources) -> None:
    writes = find_writes({path: f"{sources[path]}\n{line}\n"})
    assert len(writes) == 1, writes


# -- modules that read whether a table is blind

DISCLOSURE_FILE = "webapp/play/disclosure.py"
FORM_FILES = ("webapp/play/tables/table_form.py",)  # which set it
BUILDER_FILE = "webapp/play/page/page_builder.py"


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


def test_only_disclosure_reads_whether_a_table_is_blind(sources: Sources) -> None:
    assert find_blind_reads(sources) == []


@pytest.mark.parametrize("line", ["look.game.blind", "settings['blind']", "settings.get('blind')"])
def test_blind_check_outside_disclosure_is_reported(line: str, sources: Sources) -> None:
    assert len(find_blind_reads({BUILDER_FILE: f"{sources[BUILDER_FILE]}\n{line}\n"})) == 1
