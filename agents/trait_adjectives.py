"""Adjectives for both poles of each factor, with words of intensity. They are ours."""

from __future__ import annotations

# Factor -> (low pole, high pole); at least three each, for a score of 1 or 7 takes three.
ADJECTIVES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "O": (
        ("conventional", "down-to-earth", "unimaginative", "old-fashioned", "literal", "plain"),
        ("imaginative", "curious", "inventive", "unconventional", "reflective", "playful"),
    ),
    "C": (
        ("careless", "spontaneous", "disorganised", "forgetful", "lax", "impulsive"),
        ("thorough", "orderly", "dutiful", "careful", "persistent", "well prepared"),
    ),
    "E": (
        ("quiet", "reserved", "withdrawn", "soft-spoken", "solitary", "passive"),
        ("talkative", "lively", "bold", "sociable", "energetic", "forward"),
    ),
    "A": (
        ("suspicious", "blunt", "stubborn", "cold", "quarrelsome", "self-serving"),
        ("kind", "trusting", "forgiving", "considerate", "gentle", "cooperative"),
    ),
    "N": (
        ("calm", "even-tempered", "unworried", "self-assured", "steady", "relaxed"),
        ("anxious", "touchy", "moody", "insecure", "easily upset", "tense"),
    ),
}
# Strength (how far a score is from 4) -> words for it. Those of 2 and 3 are the paper's (table 11);
# it shows none for 1, where we take the word its statements have there.
INTENSITY: dict[int, tuple[str, ...]] = {
    1: ("slightly",),
    2: ("pretty",),
    3: ("incredibly", "remarkably", "extremely"),
}
