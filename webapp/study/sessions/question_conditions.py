"""The language of conditions on earlier answers (`Item.ask_if`).

A condition compares answers: `often == "daily" and age >= 18`, `"chess" in games`, `not likes`. It
names an answer by its item, or by `instrument.item` for an item of another instrument. A hyphen in
a key is written as `_`. The value of a scale, slider or number item is a number; that of a choice
is the option's key, or a list of keys. A comparison with a missing answer is false.
"""

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _
from simpleeval import AttributeDoesNotExist, EvalWithCompoundTypes, InvalidExpression

Values = dict[str, Any]  # item -> value, instrument -> {item: value}, None where not answered
ALLOWED_NODES = (  # the syntax of Python that a condition may use
    ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.Compare, ast.Name,
    ast.Attribute, ast.Load, ast.Constant, ast.List, ast.Tuple,
    ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn,
)  # fmt: skip
# Restores texts that a word processor has changed.
STRAIGHT_QUOTES = str.maketrans("“”‘’", "\"\"''")


class BadCondition(ValueError):
    """The text is not a condition. The message tells the researcher what to write."""


def to_identifier(key: str) -> str:
    """Return the key as an identifier of conditions: `games-played` -> `games_played`."""
    return key.replace("-", "_")


def parse_condition(condition: str) -> ast.expr:
    """Return the condition's syntax tree, or raise BadCondition."""
    text = condition.translate(STRAIGHT_QUOTES).strip()
    try:
        tree = ast.parse(text, mode="eval").body
        if all(isinstance(node, ALLOWED_NODES) for node in ast.walk(tree)):
            return tree
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    refusal = _("“{condition}” can’t be read. Write it like this: often == “daily” and age >= 18")
    raise BadCondition(refusal.format(condition=condition))


def find_answer_name(node: ast.AST) -> str:
    """Return the "item" or "instrument.item" that the node names, "" if it names no answer."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return ""


def list_answer_names(tree: ast.AST) -> Iterator[str]:
    """Yield the name of every answer that the condition uses."""
    if name := find_answer_name(tree):
        yield name
        return
    for child in ast.iter_child_nodes(tree):
        yield from list_answer_names(child)


def _tolerant(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], bool]:
    """Wrap a comparison to be false for missing answers and for values that do not compare."""

    def check(left: Any, right: Any) -> bool:
        try:
            return None not in (left, right) and bool(compare(left, right))
        except TypeError:  # a text and a number
            return False

    return check


_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Eq: _tolerant(operator.eq), ast.NotEq: _tolerant(operator.ne),
    ast.Lt: _tolerant(operator.lt), ast.LtE: _tolerant(operator.le),
    ast.Gt: _tolerant(operator.gt), ast.GtE: _tolerant(operator.ge),
    ast.In: _tolerant(lambda one, many: one in many),
    ast.NotIn: _tolerant(lambda one, many: one not in many),
    ast.Not: operator.not_,
}  # fmt: skip


class _Evaluator(EvalWithCompoundTypes):  # type: ignore[misc]  # simpleeval has no types
    """Evaluates a condition. `instrument.item` is an answer, never an attribute of an object."""

    def _eval_attribute(self, node: ast.Attribute) -> Any:
        instrument_values = self._eval(node.value)
        if not isinstance(instrument_values, Mapping) or node.attr not in instrument_values:
            raise AttributeDoesNotExist(node.attr, self.expr)
        return instrument_values[node.attr]


def is_satisfied(condition: str, values: Values) -> bool:
    """Return whether the condition is true."""
    tree = parse_condition(condition)
    evaluator = _Evaluator(operators=_OPERATORS, functions={}, names=values)
    try:
        return bool(evaluator.eval(condition, previously_parsed=tree))
    except InvalidExpression:  # it names an answer that this participant was never asked for
        return False
