"""Replaces names that people chose by the names of their seats, for raters and exports."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache

from game.engine.text_checks import SPACELESS_RANGES

# Names that are everyday words as well: in lower case they are not replaced.
_EVERYDAY = """
angel art bill bob carol chance chase christian dale daisy dawn dean drew earl eve faith frank
gene grace grant guy heather hope hunter iris ivy jack jade jasmine jay jean joy june lance lily
major mark may melody mike miles nick norm olive pat paul pearl penny peter ray reed rich rob robin
rocky rose ruby rusty sandy sky stone sue summer ted tiger victor viola violet wade will willow
winter wolf woody the one you king queen star moon red black white green blue fox bear cat dog bird
lucky happy player night day sun rain dark
"""
_EVERYDAY_WORDS = frozenset(_EVERYDAY.split())
MIN_PART_LETTERS = 3  # shorter parts of a name are not replaced
# Letters whose stroke is not a separable accent, and the typographic apostrophe.
_BASE_LETTERS = str.maketrans("łøđħŧı’", "lodhti'")
# Letters of scripts in which a name touches other words.
_ADJOINING = f"{SPACELESS_RANGES}\uac00-\ud7a3"
_SPACED_LETTER = rf"[^\W{_ADJOINING}]"
# Kana and Hangul: Unicode decomposes them, but their parts are no accents.
_UNDECOMPOSED_LETTERS = re.compile("[\u3041-\u30ff\uac00-\ud7a3]")
# Scripts that separate words by spaces; in others particles and words adjoin a name.
_SPACED_SCRIPT_PREFIXES = ("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "GEORGIAN", "ETHIOPIC")


def build_name_replacer(names: Sequence[str], seat_names: Sequence[str]) -> Callable[[str], str]:
    """Return a function that replaces chosen names by seat names in a text.

    - Parts of a name with at least MIN_PART_LETTERS letters are replaced, too: "Lee" of "Anna Lee".
    - Case and accents do not matter: "JOSE" is replaced for "José".
    - Lower-case everyday words are kept: "hope" stays, "Hope" is replaced.
    - A part that equals a seat name is kept, because it means that seat: "Beta" of "Beta Max".
    - In scripts whose words or particles adjoin each other, names of two or more letters also match
      inside longer words: "민준" of "민준은".
    - In scripts of _SPACED_SCRIPT_PREFIXES only whole words match: "Annabel" stays for "Anna", and
      the inflected "Ольгу" stays for "Ольга".

    Args:
        names: of the players, in seat order.
        seat_names: the ruleset's, in seat order.
    """
    folded_seat_names = {n.casefold() for n in seat_names}
    seat_names_by_fold: dict[str, str] = {}
    for name, seat_name in zip(names, seat_names, strict=True):
        if name.casefold() == seat_name.casefold():
            continue
        seat_names_by_fold.setdefault(_fold(name), seat_name)
        for part in re.split(r"[ .'’_·・\u0f0b-]+", name):
            if len(part) >= MIN_PART_LETTERS and part.casefold() not in folded_seat_names:
                seat_names_by_fold.setdefault(_fold(part), seat_name)
    if not seat_names_by_fold:
        return str
    replacements = {_without_joiners(name): seat for name, seat in seat_names_by_fold.items()}
    longest_first = sorted(seat_names_by_fold, key=lambda n: (-len(n), n))
    pattern = re.compile("|".join(map(_mention_pattern, longest_first)))

    def replace_names(text: str) -> str:
        text = unicodedata.normalize("NFC", text)
        pieces, copied_to = list[str](), 0
        for match in pattern.finditer(_fold(text)):
            word = text[match.start() : match.end()]
            if word.islower() and match[0] in _EVERYDAY_WORDS:
                continue
            pieces += [text[copied_to : match.start()], replacements[_without_joiners(match[0])]]
            copied_to = match.end()
        return "".join([*pieces, text[copied_to:]])

    return replace_names


def _mention_pattern(name: str) -> str:
    """Return a pattern for the folded `name` that matches every mention of it."""
    can_adjoin_before = _may_adjoin_words(name, name[0])
    can_adjoin_after = _may_adjoin_words(name, name.rstrip(".")[-1])
    before = "" if can_adjoin_before else f"(?<!{_SPACED_LETTER})"
    after = "" if can_adjoin_after else f"(?!{_SPACED_LETTER})"
    # Joiners are optional, because writers often omit them.
    return before + re.sub("[\u200c\u200d]", r"\g<0>?", re.escape(name)) + after


def _without_joiners(name: str) -> str:
    return re.sub("[\u200c\u200d]", "", name)


def _may_adjoin_words(name: str, letter: str) -> bool:
    """Return whether a word may touch `name` at `letter`, its first or last one."""
    has_spaced_script = unicodedata.name(letter, "").startswith(_SPACED_SCRIPT_PREFIXES)
    return len(name) > 1 and not has_spaced_script and not letter.isdecimal()


def _fold(text: str) -> str:
    """Return `text` in lower case without accents. The number of composed characters stays."""
    return "".join(map(_base_letter, unicodedata.normalize("NFC", text))).translate(_BASE_LETTERS)


@cache
def _base_letter(character: str) -> str:
    if _UNDECOMPOSED_LETTERS.match(character):
        return character
    return unicodedata.normalize("NFD", character.lower())[0]
