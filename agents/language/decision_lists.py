"""Decision lists: lines of conditions with a result, as they are written in TOML files.

    cue = right starts trust_after, not more:
      cue denied -> suspect
      -> defend

A line with an arrow gives its result if all of its conditions hold; "nothing" is no result. A line
with a colon leads to the indented lines below it; if none of them holds, there is no result.
`agents.understanding.rules` says what a condition means.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """Conditions, and the result or the further lines that follow from them."""

    conditions: tuple[str, ...]
    result: str
    lines: tuple[Line, ...]


def parse_decision_list(text: str, fail: Callable[[str], Exception]) -> tuple[Line, ...]:
    """Return the lines of a decision list. Raise `fail(message)` for an invalid line."""
    return _take_block([line for line in text.split("\n") if line.strip()], 0, fail)


def _take_block(
    lines: list[str], indent: int, fail: Callable[[str], Exception]
) -> tuple[Line, ...]:
    """Remove the lines with at least this indent from the head of `lines`, and return them."""
    block: list[Line] = []
    while lines and _indent_of(lines[0]) >= indent:
        line = lines.pop(0)
        head, arrow, result = line.strip().rstrip(":").partition("->")
        if bool(arrow) == line.endswith(":"):
            raise fail(f"{line}: expected either an arrow or a colon at the end")
        conditions = tuple(filter(None, head.strip().split(", ")))
        inner_indent = _indent_of(lines[0]) if lines and not arrow else 0
        inner = _take_block(lines, inner_indent, fail) if inner_indent > indent else ()
        outcome = result.strip()
        block.append(Line(conditions, "" if outcome == "nothing" else outcome, inner))
    return tuple(block)


def _indent_of(line: str) -> int:
    return len(line) - len(line.lstrip())
