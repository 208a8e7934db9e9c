"""A persona in words: manner, length, and asides that colour a statement without meaning more."""

from __future__ import annotations

import re
from collections.abc import Callable

from agents.house.phrases.asides import ASIDES
from agents.house.words import expand
from agents.persona import FACTORS, Persona
from game.engine.draws import Draws

OFTEN = 80  # percent of statements that show a factor at its extreme
MOST_ASIDES = 2


def manner_of(persona: Persona) -> str:
    """The manner of speaking that fits best; "plain" where nothing stands out."""
    lean = persona.leaning
    found = {
        "warm": lean("A"),
        "blunt": -lean("A"),
        "careful": max(lean("N"), lean("C")),
        "wry": lean("O"),
    }
    best = max(found, key=lambda manner: found[manner])
    return best if found[best] > 0.3 else "plain"


def words(persona: Persona | None, usual: int) -> int:
    """How many words a statement aims at: the outgoing say more."""
    return usual if persona is None else round(usual * (0.85 + 0.4 * persona.leaning("E")))


def moves(persona: Persona | None, usual: int) -> int:
    """How many points a statement makes at most."""
    if persona is None:
        return usual
    return max(2, usual + (persona.leaning("E") > 0.6) - (persona.leaning("E") < -0.3))


def dressed(text: str, persona: Persona, draws: Draws, same: Callable[[str], bool]) -> str:
    """`text` with asides of the persona's strongest leanings; `same` says whether words still
    mean what they meant, and are allowed."""
    shown = []
    for factor in FACTORS:
        lean = persona.leaning(factor)
        if draws.below(f"show/{factor}", 100) < OFTEN * abs(lean):
            shown.append((abs(lean), f"{factor}{'+' if lean > 0 else '-'}"))
    shown.sort(reverse=True)
    slots = ["before", "after", "soft"]
    for _, pole in shown[:MOST_ASIDES]:
        open_to = [s for s in slots if ASIDES[pole][s]]
        if not open_to:
            continue
        slot = draws.choice(f"slot/{pole}", open_to)
        candidate = _with(text, slot, _aside(pole, slot, draws))
        if candidate != text and same(candidate):
            text = candidate
            slots.remove(slot)
    return text


def _aside(pole: str, slot: str, draws: Draws) -> str:
    options = ASIDES[pole][slot]
    drawn = draws.below(f"aside/{pole}/{slot}", 1 << 62)
    return expand(options[drawn % len(options)], drawn // len(options))


def _with(text: str, slot: str, aside: str) -> str:
    if slot == "before":
        return f"{aside} {text}"
    if slot == "after":
        return f"{text} {aside}"
    return re.sub(
        r"(^|(?<=[.!?] ))I (?=suspect|think|don't trust|doubt|have)", f"{aside}I ", text, count=1
    )
