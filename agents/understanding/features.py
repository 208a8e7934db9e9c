"""Features of a statement from the view of one target: a seat, a role or the whole statement.

The features are words and n-grams. In them the target is `T`, other seats are `O`, the speaker is
`i`; if the target is a role, other roles are `R`. A target that is not named (the seat addressed,
the whole statement) is put before the first word as `TO`.

Linear models judge by the features. A score is a sum of whole numbers divided by the square root of
the number of known features, so it is the same on every machine.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import takewhile
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.language.patterns import LEXICON, load
from agents.packs import Pack
from agents.understanding.normalise import normalised_lines

PATTERNS = load("features")
# Words, names, ends of contractions, punctuation.
_TOKEN = re.compile(r"@\d+|[a-z0-9]+|'(?:s|m|re|ve|ll|d)\b|[.!?]+|[,;:+/%—–-]|[^\s\w]")
_NOT = re.compile(r"(?:(?<=ca)n't|(?<=wo)n't|n't)\b")
SENTENCE_ENDS = frozenset(".!?;—–")
_SECOND_PERSON = frozenset(("you", "your", "yours", "yourself"))
# Words that are kept when a statement is reduced to its cue lists.
_PIVOTS = frozenset(("T", "O", "R", "TO", "i", "you", "is", "my", "?", "me"))
# Features read at most this many words after and before a mention, up to another name.
MAX_WORDS_AFTER, MAX_WORDS_BEFORE = 12, 8
MIN_NGRAM_WORD_LETTERS = 4
WEIGHTS = Path(__file__).with_name("weights.npz")
WEIGHT_UNIT = 64  # the stored weight that stands for 1
Classes = Mapping[str, tuple[str, ...]]  # word -> the cue lists that contain it


@lru_cache(maxsize=256)
def statement_tokens(
    text: str, seats: tuple[str, ...], speaker: int, pack: Pack
) -> tuple[str, ...]:
    """Return the words and punctuation marks of `text`.

    Seats are written `@3`, the speaker `i`, roles as singular tokens (`normalise`).
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
            elif role := LEXICON.role_form.fullmatch(token):
                token = role[1]
            statement_words.extend(PATTERNS.spellings.get(token, token).split())
        statement_words.append(".")
    return tuple(statement_words[:-1])


def is_seat(word: str) -> bool:
    """Return whether a token is a seat, such as `@3`."""
    return word[0] == "@" and len(word) > 1


def seat_numbers(words: Sequence[str]) -> list[int]:
    """Return the numbers of the seats among tokens, each once, in order."""
    return list(dict.fromkeys(int(word[1:]) for word in words if is_seat(word)))


def roles_in(words: Sequence[str]) -> list[str]:
    """Return the role tokens among `words`, sorted."""
    return sorted({word for word in words if _named_part(word)})


def _words_from_view(target: str, words: Sequence[str]) -> list[str]:
    """Return `words` with the target as T, other seats as O, and roles by their parts or as R.

    Args:
        target: A seat (`@3`), a role token, or "" for the whole statement.
    """
    view, of_role = [], bool(_named_part(target))
    for word in words:
        if word == target:
            word = "T"
        elif is_seat(word):
            word = "O"
        elif part := _named_part(word):
            word = "R" if of_role else part
        view.append(word)
    return view


@lru_cache(maxsize=8192)
def _named_part(word: str) -> str:
    """Return the part of the role that `word` names, "" for none."""
    return role_part(word) if LEXICON.role_form.fullmatch(word) else ""


def role_part(role: str) -> str:
    """Return the part (`agents.packs.Part`) of a role token: "looker" for "looker0"."""
    return role.rstrip("0123456789")


def features(target: str, words: Sequence[str], classes: Classes) -> set[str]:
    """Return the features of a statement (`statement_tokens`) from the view of `target`."""
    view = _words_from_view(target, words)
    target_features: set[str] = set()
    if part := _named_part(target):
        target_features.add(f"part {part}")
    target_indices = [i for i, word in enumerate(view) if word == "T"]
    if not target_indices:
        target_indices = [i + 1 for i, word in enumerate(view) if word in _SECOND_PERSON] or [0]
        view = ["TO", *view]
        target_features.add("to")
    target_features.update(_statement_features(view, classes))
    for first, last in {_sentence_span(view, index) for index in target_indices}:
        target_features.update(_sentence_features(view, first, last))
    for index in target_indices:
        target_features.update(mention_features(view, index, classes))
    return target_features


def _statement_features(view: Sequence[str], classes: Classes) -> Iterator[str]:
    words = [w for w in view if w[0].isalnum()]
    yield f"names {min(view.count('O'), 3)}"
    yield from word_ngrams("l", words, (1, 2))
    yield from word_ngrams("lc", _pivots(words, classes), (2,))
    yield from (f"lc {c}" for w in set(words) for c in classes.get(w, ()))


def _sentence_span(view: Sequence[str], index: int) -> tuple[int, int]:
    """Return (start, end) of the sentence around `index`."""
    first = last = index
    while first > 0 and view[first - 1] not in SENTENCE_ENDS:
        first -= 1
    while last < len(view) and view[last] not in SENTENCE_ENDS:
        last += 1
    return first, last


def _sentence_features(view: Sequence[str], first: int, last: int) -> Iterator[str]:
    end = view[last] if last < len(view) else "$"
    words = [w for w in view[first:last] if w[0].isalnum() or w == ","]
    yield f"end {end}"
    yield from word_ngrams("s", ["<", *words, ">?" if end == "?" else ">"], (1, 2, 3))
    for word in words:
        yield from character_ngrams(word)


def mention_features(view: Sequence[str], index: int, classes: Classes) -> Iterator[str]:
    """Yield the features of the words around a mention, up to another name."""
    nearest = view[index + 1 :][:MAX_WORDS_AFTER]
    after = list(takewhile(_is_no_name, nearest))
    before = list(takewhile(_is_no_name, view[:index][::-1][:MAX_WORDS_BEFORE]))[::-1]
    left, right = _pivots(before, classes), _pivots(after, classes)
    yield from word_ngrams("a", [w for w in after if w[0].isalnum()], (1, 2, 3))
    yield from word_ngrams("b", [w for w in before if w[0].isalnum()], (1, 2))
    yield from (f"ac {c}" for w in after for c in classes.get(w, ()))
    yield from (f"bc {c}" for w in before for c in classes.get(w, ()))
    yield from word_ngrams("ac", right, (2, 3))
    yield from word_ngrams("bc", left, (2,))
    for count in (1, 2, 3):
        yield "ac1 " + " ".join(right[:count])
        yield "bc1 " + " ".join(left[-count:])
    for count in (1, 2):
        yield f"bac {' '.join(left[-count:])}|{' '.join(right[:count])}"
    left = ["^"] * 4 + [w for w in view[:index] if w not in ",'"]
    right = [w for w in nearest if w not in ",'"] + ["$"] * 6
    yield from (f"L{i} {left[-1 - i]}" for i in range(4))
    yield from (f"R{i} {right[i]}" for i in range(5))
    for count in (2, 3, 4):
        yield "Ln " + " ".join(left[-count:])
        yield "Rn " + " ".join(right[:count])
    for left_count, right_count in ((1, 1), (2, 1), (1, 2)):
        yield f"LR {' '.join([*left[-left_count:], *right[:right_count]])}"


def _is_no_name(word: str) -> bool:
    return word != "O"


def word_ngrams(sign: str, words: Sequence[str], sizes: Iterable[int]) -> Iterator[str]:
    """Yield the n-grams of `words` of these sizes, each after a sign."""
    for size in sizes:
        runs = zip(*(words[start:] for start in range(size)), strict=False)
        yield from (f"{sign} {' '.join(run)}" for run in runs)


def _pivots(words: Sequence[str], classes: Classes) -> list[str]:
    """Return the first cue list of each word, and the words in `_PIVOTS`. Others are omitted."""
    pivots = (classes.get(word, (word,) if word in _PIVOTS else ()) for word in words)
    return [names[0] for names in pivots if names]


@lru_cache(maxsize=8192)
def character_ngrams(word: str, sizes: tuple[int, ...] = (3, 4, 5)) -> tuple[str, ...]:
    """Return the n-grams of letters of a longer word, which capture its stem and misspellings.

    The ends of the word are marked with "_".
    """
    if len(word) < MIN_NGRAM_WORD_LETTERS:
        return ()
    marked_word = f"_{word}_"
    return tuple(
        f"c {marked_word[start : start + size]}"
        for size in sizes
        for start in range(len(marked_word) - size + 1)
    )


# -- linear models


@dataclass(frozen=True)
class Linear:
    """One logistic model for each of several kinds.

    Attributes:
        index: Feature -> its row in `weights`.
        weights: Features x kinds, in 1/WEIGHT_UNIT.
        bias: One a kind, in 1/WEIGHT_UNIT.
    """

    kinds: tuple[str, ...]
    index: Mapping[str, int]
    weights: NDArray[np.int16]
    bias: NDArray[np.int16]

    def scores(self, features: Iterable[str]) -> dict[str, float]:
        """Return kind -> log odds."""
        indices = map(self.index.get, set(features))
        known_indices = [index for index in indices if index is not None]
        sums = self.weights.take(known_indices, axis=0).sum(axis=0, dtype=np.int64).tolist()
        normalizer = sqrt(max(len(known_indices), 1))
        return {
            kind: (total / normalizer + bias) / WEIGHT_UNIT
            for kind, total, bias in zip(self.kinds, sums, self.bias.tolist(), strict=True)
        }


@dataclass(frozen=True)
class LearnedModels:
    """The models with the data that their features and thresholds need.

    Attributes:
        models: Subject ("seat", "role", "line", ...) -> model.
        classes: Word -> the cue lists that contain it.
        add_thresholds: Kind -> the score from which it is added to the acts of the rules.
        drop_thresholds: Part of a role -> the score below which a claim of the role is removed.
    """

    models: Mapping[str, Linear]
    classes: Mapping[str, tuple[str, ...]]
    add_thresholds: Mapping[str, float]
    drop_thresholds: Mapping[str, float]


def save_models(learned: LearnedModels, path: Path = WEIGHTS) -> None:
    arrays: dict[str, Any] = {}
    for name, model in learned.models.items():
        arrays[f"{name}.features"] = _text_array("\n".join(model.index))
        arrays[f"{name}.weights"], arrays[f"{name}.bias"] = model.weights, model.bias
    metadata = {
        "kinds": {name: model.kinds for name, model in learned.models.items()},
        "classes": dict(learned.classes),
        "add": dict(learned.add_thresholds),
        "drop": dict(learned.drop_thresholds),
    }
    np.savez_compressed(path, about=_text_array(json.dumps(metadata, sort_keys=True)), **arrays)


def _text_array(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), np.uint8)


@cache
def load_models(path: Path = WEIGHTS) -> LearnedModels:
    """Return the models of the file at `path`, read once a process."""
    with np.load(path, allow_pickle=False) as archive:
        metadata = json.loads(archive["about"].tobytes())
        models = {}
        for name, kinds in metadata["kinds"].items():
            features = archive[f"{name}.features"].tobytes().decode().split("\n")
            index = dict(zip(features, range(len(features)), strict=True))
            models[name] = Linear(
                tuple(kinds), index, archive[f"{name}.weights"], archive[f"{name}.bias"]
            )
    classes = {word: tuple(names) for word, names in metadata["classes"].items()}
    return LearnedModels(models, classes, metadata["add"], metadata["drop"])
