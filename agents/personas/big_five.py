"""Big Five personas: scores, and the statements and adjectives that express them (SPEC 2.1).

A persona may also have a written character, or a style that the owner of its table wrote. The words
that express the scores are drawn by the persona's seed, so they stay the same all game.
"""

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Self

from agents.personas import own_style
from agents.personas.characters import UnknownCharacter, get_character
from game.engine.seeded_random import SeededRandom

# The phrases that express scores, from persona_style.toml, which describes them.
_PHRASES = tomllib.loads(Path(__file__).with_name("persona_style.toml").read_text("utf-8"))


def _lists(table: str) -> dict[str, list[Any]]:
    """Return factor -> what the table has for its poles or facets, in order."""
    return {factor: list(rows.values()) for factor, rows in _PHRASES[table].items()}


def _by_number(row: Mapping[str, Any]) -> dict[int, Any]:
    return {int(number): value for number, value in row.items()}


# Factor -> [adjectives of the low pole, of the high pole].
ADJECTIVES: dict[str, list[list[str]]] = {
    factor: [list(effects) for effects in poles] for factor, poles in _lists("adjectives").items()
}
EFFECT_BY_ADJECTIVE: dict[str, str] = {
    adjective: effect
    for poles in _lists("adjectives").values()
    for effects in poles
    for adjective, effect in effects.items()
}
# Factor -> for each of its six facets, verb phrases after "You": [low, high].
FACET_PHRASES: dict[str, list[list[str]]] = _lists("facets")
# Factor -> score -> sentence on its speech.
SPEECH_BY_SCORE: dict[str, dict[int, str]] = {
    factor: _by_number(texts) for factor, texts in _PHRASES["speech"].items()
}
# Factor -> [example sentences of the low pole, of the high pole].
EXAMPLE_SENTENCES: dict[str, list[list[str]]] = _lists("examples")
# Strength (distance of a score from 4) -> adverbs, and -> words before a facet's phrase.
ADVERBS_BY_STRENGTH: dict[int, list[str]] = _by_number(_PHRASES["adverbs"])
FREQUENCY_BY_STRENGTH: dict[int, str] = _by_number(_PHRASES["frequencies"])
# Score, for a statement keyed + -> degree of agreement.
DEGREE_BY_SCORE: dict[int, str] = _by_number(_PHRASES["degrees"])
FACTORS: dict[str, str] = _PHRASES["factors"]  # letter -> name
LOWEST, NEUTRAL, HIGHEST = 1, 4, 7
# The four profiles of Humanized, table 20, in the order of FACTORS.
PROFILES: dict[str, tuple[int, ...]] = {
    name: tuple(scores) for name, scores in _PHRASES["profiles"].items()
}


class BadPersona(ValueError):
    """Invalid scores of a persona. The message states the valid range."""


@dataclass(frozen=True)
class IpipItem:
    """IPIP-NEO statement with its factor, its facet (1 to 6) and its key ("+" or "-")."""

    text: str
    factor: str
    facet: int
    key: str

    def manner(self, is_agreement: bool) -> str:
        """Return the manner of speaking of a person who agrees or not, as a phrase after "You"."""
        return FACET_PHRASES[self.factor][self.facet - 1][is_agreement == (self.key == "+")]


@cache
def ipip_items() -> tuple[IpipItem, ...]:
    """Return the statements of the IPIP-NEO-120 except those about politics (agents/ipip)."""
    rows = json.loads((Path(__file__).parents[1] / "ipip/items.json").read_text("utf-8"))
    return tuple(IpipItem(**row) for row in rows)


def are_scores(values: Iterable[object]) -> bool:
    """Return whether all values are possible scores of a factor."""
    return all(type(value) is int and LOWEST <= value <= HIGHEST for value in values)


def strength(score: int) -> int:
    """Return R(b), 0 to 3: the number of statements and of adjectives that express a score."""
    return abs(score - NEUTRAL)


def agreement_degree(score: int, key: str) -> str:
    """Return the degree to which a person with a score, not neutral, agrees with a statement."""
    return DEGREE_BY_SCORE[score if key == "+" else 2 * NEUTRAL - score]


@dataclass(frozen=True)
class Persona:
    """A persona: five scores from 1 to 7, and perhaps a character or a style."""

    scores: Mapping[str, int]
    seed: str = ""  # seed of the draws of the words that express the scores
    character: str = ""  # the key of a written character, "" for none
    style: str = ""  # the text of an owner's own style (`agents.personas.own_style`), "" for none

    def __post_init__(self) -> None:
        if set(self.scores) != set(FACTORS):
            raise BadPersona(f"a persona has scores for {', '.join(FACTORS)}")
        if not are_scores(self.scores.values()):
            raise BadPersona(f"a persona's scores are whole numbers from {LOWEST} to {HIGHEST}")
        if self.character:
            try:
                get_character(self.character)
            except UnknownCharacter as error:
                raise BadPersona(str(error)) from None
        if self.style:
            own_style.parse_own_style(self.style)

    @classmethod
    def draw(cls, seed: str) -> Self:
        """Build a persona with scores drawn uniformly from 1 to 7."""
        rng = SeededRandom(f"{seed}/persona")
        return cls({factor: LOWEST + rng.below(factor, HIGHEST) for factor in FACTORS}, seed)

    @classmethod
    def profile(cls, name: str, seed: str = "") -> Self:
        """Build one of the paper's four profiles (PROFILES)."""
        return cls(dict(zip(FACTORS, PROFILES[name], strict=True)), seed)

    @classmethod
    def of_character(cls, key: str, seed: str = "") -> Self:
        """Build a written character with its scores (`character`)."""
        return cls(dict(get_character(key).scores), seed, key)

    @classmethod
    def of_style(cls, text: str, seed: str = "") -> Self:
        """Build the persona of an owner's style (`parse_own_style`), with neutral scores."""
        return cls(dict.fromkeys(FACTORS, NEUTRAL), seed, style=text)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        texts = {key: data.get(key, "") for key in ("seed", "character", "style")}
        return cls(dict(data["scores"]), **texts)

    def data(self) -> dict[str, Any]:
        data: dict[str, Any] = {"scores": dict(self.scores), "seed": self.seed}
        own = {"character": self.character, "style": self.style}
        return data | {key: value for key, value in own.items() if value}

    def leaning(self, factor: str) -> float:
        """Return the score of a factor on a scale from -1 (lowest) to 1 (highest)."""
        return (self.scores[factor] - NEUTRAL) / (HIGHEST - NEUTRAL)

    def summary(self) -> str:
        """Return the adjectives, strongest first: "extremely kind, calm; pretty plain"."""
        phrases = []
        for level in sorted(ADVERBS_BY_STRENGTH, reverse=True):
            factors = [f for f, score in self.scores.items() if strength(score) == level]
            if traits := [trait for factor in factors for trait in self._traits(factor)]:
                phrases.append(f"{ADVERBS_BY_STRENGTH[level][-1]} {', '.join(traits)}")
        return "; ".join(phrases)

    def _traits(self, factor: str) -> list[str]:
        """Return R(b) adjectives for the pole of a factor's score."""
        score = self.scores[factor]
        pool = ADJECTIVES[factor][score > NEUTRAL]
        drawn = self._draws.sample(f"adjectives/{factor}", range(len(pool)), strength(score))
        return [pool[i] for i in drawn]

    def _graded_traits(self, factor: str) -> list[str]:
        """Return the adjectives drawn for a factor, with varied adverbs of strength."""
        if not (traits := self._traits(factor)):
            return []
        adverbs = self._draws.shuffled(f"intensity/{factor}", ADVERBS_BY_STRENGTH[len(traits)])
        return [f"{adverbs[n % len(adverbs)]} {trait}" for n, trait in enumerate(traits)]

    def manner(self) -> list[str]:
        """Return a sentence per factor as in the paper (2.2): "You speak in a … way: …"."""
        sentences = []
        for factor in self.scores:
            if adjectives := self._graded_traits(factor):
                article = "an" if adjectives[0][0] in "aeiou" else "a"
                effects = "; ".join(EFFECT_BY_ADJECTIVE[trait] for trait in self._traits(factor))
                sentences.append(f"You speak in {article} {', '.join(adjectives)} way: {effects}.")
        return sentences

    def agreements(self) -> list[str]:
        """Return a line for each of R(b) statements per factor: agreement and manner of speech.

        A manner that several statements share is only in the first line.
        """
        lines, used_manners = [], set()
        for item in self._items():
            score = self.scores[item.factor]
            line = f"{item.text}: you {agreement_degree(score, item.key)}."
            manner = item.manner((score > NEUTRAL) == (item.key == "+"))
            if manner not in used_manners:
                line += f" {FREQUENCY_BY_STRENGTH[strength(score)]} {manner}."
            used_manners.add(manner)
            lines.append(line)
        return lines

    def _items(self) -> Iterator[IpipItem]:
        """Yield R(b) statements per factor, without repeats, by factor."""
        for factor, score in self.scores.items():
            pool = [item for item in ipip_items() if item.factor == factor]
            drawn = self._draws.sample(f"statements/{factor}", range(len(pool)), strength(score))
            yield from (pool[number] for number in drawn)

    def speech_rules(self) -> list[str]:
        """Return a sentence on the persona's speech for each factor that is not neutral."""
        return [SPEECH_BY_SCORE[f][score] for f, score in self.scores.items() if score != NEUTRAL]

    def examples(self) -> tuple[str, ...]:
        """Return example sentences, which no agent may say at the table.

        They are those of the style or character, else two or three for the factors with the
        strongest scores.
        """
        if self.style:
            return own_style.parse_own_style(self.style).character.examples
        if self.character:
            return get_character(self.character).examples
        strongest = sorted(self.scores, key=lambda f: -strength(self.scores[f]))[:3]
        factors = [factor for factor in strongest if self.scores[factor] != NEUTRAL]
        sentences: list[str] = []
        for factor in factors:
            pool = EXAMPLE_SENTENCES[factor][self.scores[factor] > NEUTRAL]
            count = 2 if len(factors) == 1 else 1
            sentences += self._draws.sample(f"sounds/{factor}", pool, count)
        return tuple(sentences)

    def text(self) -> str:
        """Return the persona's text in a prompt, "" for neutral scores without a character."""
        if self.style:
            return own_style.parse_own_style(self.style).text()
        return _description(tuple(self.scores.items()), self.seed, self.character)

    @property
    def _draws(self) -> SeededRandom:
        return SeededRandom(f"{self.seed}/words")


# Cached because every request of an agent contains it, and the persona is rebuilt each time.
@lru_cache(maxsize=1024)
def _description(scores: tuple[tuple[str, int], ...], seed: str, key: str) -> str:
    persona = Persona(dict(scores), seed, key)
    parts = [get_character(key).text()] if key else []
    if not (manner := persona.manner()):
        return "\n".join(parts)
    if key:
        parts.append("Your temper, where your character leaves it open:")
    parts += [*manner, "How far you agree with these statements about you, and how it is heard:"]
    parts += [f"- {line}" for line in persona.agreements()]
    parts += ["Whenever you speak:", *(f"- {line}" for line in persona.speech_rules())]
    if not key:  # a character has its own examples
        parts += [
            "- Names, claims and accusations stay clear all the same.",
            "Sentences that sound like you, about other things (never repeat them):",
            *(f"- {line}" for line in persona.examples()),
        ]
    return "\n".join(parts)
