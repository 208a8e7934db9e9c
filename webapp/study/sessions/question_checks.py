"""Checks the questions of a study that is set up: its instruments, conditions, inserted answers."""

import ast
from collections.abc import Iterator, Mapping, Sequence

from django.utils.translation import gettext as _

from webapp.study.design import instruments
from webapp.study.design.instruments import Instrument, Item
from webapp.study.design.stages import Stage
from webapp.study.sessions.question_conditions import (
    BadCondition,
    find_answer_name,
    list_answer_names,
    parse_condition,
    to_identifier,
)
from webapp.study.sessions.questions import PLACEHOLDER, stage_instruments


def find_instrument_errors(stage: Stage) -> list[str]:
    """Return sentences that say what is wrong with the instruments of a stage."""
    errors, keys = list[str](), list[str]()
    for instrument_ref in getattr(stage, "instruments", ()):
        if not isinstance(instrument_ref, str) and (invalid := Instrument.check(instrument_ref)):
            errors += invalid
            continue
        try:
            instrument = instruments.resolve(instrument_ref, {})
        except LookupError as unknown:
            errors.append(str(unknown.args[0]))
            continue
        keys.append(instrument.key)
        if error := instruments.why_not_askable(instrument):
            errors.append(error)
    if len({*keys}) < len(keys):
        errors.append(_("A stage has the same questions twice. Remove one of them."))
    return errors


def find_logic_errors(stages: Sequence[Stage]) -> list[str]:
    """Return sentences about conditions and inserted answers that cannot work in this order.

    The list is empty if an instrument is unknown, which `find_instrument_errors` reports.
    """
    try:
        return [*find_condition_errors([stage_instruments(stage, {}) for stage in stages])]
    except (LookupError, TypeError):
        return []


def find_condition_errors(stages: Sequence[Sequence[Instrument]]) -> Iterator[str]:
    """Yield what cannot work in conditions and inserted answers of each stage's instruments."""
    earlier_items: dict[str, Item] = {}
    for stage in stages:
        current_page_items: dict[str, Item] = {}
        for instrument in stage:
            for item in instrument.items:
                if item.page_break:
                    earlier_items |= current_page_items
                    current_page_items = {}
                yield from _find_item_errors(instrument, item, earlier_items)
                if not instrument.is_about_each_player and item.answer != "info":
                    name = f"{to_identifier(instrument.key)}.{to_identifier(item.key)}"
                    current_page_items[name] = item
        earlier_items |= current_page_items


def _find_item_errors(
    instrument: Instrument, item: Item, earlier_items: Mapping[str, Item]
) -> Iterator[str]:
    prefix = f"{to_identifier(instrument.key)}."
    # Items of the same instrument may be named without it.
    own_items = {
        n.removeprefix(prefix): i for n, i in earlier_items.items() if n.startswith(prefix)
    }
    known_items = {**earlier_items, **own_items}
    label = item.label or item.question
    try:
        tree = parse_condition(item.ask_if) if item.ask_if else None
    except BadCondition as bad:
        yield _("“{item}”: {what}").format(item=label, what=bad)
        return
    answer_names = [
        *(list_answer_names(tree) if tree else ()),
        *map(to_identifier, PLACEHOLDER.findall(item.question)),
    ]
    for name in dict.fromkeys(answer_names):
        if name not in known_items:
            text = _("“{item}”: no earlier page asks “{name}”. Earlier questions: {known}.")
            yield text.format(item=label, name=name, known=", ".join(known_items) or _("none"))
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Compare):
            yield from _find_option_errors(label, node, known_items)


def _find_option_errors(
    label: str, comparison: ast.Compare, known_items: Mapping[str, Item]
) -> Iterator[str]:
    """Yield a sentence for each text that is compared with a choice but is not an option."""
    sides = [comparison.left, *comparison.comparators]
    names = [find_answer_name(side) for side in sides]
    items = [known_items[name] for name in names if name in known_items]
    texts = [n.value for side in sides for n in ast.walk(side)
             if isinstance(n, ast.Constant) and isinstance(n.value, str)]  # fmt: skip
    for item in items:
        keys = [option.key for option in item.options]
        for text in texts if keys else ():
            if text not in keys:
                sentence = _("“{item}”: “{other}” has no answer “{text}”. Its answers: {known}.")
                yield sentence.format(item=label, other=item.key, text=text, known=", ".join(keys))
