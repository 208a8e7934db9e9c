"""From a move to words: phrases with choices in them, and a sense for what was just said.

How a phrase is written: `{x}` is filled with a name (`agents.house.phrase_slots`); `[this|that|]`
is a choice, choices may hold choices; `<suspect>` is a choice of `blocks.toml` that many phrases
share, and `<trust y>` one whose `{_}` is the name in slot y; `@x ` in front of the text puts that
name before or behind its first sentence ("Beta, why?", "Why, Beta?"); a leading `~wry ` keeps a
phrase for players of that manner, and `?heard,later ` before that for where all of this holds
(`agents.language.NEEDS`); every kind has a phrase for everybody that needs nothing. Whatever can be
understood wrongly is worded so that `agents.understanding` reads it as it is meant (tests expand
every phrase).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import product

from agents.language import BLOCK, blocks, parts
from agents.language import words as small_words
from game.engine.seeded_random import SeededRandom

CANDIDATES = 16
NO_ECHO = 6  # of these; then an echo is taken rather than a stale sentence
FRESH = 0.45  # of the word runs in a sentence: up to here it does not sound like a repetition
OWN_ECHO = 1.2  # what a clause counts besides that the speaker has used in this game, but for names
TODAY_ECHO = 0.6  # the same of somebody else's of this day
CLAUSE = 3  # words of a clause that is noticed when it comes again
SAID = 2.0  # staleness of a sentence that somebody has said in this game, but for names
OFTENEST = 40  # times the count of a phrase without choices
FEW = 1  # times that of a phrase of brief sentences alone
SAMPLE = 120  # texts of a phrase that show how varied it is
BRIEF = 3  # words of a sentence that may be said again in another game: "Sure, Beta."
SPREAD = 0x2545F4914F6CDD1D  # odd and irregular: its multiples meet every choice
_MARK = re.compile(r"([\[\]|]|<[\w -]+>)")
_SENTENCE_END = re.compile(r"\s(?<=[.!?]\s)\s*")  # faster than with the lookbehind in front
_TO = re.compile(r"@(\w) (.*?)([.?!])((?: .*)?)$")

Text = tuple["str | Choice", ...]


class Choice(tuple[Text, ...]):
    """Texts of which one is said."""

    @cached_property
    def size(self) -> int:
        """How many texts it can become."""
        return sum(map(size, self))


@lru_cache(maxsize=4096)
def fitting(phrases: tuple[str, ...], manner: str, holds: frozenset[str]) -> tuple[str, ...]:
    """Return those of `phrases` that a player of `manner` can say where `holds` is so.

    A phrase counts by its `variety`, so that each sentence is about as frequent as any other. One
    that is kept for the manner counts double.
    """
    weighted_phrases = []
    for phrase in phrases:
        needs, kept_for, _text = parts(phrase)
        if needs <= holds and kept_for in ("", manner):
            weighted_phrases += [phrase] * variety(phrase) * (2 if kept_for else 1)
    return tuple(weighted_phrases)


@lru_cache(maxsize=4096)
def variety(phrase: str) -> int:
    """Return 1 / the share of the texts of `phrase` that have its most frequent sentence.

    At most OFTENEST. Brief sentences don't count.
    """
    texts = list(expansions(phrase, SAMPLE))
    counts = Counter(s for text in texts for s in {*sentences(text)})
    most = max((count for s, count in counts.items() if len(s.split()) > BRIEF), default=0)
    return min(round(len(texts) / most), OFTENEST) if most else FEW


def sentences(text: str) -> list[str]:
    """Return the sentences of `text`."""
    return _SENTENCE_END.split(text)


@lru_cache(maxsize=4096)
def parsed(phrase: str) -> Text:
    """Return `phrase` as words and choices, without its needs and its manner."""
    return _parsed(_addressed(parts(phrase)[2]))


def _parsed(phrase: str) -> Text:
    marks = [mark for mark in reversed(_MARK.split(phrase)) if mark]
    text = _text(marks)
    if marks:
        raise ValueError(f"a bracket too many: {phrase}")
    return text


def _addressed(phrase: str) -> str:
    """Return `phrase` with the name after "@" before or behind its first sentence."""
    if not (match := _TO.match(phrase)):
        return phrase
    slot, text, end, rest = match.groups()
    return f"[{{{slot}}}, {text}|{text}, {{{slot}}}]{end}{rest}"


@lru_cache(maxsize=1024)
def _block(mark: str) -> Text:
    """Return the choice that `mark`, such as `<suspect>`, stands for."""
    match = BLOCK.fullmatch(mark)
    assert match is not None
    name, slot = match.groups()
    return _parsed(f"[{blocks()[name].replace('{_}', '{' + (slot or '_') + '}')}]")


def _text(marks: list[str]) -> Text:
    """Return what `marks` (the first at the end) begin with, up to the end of an option.

    Takes it away from `marks`.
    """
    parts: list[str | Choice] = []
    while marks and marks[-1] not in "|]":
        if (mark := marks.pop()) != "[":
            parts += _block(mark) if BLOCK.fullmatch(mark) else (mark,)
            continue
        options = [_text(marks)]
        while marks.pop() == "|":
            options.append(_text(marks))
        parts.append(Choice(leaf for option in options for leaf in _flat(option)))
    return tuple(parts)


def _flat(option: Text) -> tuple[Text, ...]:
    """Return the options of a choice within a choice: each is as likely as those around it."""
    alone = option[0] if len(option) == 1 else ""
    return tuple(alone) if isinstance(alone, Choice) else (option,)


def expand(phrase: str, number: int) -> str:
    """Return `phrase` with every choice made. `number` says which."""
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
            number *= part.size
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
def _masked(text: str, names: tuple[str, ...]) -> str:
    """Return `text` in lower case with @ for each name."""
    return _any_name(names).sub("@", text.lower())


@lru_cache(maxsize=64)
def _any_name(names: tuple[str, ...]) -> re.Pattern[str]:
    either = "|".join(re.escape(name.lower()) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"\b(?:{either})\b")


@lru_cache(maxsize=4096)
def _grams(text: str, names: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    """Runs of three words, names left out: what makes two sentences sound alike."""
    words = re.findall(r"[@\w']+", _masked(text, names))
    return frozenset(zip(words, words[1:], words[2:], strict=False)) | {
        ("^", *words[:2]),
    }


@lru_cache(maxsize=4096)
def _clauses(text: str, names: tuple[str, ...]) -> frozenset[str]:
    """Return the clauses of `text`, without names."""
    clauses = (" ".join(c.split()) for c in _joints().split(_masked(text, names)))
    return frozenset(clause for clause in clauses if clause.count(" ") >= CLAUSE - 1)


@lru_cache(maxsize=1)
def _joints() -> re.Pattern[str]:
    return re.compile(rf"[,:;.!?]|\b(?:{'|'.join(small_words()['joints'].split())})\b")


class Ear:
    """The statements so far, to sound fresh beside them."""

    def __init__(
        self,
        names: Sequence[str],
        table: Iterable[str],
        own: Iterable[str],
        today: Iterable[str] = (),
    ) -> None:
        self.names = tuple(names)
        self._today = {clause for text in today for clause in _clauses(text, self.names)}
        self._own_clauses: set[str] = set()
        self._table: set[tuple[str, ...]] = set()
        self._own: set[tuple[str, ...]] = set()
        self._said: set[str] = set()
        for text in table:
            grams, masked_sentences = _word_runs_and_sentences(text, self.names)
            self._table |= grams
            self._said |= masked_sentences
        for text in own:
            self._own |= _word_runs_and_sentences(text, self.names)[0]
            self._own_clauses |= _clauses(text, self.names)

    def echo(self, text: str) -> float:
        """Return what speaks against `text`, where it can be worded otherwise: a clause again."""
        clauses = _clauses(text, self.names)
        is_own, is_todays = clauses & self._own_clauses, clauses & self._today
        return OWN_ECHO if is_own else TODAY_ECHO if is_todays else 0.0

    def staleness(self, text: str) -> float:
        """0 for words nobody used yet, 1 for a repetition, SAID and more for a whole sentence."""
        grams = _sentence_grams(text, self.names)
        is_repeated = any(
            _masked(sentence, self.names) in self._said for sentence in sentences(text)
        )
        shared = len(grams & self._table) + len(grams & self._own)
        return SAID * is_repeated + shared / max(len(grams), 1)


@lru_cache(maxsize=1024)  # every speaker at a table hears the whole talk
def _word_runs_and_sentences(
    text: str, names: tuple[str, ...]
) -> tuple[frozenset[tuple[str, ...]], frozenset[str]]:
    """Return the word runs and the sentences of a statement, without names."""
    masked_sentences = frozenset(_masked(sentence, names) for sentence in sentences(text))
    return frozenset(_sentence_grams(text, names)), masked_sentences


def _sentence_grams(text: str, names: tuple[str, ...]) -> set[tuple[str, ...]]:
    grams: set[tuple[str, ...]] = set()
    for sentence in sentences(text):
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

    The first of a few draws that is fresh enough, or about as fresh as the freshest. Taking the
    freshest of all would make the same few odd phrases stand in most games.
    """
    phrases = fitting(phrases, manner, holds)
    drawn_texts: list[tuple[str, float, float]] = []
    for number in range(CANDIDATES):
        drawn = rng.below(f"{purpose}/{number}", 1 << 62)
        text = fill(expand(phrases[drawn % len(phrases)], drawn // len(phrases)), names)
        stale = ear.staleness(text)
        drawn_texts.append((text, stale, stale + ear.echo(text)))
        if drawn_texts[-1][2] <= FRESH:
            return text, stale
        if number >= NO_ECHO and min(stale for _, stale, _ in drawn_texts) <= FRESH:
            break
    least = min(worn for *_, worn in drawn_texts)
    return next((text, stale) for text, stale, worn in drawn_texts if worn <= least + FRESH)
