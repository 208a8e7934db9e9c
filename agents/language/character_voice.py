"""A written character in words: its own marks and words, meaning no more than was said plainly."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from agents.language import voices
from agents.language.phrasing import expansions
from game.engine.seeded_random import SeededRandom

Same = Callable[[str], bool]  # whether words still mean what they meant, and are allowed

SLOTS = ("before", "after", "soft")
REST = 2  # so many statements go without a flourish after one that had it
SHOWN = 80  # percent of the statements that may have a flourish do
MOST = 400  # wordings of one mark that are looked at
TRIES = 6  # marks are drawn as long as one changes the meaning
_FIXED = r"(?! (?:else|first|few|far|more|better|but)\b)"  # "nobody else", "the very first"
# "don't you", "doesn't Beta": spelled out, the words would have to change places.
_INVERTED = r"(?!(?<=n't) (?:i|you|he|she|it|we|they|that|this|there|\w+body|(?-i:[A-Z])\w+)\b)"
_SENTENCE = re.compile(r"\S.*?(?:[.!?]+(?=\s)|$)")
_I = re.compile(r"(?:^|(?<=[.!?] ))I\b(?!,)")


@dataclass(frozen=True)
class Hearing:
    """Constraints on the wording of a statement.

    all_texts: all statements of the game. own: those of the speaker, in order. same: whether words
    mean what the statement means, and are allowed. fact: whether words tell a fact
    (`agents.understanding.speech_acts.FACTS`).
    """

    all_texts: Collection[str]
    own: Sequence[str]
    same: Same
    fact: Callable[[str], bool]


def voiced(text: str, key: str, rng: SeededRandom, hearing: Hearing) -> str:
    """Return `text` as the character `key` says it.

    Its words where no fact is told, and one flourish in three statements at most, in none that
    tells a fact. No flourish comes twice in a game.
    """
    new = _reworded(text, key, hearing)
    rests = any(_flourished(own_text, key) for own_text in hearing.own[-REST:])
    if rests or hearing.fact(text) or rng.below("voice/shown", 100) >= SHOWN:
        return new
    slots = rng.shuffled("voice/slots", SLOTS)
    variants = (_flourish(new, key, slot, rng, hearing) for slot in slots)
    return next((flourished for flourished in variants if flourished), new)


def _flourish(text: str, key: str, slot: str, rng: SeededRandom, hearing: Hearing) -> str:
    """Return `text` with a flourish in that place. Returns "" where none fits."""
    marks = _marks(getattr(voices()[key], slot), rng, f"voice/{slot}", hearing.all_texts)
    variants = (new for mark in marks for new in _with(text, slot, mark) if hearing.same(new))
    return next(variants, "")


def _flourished(text: str, key: str) -> bool:
    return any(mark in text for mark in _cores(key))


@cache
def _cores(key: str) -> tuple[str, ...]:
    voice = voices()[key]
    options = (*voice.before, *voice.after, *voice.soft)
    return tuple(core(mark) for option in options for mark in _all(option))


def core(mark: str) -> str:
    """Return what of a mark may stand only once in a game."""
    return mark.strip().rstrip(".!?, ")


def _marks(
    options: Sequence[str], rng: SeededRandom, purpose: str, own_texts: Collection[str]
) -> Iterator[str]:
    """Marks nobody has used, first of those phrases that nobody has used in any words."""
    used = {o: [m for m in _all(o) if any(core(m) in text for text in own_texts)] for o in options}
    order = rng.shuffled(purpose, options)
    for option in sorted(order, key=lambda o: len(used[o]))[:TRIES]:
        fresh = [m for m in _all(option) if m not in used[option]]
        if fresh:
            yield rng.choice(f"{purpose}/{option}", fresh)


@cache
def _all(option: str) -> tuple[str, ...]:
    return tuple(expansions(option, MOST))


def _with(text: str, slot: str, mark: str) -> Iterator[str]:
    """Yield `text` with the mark, in every place where it can stand."""
    if slot == "before":
        yield f"{mark} {text}"
    elif slot == "after":
        yield f"{text} {mark}"
    else:
        yield from (text[: m.start()] + mark + text[m.start() :] for m in _I.finditer(text))


@cache
def _words(key: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """Return what finds the words a character says otherwise, and what it says."""
    rules = {old.lower(): new for old, new in voices()[key].words}
    either = "|".join(re.escape(old) for old in sorted(rules, key=len, reverse=True))
    return re.compile(rf"(?<![\w'])(?<!too )(?:{either})(?![\w']){_FIXED}{_INVERTED}", re.I), rules


def _spelled_out(word: str, rules: Mapping[str, str]) -> bool:
    """Return whether it is a contraction that is said in full: as plain as before."""
    return "'" in word and "'" not in rules[word.lower()]


def _reworded(text: str, key: str, hearing: Hearing) -> str:
    """Return `text` in the character's words, wherever they mean the same and tell no fact."""
    pattern, rules = _words(key)
    matches = [
        match
        for sentence in _SENTENCE.finditer(text)
        for match in pattern.finditer(text, *sentence.span())
        if _spelled_out(match[0], rules) or not hearing.fact(sentence[0])
    ]
    same = hearing.same

    def insert(chosen: Collection[int]) -> str:
        result, at = "", 0
        for number in sorted(chosen):
            match = matches[number]
            new = rules[match[0].lower()]
            if match[0][0].isupper():  # of "'bout" it is the second letter
                new = re.sub("[A-Za-z]", lambda letter: letter[0].upper(), new, count=1)
            result += text[at : match.start()] + new
            at = match.end()
        return re.sub(r",(?=[.,:;?!])", "", result + text[at:])

    def largest_fitting(sure: list[int], open_to: list[int]) -> list[int]:
        """`sure` and those of `open_to` that may join it, tried together and then by halves."""
        if not open_to or same(insert([*sure, *open_to])):
            return [*sure, *open_to]
        if len(open_to) == 1:
            return sure
        half = len(open_to) // 2
        return largest_fitting(largest_fitting(sure, open_to[:half]), open_to[half:])

    return insert(largest_fitting([], list(range(len(matches)))))
