"""Express a persona in a statement: manner, length, a character's words, or a habit of form.

None of these changes the statement's meaning.
"""

import re

from agents.language import small_words
from agents.language.character_voice import MeaningCheck, replace_words
from agents.personas.big_five import Persona

MAX_SENTENCES = 3  # extraverts may say one more
MIN_MANNER_WEIGHT = 0.3  # the speaker is "plain" unless its strongest manner weighs more than this
CARE_DISCOUNT = 0.25  # two traits make a player careful, so that each counts less
LOWER = "lower"  # a replacement that stands for the same text in lower case


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


def apply_persona(text: str, persona: Persona, form: int, is_same_meaning: MeaningCheck) -> str:
    """Return `text` in the words of the persona's character, or in the player's habit of form.

    Args:
        form: Number of the habit among `words.toml`, "forms". It lasts the whole game.
    """
    if persona.character:
        return replace_words(text, persona.character, is_same_meaning)
    forms = small_words()["forms"]
    for pattern, new in forms[form % len(forms)]:
        changed = re.sub(pattern, (lambda m: m[0].lower()) if new == LOWER else new, text)
        text = changed if is_same_meaning(changed) else text
    return text
