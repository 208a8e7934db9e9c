"""Replaces the names that people chose by the names of their seats, for raters and exports."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache

from game.engine.text_checks import SPACELESS

# Names that are everyday words as well: in small letters they are not replaced.
_EVERYDAY = """
angel art bill bob carol chance chase christian dale daisy dawn dean drew earl eve faith frank
gene grace grant guy heather hope hunter iris ivy jack jade jasmine jay jean joy june lance lily
major mark may melody mike miles nick norm olive pat paul pearl penny peter ray reed rich rob robin
rocky rose ruby rusty sandy sky stone sue summer ted tiger victor viola violet wade will willow
winter wolf woody the one you king queen star moon red black white green blue fox bear cat dog bird
lucky happy player night day sun rain dark
"""
_EVERYDAY_WORDS = frozenset(_EVERYDAY.split())
MIN_PART_LETTERS = 3  # of a part of a name that is replaced
_STROKED = str.maketrans("łøđħŧı’", "lodhti'")  # letters whose stroke is not a separable accent
_ADJOINING = f"{SPACELESS}\uac00-\ud7a3"  # scripts in which a name touches other words
_WHOLE = re.compile("[\u3041-\u30ff\uac00-\ud7a3]")  # kana, Hangul: their parts are no accents
# Scripts that separate words by spaces; in others particles and words adjoin a name.
_SPACED = ("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "GEORGIAN", "ETHIOPIC")


def build_renamer(names: Sequence[str], seat_names: Sequence[str]) -> Callable[[str], str]:
    """Return a function that replaces chosen names by seat names in a text.

    Parts of a name (from MIN_PART_LETTERS on) are replaced as well, and forms without accents; in
    small letters only if they are no everyday word. A part that equals a seat name means that seat.
    In scripts whose words or particles adjoin each other, a name (from two letters on) is found
    inside them too; an inflected form ("Ольгу") is not.

    Args:
        names: of the players, in seat order.
        seat_names: the ruleset's, in seat order.
    """
    reserved = {n.casefold() for n in seat_names}
    seat_names_by_fold: dict[str, str] = {}
    for name, seat_name in zip(names, seat_names, strict=True):
        if name.casefold() == seat_name.casefold():
            continue
        seat_names_by_fold.setdefault(_fold(name), seat_name)
        for part in re.split(r"[ .'’_·・\u0f0b-]+", name):
            if len(part) >= MIN_PART_LETTERS and part.casefold() not in reserved:
                seat_names_by_fold.setdefault(_fold(part), seat_name)
    if not seat_names_by_fold:
        return str
    seat_names_by_join = {
        _without_joiners(name): seat_name for name, seat_name in seat_names_by_fold.items()
    }
    longest = sorted(seat_names_by_fold, key=lambda n: (-len(n), n))
    pattern = re.compile("|".join(map(_mention_pattern, longest)))

    def rename(text: str) -> str:
        text = unicodedata.normalize("NFC", text)
        out, at = list[str](), 0
        for match in pattern.finditer(_fold(text)):
            word = text[match.start() : match.end()]
            if word.islower() and match[0] in _EVERYDAY_WORDS:
                continue
            out += [text[at : match.start()], seat_names_by_join[_without_joiners(match[0])]]
            at = match.end()
        return "".join([*out, text[at:]])

    return rename


def _mention_pattern(name: str) -> str:
    """Return a pattern for the folded `name` that matches every mention of it."""
    first, last = (_may_adjoin_words(name, c) for c in (name[0], name.rstrip(".")[-1]))
    spaced = rf"[^\W{_ADJOINING}]"
    name_pattern = re.sub(
        "[\u200c\u200d]", r"\g<0>?", re.escape(name)
    )  # writers often omit joiners
    return f"{'' if first else f'(?<!{spaced})'}{name_pattern}{'' if last else f'(?!{spaced})'}"


def _without_joiners(name: str) -> str:
    return re.sub("[\u200c\u200d]", "", name)


def _may_adjoin_words(name: str, letter: str) -> bool:
    spaced = unicodedata.name(letter, "").startswith(_SPACED) or letter.isdecimal()
    return len(name) > 1 and not spaced


def _fold(text: str) -> str:
    """Return small letters without accents, with as many characters as the composed `text`."""
    return "".join(map(_base_letter, unicodedata.normalize("NFC", text))).translate(_STROKED)


@cache
def _base_letter(character: str) -> str:
    if _WHOLE.match(character):
        return character
    return unicodedata.normalize("NFD", character.lower())[0]
