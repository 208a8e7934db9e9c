"""The systems of a league as text: a line for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from webapp.study.design.stages import System

MORE = "…"  # what a line cannot say; it stays as it is


def format_league(systems: Sequence[System]) -> str:
    """Return "NAME BACKEND/METHOD" for each system. "…": it has more settings, as a file sets."""
    return "\n".join(_format(system) for system in systems)


def _format(system: System) -> str:
    seat = system.seat
    line = f"{system.name} {seat.get('backend', '')}/{seat.get('method', '')}"
    return f"{line} {MORE}" if set(seat) - {"backend", "method"} else line


def parse_league(text: str, present: Sequence[System]) -> list[dict[str, Any]]:
    """Return the systems of `format_league`'s lines, as data.

    present: the present systems, which keep their other settings. Raises ValueError: a sentence.
    """
    seats = {system.name: system.seat for system in present}
    return [_parse(line, seats) for line in text.splitlines() if line.strip()]


def _parse(line: str, seats: dict[str, dict[str, Any]]) -> dict[str, Any]:
    name, _space, rest = line.strip().partition(" ")
    mind, _space, more = rest.strip().partition(" ")
    backend, slash, method = mind.rpartition("/")
    if not slash or more not in ("", MORE):
        text = _("“{line}” is no system: write NAME MODEL/METHOD, such as “first house/full”.")
        raise ValueError(text.format(line=line.strip()[:60]))
    kept = seats.get(name, {}) if more else {}
    chosen = {key: value for key, value in (("backend", backend), ("method", method)) if value}
    return {"name": name, "seat": {**kept, **chosen}}
