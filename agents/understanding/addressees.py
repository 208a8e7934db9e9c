"""Whom the sentences of a statement call by name.

A linear model judges every name by the words around it (`tests/agents/train_demands.py`). In the
features the name is `*`, the same name elsewhere is `T`, other names are `O`, and roles are `R`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from agents.language.patterns import load
from agents.understanding.features import SENTENCE_ENDS, is_seat
from agents.understanding.linear_models import load_models

PATTERNS = load("demands")
YOU = PATTERNS.words["you"]
WEIGHTS = Path(__file__).with_name("demands.npz")
MIN_SCORE = 1.0  # from which a name is called rather than spoken of
MIN_BEST_SCORE = -1.5  # the same for the likeliest name if the statement asks or says "you"
Sentence = tuple[str, ...]  # tokens (`statement_tokens`), with the mark at the end
MAX_COUNT = 4  # of names in a statement; more of them are alike


@lru_cache(maxsize=256)  # every seat reads what a statement demands of it
def called_names(sentences: tuple[Sentence, ...], before: int) -> tuple[str, ...]:
    """Return the seat token that each sentence calls, "" for none.

    Args:
        before: the seat that spoke last, 0 for none.
    """
    model = load_models(WEIGHTS).models["calls"]
    scores = [
        {
            word: model.scores(name_features(sentences, number, index, before))["called"]
            for index, word in enumerate(sentence)
            if is_seat(word)
        }
        for number, sentence in enumerate(sentences)
    ]
    turns_to_one = any(YOU & {*sentence} or sentence[-1] == "?" for sentence in sentences)
    best = max((score for row in scores for score in row.values()), default=0.0)
    min_score = min(MIN_SCORE, max(best, MIN_BEST_SCORE)) if turns_to_one else MIN_SCORE
    names = (max(row, key=lambda name: row[name], default="") for row in scores)
    return tuple(
        name if name and row[name] >= min_score else ""
        for name, row in zip(names, scores, strict=True)
    )


def name_features(sentences: Sequence[Sentence], number: int, index: int, before: int) -> set[str]:
    """Return the features of the name at `index` of the sentence `number`."""
    sentence = sentences[number]
    name = sentence[index]
    view = [_view(word, name) for word in sentence]
    view[index] = "*"
    position = _position(sentence, index)
    return {
        *_neighbour_features(["^", "^", "^", *view, "$", "$", "$"], index + 3, position),
        *(f"in {position} {word}" for word in view),
        f"{position} end {sentence[-1] if sentence[-1] in SENTENCE_ENDS else ''}",
        f"{position} start {_view(sentence[0], name)}",
        *_address_features(sentences, number, index, position),
        *_statement_features(sentences, number, name, position),
        f"before {name == f'@{before}'}",
    }


def _view(word: str, name: str) -> str:
    if is_seat(word):
        return "T" if word == name else "O"
    return "R" if _is_role(word) else word


@lru_cache(maxsize=8192)
def _is_role(word: str) -> bool:
    return PATTERNS.role_word.fullmatch(word) is not None


def _position(sentence: Sentence, index: int) -> str:
    words = [i for i, word in enumerate(sentence) if word not in SENTENCE_ENDS and word != ","]
    if len(words) == 1:
        return "alone"
    return "first" if index == words[0] else "last" if index == words[-1] else "inside"


def _neighbour_features(words: Sequence[str], index: int, position: str) -> Iterator[str]:
    left, right = words[index - 3 : index][::-1], words[index + 1 : index + 4]
    for distance in range(3):
        yield f"L{distance} {left[distance]}"
        yield f"R{distance} {right[distance]}"
    yield f"L {left[1]} {left[0]}"
    yield f"R {right[0]} {right[1]}"
    yield f"{left[0]} * {right[0]}"
    yield f"{left[0]} * {right[0]} {right[1]}"
    yield f"{left[1]} {left[0]} * {right[0]}"
    yield position
    yield f"{position} L {left[0]}"
    yield f"{position} R {right[0]}"


def _address_features(
    sentences: Sequence[Sentence], number: int, index: int, position: str
) -> Iterator[str]:
    """Yield where the statement says "you": around the name, and in the sentences around."""
    sentence = sentences[number]
    around = f"{bool(YOU & {*sentence[:index]})} {bool(YOU & {*sentence[index + 1 :]})}"
    anywhere = any(YOU & {*other} for other in sentences)
    yield from (f"you {around}", f"{position} you {around}")
    yield from (f"you {anywhere}", f"{position} you {anywhere}")
    for name, other in (("prior", sentences[:number][-1:]), ("next", sentences[number + 1 :][:1])):
        yield f"{name} you {bool(YOU & {word for words in other for word in words})}"


def _statement_features(
    sentences: Sequence[Sentence], number: int, name: str, position: str
) -> Iterator[str]:
    """Yield the number of names, and the place of the sentence among the others."""
    words = [word for sentence in sentences for word in sentence]
    names = {word for word in words if is_seat(word)}
    others = {word for word in sentences[number] if is_seat(word)} - {name}
    yield from (f"names {min(len(names), MAX_COUNT)}", f"{position} {min(len(names), MAX_COUNT)}")
    yield f"{position} others {min(len(others), 2)}"
    yield f"same {min(words.count(name), 3)}"
    is_first, is_last = number == 0, number == len(sentences) - 1
    yield from (f"opening {is_first}", f"closing {is_last}", f"{position} {is_first} {is_last}")
    if not is_last:
        following = [_view(word, name) for word in sentences[number + 1]]
        yield from (f"next {following[0]}", f"next {' '.join(following[:2])}")
        yield f"next end {following[-1]}"
    if not is_first:
        yield f"prior end {_view(sentences[number - 1][-1], name)}"
