"""Rules for the names of people at a table.

A name must not look like another player's, like a role's or like the moderator's. It must not read
as an instruction, neither to people nor to models.

Names are normalised (NFKC). All letters are of one script, or of scripts that go together (Unicode
UTS 39, "highly restrictive"). Names are compared as they look: confusable letters are folded.
`reserved_names.toml` lists offices and roles in many languages, and words of instructions.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from game.engine.text_checks import SPACELESS_RANGES, hidden_content_error

_RESERVED: dict[str, dict[str, list[str]]] = tomllib.loads(
    Path(__file__).with_name("reserved_names.toml").read_text(encoding="utf-8")
)
OFFICES = _RESERVED["offices"]  # language -> names that no name may contain
TITLES = _RESERVED["titles"]  # language -> names that no whole name may be
_FIRST_WORDS = frozenset(_RESERVED["instructions"]["first_words"])
_SENTENCE_WORDS = frozenset(_RESERVED["instructions"]["words"])

# Scripts that may be mixed in one name: UTS 39, section 5.2.
MIXABLE_SCRIPTS = (
    {"LATIN", "HAN", "HIRAGANA", "KATAKANA"},
    {"LATIN", "HAN", "BOPOMOFO"},
    {"LATIN", "HAN", "HANGUL"},
)
SHARED_SCRIPTS = {"COMMON", "INHERITED"}  # Signs of these scripts go with any script.
_PHONETIC_LETTER = re.compile("[\u1d00-\u1dbf]")  # small capitals and the like: no name needs them
_WORD_SEPARATOR = re.compile("[ ._·・\u0f0b-]+")
_PIECE_SEPARATOR = re.compile("[ .'’_·・\u0f0b-]+")  # splits "O'Host" too
TATWEEL = "\u0640"  # lengthens an Arabic word and means nothing
_VIRAMA = 9  # the combining class of signs that remove a letter's vowel
_HYPHENATED_NAME = re.compile("(?:i|me|we|you)-[^\\W_]+", re.IGNORECASE)  # "I-Ling", "You-Na"
_INITIAL = re.compile(r"(?<![^\W_])[^\W_]\. ?")
# Matches in "VoteAnna" before "Anna".
_CAMEL_CASE_BOUNDARY = re.compile("(?<=[^\\W\\d_A-Z])(?=[A-Z])")
_FINAL_NUMBER = re.compile(r"[\d ._-]+$")  # Matches the "2" in "Moderator2".
# Lookalike letters that Unicode's table of confusables lacks.
_MORE_CONFUSABLES = str.maketrans("ßẞəƏǝƎɘɛƐ", "bbeeeeeee")
# Matches a letter of a script that separates words by spaces.
_SPACED_LETTER = re.compile(f"[^{SPACELESS_RANGES}]")
MAX_NAME_CHARACTERS = 20  # Vowel signs and accents do not count.
MAX_NAME_CODE_POINTS = 40  # The size of the database's column for names.
_MARKS = "".join(chr(c) for c in range(0x300, 0x20000) if unicodedata.category(chr(c))[0] == "M")
# Invisible marks and letters: fillers, variation selectors, the grapheme joiner.
_INVISIBLE_IN_NAMES = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0"
_NAME_CHARACTER = (
    rf"(?![{_INVISIBLE_IN_NAMES}])[^\W_](?:(?![{_INVISIBLE_IN_NAMES}])[{re.escape(_MARKS)}]){{0,4}}"
)
# What may separate two characters. The joiners are invisible themselves and are permitted where
# they change how letters are drawn: in Arabic script, and after a sign that removes a vowel.
_VIRAMAS = "".join(c for c in _MARKS if unicodedata.combining(c) == _VIRAMA)
_JOINERS = rf"(?<=[\u0620-\u06d3\u0750-\u077f{_VIRAMAS}])\u200c|(?<=[{_VIRAMAS}])\u200d"
_NAME_SEPARATOR = rf"[ .'’_·・\u0f0b-]|\. |{_JOINERS}"
_NAME = re.compile(rf"(?!\d){_NAME_CHARACTER}(?:(?:{_NAME_SEPARATOR})?{_NAME_CHARACTER})*\.?")
# A dot may end an initial or an abbreviation ("St. John", "Sam S."), but no sentence.
_SENTENCE = re.compile(r"[^\W_]{5,}\.(?: |$)")
# Names that a reader, or an agent, would mistake for something else.
_MISLEADING = re.compile(
    "i|me|you|he|him|she|her|it|we|us|they|them|nobody|everyone|everybody|someone|anyone|all|none|"
    "moderator|host|fabula"
)


def normalize_name(name: str) -> str:
    """Return the name with one form for each character, and no white space around it."""
    return _to_nfc_stripped(unicodedata.normalize("NFKC", _to_nfc_stripped(name)))


def _to_nfc_stripped(text: str) -> str:
    """Return `text` in NFC, without white space at its ends except U+2000 to U+200A.

    NFKC turns these into spaces. Unlike `text_checks.tidy`, the function keeps white space inside,
    so that the checks can refuse it.
    """
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    return text.strip(" \t\n\v\f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff")


class NameRejection(NamedTuple):
    """Why a name is not permitted: a code, and the other name that it looks like, "" for none."""

    code: str
    other_name: str = ""


def chosen_name_error(
    name: str, *, roles: Sequence[str], seats: Sequence[str], other_names: Iterable[str]
) -> NameRejection | None:
    """Check a chosen name, already normalised, at a table. Return None if it is permitted.

    `roles` are the names of the ruleset's roles, `seats` those of the other seats. The codes of a
    rejection: `name_long`, `tags`, `marks`, `name_form`, `name_scripts`, `name_misleads`,
    `name_order`, `name_taken`.
    """
    if error := _form_error(name):
        return NameRejection(error)
    if _PHONETIC_LETTER.search(name) or not has_one_script(name):
        return NameRejection("name_scripts")
    looks = _looks_of(name)
    for taken_name in (*other_names, *seats):
        if looks & _looks_of(taken_name):
            return NameRejection("name_taken", taken_name)
    spaced_name = _CAMEL_CASE_BOUNDARY.sub(" ", name)
    piece_looks = [looks, *map(_looks_of, _PIECE_SEPARATOR.split(spaced_name))]
    has_misleading_look = any(_form_error(look) == "name_misleads" for look in looks)
    if has_misleading_look or _names_office(name, piece_looks, roles):
        return NameRejection("name_misleads")
    if _is_order(name, spaced_name):
        return NameRejection("name_order")
    for taken_name in seats:
        if any(_looks_of(taken_name) & piece for piece in piece_looks):
            return NameRejection("name_taken", taken_name)
    return None


def has_one_script(text: str) -> bool:
    """Return whether all letters are of one script, or of several that may be mixed.

    All digits must be of one system.
    """
    from confusable_homoglyphs.categories import alias  # imported late, as it loads for 0.1 s

    scripts = {alias(c).upper() for c in text} - SHARED_SCRIPTS
    digits = {ord(c) - unicodedata.decimal(c) for c in text if c.isdecimal()}
    is_mixable = len(scripts) < 2 or any(scripts <= group for group in MIXABLE_SCRIPTS)
    return is_mixable and len(digits) < 2


def _form_error(name: str) -> str:
    """Return the code of an error in the name itself, "" for none. Other names do not count.

    A name begins with letters of any script with their marks. Then follow letters and digits, with
    single spaces, hyphens, dots, apostrophes and underscores between them (`name_form`).
    """
    visible = sum(unicodedata.category(c)[0] not in "MC" for c in name)
    if visible > MAX_NAME_CHARACTERS or len(name) > MAX_NAME_CODE_POINTS:
        return "name_long"
    if error := hidden_content_error(name):
        return error
    if not _NAME.fullmatch(name) or _SENTENCE.search(name):
        return "name_form"
    return "name_misleads" if _MISLEADING.fullmatch(name.casefold()) else ""


def _names_office(name: str, piece_looks: Sequence[frozenset[str]], roles: Sequence[str]) -> bool:
    """Return whether the name, or a word of it, names an office or a role in any language.

    A number at the end of a word is ignored. `piece_looks` are those of the whole name, then of its
    words.
    """
    pieces = (name, *_PIECE_SEPARATOR.split(name))
    looks_without_number = [_looks_of(_FINAL_NUMBER.sub("", piece)) for piece in pieces]
    translations = (_reserved_looks("roles", role) for role in roles)
    barred = _reserved_looks("offices").union(*map(_looks_of, roles), *translations)
    if any(looks & barred for looks in (*piece_looks, *looks_without_number)):
        return True
    if (piece_looks[0] | looks_without_number[0]) & _reserved_looks("titles"):
        return True
    adjoining = [office for office in barred if not _SPACED_LETTER.search(office)]
    return any(office in look for office in adjoining for look in piece_looks[0])


@cache
def _reserved_looks(section: str, key: str = "") -> frozenset[str]:
    """Return the looks of the names in a section of the file, or under one of its keys."""
    names = _RESERVED[section]
    lists = [names.get(key, [])] if key else names.values()
    return frozenset[str]().union(*map(_looks_of, chain.from_iterable(lists)))


def _is_order(name: str, spaced_name: str) -> bool:
    """Return whether the name, or `spaced_name` ("Vote Anna"), reads as an instruction."""
    if _HYPHENATED_NAME.fullmatch(name):  # two syllables of one name
        return False
    words = [_looks_of(word) for word in _WORD_SEPARATOR.split(_INITIAL.sub("", spaced_name))]
    has_order = bool(words[0] & _FIRST_WORDS) or any(word & _SENTENCE_WORDS for word in words)
    return len(words) > 1 and has_order


@cache
def _looks_of(name: str) -> frozenset[str]:
    """Return the strings of letters and digits that a name looks like.

    Two names with a common look could be mistaken for each other. They differ only by case,
    accents, signs between words, or letters that look alike.

    Vowel signs and signs that remove vowels belong to the letters, accents do not. Confusables are
    folded before and after the change to lower case, because a capital I looks like a small l and a
    small i does not.
    """
    letters = "".join(filter(_is_letter, unicodedata.normalize("NFD", name)))
    lower = letters.casefold()
    folded = {_fold_confusables(lower), _fold_confusables(letters).casefold()}
    joined = (look.replace("vv", "w").replace("cl", "d") for look in folded)
    return frozenset({lower, *folded, *joined})


def _is_letter(character: str) -> bool:
    if character == TATWEEL:
        return False
    if unicodedata.category(character) in ("Mn", "Mc"):
        from confusable_homoglyphs.categories import alias

        changes_vowel = unicodedata.combining(character) in (0, _VIRAMA)
        return changes_vowel and alias(character).upper() not in SHARED_SCRIPTS
    return character.isalnum()


def _fold_confusables(text: str) -> str:
    """Return the text with one letter for all that look alike.

    Unicode's table writes the bar of "ƚ" as a mark, which is dropped like accents.
    """
    folded = "".join(map(_prototype, text.translate(_MORE_CONFUSABLES)))
    return "".join(c for c in folded if unicodedata.combining(c) in (0, _VIRAMA))


@cache
def _prototype(character: str) -> str:
    """Return the character that represents all those that look like this one.

    Unicode's table is a star around each prototype: the prototype lists all its lookalikes, and
    each of them lists only the prototype.
    """
    from confusable_homoglyphs.confusables import confusables_data

    confusables = [row["c"] for row in confusables_data.get(character, ())]
    if len(confusables) != 1:
        return character
    (prototype,) = confusables
    if len(confusables_data.get(prototype, ())) > 1:
        return str(prototype)
    return str(max(character, prototype, key=lambda c: (len(c), c.isascii(), c)))
