"""From a move to words: phrases with choices in them, and a sense for what was just said.

How a phrase is written: `{x}` is filled with a name; `[this|that|]` is a choice, choices may hold
choices; a leading `~wry ` keeps a phrase for players of that manner. Whatever can be understood
wrongly is worded so that `agents.talk` reads it as it is meant (tests expand every phrase).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from agents.house.phrases import PHRASES
from game.engine.draws import Draws

CANDIDATES = 12
_CHOICE = re.compile(r"\[([^\[\]]*)\]")


def of_manner(kind: str, manner: str) -> list[str]:
    """The phrases for `kind` that a player of `manner` would use; its own count double."""
    found = []
    for phrase in PHRASES[kind]:
        if not phrase.startswith("~"):
            found.append(phrase)
        elif phrase.startswith(f"~{manner} "):
            found += [phrase.split(" ", 1)[1]] * 2
    return found


def expand(phrase: str, number: int) -> str:
    """`phrase` with every choice made; `number` says which."""
    while match := _CHOICE.search(phrase):
        options = match[1].split("|")
        number, at = divmod(number, len(options))
        phrase = phrase[: match.start()] + options[at] + phrase[match.end() :]
    return phrase


def expansions(phrase: str) -> Iterator[str]:
    """Every text that `phrase` can become."""
    if phrase.startswith("~"):
        phrase = phrase.split(" ", 1)[1]
    if match := _CHOICE.search(phrase):
        for option in match[1].split("|"):
            yield from expansions(phrase[: match.start()] + option + phrase[match.end() :])
    else:
        yield phrase


def fill(phrase: str, names: Mapping[str, str]) -> str:
    """`phrase` with its names, tidily spaced, with capitals at the beginning of sentences."""
    for slot, name in names.items():
        phrase = phrase.replace("{" + slot + "}", name)
    phrase = re.sub(r"\s+", " ", phrase).replace(" ,", ",").replace(" .", ".").strip()
    return re.sub(r"(^|[.!?:]\s+(?=\S))([a-z])", _capital, phrase) if phrase else phrase


def _capital(match: re.Match[str]) -> str:
    return match[0] if match[1].startswith(":") else match[1] + match[2].upper()


@lru_cache(maxsize=4096)
def _grams(text: str, names: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    """Runs of three words, names left out: what makes two sentences sound alike."""
    plain = text.lower()
    for name in names:
        plain = re.sub(rf"\b{re.escape(name.lower())}\b", "@", plain)
    words = re.findall(r"[@\w']+", plain)
    return frozenset(zip(words, words[1:], words[2:], strict=False)) | {
        ("^", *words[:2]),
    }


class Ear:
    """What has been said so far, to sound fresh beside it."""

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
    found: set[tuple[str, ...]] = set()
    for sentence in re.split(r"(?<=[.!?])\s+", text):
        found |= _grams(sentence, names)
    return found


def word(
    kind: str, names: Mapping[str, str], *, manner: str, ear: Ear, draws: Draws, purpose: str
) -> tuple[str, float]:
    """`kind` in the freshest of a few words drawn for it, and how stale they are."""
    phrases = of_manner(kind, manner)
    best, least = "", 99.0
    for number in range(CANDIDATES):
        drawn = draws.below(f"{purpose}/{kind}/{number}", 1 << 62)
        text = fill(expand(phrases[drawn % len(phrases)], drawn // len(phrases)), names)
        stale = ear.staleness(text)
        if stale < least:
            best, least = text, stale
        if stale == 0.0:
            break
    return best, least
