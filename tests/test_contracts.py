"""The house keeps its storeys.

What docs/architecture.md says of it is checked, and each check can fail.
"""

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
HOUSE = ("webapp", "game", "agents")
# Of the standard library: what knows neither a clock nor chance, and reaches nothing outside.
PURE = {
    *("__future__", "abc", "bisect", "collections", "dataclasses", "enum", "functools", "hashlib"),
    *("heapq", "itertools", "json", "re", "typing", "unicodedata"),
}
RULESETS = "game.engine.rulesets"
FINDING = {RULESETS: {"importlib", "pkgutil"}}  # the list of all finds its folders
ABOVE_PLAY = ("webapp.study", "webapp.lab")
Sources = dict[str, str]  # path from the project's root -> source


@pytest.fixture(scope="module")
def sources() -> Sources:
    files = (file for name in HOUSE for file in (ROOT / name).rglob("*.py"))
    found = {str(file.relative_to(ROOT)): file.read_text() for file in files}
    return {path: text for path, text in found.items() if "/migrations/" not in path}


@pytest.fixture
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*HOUSE, include_external_packages=True, cache_dir=None)


# -- what import-linter checks


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_contracts_are_kept() -> None:
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


CIRCLES = "No circles, neither of modules nor of folders"
FORBIDDEN = [  # (what it breaks, where, with what)
    ("The engine imports only the standard library BROKEN", "game/engine/text_checks.py", "django"),
    ("Agents know the engine and no web BROKEN", "agents/mind.py", "game.store"),
    ("The game knows neither agents nor web BROKEN", "game/clock.py", "agents.mind"),
    (
        "The log is reached through services and selectors BROKEN",
        "webapp/study/games/seat_outcomes.py",
        "game.store",
    ),
    ("Play knows nothing of studies BROKEN", "webapp/play/page/drafts.py", "webapp.study.models"),
    (
        "Measures and statistics are pure functions BROKEN",
        "webapp/measures/ratio.py",
        "game.engine.events",
    ),
    (f"{CIRCLES} BROKEN", "agents/model_catalog.py", "agents.backends"),
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


def test_each_contract_can_fail(tmp_path: Path, sources: Sources) -> None:
    for path, source in sources.items():
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        more = [f"import {name}" for _broken, where, name in FORBIDDEN if where == path]
        target.write_text("\n".join([source, *more, ""]))
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    done = lint_imports(tmp_path)
    assert done.returncode != 0
    for broken, _where, _name in FORBIDDEN:
        assert broken in done.stdout


# -- what the graph of imports shows


def impure(graph: grimp.ImportGraph) -> Iterator[str]:
    """What the engine imports besides itself and PURE."""
    for module in graph.find_descendants("game.engine"):
        allowed = PURE | FINDING.get(module, set())
        for imported in graph.find_modules_directly_imported_by(module):
            if not imported.startswith("game.engine.") and imported not in allowed:
                yield f"{module} -> {imported}"


def acquainted(graph: grimp.ImportGraph) -> Iterator[str]:
    """Rulesets that know another one, or the list of all."""
    for own in graph.find_children(RULESETS):
        for module in {own, *graph.find_descendants(own)}:
            for imported in graph.find_modules_directly_imported_by(module):
                if imported.startswith(RULESETS) and not f"{imported}.".startswith(f"{own}."):
                    yield f"{module} -> {imported}"


def above_play(graph: grimp.ImportGraph) -> Iterator[str]:
    """What play knows of those that stand on it: studies, and a lab where there is one."""
    for module in {"webapp.play", *graph.find_descendants("webapp.play")}:
        for imported in graph.find_modules_directly_imported_by(module):
            if imported.startswith(ABOVE_PLAY):
                yield f"{module} -> {imported}"


Check = Callable[[grimp.ImportGraph], Iterator[str]]
IMPORTS: list[tuple[Check, str, str]] = [
    (impure, "game.engine.seeded_random", "random"),
    (impure, "game.engine.events", "game.models"),
    (acquainted, f"{RULESETS}.one_night", f"{RULESETS}.another"),
    (acquainted, f"{RULESETS}.one_night", RULESETS),
    (above_play, "webapp.play.live.broadcaster", "webapp.study.models"),
    (above_play, "webapp.play.replay.viewer_transcript", "webapp.lab.runs"),
]


@pytest.mark.parametrize("check", [impure, acquainted, above_play])
def test_nobody_imports_what_they_must_not_know(check: Check, graph: grimp.ImportGraph) -> None:
    assert list(check(graph)) == []


@pytest.mark.parametrize(("check", "importer", "imported"), IMPORTS)
def test_a_forbidden_import_is_found(
    check: Check, importer: str, imported: str, graph: grimp.ImportGraph
) -> None:
    graph.add_import(importer=importer, imported=imported)
    assert list(check(graph)) == [f"{importer} -> {imported}"]


# -- who writes the game's rows

WRITES = {
    *("save", "delete", "update", "create", "bulk_create", "bulk_update"),
    *("get_or_create", "update_or_create", "asave", "adelete", "aupdate", "acreate"),
}
STORE = "game/store.py"


@cache
def game_models() -> set[str]:
    return {model.__name__ for model in apps.get_app_config("game").get_models()}


@cache
def ways_to_rows() -> set[str]:
    """Attributes that lead to rows of the game.

    From one another, and from whatever refers to them.
    """
    models = {m: m._meta for m in apps.get_models()}
    game = {m for m in models if m._meta.app_label == "game"}
    return {
        field.name
        for meta in models.values()
        for field in meta.get_fields()
        if field.is_relation and field.related_model in game
    }


class Writers(ast.NodeVisitor):
    """Calls that write rows of the game in a module.

    On its models, on what was read from them, on what is declared as one of them, and on what a
    relation leads to. Names are a function's own.

    all_rows: in the game itself there are no other rows, so whatever is written is one of them.
    """

    def __init__(self, tree: ast.Module, *, all_rows: bool = False) -> None:
        self.all_rows = all_rows
        self.ways, self.found, self.rows = ways_to_rows(), list[int](), set[str]()
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
        """The names that hold rows, or sets of rows, in a scope."""
        known = -1
        while len(self.rows) > known:
            known = len(self.rows)
            for node in _own(scope):
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
        """Whether the expression is a model of the game, a set of its rows, or one of them."""
        match node:
            case ast.Name(id=name):
                return name in self.models or name in self.rows
            case ast.Attribute(attr=attr) if attr in self.ways:
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
            case ast.Attribute(value=value, attr=attr) if attr in WRITES and self._writes(value):
                self.found.append(node.lineno)
        self.generic_visit(node)


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope without those of functions in it."""
    for node in ast.iter_child_nodes(scope):
        if not isinstance(node, ast.FunctionDef):
            yield node
            yield from _own(node)


def writers(sources: Sources) -> list[str]:
    return [
        f"{path}:{line}"
        for path, source in sources.items()
        if path != STORE
        for line in Writers(ast.parse(source), all_rows=Path(path).parent == Path("game")).found
    ]


def test_only_the_store_writes_rows_of_the_game(sources: Sources) -> None:
    assert writers(sources) == []
    assert len(Writers(ast.parse(sources[STORE])).found) > 15


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("game/host_actions.py", "Player.objects.filter(seat=1).update(stand_in=True)"),
        ("game/locked_game.py", "WindowRow.objects.bulk_create([])"),
        ("game/locked_game.py", "def f(game: Game) -> None:\n    game.save()"),
        ("game/locked_game.py", "Move(1).rows['key'].save()"),
        ("webapp/play/tables/invitations.py", "row = Game.objects.get(pk=1)\nrow.save()"),
        ("webapp/play/page/chat.py", "Game.objects.get(pk=1).players.all().delete()"),
        ("webapp/play/page/drafts.py", "[player.save() for player in Player.objects.all()]"),
        ("webapp/play/turns/withdrawals.py", "Desk().player.save()"),
        ("webapp/study/rating/rater_erasure.py", "Stimulus().utterance.delete()"),
    ],
)
def test_another_writer_is_found(path: str, line: str, sources: Sources) -> None:
    found = writers({path: f"{sources[path]}\n{line}\n"})
    assert len(found) == 1, found


# -- who asks whether a table is blind

DISCLOSURE = "webapp/play/disclosure.py"
FORMS = ("webapp/play/tables/table_form.py",)  # they set it
BUILDER = "webapp/play/page/page_builder.py"


def askers(sources: Sources) -> list[str]:
    """Where in play it is read whether a table is, or will be, a blind one."""
    found = []
    for path, source in sources.items():
        if not path.startswith("webapp/play/") or path in (DISCLOSURE, *FORMS):
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
                    found.append(f"{path}:{node.lineno}")
    return found


def test_only_disclosure_asks_whether_a_table_is_blind(sources: Sources) -> None:
    assert askers(sources) == []


@pytest.mark.parametrize("line", ["look.game.blind", "settings['blind']", "settings.get('blind')"])
def test_another_asker_is_found(line: str, sources: Sources) -> None:
    assert len(askers({BUILDER: f"{sources[BUILDER]}\n{line}\n"})) == 1
