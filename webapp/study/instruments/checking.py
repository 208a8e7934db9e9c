"""What is wrong with an instrument's data, in sentences for the one who must mend it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from webapp.study import situations

UNITS = ("utterance", "player", "game")
KEY = re.compile(r"[a-z][a-z0-9_-]{0,39}")
MOST_DIMENSIONS, MOST_VALUE, MOST_STEPS, MOST_LINES = 12, 100, 20, 40
# field -> the most characters it may have
LENGTHS = {"title": 120, "intro": 4000}
ITEM_LENGTHS = {"label": 60, "question": 400, "low_pole": 200, "high_pole": 200}
TEXT = 2000  # characters of a line, or of a reason
EMPTY_ALLOWED = ("intro",)


def faults(data: Any) -> list[str]:
    """Every fault of `data`; none where it is an instrument."""
    if not isinstance(data, Mapping):
        return [_("An instrument is a table of a title, a unit and items.")]
    return list(_faults(data))


def _faults(data: Mapping[str, Any]) -> Iterator[str]:
    known = {"key", "title", "unit", "intro", "dimensions", "example"}
    if unknown := sorted(str(k) for k in set(data) - known):
        yield _("Unknown fields: {names}.").format(names=", ".join(unknown)[:200])
    if not is_key(data.get("key")):
        yield _("Give the instrument a key: small letters, digits, - and _, 40 at most.")
    yield from text_faults(data, LENGTHS, _("the instrument"))
    if data.get("unit") not in UNITS:
        yield _("Choose what is rated: an utterance, a player or a game.")
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
        yield from _dimension(row, number, data.get("unit"))
    yield from _ranking(rows)
    yield from _example(data.get("example") or {}, rows)


def is_key(key: Any) -> bool:
    """Whether it can name an instrument, an item or an answer in data."""
    return isinstance(key, str) and bool(KEY.fullmatch(key))


def text_faults(row: Mapping[str, Any], lengths: Mapping[str, int], where: str) -> Iterator[str]:
    """What is wrong with the texts of `row`; lengths: the most characters of each."""
    names = {
        "title": _("title"),
        "intro": _("introduction"),
        "label": _("name"),
        "question": _("question"),
        "low_pole": _("words for the lowest value"),
        "high_pole": _("words for the highest value"),
    }
    for name, most in lengths.items():
        text = row.get(name, "")
        told = {"name": names[name], "where": where, "most": most}
        if not isinstance(text, str) or (not text.strip() and name not in EMPTY_ALLOWED):
            yield _("{where}: the {name} is missing.").format(**told)
        elif len(text) > most:
            told["length"] = len(text)
            yield _("{where}: the {name} has {length} characters; shorten it to {most}.").format(
                **told
            )


def _dimension(row: Any, number: int, unit: Any) -> Iterator[str]:
    where = _("Item {number}").format(number=number)
    if not isinstance(row, Mapping):
        yield _("{where} is no table.").format(where=where)
        return
    known = {*ITEM_LENGTHS, "key", "min", "max", "situation", "rank", "deeds"}
    if unknown := sorted(str(k) for k in set(row) - known):
        yield _("{where}: unknown fields: {names}.").format(
            where=where, names=", ".join(unknown)[:200]
        )
    if not is_key(row.get("key")):
        yield _("{where}: its key has small letters, digits, - and _, 40 at most.").format(
            where=where
        )
    yield from text_faults(row, ITEM_LENGTHS, where)
    yield from scale_faults(row, where)
    situation = row.get("situation", "")
    if situation not in ("", *situations.KEYS):
        yield _("{where}: there is no such situation.").format(where=where)
    elif situation and unit != "utterance":
        yield _("{where}: only utterances stand in a situation.").format(where=where)
    if not isinstance(row.get("rank", False), bool):
        yield _("{where}: a ranking is on or off.").format(where=where)
    elif row.get("rank") and unit != "player":
        yield _("{where}: only players can be ranked.").format(where=where)
    if not isinstance(row.get("deeds", False), bool):
        yield _("{where}: what was done at night is shown or not.").format(where=where)
    elif row.get("deeds") and unit == "utterance":
        yield _("{where}: beside a single utterance no deeds are shown.").format(where=where)


def _ranking(rows: Any) -> Iterator[str]:
    """All items order the players of a game, from 1 to the number of seats, or none does."""
    items = [row for row in rows if isinstance(row, Mapping)]
    ranked = [row for row in items if row.get("rank") is True]
    if ranked and len(ranked) < len(items):
        yield _("Either all items are rankings or none is: make two studies of them.")
    elif len({(row.get("min", 1), row.get("max", 5)) for row in ranked}) > 1:
        yield _("Rankings of the same players have the same scale.")
    elif ranked and ranked[0].get("min", 1) != 1:
        yield _("A ranking goes from 1 to the number of players.")


def scale_faults(row: Mapping[str, Any], where: str) -> Iterator[str]:
    """What is wrong with the ends of the scale of `row`."""
    low, high = row.get("min", 1), row.get("max", 5)
    if type(low) is not int or type(high) is not int or not 0 <= low < high <= MOST_VALUE:
        yield _(
            "{where}: the scale goes from a whole number (0 or more) up to a greater one."
        ).format(where=where)
    elif high - low >= MOST_STEPS:
        yield _("{where}: a scale has {most} steps at most.").format(where=where, most=MOST_STEPS)


def _example(example: Any, rows: Any) -> Iterator[str]:
    if not example:
        return
    where = _("The worked example")
    if not isinstance(example, Mapping) or not {*example} <= {
        "context", "speaker", "text", "values", "why",
    }:  # fmt: skip
        yield _("{where} has a context, a speaker, words, values and reasons.").format(where=where)
        return
    lines = example.get("context", [])
    if not isinstance(lines, list | tuple) or len(lines) > MOST_LINES:
        yield _("{where}: its context has {most} lines at most.").format(
            where=where, most=MOST_LINES
        )
        lines = []
    told = [*lines, {k: example.get(k, "") for k in ("speaker", "text")}]
    if not all(_is_line(line) for line in told):
        yield _("{where}: every line has a speaker and words ({most} characters at most).").format(
            where=where, most=TEXT
        )
    yield from _worked(example, rows, where)


def _is_line(line: Any) -> bool:
    return (
        isinstance(line, Mapping)
        and {*line} == {"speaker", "text"}
        and all(isinstance(v, str) and len(v) <= TEXT for v in line.values())
        and bool(line["speaker"].strip())
    )


def _worked(example: Mapping[str, Any], rows: Any, where: str) -> Iterator[str]:
    values, why = example.get("values", {}), example.get("why", {})
    items = {r["key"]: r for r in rows if isinstance(r, Mapping) and is_key(r.get("key"))}
    if not isinstance(values, Mapping) or not isinstance(why, Mapping):
        yield _("{where}: values and reasons are tables by item.").format(where=where)
        return
    if {*values, *why} - {*items}:
        yield _("{where} rates an item that the instrument does not have.").format(where=where)
    for key, row in items.items():
        value, low, high = values.get(key), row.get("min", 1), row.get("max", 5)
        if key not in values and row.get("situation"):
            continue
        if type(value) is not int or type(low) is not int or type(high) is not int:
            yield _("{where}: “{item}” has no value.").format(where=where, item=row.get("label"))
        elif not low <= value <= high:
            yield _("{where}: “{item}” can’t be {value}.").format(
                where=where, item=row.get("label"), value=value
            )
    if not all(isinstance(text, str) and len(text) <= TEXT for text in why.values()):
        yield _("{where}: a reason is a text of {most} characters at most.").format(
            where=where, most=TEXT
        )
