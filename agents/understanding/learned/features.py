"""A statement as seen from one seat or one role it speaks of: words and n-grams as features.

The target is `T`, other seats `O`, the speaker `i`; seen from a role, other roles are `R`. What is
not named (the seat spoken to, the statement as a whole) stands before the first word as `TO`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from agents.language.patterns import LEXICON, load
from agents.packs import Pack
from agents.understanding.normalise import spelled

P = load("features")
# words, names, ends of contractions, marks
_TOKEN = re.compile(r"@\d+|[a-z0-9]+|'(?:s|m|re|ve|ll|d)\b|[.!?]+|[,;:+/%—–-]|[^\s\w]")
_NOT = re.compile(r"(?:(?<=ca)n't|(?<=wo)n't|n't)\b")
# a role, one or several
_ROLE = LEXICON.role_form
_PLACE = re.compile(r"\d+$")
_ENDS = frozenset(".!?;—–")
_YOU = frozenset(("you", "your", "yours", "yourself"))
# words that stay among the classes of a statement
_PIVOTS = frozenset(("T", "O", "R", "TO", "i", "you", "is", "my", "?", "me"))
AFTER, BEFORE = 12, 8  # words of the stretch that goes with a target, up to another name
Classes = Mapping[str, tuple[str, ...]]


@lru_cache(maxsize=256)
def tokens(text: str, seats: tuple[str, ...], speaker: int, pack: Pack) -> tuple[str, ...]:
    """Return the words and marks of `text`.

    Seats as `@3`, the speaker as `i`, roles as in `agents.understanding.role_tokens`, in the
    singular.
    """
    words_found: list[str] = []
    for line in spelled(text, seats, pack):
        for token in _TOKEN.findall(_NOT.sub(" not", line)):
            if token[0] in ".!?":
                token = "?" if "?" in token else token[0]
            elif token == f"@{speaker}":
                token = "i"
            elif token in ("is", "'s") and words_found and words_found[-1] == "i":
                token = "am"
            elif role := _ROLE.fullmatch(token):
                token = role[1]
            words_found.extend(P.spellings.get(token, token).split())
        words_found.append(".")
    return tuple(words_found[:-1])


def seats_named(words: Sequence[str], most: int) -> list[int]:
    """Return the seats among `words`, of the first `most` of the table."""
    seats = dict.fromkeys(int(w[1:]) for w in words if w[0] == "@" and len(w) > 1)
    return [seat for seat in seats if seat <= most]


def roles_in(words: Sequence[str]) -> list[str]:
    """Return the roles that `words` name, in their own order."""
    return sorted({word for word in words if _part(word)})


def seen_from(target: str, words: Sequence[str]) -> list[str]:
    """Return `words` with the `target` (`@3`, a role, "" for the whole) as T.

    Roles by their parts.
    """
    view, of_role = [], bool(_part(target))
    for word in words:
        if word == target:
            word = "T"
        elif word[0] == "@" and len(word) > 1:
            word = "O"
        elif part := _part(word):
            word = "R" if of_role else part
        view.append(word)
    return view


@lru_cache(maxsize=8192)
def _part(word: str) -> str:
    """Return the part of the role that `word` names, "" where it names none."""
    return part_of(word) if _ROLE.fullmatch(word) else ""


def part_of(role: str) -> str:
    """Return what a role is to the talk, whichever of its kind it is (`agents.packs.Part`)."""
    return _PLACE.sub("", role)


def features(target: str, words: Sequence[str], classes: Classes) -> set[str]:
    """Return what a statement's `words` are made of, seen from `target`.

    Classes: the cue lists a word stands in.
    """
    view = seen_from(target, words)
    feature_set: set[str] = set()
    if part := _part(target):
        feature_set.add(f"part {part}")
    at = [i for i, word in enumerate(view) if word == "T"]
    if not at:
        at = [i + 1 for i, word in enumerate(view) if word in _YOU] or [0]
        view = ["TO", *view]
        feature_set.add("to")
    feature_set.update(_statement_features(view, classes))
    sentences_seen: set[int] = set()
    for index in at:
        first, last = _sentence(view, index)
        if first not in sentences_seen:
            sentences_seen.add(first)
            feature_set.update(_in_sentence(view, first, last))
        feature_set.update(_near(view, index, classes))
    return feature_set


def _statement_features(view: Sequence[str], classes: Classes) -> list[str]:
    words = [w for w in view if w[0].isalnum()]
    return [
        f"names {min(view.count('O'), 3)}",
        *_grams("l", words, 2),
        *_grams("lc", _pivots(words, classes), 2, 2),
        *(f"lc {c}" for w in set(words) for c in classes.get(w, ())),
    ]


def _sentence(view: Sequence[str], index: int) -> tuple[int, int]:
    """Return where the sentence around `index` begins and ends."""
    first = last = index
    while first > 0 and view[first - 1] not in _ENDS:
        first -= 1
    while last < len(view) and view[last] not in _ENDS:
        last += 1
    return first, last


def _in_sentence(view: Sequence[str], first: int, last: int) -> list[str]:
    end = view[last] if last < len(view) else "$"
    words = [w for w in view[first:last] if w[0].isalnum() or w == ","]
    sentence_features = [f"end {end}", *_grams("s", ["<", *words, ">?" if end == "?" else ">"], 3)]
    for word in words:
        sentence_features += letters(word)
    return sentence_features


def _near(view: Sequence[str], index: int, classes: Classes) -> list[str]:
    """The stretch after and before a mention, up to another name, and the words beside it."""
    after = _stretch(view[index + 1 :], AFTER)
    before = _stretch(view[:index][::-1], BEFORE)[::-1]
    left, right = _pivots(before, classes), _pivots(after, classes)
    near_features = [
        *_grams("a", [w for w in after if w[0].isalnum()], 3),
        *_grams("b", [w for w in before if w[0].isalnum()], 2),
        *(f"ac {c}" for w in after for c in classes.get(w, ())),
        *(f"bc {c}" for w in before for c in classes.get(w, ())),
        *_grams("ac", right, 3, 2),
        *_grams("bc", left, 2, 2),
    ]
    for count in (1, 2, 3):
        near_features.append("ac1 " + " ".join(right[:count]))
        near_features.append("bc1 " + " ".join(left[-count:]))
    for count in (1, 2):
        near_features.append(f"bac {' '.join(left[-count:])}|{' '.join(right[:count])}")
    near_features += _beside_features(
        ["^"] * 4 + [w for w in view[:index] if w not in ",'"],
        [w for w in view[index + 1 :][:AFTER] if w not in ",'"] + ["$"] * 6,
    )
    return near_features


def _beside_features(left: Sequence[str], right: Sequence[str]) -> list[str]:
    beside_features = [f"L{i} {left[-1 - i]}" for i in range(4)]
    beside_features += [f"R{i} {right[i]}" for i in range(5)]
    for count in (2, 3, 4):
        beside_features.append("Ln " + " ".join(left[-count:]))
        beside_features.append("Rn " + " ".join(right[:count]))
    beside_features.append(f"LR {left[-1]} {right[0]}")
    beside_features.append(f"LR {left[-2]} {left[-1]} {right[0]}")
    beside_features.append(f"LR {left[-1]} {right[0]} {right[1]}")
    return beside_features


def _stretch(words: Sequence[str], most: int) -> list[str]:
    stretch: list[str] = []
    for word in words[:most]:
        if word == "O":
            break
        stretch.append(word)
    return stretch


def _grams(sign: str, words: Sequence[str], longest: int, shortest: int = 1) -> list[str]:
    """Runs of `shortest` to `longest` (three at most) of the `words`."""
    grams: list[str] = []
    if shortest == 1:
        grams += [f"{sign} {a}" for a in words]
    grams += [f"{sign} {a} {b}" for a, b in pairwise(words)]
    if longest == 3:
        grams += [
            f"{sign} {a} {b} {c}" for a, b, c in zip(words, words[1:], words[2:], strict=False)
        ]
    return grams


def _pivots(words: Sequence[str], classes: Classes) -> list[str]:
    """Return `words` by the first cue list they stand in.

    Others are left out.
    """
    pivots = []
    for word in words:
        if names := classes.get(word):
            pivots.append(names[0])
        elif word in _PIVOTS:
            pivots.append(word)
    return pivots


@lru_cache(maxsize=8192)
def letters(word: str, sizes: tuple[int, ...] = (3, 4, 5)) -> tuple[str, ...]:
    """Runs of letters of a longer word, its ends marked: for its stem and for typing errors."""
    if len(word) < 4:
        return ()
    marked_word = f"_{word}_"
    return tuple(
        f"c {marked_word[start : start + size]}"
        for size in sizes
        for start in range(len(marked_word) - size + 1)
    )
