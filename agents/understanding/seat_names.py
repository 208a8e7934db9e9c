"""Replace seat numbers by names at a table whose names end in numbers.

"player 3", "p3", "#3" and a bare "3" become "player_3", so that later steps see only names.
"""

from __future__ import annotations

import re
from functools import lru_cache

from agents.language.patterns import load

P = load("seat_names")
MAX_CHARS_BEFORE = 20  # read to decide whether a bare number is a seat


@lru_cache(maxsize=64)
def _seat_patterns(seats: tuple[str, ...]) -> tuple[re.Pattern[str], dict[str, str]] | None:
    """Return (pattern of a seat's number, number -> name), None if the names have no numbers."""
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
def expand_seat_numbers(text: str, seats: tuple[str, ...]) -> str:
    """Return `text` with the full name in place of every seat number.

    The text stays unchanged unless all names are one word followed by a number.
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
    """Return whether a bare number names a seat instead of counting."""
    words_before = re.findall(
        r"[a-z]+", match.string[max(0, match.start() - MAX_CHARS_BEFORE) : match.start()].lower()
    )
    after = match.string[match.end() :]
    if P.counted.match(after):
        return False
    start = match.string[: match.start()].rstrip(" ")
    if not start or start[-1:] == "\n":  # "1. ...", the number of a line
        return not re.match(r"[.)]\s", after)
    if not words_before or words_before[-1] not in P.words["counting"]:
        return True
    if words_before[-1] in ("night", "day", "round"):
        return len(words_before) > 1 and bool(P.ordinal.search(words_before[-2]))
    return words_before[-1] in P.words["naming"] and bool(P.listed.match(after))
