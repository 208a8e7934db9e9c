"""Player names as models write them: "Player 3", "player3" or "3" for "player_3"."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBERED = re.compile(r"(.*?\D)(\d+)")


def name_pattern(name: str) -> str:
    """Return a regular expression that matches `name`.

    A space, a hyphen or nothing may replace each "_".
    """
    return r"[\s_-]?#?".join(re.escape(part) for part in name.split("_"))


def seats_in_model_name(text: str, seats: Sequence[str]) -> set[int]:
    """Return the seats whose names occur in `text` as whole words."""
    return {
        seat
        for seat, name in enumerate(seats, 1)
        if re.search(rf"(?<!\w){name_pattern(name)}(?!\w)", text, re.I)
    }


def seat_by_number(text: str, seats: Sequence[str]) -> int | None:
    """Return the seat for a bare number, if every name is the same word and a number."""
    name_parts = [_NUMBERED.fullmatch(name) for name in seats]
    number = re.fullmatch(r"\W*(?:no\.|seat)?\W*(\d+)\W*", text, re.I)
    if not number or None in name_parts or len({part[1] for part in name_parts if part}) != 1:
        return None
    numbers = [int(part[2]) for part in name_parts if part]
    matches = [seat for seat, value in enumerate(numbers, 1) if value == int(number[1])]
    return matches[0] if len(matches) == 1 else None
