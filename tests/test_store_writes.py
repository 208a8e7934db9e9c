"""Tests that only the store writes rows of the game, and of the detector of writes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.apps import apps

from tests.sources import Sources, read_sources

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
    """Return the names of fields of all models that refer to rows of the game."""
    models = {m: m._meta for m in apps.get_models()}
    game = {m for m in models if m._meta.app_label == "game"}
    return {
        field.name
        for meta in models.values()
        for field in meta.get_fields()
        if field.is_relation and field.related_model in game
    }


class WriteFinder(ast.NodeVisitor):
    """Finds the lines of a module that write rows of the game.

    Detects writes through game models, variables assigned from them, annotated arguments and
    related rows. Variables are tracked per function.

    Attributes:
        all_rows: Count each write, whatever it writes. The package `game` has no other rows.
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
        self._collect_row_names(tree)
        self.visit(tree)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        before = self.rows
        self.rows = set(before)
        self._collect_row_names(node)
        self.generic_visit(node)
        self.rows = before

    def _collect_row_names(self, scope: ast.Module | ast.FunctionDef) -> None:
        """Collect the names that hold rows, or sets of rows, in a scope."""
        is_row, count = self._is_row_expression, -1
        while len(self.rows) > count:
            count = len(self.rows)
            for node in _scope_nodes(scope):
                match node:
                    case ast.Assign(targets=targets, value=value) if is_row(value):
                        self._add_row_names(*targets)
                    case ast.NamedExpr(target=target, value=value) if is_row(value):
                        self._add_row_names(target)
                    case ast.For(target=target, iter=source) if is_row(source):
                        self._add_row_names(target)
                    case ast.comprehension(target=target, iter=source) if is_row(source):
                        self._add_row_names(target)
                    case ast.arg(arg=name, annotation=ast.Name(id=model)) if model in self.models:
                        self.rows.add(name)

    def _counts_as_write(self, value: ast.expr) -> bool:
        return self.all_rows or self._is_row_expression(value)

    def _add_row_names(self, *targets: ast.expr) -> None:
        self.rows |= {target.id for target in targets if isinstance(target, ast.Name)}

    def _is_row_expression(self, node: ast.expr) -> bool:
        """Return whether the expression is a model of the game, a set of its rows, or a row."""
        match node:
            case ast.Name(id=name):
                return name in self.models or name in self.rows
            case ast.Attribute(attr=attr) if attr in self.relations:
                return True
            case ast.Attribute(value=value, attr="objects" | "_default_manager"):
                return self._is_row_expression(value)
            case ast.Call(func=ast.Attribute(value=value)):
                return self._is_row_expression(value)
            case ast.Call(func=ast.Name(id="list" | "sorted" | "iter" | "next"), args=[first, *_]):
                return self._is_row_expression(first)
            case ast.Call(func=ast.Name(id=name)):
                return name in self.models
            case ast.Subscript(value=value):
                return self._is_row_expression(value)
        return False

    def visit_Call(self, node: ast.Call) -> None:
        match node.func:
            case ast.Attribute(value=value, attr=attr) if attr in WRITE_METHODS:
                if self._counts_as_write(value):
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


def test_only_store_writes_rows_of_the_game() -> None:
    sources = read_sources()
    assert find_writes(sources) == []
    assert len(WriteFinder(ast.parse(sources[STORE_FILE])).line_numbers) > 15


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("game/game_actions.py", "Player.objects.filter(seat=1).update(stand_in=True)"),
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
def test_write_outside_the_store_is_reported(path: str, line: str) -> None:
    writes = find_writes({path: f"{read_sources()[path]}\n{line}\n"})
    assert len(writes) == 1, writes
