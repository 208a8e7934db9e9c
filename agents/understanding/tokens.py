"""Replace words for seats and roles by forms that do not depend on a game's names.

- At a table whose names end in numbers, "player 3", "p3", "#3" and a bare "3" become "player_3".
- The token of a role is its part in the game (`agents.packs.Part`) and its index in the ruleset:
  `looker0`, in the plural "looker0s". The token of the hunted roles is "wolf" in every ruleset.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import cast

from agents.language.patterns import load
from agents.packs import Pack, Part
from game.engine.ruleset import role_of

PATTERNS = load("tokens")
MAX_CHARS_BEFORE = 20  # so many characters before a bare number decide whether it is a seat
# Part of a village role that neither looks nor knows another player and is not the plain one.
_KEEPER = "keeper"
# Token of the verb for keeping a player alive at night.
_WARD = "ward"
# A token: part, index, plural.
_TOKEN = re.compile(r"([a-z]+)(\d*)s?")


@lru_cache(maxsize=64)
def _seat_patterns(seats: tuple[str, ...]) -> tuple[re.Pattern[str], dict[str, str]] | None:
    """Return (pattern of a seat's number, number -> name), None if the names have no numbers."""
    parts = [PATTERNS.numbered.fullmatch(name) for name in seats]
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
    if not (seat_patterns := _seat_patterns(seats)):
        return text
    pattern, names = seat_patterns
    text = pattern.sub(lambda m: names[m[1]], PATTERNS.genitive.sub(r"\1's", text))

    def seat_name(match: re.Match[str]) -> str:
        digits = re.findall(r"\d", match[0])
        is_name = set(digits) <= set(names) and _is_seat(match)
        return " and ".join(names[digit] for digit in digits) if is_name else match[0]

    return PATTERNS.alone.sub(seat_name, text)


def _is_seat(match: re.Match[str]) -> bool:
    """Return whether a bare number names a seat instead of counting."""
    start, after = match.string[: match.start()].rstrip(" "), match.string[match.end() :]
    if PATTERNS.counted.match(after):
        return False
    if start[-1:] in ("", "\n"):  # "1. ...", the number of a line
        return not re.match(r"[.)]\s", after)
    words_before = ["", *re.findall(r"[a-z]+", start[-MAX_CHARS_BEFORE:].lower())]
    if words_before[-1] in ("night", "day", "round"):
        return bool(PATTERNS.ordinal.search(words_before[-2]))
    return words_before[-1] not in PATTERNS.words["counting"]


def role_names(pack: Pack, key: str) -> tuple[list[str], list[str]]:
    """Return (singulars, plurals) of the game's names for a role, in lower case."""
    name = role_of(pack.ruleset, key).name
    singulars = list(dict.fromkeys(re.sub(r"[\W_]+", " ", word).lower() for word in (name, key)))
    return singulars, [_plural(word) for word in singulars]


def _plural(word: str) -> str:
    """Return the plural of an English noun, by the regular rules."""
    if word.endswith(("man", "f")):
        return re.sub("an$", "en", re.sub("f$", "ves", word))
    if word.endswith(("ch", "sh", "s", "x")):
        return f"{word}es"
    return word[:-1] + "ies" if re.search(r"[^aeiou]y$", word) else f"{word}s"


@lru_cache(maxsize=32)
def _role_words(pack: Pack) -> tuple[re.Pattern[str], dict[str, str]]:
    """Return (pattern of all words for roles, word -> token)."""
    tokens_by_word = dict.fromkeys(PATTERNS.words["wolf"], "wolf")
    for index, (key, part) in enumerate(pack.parts.items()):
        name = _KEEPER if part == "plain" and key != pack.plain_role else part
        token = "wolf" if part == "wolf" else f"{name}{index}"
        singulars, plurals = role_names(pack, key)
        tokens_by_word |= dict.fromkeys((*singulars, *pack.data.words.get(key, ())), token)
        tokens_by_word |= dict.fromkeys(plurals, token if part == "wolf" else f"{token}s")
    tokens_by_word |= dict.fromkeys(pack.data.badge, "badge")
    tokens_by_word |= {word: _WARD for word in pack.data.deeds if word not in tokens_by_word}
    longest_first = sorted(tokens_by_word, key=len, reverse=True)
    alternatives = "|".join(map(re.escape, longest_first))
    return re.compile(rf"\b({alternatives})(?=(?:y|ish)?\b)"), tokens_by_word


def replace_role_words(text: str, pack: Pack) -> str:
    """Return the lower-case `text` with a token in place of every word for a role."""
    pattern, tokens = _role_words(pack)
    text = pattern.sub(lambda m: tokens[m[1]], PATTERNS.like_a_token.sub(" ", text))
    return PATTERNS.keeps.sub(f"{_WARD} ", text) if pack.data.deeds else text


def role_key(token: str, pack: Pack) -> str:
    """Return the key of the role that a token stands for.

    A part without an index stands for its first role, "" if the deck has none.
    """
    match = _TOKEN.fullmatch(token)
    if match and match[2]:
        return pack.ruleset.roles[int(match[2])].key
    return pack.role(cast(Part, token))
