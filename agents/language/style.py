"""Express a persona in a statement: its manner, its length, and asides or a character's voice.

None of these changes the statement's meaning.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from agents.language import asides
from agents.language.character_voice import WordingConstraints, apply_voice, flourish_core
from agents.language.phrasing import expand
from agents.personas.big_five import FACTORS, Persona
from game.engine.seeded_random import SeededRandom

ASIDE_PERCENT = 22  # of the early statements that show a factor at its extreme
EARLY_STATEMENTS = 4  # from then on the percentage falls with every statement
MAX_ASIDES = 1
MAX_ASIDES_TRIED = 8  # drawn until one is unused
MIN_MANNER_WEIGHT = 0.3  # of the strongest manner; below it the speaker is "plain"


def manner_of(persona: Persona) -> str:
    """Return the manner of speaking that fits best, "plain" if no trait stands out."""
    lean = persona.leaning
    weights = {
        "warm": lean("A"),
        "blunt": -lean("A"),
        "careful": max(lean("N"), lean("C")),
        "wry": lean("O"),
    }
    strongest = max(weights, key=lambda manner: weights[manner])
    return strongest if weights[strongest] > MIN_MANNER_WEIGHT else "plain"


def aim_words(persona: Persona | None, usual: int) -> int:
    """Return the number of words a statement aims at. Extraverts say more."""
    return usual if persona is None else round(usual * (0.85 + 0.4 * persona.leaning("E")))


def max_points(persona: Persona | None, usual: int) -> int:
    """Return the maximum number of points in a statement."""
    if persona is None:
        return usual
    return max(2, usual + (persona.leaning("E") > 0.6) - (persona.leaning("E") < -0.3))


def apply_persona(
    text: str, persona: Persona, rng: SeededRandom, constraints: WordingConstraints
) -> str:
    """Return `text` in the voice of the persona's character, if it has one.

    Otherwise add asides of the persona's strongest traits. No aside occurs twice in a game.
    """
    if persona.character:
        return apply_voice(text, persona.character, rng, constraints)
    slots = ["before", "after", "soft"]
    for pole in _draw_poles(persona, rng, len(constraints.own_texts)):
        usable_slots = [s for s in slots if asides()[pole][s]]
        if not usable_slots:
            continue
        slot = rng.choice(f"slot/{pole}", usable_slots)
        aside = next(
            (a for a in _draw_asides(pole, slot, rng) if _is_unused(a, constraints.all_texts)), ""
        )
        candidate = _place_aside(text, slot, aside) if aside else text
        if candidate != text and constraints.is_same_meaning(candidate):
            text = candidate
            slots.remove(slot)
    return text


def _draw_poles(persona: Persona, rng: SeededRandom, spoken_count: int) -> list[str]:
    """Draw the poles of traits ("E+") that this statement shows, the strongest first.

    Args:
        spoken_count: The speaker's earlier statements.
    """
    percent = ASIDE_PERCENT * min(EARLY_STATEMENTS / (spoken_count + 1), 1.0)
    shown_poles = []
    for factor in FACTORS:
        lean = persona.leaning(factor)
        if rng.below(f"show/{factor}", 100) < percent * abs(lean):
            shown_poles.append((abs(lean), f"{factor}{'+' if lean > 0 else '-'}"))
    return [pole for _, pole in sorted(shown_poles, reverse=True)[:MAX_ASIDES]]


def _draw_asides(pole: str, slot: str, rng: SeededRandom) -> Iterator[str]:
    options = asides()[pole][slot]
    for number in range(MAX_ASIDES_TRIED):
        drawn = rng.below(f"aside/{pole}/{slot}/{number}", 1 << 62)
        yield expand(options[drawn % len(options)], drawn // len(options))


def _is_unused(aside: str, spoken_texts: Collection[str]) -> bool:
    """Return whether no player has used the aside in this game."""
    return not any(flourish_core(aside) in text for text in spoken_texts)


def _place_aside(text: str, slot: str, aside: str) -> str:
    if slot == "before":
        return f"{aside} {text}"
    if slot == "after":
        return f"{text} {aside}"
    return re.sub(
        r"(^|(?<=[.!?] ))I (?=suspect|think|don't trust|doubt|have)", f"{aside}I ", text, count=1
    )
