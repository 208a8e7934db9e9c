"""Features of a statement from the view of one target: a seat, a role or the whole statement.

The features are words and n-grams. In them the target is `T`, other seats are `O`, the speaker is
`i`; if the target is a role, other roles are `R`. A target that is not named (the seat addressed,
the whole statement) is put before the first word as `TO`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from agents.language.patterns import LEXICON, load
from agents.packs import Pack
from agents.understanding.normalise import normalised_lines

P = load("features")
# Words, names, ends of contractions, punctuation.
_TOKEN = re.compile(r"@\d+|[a-z0-9]+|'(?:s|m|re|ve|ll|d)\b|[.!?]+|[,;:+/%—–-]|[^\s\w]")
_NOT = re.compile(r"(?:(?<=ca)n't|(?<=wo)n't|n't)\b")
_ROLE = LEXICON.role_form
_ROLE_INDEX = re.compile(r"\d+$")
_SENTENCE_ENDS = frozenset(".!?;—–")
_SECOND_PERSON = frozenset(("you", "your", "yours", "yourself"))
# Words that are kept when a statement is reduced to its cue lists.
_PIVOTS = frozenset(("T", "O", "R", "TO", "i", "you", "is", "my", "?", "me"))
MAX_WORDS_AFTER, MAX_WORDS_BEFORE = 12, 8  # around a mention, up to another name
MIN_LETTERS = 4  # of a word with n-grams of letters
Classes = Mapping[str, tuple[str, ...]]


@lru_cache(maxsize=256)
def statement_tokens(
    text: str, seats: tuple[str, ...], speaker: int, pack: Pack
) -> tuple[str, ...]:
    """Return the words and punctuation marks of `text`.

    Seats are written `@3`, the speaker `i`, roles as singular tokens (`role_tokens`).
    """
    statement_words: list[str] = []
    for line in normalised_lines(text, seats, pack):
        for token in _TOKEN.findall(_NOT.sub(" not", line)):
            if token[0] in ".!?":
                token = "?" if "?" in token else token[0]
            elif token == f"@{speaker}":
                token = "i"
            elif token in ("is", "'s") and statement_words and statement_words[-1] == "i":
                token = "am"
            elif role := _ROLE.fullmatch(token):
                token = role[1]
            statement_words.extend(P.spellings.get(token, token).split())
        statement_words.append(".")
    return tuple(statement_words[:-1])


def seats_named(words: Sequence[str], seat_count: int) -> list[int]:
    """Return the seats among `words` that exist at a table of `seat_count`."""
    seats = dict.fromkeys(int(w[1:]) for w in words if w[0] == "@" and len(w) > 1)
    return [seat for seat in seats if seat <= seat_count]


def roles_in(words: Sequence[str]) -> list[str]:
    """Return the role tokens among `words`, sorted."""
    return sorted({word for word in words if _named_part(word)})


def words_from_view(target: str, words: Sequence[str]) -> list[str]:
    """Return `words` with the target as T, other seats as O, and roles by their parts or as R.

    Args:
        target: A seat (`@3`), a role token, or "" for the whole statement.
    """
    view, of_role = [], bool(_named_part(target))
    for word in words:
        if word == target:
            word = "T"
        elif word[0] == "@" and len(word) > 1:
            word = "O"
        elif part := _named_part(word):
            word = "R" if of_role else part
        view.append(word)
    return view


@lru_cache(maxsize=8192)
def _named_part(word: str) -> str:
    """Return the part of the role that `word` names, "" for none."""
    return role_part(word) if _ROLE.fullmatch(word) else ""


def role_part(role: str) -> str:
    """Return the part (`agents.packs.Part`) of a role token: "looker" for "looker0"."""
    return _ROLE_INDEX.sub("", role)


def features(target: str, words: Sequence[str], classes: Classes) -> set[str]:
    """Return the features of a statement from the view of `target`.

    Args:
        words: The statement (`statement_tokens`).
        classes: Word -> the cue lists that contain it.
    """
    view = words_from_view(target, words)
    found_features: set[str] = set()
    if part := _named_part(target):
        found_features.add(f"part {part}")
    target_indices = [i for i, word in enumerate(view) if word == "T"]
    if not target_indices:
        target_indices = [i + 1 for i, word in enumerate(view) if word in _SECOND_PERSON] or [0]
        view = ["TO", *view]
        found_features.add("to")
    found_features.update(_statement_features(view, classes))
    seen_starts: set[int] = set()
    for index in target_indices:
        first, last = _sentence_span(view, index)
        if first not in seen_starts:
            seen_starts.add(first)
            found_features.update(_sentence_features(view, first, last))
        found_features.update(_mention_features(view, index, classes))
    return found_features


def _statement_features(view: Sequence[str], classes: Classes) -> list[str]:
    words = [w for w in view if w[0].isalnum()]
    return [
        f"names {min(view.count('O'), 3)}",
        *_word_ngrams("l", words, 2),
        *_word_ngrams("lc", _pivots(words, classes), 2, 2),
        *(f"lc {c}" for w in set(words) for c in classes.get(w, ())),
    ]


def _sentence_span(view: Sequence[str], index: int) -> tuple[int, int]:
    """Return (start, end) of the sentence around `index`."""
    first = last = index
    while first > 0 and view[first - 1] not in _SENTENCE_ENDS:
        first -= 1
    while last < len(view) and view[last] not in _SENTENCE_ENDS:
        last += 1
    return first, last


def _sentence_features(view: Sequence[str], first: int, last: int) -> list[str]:
    end = view[last] if last < len(view) else "$"
    words = [w for w in view[first:last] if w[0].isalnum() or w == ","]
    sentence_features = [
        f"end {end}",
        *_word_ngrams("s", ["<", *words, ">?" if end == "?" else ">"], 3),
    ]
    for word in words:
        sentence_features += character_ngrams(word)
    return sentence_features


def _mention_features(view: Sequence[str], index: int, classes: Classes) -> list[str]:
    """Return the features of the words around a mention, up to another name."""
    after = _words_to_next_name(view[index + 1 :], MAX_WORDS_AFTER)
    before = _words_to_next_name(view[:index][::-1], MAX_WORDS_BEFORE)[::-1]
    left, right = _pivots(before, classes), _pivots(after, classes)
    near_features = [
        *_word_ngrams("a", [w for w in after if w[0].isalnum()], 3),
        *_word_ngrams("b", [w for w in before if w[0].isalnum()], 2),
        *(f"ac {c}" for w in after for c in classes.get(w, ())),
        *(f"bc {c}" for w in before for c in classes.get(w, ())),
        *_word_ngrams("ac", right, 3, 2),
        *_word_ngrams("bc", left, 2, 2),
    ]
    for count in (1, 2, 3):
        near_features.append("ac1 " + " ".join(right[:count]))
        near_features.append("bc1 " + " ".join(left[-count:]))
    for count in (1, 2):
        near_features.append(f"bac {' '.join(left[-count:])}|{' '.join(right[:count])}")
    near_features += _neighbour_features(
        ["^"] * 4 + [w for w in view[:index] if w not in ",'"],
        [w for w in view[index + 1 :][:MAX_WORDS_AFTER] if w not in ",'"] + ["$"] * 6,
    )
    return near_features


def _neighbour_features(left: Sequence[str], right: Sequence[str]) -> list[str]:
    neighbour_features = [f"L{i} {left[-1 - i]}" for i in range(4)]
    neighbour_features += [f"R{i} {right[i]}" for i in range(5)]
    for count in (2, 3, 4):
        neighbour_features.append("Ln " + " ".join(left[-count:]))
        neighbour_features.append("Rn " + " ".join(right[:count]))
    neighbour_features.append(f"LR {left[-1]} {right[0]}")
    neighbour_features.append(f"LR {left[-2]} {left[-1]} {right[0]}")
    neighbour_features.append(f"LR {left[-1]} {right[0]} {right[1]}")
    return neighbour_features


def _words_to_next_name(words: Sequence[str], max_words: int) -> list[str]:
    stretch: list[str] = []
    for word in words[:max_words]:
        if word == "O":
            break
        stretch.append(word)
    return stretch


def _word_ngrams(
    sign: str, words: Sequence[str], max_length: int, min_length: int = 1
) -> list[str]:
    """Return the n-grams of `words` with `min_length` to `max_length` words, three at most."""
    grams: list[str] = []
    if min_length == 1:
        grams += [f"{sign} {a}" for a in words]
    grams += [f"{sign} {a} {b}" for a, b in pairwise(words)]
    if max_length == 3:
        grams += [
            f"{sign} {a} {b} {c}" for a, b, c in zip(words, words[1:], words[2:], strict=False)
        ]
    return grams


def _pivots(words: Sequence[str], classes: Classes) -> list[str]:
    """Return the first cue list of each word, and the words in `_PIVOTS`. Others are omitted."""
    pivots = []
    for word in words:
        if names := classes.get(word):
            pivots.append(names[0])
        elif word in _PIVOTS:
            pivots.append(word)
    return pivots


@lru_cache(maxsize=8192)
def character_ngrams(word: str, sizes: tuple[int, ...] = (3, 4, 5)) -> tuple[str, ...]:
    """Return the n-grams of letters of a longer word, which capture its stem and misspellings.

    The ends of the word are marked with "_".
    """
    if len(word) < MIN_LETTERS:
        return ()
    marked_word = f"_{word}_"
    return tuple(
        f"c {marked_word[start : start + size]}"
        for size in sizes
        for start in range(len(marked_word) - size + 1)
    )
