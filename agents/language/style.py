"""Express a persona in a statement: its manner, its length, and asides or a character's voice.

None of these changes the statement's meaning.
"""

import re
from collections.abc import Iterator

from agents.language import asides, split_phrase
from agents.language.character_voice import (
    SLOTS,
    WordingConstraints,
    apply_voice,
    is_used,
    placements,
)
from agents.language.phrasing import expand, sentences
from agents.personas.big_five import FACTORS, Persona
from game.engine.seeded_random import SeededRandom

TIC_PERCENT = 22  # share of the statements that begin with the player's tic
MAX_TICS = 2  # in a game
ASIDE_PERCENT = 8  # share of the early statements that show a factor at its extreme
EARLY_STATEMENTS = 4  # after this many statements the percentage falls with every further one
MAX_ASIDES_TRIED = 8  # an aside is drawn at most this often until it is unused
MAX_SENTENCES = 3  # extraverts may say one more
MIN_MANNER_WEIGHT = 0.3  # the speaker is "plain" unless its strongest manner weighs more than this
CARE_DISCOUNT = 0.25  # two traits make a player careful, so that each counts less
MAX_OPENER_WORDS = 4  # a first sentence of at most this many words opens the statement already
_SOFT_PLACE = re.compile(r"(?:^|(?<=[.!?] ))I (?=suspect|think|don't trust|doubt|have)")


def manner_of(persona: Persona) -> str:
    """Return the manner of speaking that fits best, "plain" if no trait stands out."""
    lean = persona.leaning
    weights = {
        "warm": lean("A"),
        "blunt": -lean("A"),
        "careful": max(lean("N"), lean("C")) - CARE_DISCOUNT,
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
    reserve = (persona.leaning("E") < -0.3) + (manner_of(persona) == "blunt")
    return max(1, usual + (persona.leaning("E") > 0.6) - reserve)


def max_sentences(persona: Persona | None) -> int:
    """Return the maximum number of sentences in a statement, if nothing more is owed."""
    return MAX_SENTENCES + (persona is not None and persona.leaning("E") > 0.6)


def apply_persona(
    text: str,
    persona: Persona,
    rng: SeededRandom,
    constraints: WordingConstraints,
    circumstances: frozenset[str],
    tic: str = "",
) -> str:
    """Return `text` in the voice of the persona's character, if it has one.

    Otherwise add the player's tic, or an aside of the persona's strongest traits. No aside occurs
    twice in a game.

    Args:
        circumstances: Those of `agents.language.NEEDS` that hold.
        tic: An opener that no other player of the game has, "" for none.
    """
    if persona.character:
        return apply_voice(text, persona.character, rng, constraints)
    tics = sum(earlier.startswith(tic) for earlier in constraints.own_texts)
    if tic and tics < MAX_TICS and not _has_opener(text) and rng.below("tic", 100) < TIC_PERCENT:
        candidate = f"{tic} {text}"
        return candidate if constraints.is_same_meaning(candidate) else text
    pole = _draw_pole(persona, rng, len(constraints.own_texts))
    used_slots = ("before",) if _has_opener(text) else ()
    slots = [s for s in SLOTS if pole and asides()[pole][s] and s not in used_slots]
    if not slots:
        return text
    slot = rng.choice(f"slot/{pole}", slots)
    drawn_asides = _draw_asides(pole, slot, rng, circumstances)
    aside = next((a for a in drawn_asides if not is_used(a, constraints.all_texts)), "")
    candidate = next(placements(text, slot, aside, _SOFT_PLACE), text) if aside else text
    return candidate if constraints.is_same_meaning(candidate) else text


def _has_opener(text: str) -> bool:
    """Return whether `text` begins with a short sentence."""
    return len(sentences(text)[0].split()) <= MAX_OPENER_WORDS


def _draw_pole(persona: Persona, rng: SeededRandom, spoken_count: int) -> str:
    """Draw the pole of a trait ("E+") that this statement shows, the strongest one drawn.

    Args:
        spoken_count: The speaker's earlier statements.

    Returns: the pole, "" for none.
    """
    percent = ASIDE_PERCENT * min(EARLY_STATEMENTS / (spoken_count + 1), 1.0)
    leanings = ((persona.leaning(factor), factor) for factor in FACTORS)
    shown_poles = [
        (abs(lean), f"{factor}{'+' if lean > 0 else '-'}")
        for lean, factor in leanings
        if rng.below(f"show/{factor}", 100) < percent * abs(lean)
    ]
    return max(shown_poles)[1] if shown_poles else ""


def _draw_asides(
    pole: str, slot: str, rng: SeededRandom, circumstances: frozenset[str]
) -> Iterator[str]:
    options = [a for a in asides()[pole][slot] if split_phrase(a)[0] <= circumstances]
    if not options:
        return
    for number in range(MAX_ASIDES_TRIED):
        drawn = rng.below(f"aside/{pole}/{slot}/{number}", 1 << 62)
        yield expand(options[drawn % len(options)], drawn // len(options))
