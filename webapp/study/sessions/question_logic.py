"""Conditions of questions on earlier answers (`Item.ask_if`), and answers in a question's text.

A condition compares answers: `often == "daily" and age >= 18`, `"chess" in games`, `not likes`. It
names an answer by its item, or by `instrument.item` for an item of another instrument. A hyphen in
a key is written as `_`. The value of a scale, slider or number item is a number; that of a choice
is the option's key, or a list of keys. A comparison with a missing answer is false. A question's
text shows the answer in place of `{name}`.

Conditions may name only answers of earlier pages, so that a page never changes while it is read.
`question_checks` checks the conditions of a study that is set up.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from simpleeval import AttributeDoesNotExist, EvalWithCompoundTypes, InvalidExpression

from webapp.study.design.instruments import Instrument, Item
from webapp.study.models import Participant
from webapp.study.sessions.answers import Answer
from webapp.study.sessions.participant_state import Step

Values = dict[str, Any]  # item -> value, instrument -> {item: value}, None where not answered
ALLOWED_NODES = (  # the syntax of Python that a condition may use
    ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.Compare, ast.Name,
    ast.Attribute, ast.Load, ast.Constant, ast.List, ast.Tuple,
    ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn,
)  # fmt: skip
PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_.-]*)\}")
STRAIGHT_QUOTES = str.maketrans("“”‘’", "\"\"''")  # for texts that a word processor has changed


class BadCondition(ValueError):
    """The text is not a condition. The message tells the researcher what to write."""


@dataclass(frozen=True)
class GivenAnswers:
    """A participant's answers.

    Attributes:
        values: Instrument -> item -> value as conditions compare it.
        texts: Instrument -> item -> text as questions show it.
    """

    values: Mapping[str, Mapping[str, Any]]
    texts: Mapping[str, Mapping[str, str]]

    @classmethod
    def load(
        cls, participant: Participant, step: Step, instruments: Iterable[Instrument]
    ) -> GivenAnswers:
        """Load the latest answers to these instruments. Those of `step` have precedence."""
        rows = participant.responses.filter(moment="", about_seat=0).order_by("pk")
        answers = {}
        for row in sorted(rows, key=lambda row: row.step == step.key):
            answers[row.instrument, row.item] = Answer(row.number, row.text, row.choice)
        values: dict[str, dict[str, Any]] = {}
        texts: dict[str, dict[str, str]] = {}
        for instrument in instruments:
            for item in instrument.items:
                answer = answers.get((instrument.key, item.key), Answer())
                key, name = to_identifier(instrument.key), to_identifier(item.key)
                values.setdefault(key, {})[name] = get_condition_value(answer)
                texts.setdefault(key, {})[name] = format_answer(item, answer)
        return cls(values, texts)

    def should_ask(self, instrument: Instrument, item: Item) -> bool:
        """Return whether the item's condition is satisfied."""
        own_values = self.values.get(to_identifier(instrument.key), {})
        return is_satisfied(item.ask_if, {**self.values, **own_values})

    def fill_item(self, instrument: Instrument, item: Item) -> Item:
        """Return the item with answers in place of their names in its question."""
        if "{" not in item.question:
            return item
        texts = {
            f"{key}.{name}": text
            for key, item_texts in self.texts.items()
            for name, text in item_texts.items()
        }
        texts |= self.texts.get(to_identifier(instrument.key), {})
        question = PLACEHOLDER.sub(lambda m: texts.get(to_identifier(m[1]), m[0]), item.question)
        return replace(item, question=question)


def needs_answers(instrument: Instrument) -> bool:
    """Return whether the instrument's questions depend on earlier answers."""
    return any(item.ask_if or PLACEHOLDER.search(item.question) for item in instrument.items)


def to_identifier(key: str) -> str:
    """Return the key as an identifier of conditions: `games-played` -> `games_played`."""
    return key.replace("-", "_")


def parse_condition(condition: str) -> ast.expr:
    """Return the condition's syntax tree.

    Raises:
        BadCondition: The text is not a condition.
    """
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
    """Return whether the condition is true or empty."""
    if not condition:
        return True
    tree = parse_condition(condition)
    evaluator = _Evaluator(operators=_OPERATORS, functions={}, names=values)
    try:
        return bool(evaluator.eval(condition, previously_parsed=tree))
    except InvalidExpression:  # it names an answer that this participant was never asked for
        return False


def get_condition_value(answer: Answer) -> Any:
    """Return the answer as conditions compare it: a number, key, list of keys, text or None."""
    if answer.choice:
        return answer.choice
    return answer.number if answer.number is not None else answer.text or None


def format_answer(item: Item, answer: Answer) -> str:
    """Return the answer as a text, "…" if there is none."""
    labels = {option.key: option.label for option in item.options}
    if answer.chosen:
        return ", ".join(labels.get(key, key) for key in answer.chosen)
    return answer.text or ("…" if answer.number is None else f"{answer.number:g}")
