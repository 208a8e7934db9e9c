"""A persona in words.

Manner, length, and what colours a statement without meaning more: asides, or the voice of a written
character.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from agents.language import asides
from agents.language.character_voice import Hearing, voiced
from agents.language.phrasing import expand
from agents.personas.big_five import FACTORS, Persona
from game.engine.seeded_random import SeededRandom

OFTEN = 22  # percent of the first statements that show a factor at its extreme
FIRST = 4  # so many statements are the first; of the later ones fewer and fewer do
MOST_ASIDES = 1
TRIES = 8  # other asides are drawn as long as somebody has used this one


def manner_of(persona: Persona) -> str:
    """Return the manner of speaking that fits best. "plain" where nothing stands out."""
    lean = persona.leaning
    weights = {
        "warm": lean("A"),
        "blunt": -lean("A"),
        "careful": max(lean("N"), lean("C")),
        "wry": lean("O"),
    }
    best = max(weights, key=lambda manner: weights[manner])
    return best if weights[best] > 0.3 else "plain"


def words(persona: Persona | None, usual: int) -> int:
    """Return how many words a statement aims at: the outgoing say more."""
    return usual if persona is None else round(usual * (0.85 + 0.4 * persona.leaning("E")))


def moves(persona: Persona | None, usual: int) -> int:
    """Return how many points a statement makes at most."""
    if persona is None:
        return usual
    return max(2, usual + (persona.leaning("E") > 0.6) - (persona.leaning("E") < -0.3))


def dressed(text: str, persona: Persona, rng: SeededRandom, hearing: Hearing) -> str:
    """`text` with asides of the persona's strongest leanings, none of which was said before.

    As its written character says it, where it has one.
    """
    if persona.character:
        return voiced(text, persona.character, rng, hearing)
    slots = ["before", "after", "soft"]
    for pole in _shown_poles(persona, rng, len(hearing.own)):
        open_to = [s for s in slots if asides()[pole][s]]
        if not open_to:
            continue
        slot = rng.choice(f"slot/{pole}", open_to)
        aside = next((a for a in _asides(pole, slot, rng) if _fresh(a, hearing.all_texts)), "")
        candidate = _with(text, slot, aside) if aside else text
        if candidate != text and hearing.same(candidate):
            text = candidate
            slots.remove(slot)
    return text


def _shown_poles(persona: Persona, rng: SeededRandom, spoken: int) -> list[str]:
    """Return the poles this statement shows, the strongest first, after so many of one's own."""
    often = OFTEN * min(FIRST / (spoken + 1), 1.0)
    trait_keys = []
    for factor in FACTORS:
        lean = persona.leaning(factor)
        if rng.below(f"show/{factor}", 100) < often * abs(lean):
            trait_keys.append((abs(lean), f"{factor}{'+' if lean > 0 else '-'}"))
    return [pole for _, pole in sorted(trait_keys, reverse=True)[:MOST_ASIDES]]


def _asides(pole: str, slot: str, rng: SeededRandom) -> Iterator[str]:
    options = asides()[pole][slot]
    for number in range(TRIES):
        drawn = rng.below(f"aside/{pole}/{slot}/{number}", 1 << 62)
        yield expand(options[drawn % len(options)], drawn // len(options))


def _fresh(aside: str, spoken_texts: Collection[str]) -> bool:
    """Return whether nobody has used the aside in this game."""
    words = aside.strip().rstrip(".!, ")
    return not any(words in text for text in spoken_texts)


def _with(text: str, slot: str, aside: str) -> str:
    if slot == "before":
        return f"{aside} {text}"
    if slot == "after":
        return f"{text} {aside}"
    return re.sub(
        r"(^|(?<=[.!?] ))I (?=suspect|think|don't trust|doubt|have)", f"{aside}I ", text, count=1
    )
