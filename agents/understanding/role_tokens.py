"""Role words as tokens, so that no pattern knows a game's roles by name.

As a name becomes `@3`, a role's word becomes its part in the game and its place in the ruleset:
`looker0`, in the plural `looker0s` (the parts: `agents.packs.Part`). The hunted ones are "wolf",
whatever a ruleset calls them. A word that is no role of the ruleset stays a word.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import cast

from agents.packs import Pack, Part
from game.engine.ruleset import role_of

# what the hunted one is called in every game
_WOLF = ("wolf", "wolves", "wolfs", "ww")
# somebody's own words that read like a token
_LIKE_A_TOKEN = re.compile(r"\b(?:looker|mate|plain|helper|loner)\d+s?\b")
# a token: part, place, plural
_TOKEN = re.compile(r"([a-z]+)(\d*)s?")


def names(pack: Pack, key: str) -> tuple[list[str], list[str]]:
    """What the game calls a role, in lower case: one who holds it, and several."""
    name = role_of(pack.ruleset, key).name
    one = list(dict.fromkeys(re.sub(r"[\W_]+", " ", word).lower() for word in (name, key)))
    return one, [_several(word) for word in one]


def _several(word: str) -> str:
    """A noun in the plural, as English mostly has it."""
    if word.endswith(("man", "f")):
        return re.sub("an$", "en", re.sub("f$", "ves", word))
    if word.endswith(("ch", "sh", "s", "x")):
        return f"{word}es"
    return word[:-1] + "ies" if re.search(r"[^aeiou]y$", word) else f"{word}s"


@lru_cache(maxsize=32)
def _tokens(pack: Pack) -> tuple[re.Pattern[str], dict[str, str]]:
    """Every word for a role, as a pattern, and word -> token."""
    found = dict.fromkeys(_WOLF, "wolf")
    for place, (key, part) in enumerate(pack.parts.items()):
        token = "wolf" if part == "wolf" else f"{part}{place}"
        one, several = names(pack, key)
        found |= dict.fromkeys((*one, *pack.data.words.get(key, ())), token)
        found |= dict.fromkeys(several, token if part == "wolf" else f"{token}s")
    longest = "|".join(re.escape(word) for word in sorted(found, key=len, reverse=True))
    return re.compile(rf"\b({longest})(?=(?:y|ish)?\b)"), found


def tokens(text: str, pack: Pack) -> str:
    """`text`, in lower case, with a token for every word for a role."""
    pattern, token = _tokens(pack)
    return pattern.sub(lambda m: token[m[1]], _LIKE_A_TOKEN.sub(" ", text))


def key_of(token: str, pack: Pack) -> str:
    """The role a token stands for; of a part alone its first role, "" where the deck has none."""
    match = _TOKEN.fullmatch(token)
    if match and match[2]:
        return pack.ruleset.roles[int(match[2])].key
    return pack.role(cast(Part, token))
