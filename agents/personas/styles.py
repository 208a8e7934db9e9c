"""Styles: the guard's fourteen prepared lines in a character's manner (Guarded 4.2, SPEC 2.8)."""

import string
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from game.engine.seeded_random import SeededRandom

GUARD = "guarding"  # name of the faculty that speaks the lines
# The fourteen situations that have a prepared line (`agents.faculties.guard`).
LineKey = Literal[
    "greeting", "morning_first", "morning", "report", "counter", "pose", "inquiry",
    "closing_first", "closing", "resignation_first", "resignation", "farewell", "waiting", "over",
]  # fmt: skip
LINE_KEYS: tuple[LineKey, ...] = get_args(LineKey)
PLAIN = "plain"  # the style of characters without a style
# Loaded here and not by `agents.language`, which imports personas.
_FILE = Path(__file__).parents[1] / "language/en/styles.toml"
# Slots that a line must have. Other lines have none.
SLOTS: Mapping[LineKey, frozenset[str]] = {
    "report": frozenset({"looker", "target", "answer"}),
    "counter": frozenset({"looker", "target", "wolf"}),
    "pose": frozenset({"wolf"}),
    "inquiry": frozenset({"call"}),
}


class BadStyle(ValueError):
    """A style lacks a line or a slot. The message names both."""


@dataclass(frozen=True)
class Style:
    """A style of speaking, with a line for each of LINE_KEYS."""

    key: str
    lines: Mapping[LineKey, str]

    def __post_init__(self) -> None:
        for error in line_errors(self.lines):
            raise BadStyle(f"style {self.key!r}: {error}")


def line_errors(lines: Mapping[LineKey, str]) -> Iterator[str]:
    """Yield a sentence for each line that is missing or does not have the right slots."""
    for key in LINE_KEYS:
        expected_slots = SLOTS.get(key, frozenset())
        if not lines.get(key, "").strip():
            yield f"the line {key!r} is missing"
            continue
        try:
            slots = _slots(lines[key])
        except ValueError:
            yield f"the line {key!r} has a brace without its partner"
            continue
        if missing := expected_slots - slots:
            yield f"the line {key!r} needs {_in_braces(missing)}"
        if unknown := slots - expected_slots:
            listed_slots = _in_braces(expected_slots) or "no slot"
            yield f"the line {key!r} can't have {_in_braces(unknown)}: it takes {listed_slots}"


@cache
def styles() -> Mapping[str, Style]:
    """Return the styles by key, PLAIN first. The others have the keys of characters."""
    tables = tomllib.loads(_FILE.read_text("utf-8"))
    return {
        key: Style(key, {name: str(table[name]) for name in LINE_KEYS})
        for key, table in tables.items()
    }


def draw_style_character(faculties: Collection[str], seed: str, seat: int) -> str:
    """Return the character whose style the seat has, "" if no faculty has prepared lines.

    The characters are shuffled by `seed` and dealt in turn: each agent of Guarded has one of five.
    """
    if GUARD not in faculties:
        return ""
    keys = [key for key in styles() if key != PLAIN]
    return SeededRandom(f"{seed}/styles").shuffled("style", keys)[seat % len(keys)]


def style_of(character: str) -> Style:
    """Return the style of the written character, PLAIN if it has none."""
    return styles().get(character, styles()[PLAIN])


def _in_braces(slots: Collection[str]) -> str:
    return ", ".join(f"{{{slot[:40]}}}" for slot in sorted(slots))


def _slots(line: str) -> set[str]:
    """Return the slots of a line with their formats. Unbalanced braces raise ValueError."""
    parts = list(string.Formatter().parse(line))
    return {
        f"{name}{f'!{conversion}' if conversion else ''}{spec}"
        for _text, name, spec, conversion in parts
        if name is not None
    }
