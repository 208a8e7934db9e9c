"""From a move to words: phrases with choices in them, and a sense for what was just said.

How a phrase is written: `{x}` is filled with a name (`agents.house.slots`); `[this|that|]` is a
choice, choices may hold choices; `<suspect>` is a choice of `blocks.toml` that many
phrases share, and `<trust y>` one whose `{_}` is the name in slot y; a leading `~wry ` keeps a
phrase for players of that manner, and `?heard,later ` before that for where all of this holds
(`agents.language.NEEDS`); every kind has a phrase for everybody that needs nothing. Whatever can be
understood wrongly is worded so that `agents.understanding` reads it as it is meant (tests expand
every phrase).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product

from agents.language import BLOCK, blocks, parts
from game.engine.seeded_random import SeededRandom

CANDIDATES = 12
FRESH = 0.25  # of the word runs in a sentence: up to here it does not sound like a repetition
OFTENEST = 8  # times the count of a phrase without choices
SPREAD = 0x2545F4914F6CDD1D  # odd and irregular: its multiples meet every choice
_MARK = re.compile(r"([\[\]|])")

Text = tuple["str | Choice", ...]


class Choice(tuple[Text, ...]):
    """Texts of which one is said."""


@lru_cache(maxsize=4096)
def fitting(phrases: tuple[str, ...], manner: str, holds: frozenset[str]) -> tuple[str, ...]:
    """Return those of `phrases` that a player of `manner` can say where `holds` is so.

    A phrase counts the more the more it can become, by the number's length; one that is kept for
    the manner counts double.
    """
    found = []
    for phrase in phrases:
        needs, kept_for, _text = parts(phrase)
        if needs <= holds and kept_for in ("", manner):
            often = min(size(parsed(phrase)).bit_length(), OFTENEST)
            found += [phrase] * often * (2 if kept_for else 1)
    return tuple(found)


@lru_cache(maxsize=4096)
def parsed(phrase: str) -> Text:
    """Return `phrase` as words and choices, without its needs and its manner."""
    phrase = parts(phrase)[2]
    while BLOCK.search(phrase):
        phrase = BLOCK.sub(_block, phrase)
    marks = [mark for mark in _MARK.split(phrase) if mark]
    text = _text(marks)
    if marks:
        raise ValueError(f"a bracket too many: {phrase}")
    return text


def _block(match: re.Match[str]) -> str:
    name, slot = match.groups()
    return f"[{blocks()[name].replace('{_}', '{' + (slot or '_') + '}')}]"


def _text(marks: list[str]) -> Text:
    """Return what `marks` begins with, up to the end of an option.

    Takes it away from `marks`.
    """
    parts: list[str | Choice] = []
    while marks and marks[0] not in "|]":
        if (mark := marks.pop(0)) != "[":
            parts.append(mark)
            continue
        options = [_text(marks)]
        while marks.pop(0) == "|":
            options.append(_text(marks))
        parts.append(Choice(options))
    return tuple(parts)


def expand(phrase: str, number: int) -> str:
    """Return `phrase` with every choice made.

    `number` says which.
    """
    return _expand(parsed(phrase), number)[0]


def _expand(text: Text, number: int) -> tuple[str, int]:
    words = []
    for part in text:
        if isinstance(part, Choice):
            number, at = divmod(number, len(part))
            part, number = _expand(part[at], number)
        words.append(part)
    return "".join(words), number


def expansions(phrase: str, most: int) -> Iterator[str]:
    """Yield every text that `phrase` can become.

    Where there are more, `most` from all over them.
    """
    text = parsed(phrase)
    if size(text) <= most:
        yield from _all(text)
    else:
        yield from (_expand(text, i * SPREAD % (1 << 62))[0] for i in range(most))


def size(text: Text) -> int:
    """Return how many texts `text` can become."""
    number = 1
    for part in text:
        if isinstance(part, Choice):
            number *= sum(map(size, part))
    return number


def _all(text: Text) -> Iterator[str]:
    options = (
        [words for option in part for words in _all(option)] if isinstance(part, Choice) else [part]
        for part in text
    )
    return map("".join, product(*options))


def fill(phrase: str, names: Mapping[str, str]) -> str:
    """`phrase` with its names, tidily spaced, with capitals at the beginning of sentences."""
    for slot, name in names.items():
        phrase = phrase.replace("{" + slot + "}", name)
    phrase = re.sub(r"\s+(?=[,.;:?!])", "", re.sub(r"\s+", " ", phrase)).strip()
    return re.sub(r"(^|[.!?:]\s+(?=\S))([a-z])", _capital, phrase) if phrase else phrase


def _capital(match: re.Match[str]) -> str:
    return match[0] if match[1].startswith(":") else match[1] + match[2].upper()


@lru_cache(maxsize=4096)
def _grams(text: str, names: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    """Runs of three words, names left out: what makes two sentences sound alike."""
    masked = text.lower()
    for name in names:
        masked = re.sub(rf"\b{re.escape(name.lower())}\b", "@", masked)
    words = re.findall(r"[@\w']+", masked)
    return frozenset(zip(words, words[1:], words[2:], strict=False)) | {
        ("^", *words[:2]),
    }


class Ear:
    """The statements so far, to sound fresh beside them."""

    def __init__(self, names: Sequence[str], table: Iterable[str], own: Iterable[str]) -> None:
        self.names = tuple(names)
        self._table: set[tuple[str, ...]] = set()
        self._own: set[tuple[str, ...]] = set()
        for text in table:
            self._table |= _sentence_grams(text, self.names)
        for text in own:
            self._own |= _sentence_grams(text, self.names)

    def staleness(self, text: str) -> float:
        """0 for words nobody used yet, 1 and more for a repetition."""
        grams = _sentence_grams(text, self.names)
        if not grams:
            return 0.0
        return (len(grams & self._table) + len(grams & self._own)) / len(grams)


def _sentence_grams(text: str, names: tuple[str, ...]) -> set[tuple[str, ...]]:
    grams: set[tuple[str, ...]] = set()
    for sentence in re.split(r"(?<=[.!?])\s+", text):
        grams |= _grams(sentence, names)
    return grams


def word(
    phrases: tuple[str, ...],
    names: Mapping[str, str],
    *,
    manner: str,
    holds: frozenset[str],
    ear: Ear,
    rng: SeededRandom,
    purpose: str,
) -> tuple[str, float]:
    """Return one of `phrases` in words drawn for it, and how stale they are.

    The first of a few draws that is fresh enough; else the freshest. Taking the freshest of all
    would make the same few odd phrases stand in most games.
    """
    phrases = fitting(phrases, manner, holds)
    best, least = "", 99.0
    for number in range(CANDIDATES):
        drawn = rng.below(f"{purpose}/{number}", 1 << 62)
        text = fill(expand(phrases[drawn % len(phrases)], drawn // len(phrases)), names)
        stale = ear.staleness(text)
        if stale < least:
            best, least = text, stale
        if stale <= FRESH:
            break
    return best, least
