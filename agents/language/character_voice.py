"""Rewrite a statement in the voice of a written character without changing its meaning."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from agents.language import voices
from agents.language.phrasing import expansions
from game.engine.seeded_random import SeededRandom

# Whether a wording is allowed and still means what the statement means.
MeaningCheck = Callable[[str], bool]

SLOTS = ("before", "after", "soft")
FLOURISH_GAP = 2  # statements without a flourish after one that has it
FLOURISH_PERCENT = 80  # share of the statements with a flourish, among those that may have one
MAX_EXPANSIONS = 400  # a phrase is expanded to at most this many texts
MAX_PHRASES_TRIED = 6  # for each place of a statement, only this many phrases are tried
_FIXED = r"(?! (?:else|first|few|far|more|better|but)\b)"  # "nobody else", "the very first"
# "don't you", "doesn't Beta": spelled out, the words would have to change places.
_INVERTED = r"(?!(?<=n't) (?:i|you|he|she|it|we|they|that|this|there|\w+body|(?-i:[A-Z])\w+)\b)"
_SENTENCE = re.compile(r"\S.*?(?:[.!?]+(?=\s)|$)")
_I = re.compile(r"(?:^|(?<=[.!?] ))I\b(?!,)")


@dataclass(frozen=True)
class WordingConstraints:
    """Constraints on the wording of a statement.

    Attributes:
        all_texts: All statements of the game.
        own_texts: Those of the speaker, in order.
        is_same_meaning: Check of a wording of the whole statement.
        states_fact: Whether a text contains one of `agents.understanding.speech_acts.FACTS`.
    """

    all_texts: Collection[str]
    own_texts: Sequence[str]
    is_same_meaning: MeaningCheck
    states_fact: Callable[[str], bool]


def apply_voice(text: str, key: str, rng: SeededRandom, constraints: WordingConstraints) -> str:
    """Return `text` as the character `key` says it.

    Replace words outside factual sentences. Add at most one flourish, never to a factual statement,
    and only if the speaker's last FLOURISH_GAP statements have none. No flourish occurs twice in a
    game.
    """
    reworded = _replace_words(text, key, constraints)
    recent_texts = constraints.own_texts[-FLOURISH_GAP:]
    is_too_soon = any(core in text for text in recent_texts for core in _flourish_cores(key))
    if (
        is_too_soon
        or constraints.states_fact(text)
        or rng.below("voice/shown", 100) >= FLOURISH_PERCENT
    ):
        return reworded
    slots = rng.shuffled("voice/slots", SLOTS)
    variants = (_add_flourish(reworded, key, slot, rng, constraints) for slot in slots)
    return next((variant for variant in variants if variant), reworded)


def _add_flourish(
    text: str, key: str, slot: str, rng: SeededRandom, constraints: WordingConstraints
) -> str:
    """Return `text` with a flourish in that slot, "" if none keeps the meaning."""
    phrases = getattr(voices()[key], slot)
    variants = (
        variant
        for flourish in _unused_flourishes(phrases, rng, f"voice/{slot}", constraints.all_texts)
        for variant in placements(text, slot, flourish)
        if constraints.is_same_meaning(variant)
    )
    return next(variants, "")


@cache
def _flourish_cores(key: str) -> tuple[str, ...]:
    voice = voices()[key]
    phrases = (*voice.before, *voice.after, *voice.soft)
    return tuple(flourish_core(flourish) for phrase in phrases for flourish in _expanded(phrase))


def flourish_core(flourish: str) -> str:
    """Return the flourish without the punctuation around it. A core occurs once in a game."""
    return flourish.strip().rstrip(".!?, ")


def _unused_flourishes(
    phrases: Sequence[str], rng: SeededRandom, purpose: str, used_texts: Collection[str]
) -> Iterator[str]:
    """Yield flourishes that no player has used, one a phrase, the least used phrases first."""
    unused = {
        phrase: [flourish for flourish in _expanded(phrase) if not is_used(flourish, used_texts)]
        for phrase in phrases
    }
    order = rng.shuffled(purpose, phrases)
    order.sort(key=lambda phrase: len(_expanded(phrase)) - len(unused[phrase]))
    for phrase in order[:MAX_PHRASES_TRIED]:
        if unused[phrase]:
            yield rng.choice(f"{purpose}/{phrase}", unused[phrase])


def is_used(flourish: str, texts: Iterable[str]) -> bool:
    """Return whether one of the texts contains the flourish."""
    core = flourish_core(flourish)
    return any(core in text for text in texts)


@cache
def _expanded(phrase: str) -> tuple[str, ...]:
    return tuple(expansions(phrase, MAX_EXPANSIONS))


def placements(
    text: str, slot: str, flourish: str, soft_place: re.Pattern[str] = _I
) -> Iterator[str]:
    """Yield `text` with the flourish in every place that the slot allows.

    Nothing follows a closing question, which somebody should answer.
    """
    if slot == "before":
        yield f"{flourish} {text}"
    elif slot == "after":
        if not text.endswith("?"):
            yield f"{text} {flourish}"
    else:
        for match in soft_place.finditer(text):
            yield text[: match.start()] + flourish + text[match.start() :]


@cache
def _replacements(key: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """Return (pattern of the words that a character replaces, word -> replacement)."""
    rules = {old.lower(): new for old, new in voices()[key].words}
    either = "|".join(re.escape(old) for old in sorted(rules, key=len, reverse=True))
    return re.compile(rf"(?<![\w'])(?<!too )(?:{either})(?![\w']){_FIXED}{_INVERTED}", re.I), rules


def _replace_words(text: str, key: str, constraints: WordingConstraints) -> str:
    """Return `text` in the character's words, without a change of meaning or facts.

    In factual sentences, contractions alone are spelled out.
    """
    pattern, rules = _replacements(key)
    matches = [
        match
        for sentence in _SENTENCE.finditer(text)
        for match in pattern.finditer(text, *sentence.span())
        if ("'" in match[0] and "'" not in rules[match[0].lower()])
        or not constraints.states_fact(sentence[0])
    ]

    def replace_chosen(chosen: Collection[int]) -> str:
        result, end = "", 0
        for index in sorted(chosen):
            match = matches[index]
            new = rules[match[0].lower()]
            if match[0][0].isupper():  # the first letter of "'bout" is the second character
                new = re.sub("[A-Za-z]", lambda letter: letter[0].upper(), new, count=1)
            result += text[end : match.start()] + new
            end = match.end()
        return re.sub(r",(?=[.,:;?!])", "", result + text[end:])

    def largest_fitting(accepted: list[int], candidates: list[int]) -> list[int]:
        """Add the candidates that keep the meaning, found by bisection."""
        both = [*accepted, *candidates]
        if not candidates or constraints.is_same_meaning(replace_chosen(both)):
            return both
        if len(candidates) == 1:
            return accepted
        half = len(candidates) // 2
        return largest_fitting(largest_fitting(accepted, candidates[:half]), candidates[half:])

    return replace_chosen(largest_fitting([], list(range(len(matches)))))
