"""Turn phrases with choices into texts, and avoid texts that repeat earlier statements.

Syntax of a phrase:

- `{x}` is a slot, filled with a name (`agents.house.remarks`).
- `[this|that|]` is a choice. Choices may hold choices.
- `<suspect>` is a choice of `blocks.toml` that several phrases share. In `<trust y>` the block's
  `{_}` is the name in slot y.
- A text that begins with a comma continues the sentence before it.
- `@x ` before the text puts that name before or after its first sentence: "Beta, why?", "Why,
  Beta?".
- A leading `~wry ` reserves a phrase for players of that manner. `?heard,later ` before it requires
  all of these circumstances (`agents.language.NEEDS`). Every kind of remark has at least one phrase
  without either.

Every text must be understood by `agents.understanding` as it is meant. Tests expand every phrase.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import product
from math import prod
from typing import TypeVar

from agents.language import BLOCK, blocks, small_words, split_phrase
from agents.language.patterns import load
from game.engine.seeded_random import SeededRandom

RESERVED_WEIGHT = 2
MANNER_DRAWS = 3  # the manners of LENGTH_SIGNS choose by length among this many fresh texts
LENGTH_SIGNS = {"blunt": 1, "warm": -1}  # manner -> whether shorter or longer is preferred
MAX_DRAWS = 16  # at most this many texts are drawn for one remark
# Draws after which a fresh text is taken even if it echoes a clause.
DRAWS_AGAINST_ECHO = 6
FRESH_STALENESS = 0.45  # share of repeated word runs up to which a text does not sound repeated
# Added to the staleness of a text with a repeated clause. Clauses are compared without names.
OWN_ECHO_PENALTY = 1.2  # the speaker has used the clause in this game
TODAY_ECHO_PENALTY = 0.6  # another player has used the clause on this day
YOU_PENALTY = 0.6  # the text says "you" to a player of whom the statement speaks as well
MIN_CLAUSE_WORDS = 4  # shorter clauses are no echo
REPEATED_SENTENCE_STALENESS = 2.0  # added if a whole sentence was said in this game
HABIT_OPTIONS = 4  # each player uses only this many options of a choice in `words.toml`, "habits"
MAX_VARIETY = 40
BRIEF_VARIETY = 1  # the variety of a phrase that has only brief sentences
VARIETY_SAMPLE = 120  # the variety of a phrase is estimated from this many of its texts
MAX_BRIEF_WORDS = 3  # a sentence of at most this many words may recur in other games: "Sure, Beta."
SPREAD_MULTIPLIER = 0x2545F4914F6CDD1D  # odd and irregular, so that its multiples meet every choice
_SYNTAX = re.compile(r"([\[\]|]|<[\w -]+>)")
_SENTENCE_END = re.compile(r"\s(?<=[.!?]\s)\s*")  # faster than with the lookbehind in front
_DOUBLE_END = re.compile(r"(?:(?<=[?!])|(?<=\.\.\.))\.(?!\.)")  # after a block that begins with "."
# Before a text that continues the sentence: its end, or its comma where the sentence has to end.
_JOINT = re.compile(r"(?<!\.)\.(?=,)|(?<=[?!]),|(?<=\.\.\.),")
_SENTENCE_START = re.compile(r"(^|(?<!\.\.)[.!?]\s+)([a-z])")  # words after "..." stay as they are
_ADDRESS = re.compile(r"@(\w) (.*?)([.?!])((?: .*)?)$")

Text = tuple["str | Choice", ...]
T = TypeVar("T")


class Choice(tuple[Text, ...]):
    """Alternative texts, of which one is drawn."""

    @cached_property
    def text_count(self) -> int:
        """The number of texts that the choice can become."""
        return sum(map(count_texts, self))


class HabitualChoice(Choice):
    """A choice of which each player uses only a few options, its habits of speech."""

    def pick(self, number: int, habit: int) -> int:
        """Return one of HABIT_OPTIONS consecutive options, from the one that `habit` begins at."""
        return (habit + number % HABIT_OPTIONS) % len(self)


@lru_cache(maxsize=4096)
def weigh_phrases(
    phrases: tuple[str, ...], manner: str, circumstances: frozenset[str]
) -> tuple[str, ...]:
    """Return the phrases that suit the manner and the circumstances, repeated by their weight.

    The weight is the phrase's `variety`, so that all sentences are about equally frequent. It is
    RESERVED_WEIGHT times as much if the phrase is reserved for the manner.
    """
    weighted_phrases = []
    for phrase in phrases:
        needs, reserved_for, _ = split_phrase(phrase)
        if needs <= circumstances and reserved_for in ("", manner):
            weight = variety(phrase) * (RESERVED_WEIGHT if reserved_for else 1)
            weighted_phrases += [phrase] * weight
    return tuple(weighted_phrases)


@lru_cache(maxsize=4096)
def variety(phrase: str) -> int:
    """Return 1 / (share of the phrase's texts that contain its most frequent sentence).

    At most MAX_VARIETY. Brief sentences do not count.
    """
    texts = list(expansions(phrase, VARIETY_SAMPLE))
    long_sentences = (s for t in texts for s in {*sentences(t)} if len(s.split()) > MAX_BRIEF_WORDS)
    counts = Counter(long_sentences).values()
    return min(round(len(texts) / max(counts)), MAX_VARIETY) if counts else BRIEF_VARIETY


def sentences(text: str) -> list[str]:
    """Return the sentences of `text`."""
    return _SENTENCE_END.split(text)


@lru_cache(maxsize=4096)
def parse_phrase(phrase: str) -> Text:
    """Return the text of `phrase` as words and choices, without its needs and its manner."""
    return _parse_text(_expand_address(split_phrase(phrase)[2]))


def _parse_text(phrase: str) -> Text:
    tokens = [mark for mark in reversed(_SYNTAX.split(phrase)) if mark]
    text = _take_text(tokens)
    if tokens:
        raise ValueError(f"a bracket too many: {phrase}")
    return text


def _expand_address(phrase: str) -> str:
    """Return `phrase` with a leading "@x" written as a choice of the name's two places."""
    if not (match := _ADDRESS.match(phrase)):
        return phrase
    slot, text, end, rest = match.groups()
    return f"[{{{slot}}}, {text}|{text}, {{{slot}}}]{end}{rest}"


@lru_cache(maxsize=1024)
def _parse_block(mark: str) -> Text:
    """Return the choice that a block's mark, such as `<suspect>`, stands for."""
    match = BLOCK.fullmatch(mark)
    assert match is not None
    name, slot = match.groups()
    text = _parse_text(f"[{blocks()[name].replace('{_}', '{' + (slot or '_') + '}')}]")
    if name not in small_words()["habits"].split():
        return text
    return tuple(HabitualChoice(part) if isinstance(part, Choice) else part for part in text)


def _take_text(tokens: list[str]) -> Text:
    """Remove one option from the end of `tokens`, which are in reverse order, and return it."""
    parts: list[str | Choice] = []
    while tokens and tokens[-1] not in "|]":
        if (mark := tokens.pop()) != "[":
            parts += _parse_block(mark) if BLOCK.fullmatch(mark) else (mark,)
            continue
        options = [_take_text(tokens)]
        while tokens.pop() == "|":
            options.append(_take_text(tokens))
        parts.append(Choice(leaf for option in options for leaf in _flatten_option(option)))
    return tuple(parts)


def _flatten_option(option: Text) -> tuple[Text, ...]:
    """Return the options of `option` if it is only a choice, otherwise the option itself.

    So nested options are as likely as those around them.
    """
    alone = option[0] if len(option) == 1 else ""
    return tuple(alone) if isinstance(alone, Choice) else (option,)


def expand(phrase: str, number: int, habit: int | None = None) -> str:
    """Return the text of `phrase` whose choices are the digits of `number` (mixed radix).

    habit: number of the player's habits of speech, None for all options.
    """
    return _expand(parse_phrase(phrase), number, habit)[0]


def _expand(text: Text, number: int, habit: int | None = None) -> tuple[str, int]:
    words = []
    for part in text:
        if isinstance(part, Choice):
            number, at = divmod(number, len(part))
            if habit is not None and isinstance(part, HabitualChoice):
                at = part.pick(at, habit)
            part, number = _expand(part[at], number, habit)
        words.append(part)
    return "".join(words), number


def expansions(phrase: str, max_texts: int) -> Iterator[str]:
    """Yield every text that `phrase` can become, or an even sample if it has over `max_texts`."""
    text = parse_phrase(phrase)
    if count_texts(text) <= max_texts:
        yield from _all_texts(text)
    else:
        yield from (_expand(text, i * SPREAD_MULTIPLIER % (1 << 62))[0] for i in range(max_texts))


def count_texts(text: Text) -> int:
    """Return the number of texts that `text` can become."""
    return prod(part.text_count for part in text if isinstance(part, Choice))


def _all_texts(text: Text) -> Iterator[str]:
    options = (
        [words for option in part for words in _all_texts(option)]
        if isinstance(part, Choice)
        else [part]
        for part in text
    )
    return map("".join, product(*options))


def fill(phrase: str, names: Mapping[str, str]) -> str:
    """Return `phrase` with its slots filled, its spaces tidied and its sentences capitalised."""
    for slot, name in names.items():
        phrase = phrase.replace("{" + slot + "}", name)
    phrase = re.sub(r"\s+(?=[,.;:?!])", "", re.sub(r"\s+", " ", phrase)).strip()
    phrase = _JOINT.sub("", _DOUBLE_END.sub("", phrase))
    return _SENTENCE_START.sub(lambda match: match[1] + match[2].upper(), phrase)


@lru_cache(maxsize=64)
def _name_pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    either = "|".join(re.escape(name.lower()) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"\b(?:{either})\b")


@lru_cache(maxsize=4096)
def _masked_sentences(text: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the sentences of `text` in lower case, with @ for each name."""
    return tuple(sentences(_name_pattern(names).sub("@", text.lower())))


@lru_cache(maxsize=4096)
def _word_runs(text: str, names: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    """Return the runs of three words of each sentence, without names, and how it begins."""
    runs: set[tuple[str, ...]] = set()
    for sentence in _masked_sentences(text, names):
        words = re.findall(r"[@\w']+", sentence)
        runs |= {*zip(words, words[1:], words[2:], strict=False), ("^", *words[:2])}
    return frozenset(runs)


@lru_cache(maxsize=4096)
def _find_clauses(text: str, names: tuple[str, ...]) -> frozenset[str]:
    """Return the clauses of `text`, without names."""
    pieces = _clause_joints().split(" ".join(_masked_sentences(text, names)))
    clauses = (" ".join(piece.split()) for piece in pieces)
    return frozenset(clause for clause in clauses if clause.count(" ") >= MIN_CLAUSE_WORDS - 1)


@lru_cache(maxsize=1)
def _clause_joints() -> re.Pattern[str]:
    return re.compile(rf"[,:;.!?]|\b(?:{'|'.join(small_words()['joints'].split())})\b")


class SpokenTexts:
    """The earlier statements, against which a new text's repetitions are measured.

    Args:
        names: Names of all seats. They are ignored in comparisons.
        table_texts: All statements of the game.
        own_texts: The speaker's statements.
        today_texts: Statements of the day.
    """

    def __init__(
        self,
        names: Sequence[str],
        table_texts: Sequence[str],
        own_texts: Sequence[str],
        today_texts: Iterable[str] = (),
    ) -> None:
        self.names = tuple(names)
        self._table_runs = self._collect(_word_runs, table_texts)
        self._own_runs = self._collect(_word_runs, own_texts)
        # Other players may have said the same brief sentence.
        self._said_sentences = self._collect(_masked_sentences, own_texts) | {
            sentence
            for sentence in self._collect(_masked_sentences, table_texts)
            if len(sentence.split()) > MAX_BRIEF_WORDS
        }
        self._own_clauses = self._collect(_find_clauses, own_texts)
        self._today_clauses = self._collect(_find_clauses, today_texts)

    def _collect(
        self, find: Callable[[str, tuple[str, ...]], Iterable[T]], texts: Iterable[str]
    ) -> frozenset[T]:
        return frozenset[T]().union(*(find(text, self.names) for text in texts))

    def echo_penalty(self, text: str) -> float:
        """Return the penalty for a clause of `text` that was used before, 0 for none."""
        clauses = _find_clauses(text, self.names)
        own_echoes, today_echoes = clauses & self._own_clauses, clauses & self._today_clauses
        return OWN_ECHO_PENALTY if own_echoes else TODAY_ECHO_PENALTY if today_echoes else 0.0

    def staleness(self, text: str) -> float:
        """Return the share of repeated word runs, plus a constant for a repeated sentence.

        A run counts twice if the speaker has used it. 0: no run was used before.
        """
        runs = _word_runs(text, self.names)
        is_repeated = not self._said_sentences.isdisjoint(_masked_sentences(text, self.names))
        shared = len(runs & self._table_runs) + len(runs & self._own_runs)
        return REPEATED_SENTENCE_STALENESS * is_repeated + shared / max(len(runs), 1)


def says_you(text: str) -> bool:
    """Return whether `text` speaks to a player as "you"."""
    return not load("demands").words["you"].isdisjoint(re.findall(r"[a-z]+", text.lower()))


def draw_wording(
    phrases: tuple[str, ...],
    names: Mapping[str, str],
    *,
    manner: str,
    circumstances: frozenset[str],
    spoken: SpokenTexts,
    rng: SeededRandom,
    purpose: str,
    avoids_you: bool = False,
    habit: int | None = None,
) -> tuple[str, float]:
    """Draw a text from `phrases` that does not repeat what was said.

    Take the first draw that is fresh enough (a blunt player the shortest of the first three, a
    warm one the longest), otherwise the first that is about as fresh as the freshest. Taking the
    freshest itself would put the same few odd phrases into most games.

    Args:
        names: Slot -> name.
        circumstances: Those of `agents.language.NEEDS` that hold.
        purpose: Purpose of the random draws.
        avoids_you: Whether texts without "you" are preferred.
        habit: Number of the player's habits of speech.

    Returns: (text, its staleness).
    """
    phrases = weigh_phrases(phrases, manner, circumstances)
    drafts: list[tuple[str, float, float]] = []  # (text, staleness, staleness with penalty)
    for number in range(MAX_DRAWS):
        drawn = rng.below(f"{purpose}/{number}", 1 << 62)
        text = fill(expand(phrases[drawn % len(phrases)], drawn // len(phrases), habit), names)
        stale = spoken.staleness(text)
        penalty = spoken.echo_penalty(text) + YOU_PENALTY * (avoids_you and says_you(text))
        drafts.append((text, stale, stale + penalty))
        fresh = [draft for draft in drafts if draft[2] <= FRESH_STALENESS]
        if len(fresh) >= (MANNER_DRAWS if manner in LENGTH_SIGNS else 1):
            return min(fresh, key=lambda draft: LENGTH_SIGNS.get(manner, 0) * len(draft[0]))[:2]
        if number >= DRAWS_AGAINST_ECHO and min(stale for _, stale, _ in drafts) <= FRESH_STALENESS:
            break
    lowest = min(total for *_, total in drafts)
    return next((text, stale) for text, stale, total in drafts if total <= lowest + FRESH_STALENESS)
