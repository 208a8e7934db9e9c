"""Seats called by number at a table whose names end in one: "player 3", "p3", "#3", a plain "3".

Each becomes the seat's whole name ("player_3"), so that all that follows sees names alone.
"""

from __future__ import annotations

import re
from functools import lru_cache

# a name that is a word and a number
_NUMBERED = re.compile(r"([a-z]+)[_ ]?(\d+)", re.IGNORECASE)
# words before a number that counts, or numbers something else
_COUNTING_WORDS = """
day days night nights n d round rounds turn only just top game games last first next least
most about these those other all have has had got need are were still number option any my
level plan step point past another vs versus v exactly nearly almost around over under remaining
version
"""
_COUNTING = frozenset(_COUNTING_WORDS.split())
# "those are 3 and 5": a number after such a word names somebody all the same
_NAMING = frozenset(("are", "were", "have", "got", "has", "those", "these", "all", "just", "only"))
_LISTED = re.compile(r"\s*(?:,|and|&|or|\+|/)\s*#?\d\b|\s*(?:[.!,?]|$)")
# what stands behind a number that counts
_COUNTED = re.compile(
    r"\s?(?:%|percent\b|votes?\b(?! (?:for |on |against |out )?(?:p|pl|player|#)?[ _]?\d)|"
    r"claims?\b(?= (?:and|on|now|so|already|at|is|are|for|here|today)\b|[.,!?]|$)|"
    r"\w+(?:ers|ards|lves)\b|wolfs\b|ww?s\b|town\w+s\b|vills?\b(?<=s)|player\b|people|ppl|"
    r"persons?\b|guys|folks|candidates?\b|suspects\b(?! ?(?:p|player|#)?[ _]?\d)|days?\b|nights?\b|"
    r"rounds?\b|turns?\b|times?\b|min(?:ute)?s?\b|hours?\b|secs?\b|seconds\b|of\b|left\b|alive\b|"
    r"deaths?\b|kills\b|more\b|other\b|living\b|remaining\b|reasons?\b|things?\b|words?\b|"
    r"names?\b|roles?\b|questions?\b|points?\b|options?\b|claimants|statements?\b|sentences?\b|"
    r"innocents\b|humans?\b|ways\b|v\b|vs\b|versus\b|in a row|different|new\b|possible|big\b|"
    r"long\b|(?:good|bad) (?:guys|people|reasons)|[ap]m\b|o'clock|x\b|weeks?\b|months?\b|"
    r"years?\b|cents\b|kids\b|cats\b|cards?\b)|\s?[-–:.,]\d|\w|['’](?!s\b)\w"
)
# "first night 3": the night has its number already
_ORDINAL = re.compile(
    r"(?:first|second|third|fourth|last|next|1st|2nd|3rd|that|this|each|both|per|st|nd|rd|th)$"
)
# "p7s claim"
_GENITIVE = re.compile(
    r"((?<!\w)(?:[a-z]+[ _]?)?\d)s(?= (?:\w+ ){0,2}?(?:claim|story|checks?|results?|vote|role|"
    r"words?|"
    r"report|speech|reasons?|card|look)\b)",
    re.IGNORECASE,
)
# several at once: "3/5", "2,4"
_ALONE = re.compile(r"(?<![\w@$.,:%/+#-])\d(?:\s?[/+,&]\s?\d(?!\w))*")


@lru_cache(maxsize=64)
def _seat_patterns(seats: tuple[str, ...]) -> tuple[re.Pattern[str], dict[str, str]] | None:
    """Return (what calls a seat by a word and its number, number -> name)."""
    parts = [_NUMBERED.fullmatch(name) for name in seats]
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
    called = _seat_patterns(seats)
    if called is None:
        return text
    pattern, numbers = called
    text = _GENITIVE.sub(r"\1's", text)
    text = pattern.sub(lambda m: numbers[m[1]], text)

    def seat_name(match: re.Match[str]) -> str:
        digits = re.findall(r"\d", match[0])
        if not set(digits) <= set(numbers) or not _is_seat(match):
            return match[0]
        return " and ".join(numbers[number] for number in digits)

    return _ALONE.sub(seat_name, text)


def _is_seat(match: re.Match[str]) -> bool:
    """Return whether a number alone names somebody instead of counting."""
    before = re.findall(r"[a-z]+", match.string[max(0, match.start() - 20) : match.start()].lower())
    after = match.string[match.end() :]
    if _COUNTED.match(after):
        return False
    start = match.string[: match.start()].rstrip(" ")
    if not start or start[-1:] == "\n":  # "1. ...", the number of a line
        return not re.match(r"[.)]\s", after)
    if not before or before[-1] not in _COUNTING:
        return True
    if before[-1] in ("night", "day", "round"):
        return len(before) > 1 and bool(_ORDINAL.search(before[-2]))
    return before[-1] in _NAMING and bool(_LISTED.match(after))
