"""Correct typing errors and chat shorthand in the words that matter to the game.

Seat names, role names and frequent words of the talk are recognised with one slip: a letter too
many, too few or wrong, or two letters swapped. Existing words stay unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from agents.language.patterns import load
from agents.packs import Pack
from agents.understanding.role_tokens import role_names

P = load("spelling")
MIN_LONG_LETTERS = 5  # of a word in which every kind of slip is corrected
NO_LENGTH = 99  # a minimum that no word reaches


@lru_cache(maxsize=64)
def _corrections(seats: tuple[str, ...], pack: Pack) -> dict[str, str]:
    """Return misspelling -> word, for misspellings that are one slip from only one word.

    For roles without words in the pack, only doubled and swapped letters count, because their
    similarity to ordinary words was not checked.
    """
    known_role_names: list[str] = []
    unknown_role_names: list[str] = []
    for key in pack.parts:
        simple_names = [name for form in role_names(pack, key) for name in form if " " not in name]
        (known_role_names if key in pack.data.words else unknown_role_names).extend(simple_names)
    words_by_slip: dict[str, str] = {}
    ambiguous_slips: set[str] = set()
    frequent_words = P.words["frequent"]
    known_words = {*seats, *frequent_words, *P.words["ordinary"]}
    known_words |= {*known_role_names, *unknown_role_names}
    no_short_plurals = (n for n in known_role_names if len(n) > MIN_LONG_LETTERS or n[-1] != "s")
    min_lengths = [(w, MIN_LONG_LETTERS) for w in (*seats, *no_short_plurals, *frequent_words)]
    min_lengths += [(w, NO_LENGTH) for w in unknown_role_names]
    for word, min_length in min_lengths:
        for slip in slips(word, min_length):
            if slip in known_words:
                continue
            if words_by_slip.setdefault(slip, word).rstrip("s") != word.rstrip("s"):
                ambiguous_slips.add(slip)
    return {slip: word for slip, word in words_by_slip.items() if slip not in ambiguous_slips}


def slips(word: str, min_length: int = MIN_LONG_LETTERS) -> Iterable[str]:
    """Yield the misspellings one slip away from `word`.

    The first letter is only doubled or swapped, because it is hardly ever wrong otherwise.
    Words shorter than `min_length` get only doubled and swapped letters, because "well" is not
    "Will". One letter of a double may also be missing in words of MIN_LONG_LETTERS.
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
        elif i and len(word) >= MIN_LONG_LETTERS and word[i - 1] == letter:
            yield word[:i] + word[i + 1 :]


def correct_spelling(text: str, seats: Sequence[str], pack: Pack) -> str:
    """Return the lower-case `text` with slips and shorthand corrected."""
    corrections = _corrections(tuple(s.lower() for s in seats), pack)

    def correct_word(match: re.Match[str]) -> str:
        word = match[0]
        return P.spellings.get(word) or corrections.get(word, word)

    return re.sub(r"(?<![\w'@])[a-z0-9]+(?![\w'])", correct_word, text)
