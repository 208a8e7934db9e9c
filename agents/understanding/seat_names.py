"""Seats called by number at a table whose names end in one: "player 3", "p3", "#3", a plain "3".

Each becomes the seat's whole name ("player_3"), so that all that follows sees names alone.
"""

from __future__ import annotations

import re
from functools import lru_cache

from agents.language.patterns import load

P = load("seat_names")


@lru_cache(maxsize=64)
def _seat_patterns(seats: tuple[str, ...]) -> tuple[re.Pattern[str], dict[str, str]] | None:
    """Return (what calls a seat by a word and its number, number -> name)."""
    parts = [P.numbered.fullmatch(name) for name in seats]
    words = {part[1].lower() for part in parts if part}
    if len(words) != 1 or not all(parts):
        return None
    (word,) = words
    numbers = {part[2]: name for part, name in zip(parts, seats, strict=True) if part}
    short_forms = rf"{word[0]}|{word[:2]}|seat|number|no\.|nr\.?|nº"
    pattern = (
        rf"(?<![\w#])(?:{word}s?[ _-]?(?:number |no\.? ?|#)?|(?:{short_forms})[ _]?|# ?)"
        rf"({'|'.join(numbers)})(?![\w%])"
    )
    return re.compile(pattern, re.IGNORECASE), numbers


@lru_cache(maxsize=4096)
def in_full(text: str, seats: tuple[str, ...]) -> str:
    """Return `text` with the whole name for every seat called by its number.

    Unchanged at a table whose names don't all end in one.
    """
    seat_patterns = _seat_patterns(seats)
    if seat_patterns is None:
        return text
    pattern, numbers = seat_patterns
    text = P.genitive.sub(r"\1's", text)
    text = pattern.sub(lambda m: numbers[m[1]], text)

    def seat_name(match: re.Match[str]) -> str:
        digits = re.findall(r"\d", match[0])
        if not set(digits) <= set(numbers) or not _is_seat(match):
            return match[0]
        return " and ".join(numbers[number] for number in digits)

    return P.alone.sub(seat_name, text)


def _is_seat(match: re.Match[str]) -> bool:
    """Return whether a number alone names somebody instead of counting."""
    before = re.findall(r"[a-z]+", match.string[max(0, match.start() - 20) : match.start()].lower())
    after = match.string[match.end() :]
    if P.counted.match(after):
        return False
    start = match.string[: match.start()].rstrip(" ")
    if not start or start[-1:] == "\n":  # "1. ...", the number of a line
        return not re.match(r"[.)]\s", after)
    if not before or before[-1] not in P.words["counting"]:
        return True
    if before[-1] in ("night", "day", "round"):
        return len(before) > 1 and bool(P.ordinal.search(before[-2]))
    return before[-1] in P.words["naming"] and bool(P.listed.match(after))
