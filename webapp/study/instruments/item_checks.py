"""What is wrong with an instrument for participants, in sentences for the one who must mend it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from webapp.study.instruments.checking import (
    ITEM_LENGTHS,
    LENGTHS,
    MOST_DIMENSIONS,
    is_key,
    scale_faults,
    text_faults,
)

UNITS = ("session", "seat")
ANSWERS = ("scale", "text", "number", "one", "many", "human", "role")
OF_SEATS = ("human", "role")  # asked of another player
SCALED = ("scale", *OF_SEATS)
ORDERS, DIRECTIONS = ("fixed", "rotated"), ("fixed", "drawn")
MOST_OPTIONS, LONGEST, MOST_NUMBER, MOST_LABEL = 20, 5000, 1_000_000, 200
FIELDS = {
    *ITEM_LENGTHS, "key", "min", "max", "answer", "options", "longest", "required", "unsure",
}  # fmt: skip


def faults(data: Mapping[str, Any]) -> list[str]:
    """Every fault of `data`; none where it is an instrument."""
    return list(_faults(data))


def _faults(data: Mapping[str, Any]) -> Iterator[str]:
    known = {"key", "title", "unit", "intro", "order", "direction", "dimensions"}
    if unknown := sorted(str(k) for k in set(data) - known):
        yield _("Unknown fields: {names}.").format(names=", ".join(unknown)[:200])
    if not is_key(data.get("key")):
        yield _("Give the instrument a key: small letters, digits, - and _, 40 at most.")
    yield from text_faults(data, LENGTHS, _("the instrument"))
    if data.get("order", "fixed") not in ORDERS:
        yield _("The order of the items is fixed or rotated.")
    if data.get("direction", "fixed") not in DIRECTIONS:
        yield _("The direction of the scales is fixed or drawn.")
    rows = data.get("dimensions")
    if not isinstance(rows, list | tuple) or not rows:
        yield _("An instrument needs at least one item.")
        return
    if len(rows) > MOST_DIMENSIONS:
        yield _("An instrument has {most} items at most.").format(most=MOST_DIMENSIONS)
    keys = [row.get("key") for row in rows if isinstance(row, Mapping)]
    if len({str(k) for k in keys}) < len(keys):
        yield _("Two items have the same key.")
    for number, row in enumerate(rows, 1):
        yield from _item(row, _("Item {number}").format(number=number), data["unit"])


def _item(row: Any, where: str, unit: str) -> Iterator[str]:
    if not isinstance(row, Mapping):
        yield _("{where} is no table.").format(where=where)
        return
    if unknown := sorted(str(k) for k in set(row) - FIELDS):
        names = ", ".join(unknown)[:200]
        yield _("{where}: unknown fields: {names}.").format(where=where, names=names)
    if not is_key(row.get("key")):
        told = _("{where}: its key has small letters, digits, - and _, 40 at most.")
        yield told.format(where=where)
    for name in ("required", "unsure"):
        if not isinstance(row.get(name, False), bool):
            yield _("{where}: “{name}” is on or off.").format(where=where, name=name)
    answer = row.get("answer", "scale")
    if answer not in ANSWERS:
        yield _("{where}: choose how it is answered.").format(where=where)
        return
    if answer in OF_SEATS and unit != "seat":
        yield _("{where}: that is asked of every other player only.").format(where=where)
    poles = () if answer in SCALED else ("low_pole", "high_pole")
    lengths = {name: most for name, most in ITEM_LENGTHS.items() if name not in poles}
    yield from text_faults(row, lengths, where)
    yield from _by_answer(row, answer, where)


def _by_answer(row: Mapping[str, Any], answer: str, where: str) -> Iterator[str]:
    """What the kind of answer asks for."""
    if answer in SCALED:
        yield from scale_faults(row, where)
    elif answer == "text":
        longest = row.get("longest", 1000)
        if type(longest) is not int or not 1 <= longest <= LONGEST:
            told = _("{where}: a text has from 1 to {most} characters.")
            yield told.format(where=where, most=LONGEST)
    elif answer == "number":
        low, high = row.get("min", 1), row.get("max", 5)
        if type(low) is not int or type(high) is not int or not 0 <= low < high <= MOST_NUMBER:
            told = _("{where}: a number goes from a whole one (0 or more) up to a greater one.")
            yield told.format(where=where)
    else:
        yield from _options(row.get("options", ()), where)


def _options(options: Any, where: str) -> Iterator[str]:
    if not isinstance(options, list | tuple) or not 2 <= len(options) <= MOST_OPTIONS:
        told = _("{where}: give from 2 to {most} answers to choose from.")
        yield told.format(where=where, most=MOST_OPTIONS)
        return
    if not all(_is_option(option) for option in options):
        told = _("{where}: every answer has a key and words ({most} characters at most).")
        yield told.format(where=where, most=MOST_LABEL)
    elif len({option["key"] for option in options}) < len(options):
        yield _("{where}: two answers have the same key.").format(where=where)


def _is_option(option: Any) -> bool:
    return (
        isinstance(option, Mapping)
        and {*option} == {"key", "label"}
        and is_key(option["key"])
        and isinstance(option["label"], str)
        and 0 < len(option["label"].strip()) <= MOST_LABEL
    )
