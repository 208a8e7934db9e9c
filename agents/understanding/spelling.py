"""Typing errors and chat shorthand put right, where the game turns on the word.

Names of the table, of its game's roles and the talk's own words are found again through one slip of
the finger (a letter too many, too few, wrong, or two in each other's place). Words that exist are
left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from agents.language.patterns import load
from agents.packs import Pack
from agents.understanding.role_tokens import names

P = load("spelling")

LONG = 5  # letters


@lru_cache(maxsize=64)
def _targets(seats: tuple[str, ...], pack: Pack) -> dict[str, str]:
    """Return every spelling one slip away -> the word, where only one word is that near.

    Of a role that the pack has no words for only the small slips count: what ordinary words stand
    near its name nobody has looked up.
    """
    listed: list[str] = []
    small: list[str] = []
    for key in pack.parts:
        role_names = [name for form in names(pack, key) for name in form if " " not in name]
        (listed if key in pack.data.words else small).extend(role_names)
    words_by_slip: dict[str, str] = {}
    twice: set[str] = set()
    known_words = {*seats, *P.words["frequent"], *P.words["ordinary"], *listed, *small}
    full = (*seats, *(n for n in listed if len(n) > LONG or n[-1] != "s"), *P.words["frequent"])
    for word, min_length in [*((w, LONG) for w in full), *((w, 99) for w in small)]:
        for slip in slips(word, min_length):
            if slip in known_words:
                continue
            if words_by_slip.setdefault(slip, word).rstrip("s") != word.rstrip("s"):
                twice.add(slip)
    return {slip: word for slip, word in words_by_slip.items() if slip not in twice}


def slips(word: str, min_length: int = LONG) -> Iterable[str]:
    """Yield the spellings one slip away from `word`.

    Its first letter is hardly ever wrong.

    Of words shorter than `min_length` only letters doubled (or one of a double left out) or in each
    other's place: "well" is not "Will".
    """
    letters = "abcdefghijklmnopqrstuvwxyz"
    for i, letter in enumerate(word):
        yield word[:i] + letter + word[i:]
        if i + 1 < len(word) and word[i + 1] != letter:
            yield word[:i] + word[i + 1] + letter + word[i + 2 :]
        if len(word) >= min_length:
            yield from (word[: i + 1] + c + word[i + 1 :] for c in letters)
            if i:
                yield word[:i] + word[i + 1 :]
                yield from (word[:i] + c + word[i + 1 :] for c in letters)
        elif i and len(word) >= LONG and word[i - 1] == letter:
            yield word[:i] + word[i + 1 :]


def corrected(text: str, seats: Sequence[str], pack: Pack) -> str:
    """Return `text`, in lower case, with slips and shorthand put right."""
    near = _targets(tuple(s.lower() for s in seats), pack)

    def put_right(match: re.Match[str]) -> str:
        word = match[0]
        return P.spellings.get(word) or near.get(word, word)

    return re.sub(r"(?<![\w'@])[a-z0-9]+(?![\w'])", put_right, text)
