"""Rules for the names of people at a table.

Nobody may mistake a name for another player's, for a role or for the moderator, and no reader,
human or model, for an instruction.

Names are normalised (NFKC), of one script or of one that goes with Latin letters (Unicode UTS 39,
"highly restrictive"), and compared as they look: confusable letters are folded.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain

from game.engine.text_checks import SPACELESS, name_error, normalise
from game.office_names import OFFICES, ROLES, TITLES

# Scripts that may be mixed in one name: UTS 39, section 5.2.
TOGETHER = (
    {"LATIN", "HAN", "HIRAGANA", "KATAKANA"},
    {"LATIN", "HAN", "BOPOMOFO"},
    {"LATIN", "HAN", "HANGUL"},
)
EVERY = {"COMMON", "INHERITED"}  # of signs that go with any script
_PHONETIC = re.compile("[\u1d00-\u1dbf]")  # small capitals and the like, which no name needs
_WORDS = re.compile("[ ._·・\u0f0b-]+")
_PIECES = re.compile("[ .'’_·・\u0f0b-]+")
TATWEEL = "\u0640"  # lengthens an Arabic word and means nothing
_VIRAMA = 9  # the combining class of signs that remove a letter's vowel
_PAIR = re.compile("(?:i|me|we|you)-[^\\W_]+", re.IGNORECASE)
_INITIAL = re.compile(r"(?<![^\W_])[^\W_]\. ?")
_HUMP = re.compile("(?<=[^\\W\\d_A-Z])(?=[A-Z])")  # where the second word of "VoteAnna" begins
_NUMBER = re.compile(r"[\d ._-]+$")  # "Moderator2"
# Lookalike letters that Unicode's table of confusables lacks.
_ALIKE = str.maketrans("ßẞəƏǝƎɘɛƐ", "bbeeeeeee")
_SPACED = re.compile(f"[^{SPACELESS}]")  # a sign of a script that separates words by spaces
# Words that begin an instruction if others follow: "Vote Beta", "Ignore all rules".
ORDERS = """
accuse agree answer believe choose confess disregard dont drop eliminate everybody everyone execute
follow forget i ignore kill let listen look lynch never nobody obey output please pretend print
protect refuse remember repeat reply reveal say show speak start stop suspect tell trust vote we
write you
"""
# Words that occur only in sentences: "Beta is guilty", "All vote Zeta".
CLAUSES = """
arent cant cannot didnt everybody everyone ignore is isnt kill me must nobody not says should
them vote voted votes you your
"""
_ORDERS, _CLAUSES = frozenset(ORDERS.split()), frozenset(CLAUSES.split())


def normalized(name: str) -> str:
    """Return the name with one form for each character, and no white space around it."""
    return normalise(unicodedata.normalize("NFKC", normalise(name)))


def chosen_name_error(
    name: str, *, roles: Sequence[str], seats: Sequence[str], other_names: Iterable[str]
) -> tuple[str, str]:
    """Return (why `name`, already normalised, is not permitted; whose name it is), ("", "") if it
    is.

    roles: the names of the ruleset's roles; seats: of the other seats; other_names: of the players
    at the table. The errors are those of `text_checks.name_error` and `name_scripts`,
    `name_misleads`, `name_order`, `name_taken`.
    """
    if error := name_error(name):
        return error, ""
    if _PHONETIC.search(name) or not one_script(name):
        return "name_scripts", ""
    for other in (*other_names, *seats):
        if look_alike(name, other):
            return "name_taken", other
    full_look = _looks(name)
    apart = _HUMP.sub(" ", name)
    pieces = [full_look, *map(_looks, _PIECES.split(apart))]
    if any(name_error(look) == "name_misleads" for look in full_look):
        return "name_misleads", ""
    if _is_office(name, pieces, roles):
        return "name_misleads", ""
    if _is_order(name, apart):
        return "name_order", ""
    return next((("name_taken", t) for t in seats for p in pieces if _looks(t) & p), ("", ""))


def look_alike(one: str, second: str) -> bool:
    """Return whether two names could be mistaken for each other.

    They differ by nothing but case, accents, signs between the words, or letters that look alike.
    """
    return bool(_looks(one) & _looks(second))


def one_script(text: str) -> bool:
    """Return whether all letters are of one script, or of several that may be mixed.

    All digits must be of one system.
    """
    from confusable_homoglyphs.categories import alias

    scripts = {alias(c).upper() for c in text} - EVERY
    digits = {ord(c) - unicodedata.decimal(c) for c in text if c.isdecimal()}
    together = len(scripts) < 2 or any(scripts <= group for group in TOGETHER)
    return together and len(digits) < 2


def _is_office(name: str, pieces: Sequence[frozenset[str]], roles: Sequence[str]) -> bool:
    """Return whether the name, or a piece of it, names an office or a role.

    It compares with the languages of `office_names`, with or without a number. pieces: what the
    whole name looks like, then its words.
    """
    numbered = [_looks(_NUMBER.sub("", part)) for part in (name, *_PIECES.split(name))]
    barred = _offices().union(*map(_looks, roles), *(_elsewhere(role) for role in roles))
    if any(piece & barred for piece in (*pieces, *numbered)):
        return True
    if (pieces[0] | numbered[0]) & _titles():
        return True
    return any(
        office in look for office in barred if not _SPACED.search(office) for look in pieces[0]
    )


@cache
def _offices() -> frozenset[str]:
    return _all_looks(*OFFICES.values())


@cache
def _titles() -> frozenset[str]:
    return _all_looks(*TITLES.values())


@cache
def _elsewhere(role: str) -> frozenset[str]:
    """Return what the role's name looks like in other languages."""
    return _all_looks(ROLES.get(role, ()))


def _all_looks(*names: Iterable[str]) -> frozenset[str]:
    return frozenset[str]().union(*map(_looks, chain.from_iterable(names)))


def _is_order(name: str, apart: str) -> bool:
    """Return whether the name reads as an instruction. apart: the name, its humps split by
    spaces.
    """
    if _PAIR.fullmatch(name):  # "I-Ling", "You-Na": two syllables of one name
        return False
    words = [_looks(word) for word in _WORDS.split(_INITIAL.sub("", apart))]
    return len(words) > 1 and (
        bool(words[0] & _ORDERS) or any(bool(word & _CLAUSES) for word in words)
    )


@cache
def _looks(name: str) -> frozenset[str]:
    """Return the letters and digits that a name looks like, with and without folded confusables.

    Vowel signs and signs that remove vowels belong to the letters, accents do not.

    Confusables are folded before and after the change to small letters: a capital I looks like a
    small l, a small i does not.
    """
    bare = "".join(filter(_is_letter, unicodedata.normalize("NFD", name)))
    small = bare.casefold()
    folded = {_folded(small), _folded(bare).casefold()}
    joined = (look.replace("vv", "w").replace("cl", "d") for look in folded)
    return frozenset({small, *folded, *joined})


def _is_letter(character: str) -> bool:
    if character == TATWEEL:
        return False
    if unicodedata.category(character) in ("Mn", "Mc"):
        from confusable_homoglyphs.categories import alias

        own = unicodedata.combining(character) in (0, _VIRAMA)
        return own and alias(character).upper() not in EVERY
    return character.isalnum()


def _folded(text: str) -> str:
    """Return the text with one letter for all lookalikes.

    The bar of "ƚ", a mark in the table, is dropped like accents.
    """
    folded = "".join(map(_prototype, text.translate(_ALIKE)))
    return "".join(c for c in folded if unicodedata.combining(c) in (0, _VIRAMA))


@cache
def _prototype(character: str) -> str:
    """Return the character that represents all lookalikes of this one.

    The table is a star around each prototype: it lists all its lookalikes, and they list only it.
    """
    from confusable_homoglyphs.confusables import confusables_data  # loads for 0.1 s

    confusables = [row["c"] for row in confusables_data.get(character, ())]
    if len(confusables) != 1:
        return character
    (prototype,) = confusables
    if len(confusables_data.get(prototype, ())) > 1:
        return str(prototype)
    return str(max(character, prototype, key=lambda c: (len(c), c.isascii(), c)))
