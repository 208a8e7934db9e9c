"""Conditions of questions on earlier answers (`Item.ask_if`), and answers in a question's text.

A condition compares answers: `often == "daily" and age >= 18`, `"chess" in games`, `not likes`. An
answer is named by its item, or by `instrument.item` if it is another instrument's; a hyphen in a
key is written as `_`. A scale, slider or number is a number, one option its key, several options a
list of keys. A comparison with an answer that was not given is false. `{name}` in a question's text
stands for the answer in words.

Only what stands on an earlier page can be named, so that a page never changes while it is read.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from simpleeval import EvalWithCompoundTypes, InvalidExpression

from webapp.study.design.instruments import Instrument, Item
from webapp.study.models import Participant
from webapp.study.sessions.answers import Answer
from webapp.study.sessions.participant_steps import Step

Values = dict[str, Any]  # item -> value, instrument -> {item: value}, None where not answered
NODES = (
    ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.Compare, ast.Name,
    ast.Attribute, ast.Load, ast.Constant, ast.List, ast.Tuple,
    ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn,
)  # fmt: skip
PLACE = re.compile(r"\{([a-z][a-z0-9_.-]*)\}")
CURLY = str.maketrans("“”‘’", "\"\"''")


class BadCondition(ValueError):
    """The condition cannot be read. The message says what to do."""


@dataclass(frozen=True)
class GivenAnswers:
    """A participant's answers: values by instrument and item, and the same in words."""

    values: Mapping[str, Mapping[str, Any]]
    words: Mapping[str, Mapping[str, str]]

    @classmethod
    def of(
        cls, participant: Participant, step: Step, instruments: Iterable[Instrument]
    ) -> GivenAnswers:
        """Return the answers to these instruments, at `step` or else where last asked."""
        rows = participant.responses.filter(moment="", about_seat=0).order_by("pk")
        answers = {}
        for row in sorted(rows, key=lambda row: row.step == step.key):
            answers[row.instrument, row.item] = Answer(row.number, row.text, row.choice)
        values: dict[str, dict[str, Any]] = {}
        words: dict[str, dict[str, str]] = {}
        for instrument in instruments:
            for item in instrument.items:
                answer = answers.get((instrument.key, item.key), Answer())
                key, name = name_of(instrument.key), name_of(item.key)
                values.setdefault(key, {})[name] = value_of(answer)
                words.setdefault(key, {})[name] = in_words(item, answer)
        return cls(values, words)

    def allow(self, instrument: Instrument, item: Item) -> bool:
        """Return whether the item is asked."""
        own = self.values.get(name_of(instrument.key), {})
        return is_true(item.ask_if, {**self.values, **own})

    def fill(self, instrument: Instrument, item: Item) -> Item:
        """Return the item with answers in place of their names in its question."""
        if "{" not in item.question:
            return item
        words = {
            f"{key}.{name}": text for key, of in self.words.items() for name, text in of.items()
        }
        words |= self.words.get(name_of(instrument.key), {})
        return replace(item, question=fill(item.question, words))


def needs_answers(instrument: Instrument) -> bool:
    """Return whether what the instrument asks depends on earlier answers."""
    return any(item.ask_if or PLACE.search(item.question) for item in instrument.items)


def name_of(key: str) -> str:
    """Return a key as conditions write it."""
    return key.replace("-", "_")


def _parse(condition: str) -> ast.expr:
    text = condition.translate(CURLY).strip()
    try:
        tree = ast.parse(text, mode="eval").body
        if all(isinstance(node, NODES) for node in ast.walk(tree)):
            return tree
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    refusal = _("“{condition}” can’t be read. Write it as in: often == “daily” and age >= 18")
    raise BadCondition(refusal.format(condition=condition))


def _full_name(node: ast.AST) -> str:
    """Return "item" or "instrument.item", "" if the node names no answer."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return ""


def _names(tree: ast.AST) -> Iterator[str]:
    """Yield every answer that the condition names."""
    if name := _full_name(tree):
        yield name
        return
    for child in ast.iter_child_nodes(tree):
        yield from _names(child)


def _compare(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], bool]:
    def check(left: Any, right: Any) -> bool:
        try:
            return None not in (left, right) and bool(compare(left, right))
        except TypeError:  # a word and a number
            return False

    return check


_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Eq: _compare(operator.eq), ast.NotEq: _compare(operator.ne),
    ast.Lt: _compare(operator.lt), ast.LtE: _compare(operator.le),
    ast.Gt: _compare(operator.gt), ast.GtE: _compare(operator.ge),
    ast.In: _compare(lambda one, many: one in many),
    ast.NotIn: _compare(lambda one, many: one not in many),
    ast.Not: operator.not_,
}  # fmt: skip


def is_true(condition: str, values: Values) -> bool:
    """Return whether the condition holds, True if it is empty. Raises BadCondition."""
    if not condition:
        return True
    tree = _parse(condition)
    evaluator = EvalWithCompoundTypes(operators=_OPERATORS, functions={}, names=values)
    try:
        return bool(evaluator.eval(condition, previously_parsed=tree))
    except InvalidExpression:  # it names an answer of a stage that this participant skipped
        return False


def value_of(answer: Answer) -> Any:
    """Return the answer as conditions see it: a number, a key, keys or a text."""
    if answer.choice:
        return answer.choice
    return answer.number if answer.number is not None else answer.text or None


def in_words(item: Item, answer: Answer) -> str:
    """Return the answer as a text, "…" if there is none."""
    labels = {option.key: option.label for option in item.options}
    if answer.chosen:
        return ", ".join(labels.get(key, key) for key in answer.chosen)
    return answer.text or ("…" if answer.number is None else f"{answer.number:g}")


def fill(text: str, words: Mapping[str, str]) -> str:
    """Return the text with answers in place of their names in braces."""
    return PLACE.sub(lambda match: words.get(name_of(match[1]), match[0]), text)


def faults(stages: Sequence[Sequence[Instrument]]) -> Iterator[str]:
    """Yield a sentence for each condition or inserted answer that cannot work.

    Args:
        stages: The instruments of each stage that asks, in order.
    """
    earlier: dict[str, Item] = {}
    for instruments in stages:
        waiting: dict[str, Item] = {}  # of the same page, until the next one begins
        for instrument in instruments:
            for item in instrument.items:
                if item.page_break:
                    earlier |= waiting
                    waiting = {}
                yield from _item_faults(instrument, item, earlier)
                if not instrument.of_seats and item.answer != "info":
                    waiting[f"{name_of(instrument.key)}.{name_of(item.key)}"] = item
        earlier |= waiting


def _item_faults(instrument: Instrument, item: Item, earlier: Mapping[str, Item]) -> Iterator[str]:
    own = f"{name_of(instrument.key)}."
    earlier_items = {
        **earlier,
        **{n.removeprefix(own): i for n, i in earlier.items() if n.startswith(own)},
    }
    label = item.label or item.question
    try:
        tree = _parse(item.ask_if) if item.ask_if else None
    except BadCondition as bad:
        yield _("“{item}”: {what}").format(item=label, what=bad)
        return
    answer_names = [*(_names(tree) if tree else ()), *map(name_of, PLACE.findall(item.question))]
    for name in dict.fromkeys(answer_names):
        if name not in earlier_items:
            text = _(
                "“{item}”: on an earlier page no question is called “{name}”: there are {known}."
            )
            yield text.format(item=label, name=name, known=", ".join(earlier_items) or _("none"))
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Compare):
            yield from _option_faults(label, node, earlier_items)


def _option_faults(
    label: str, node: ast.Compare, earlier_items: Mapping[str, Item]
) -> Iterator[str]:
    """Yield a sentence for each word that is compared with a choice and is no option of it."""
    sides = [node.left, *node.comparators]
    items = [earlier_items[name] for side in sides if (name := _full_name(side)) in earlier_items]
    texts = [n.value for side in sides for n in ast.walk(side)
             if isinstance(n, ast.Constant) and isinstance(n.value, str)]  # fmt: skip
    for item in items:
        keys = [option.key for option in item.options]
        for text in texts if keys else ():
            if text not in keys:
                sentence = _("“{item}”: “{other}” has no answer “{text}”: it has {known}.")
                yield sentence.format(item=label, other=item.key, text=text, known=", ".join(keys))
