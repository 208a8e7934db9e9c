"""Player names as models write them: "Player 3", "player3" or "3" for "player_3"."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBERED = re.compile(r"(.*?\D)(\d+)")


def name_pattern(name: str) -> str:
    """Return a regular expression for `name` with other characters allowed for "_"."""
    return r"[\s_-]?#?".join(re.escape(part) for part in name.split("_"))


def find_seats_by_name(text: str, seat_names: Sequence[str]) -> set[int]:
    """Return the seats whose names occur in `text` as whole words."""
    return {
        seat
        for seat, name in enumerate(seat_names, 1)
        if re.search(rf"(?<!\w){name_pattern(name)}(?!\w)", text, re.I)
    }


def find_seat_by_number(text: str, seat_names: Sequence[str]) -> int | None:
    """Return the seat whose name ends with the bare number in `text`, None if there is none.

    Every name must consist of the same word and a number.
    """
    number = re.fullmatch(r"\W*(?:no\.|seat)?\W*(\d+)\W*", text, re.I)
    name_parts = [part for part in map(_NUMBERED.fullmatch, seat_names) if part]
    if (
        not number
        or len(name_parts) < len(seat_names)
        or len({part[1] for part in name_parts}) != 1
    ):
        return None
    numbers = [int(part[2]) for part in name_parts]
    return numbers.index(int(number[1])) + 1 if numbers.count(int(number[1])) == 1 else None
