"""Seat names instead of the names that people chose: a rater, an export, knows nobody."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

# Names that are everyday words as well: in small letters they are left alone.
_EVERYDAY = """
angel art bill bob carol chance chase christian dale daisy dawn dean drew earl eve faith frank
gene grace grant guy heather hope hunter iris ivy jack jade jasmine jay jean joy june lance lily
major mark may melody mike miles nick norm olive pat paul pearl penny peter ray reed rich rob robin
rocky rose ruby rusty sandy sky stone sue summer ted tiger victor viola violet wade will willow
winter wolf woody the one you king queen star moon red black white green blue fox bear cat dog bird
lucky happy player night day sun rain dark
"""
_WORDS = frozenset(_EVERYDAY.split())


def renamer(names: Sequence[str], seat_names: Sequence[str]) -> Callable[[str], str]:
    """A function that puts seat names for chosen ones in a text.

    names: as the table knew them, in seat order; seat_names: the ruleset's. Parts of a name (from
    three letters on) are replaced as well, and forms without accents; in small letters only what
    is no everyday word. A part that is somebody's seat name means that seat.
    """
    taken = {n.casefold() for n in seat_names}
    found: dict[str, str] = {}
    for name, seat_name in zip(names, seat_names, strict=True):
        if name.casefold() == seat_name.casefold():
            continue
        found.setdefault(_folded(name), seat_name)
        for part in re.split(r"[ .'’-]+", name):
            if len(part) >= 3 and part.casefold() not in taken:
                found.setdefault(_folded(part), seat_name)
    if not found:
        return str
    longest = sorted(found, key=lambda n: (-len(n), n))
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)")

    def rename(text: str) -> str:
        text = unicodedata.normalize("NFC", text)
        out, at = list[str](), 0
        for match in pattern.finditer(_folded(text)):
            word = text[match.start() : match.end()]
            if word.islower() and match[0] in _WORDS:
                continue
            out += [text[at : match.start()], found[match[0]]]
            at = match.end()
        return "".join([*out, text[at:]])

    return rename


def _folded(text: str) -> str:
    """Small letters without accents, letter by letter: as long as `text` in its composed form."""
    return "".join(
        unicodedata.normalize("NFD", c.lower())[0] for c in unicodedata.normalize("NFC", text)
    ).replace("’", "'")
