"""The sentences of a statement that are said to or about one seat, with features for the model.

In the features the seat is `T`, other seats are `O`, and roles are `R`. A linear model judges by
the words around a name whether a sentence calls it (`tests/agents/train_demands.py`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import NamedTuple

from agents.language.patterns import load
from agents.understanding.features import (
    SENTENCE_ENDS,
    character_ngrams,
    is_seat,
    load_models,
    mention_features,
    word_ngrams,
)

PATTERNS = load("demands")
YOU, THIRD = PATTERNS.words["you"], PATTERNS.words["third"]
ASKING = PATTERNS.words["asking"]  # with the question mark
WEIGHTS = Path(__file__).with_name("demands.npz")
MIN_CALL_SCORE = 2.0  # a name with at least this score is called rather than spoken of
MIN_BEST_CALL_SCORE = -1.5  # the same for the likeliest name if the statement asks or says "you"
MAX_NAMES = 4  # statements with more names are treated as having this many
Sentence = tuple[str, ...]  # tokens (`statement_tokens`), with the mark at the end


@dataclass(frozen=True)
class Unit:
    """One sentence seen from one seat, to which it may be said (`is_direct`)."""

    number: int
    sentence: Sentence
    features: frozenset[str]
    is_direct: bool


@dataclass(frozen=True)
class Passage:
    """What a statement says to or about one seat.

    Attributes:
        units: the sentences that concern the seat, in order.
        features: of these sentences, and of those around them that address nobody else.
        address: "called" (by name), "addressed" (by "you", or with everybody) or "mentioned".
    """

    units: tuple[Unit, ...]
    features: frozenset[str]
    address: str


def split_sentences(words: Sequence[str]) -> list[Sentence]:
    """Return the sentences of a statement, each with the mark at its end."""
    sentences: list[Sentence] = []
    start = 0
    for i, word in enumerate(words):
        if word in SENTENCE_ENDS or i == len(words) - 1:
            if any(w not in SENTENCE_ENDS for w in words[start : i + 1]):
                sentences.append(tuple(words[start : i + 1]))
            start = i + 1
    return sentences


def find_passage(sentences: Sequence[Sentence], seat: int, before: int) -> Passage:
    """Return what `sentences` say to or about `seat`.

    Args:
        before: the seat that spoke last, which "you" means if nobody is named, 0 for none.
    """
    target, address = f"@{seat}", "mentioned"
    units: list[Unit] = []
    around: list[str] = []
    for number, turn in enumerate(_addressed_sentences(sentences, before)):
        sentence = turn.sentence
        signs = _signs_of_address(turn, target)
        if signs:
            neighbours = (sentences[number + 1 :][:1], sentences[max(number - 1, 0) : number])
            after, prior = (words[0] if words else () for words in neighbours)
            view, *context = ([_view_token(w, target) for w in s] for s in (sentence, after, prior))
            is_direct = "to other" not in signs
            features = frozenset(_features(view, signs, *context))
            units.append(Unit(number, sentence, features, is_direct))
            if is_direct and address != "called":
                address = "called" if turn.is_called and not turn.is_to_all else "addressed"
        if turn.name in ("", target):
            around += ["<", *(_view_token(w, target) for w in sentence if w not in (",", "'"))]
    features = frozenset(word_ngrams("w", around, (1, 2, 3))).union(*(u.features for u in units))
    return Passage(tuple(units), features, address)


class _AddressedSentence(NamedTuple):
    """A sentence with its addressee. Names are seat tokens, "" for none.

    Attributes:
        name: whom the sentence calls.
        addressee: whom "you" means.
        is_called: whether the addressee was called by name so far.
        is_to_all: whether it turns to everybody.
        last_name: who was named last before it.
        is_answered: whether it is a question that the next sentence answers itself.
    """

    sentence: Sentence
    name: str
    addressee: str
    is_called: bool
    is_to_all: bool
    last_name: str
    is_answered: bool


def _addressed_sentences(
    sentences: Sequence[Sentence], before: int
) -> Iterator[_AddressedSentence]:
    calls = called_names(tuple(sentences), before)
    # The sentences before the first call mean this seat, too.
    first_call = next(filter(None, calls), "")
    addressee, is_called = first_call or (f"@{before}" if before else ""), bool(first_call)
    last_name = ""
    for number, (sentence, name) in enumerate(zip(sentences, calls, strict=True)):
        if name:
            addressee, is_called = name, True
        is_to_all = not name and PATTERNS.to_all.match(" ".join(sentence)) is not None
        names = [word for word in sentence if is_seat(word)]
        after = sentences[number + 1] if number + 1 < len(sentences) else ()
        is_answered = sentence[-1] == "?" and bool({*names} & {*after}) and not YOU & {*sentence}
        yield _AddressedSentence(
            sentence, name, addressee, is_called, is_to_all, last_name, is_answered
        )
        last_name = names[-1] if names else last_name


def _signs_of_address(turn: _AddressedSentence, target: str) -> list[str]:
    """Return the features of how a sentence concerns `target`, [] if it does not."""
    sentence = turn.sentence
    is_addressed = turn.addressee == target and (turn.is_called or not turn.is_answered)
    is_direct = turn.is_to_all or is_addressed
    names_nobody = not any(is_seat(word) for word in sentence)
    is_third = turn.last_name == target and bool(THIRD & {*sentence}) and names_nobody
    if not (target in sentence or is_direct or is_third):
        return []
    says_you = turn.is_to_all or YOU & {*sentence}
    conditions = {
        "everyone": turn.is_to_all,
        "third": is_third,
        "by name": turn.is_called,
        "named": target in sentence,
        "you": is_direct and says_you,
    }
    address = "name" if turn.name == target else "you" if is_direct else "other"
    return [f"to {address}", *(sign for sign, is_met in conditions.items() if is_met)]


def _view_token(word: str, target: str) -> str:
    if word == target:
        return "T"
    if is_seat(word):
        return "O"
    return "R" if _is_role(word) else word


@lru_cache(maxsize=8192)
def _is_role(word: str) -> bool:
    return PATTERNS.role_word.fullmatch(word) is not None


def _features(
    view: Sequence[str], signs: Sequence[str], after: Sequence[str], prior: Sequence[str]
) -> Iterator[str]:
    """Yield the features of a sentence seen from a seat, with the sentences around it."""
    yield from signs
    words = ["<", *(w for w in view if w not in (",", "'")), ">"]
    tag = "d" if "to other" not in signs else "o"
    for word in words:
        yield f"1 {word}"
        yield f"{tag} {word}"
        yield from character_ngrams(word, (4, 5))
    yield from word_ngrams("2", words, (2,))
    yield from word_ngrams("3", words, (3,))
    yield from (f"skip {a} {c}" for a, c in zip(words, words[2:], strict=False))
    yield f"start {' '.join(words[1:3])} {tag}"
    yield f"length {min(len(words) // 4, 5)}"
    yield f"others {min(view.count('O'), 2)}"
    for name, neighbours in (("next", after), ("prior", prior)):
        yield from word_ngrams(name, neighbours or ["none"], (1, 2))


# -- whom the sentences call by name


@lru_cache(maxsize=256)  # every seat reads what a statement demands of it
def called_names(sentences: tuple[Sentence, ...], before: int) -> tuple[str, ...]:
    """Return the seat token that each sentence calls, "" for none.

    Args:
        before: the seat that spoke last, 0 for none.
    """
    model = load_models(WEIGHTS).models["calls"]
    likeliest = [  # of each sentence: (score, name)
        max(
            (
                (model.scores(name_features(sentences, number, index, before))["called"], word)
                for index, word in enumerate(sentence)
                if is_seat(word)
            ),
            default=(-inf, ""),
        )
        for number, sentence in enumerate(sentences)
    ]
    min_score = MIN_CALL_SCORE
    if any((YOU | ASKING) & {*sentence} for sentence in sentences):
        best, _ = max(likeliest)
        min_score = min(MIN_CALL_SCORE, max(best, MIN_BEST_CALL_SCORE))
    return tuple(name if score >= min_score else "" for score, name in likeliest)


def name_features(sentences: Sequence[Sentence], number: int, index: int, before: int) -> set[str]:
    """Return the features of the name at `index` of the sentence `number`."""
    sentence, words = sentences[number], [word for words in sentences for word in words]
    name = sentence[index]
    view = [_view_token(word, name) for word in sentence]
    spoken = [i for i, word in enumerate(sentence) if word not in (*SENTENCE_ENDS, ",")]
    position = f"{index == spoken[0]} {index == spoken[-1]}"
    you = [bool(YOU & {*part}) for part in (sentence[:index], sentence[index + 1 :], words)]
    names = {word for word in words if is_seat(word)}
    return {
        *mention_features(view, index, {}),
        position,
        f"{position} after {view[index - 1] if index else '^'}",
        f"{position} before {view[index + 1] if index + 1 < len(view) else '$'}",
        f"{position} start {view[0]}",
        f"{position} end {view[-1]}",
        f"{position} you {you}",
        f"{position} names {min(len(names), MAX_NAMES)}",
        f"same {min(words.count(name), MAX_NAMES)}",
        f"spoke last {name == f'@{before}'}",
    }
