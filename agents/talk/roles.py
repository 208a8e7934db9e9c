"""Role words as tokens, so that no pattern knows a game's roles by name.

As a name becomes `@3`, a role's word becomes its part in the game and its place in the ruleset:
`looker0`, in the plural `looker0s` (the parts: `agents.packs.Part`). The hunted ones are "wolf",
whatever a ruleset calls them. A word that is no role of the ruleset stays a word.
"""

from __future__ import annotations

import re
from functools import lru_cache

from agents.packs import Pack

# what the hunted one is called in every game
_WOLF = ("wolf", "wolves", "wolfs", "ww")
# somebody's own words that read like a token
_LIKE_A_TOKEN = re.compile(r"\b(?:looker|mate|plain|helper|loner)\d+s?\b")
# a token: part, place, plural
_TOKEN = re.compile(r"([a-z]+)(\d*)s?")


def names(pack: Pack, key: str) -> tuple[str, ...]:
    """What a role is called by the game, in lower case: one, and several."""
    role = next(r for r in pack.ruleset.roles if r.key == key)
    one = dict.fromkeys(re.sub(r"[\W_]+", " ", name).lower() for name in (role.name, key))
    return (*one, *map(_several, one))


def _several(word: str) -> str:
    """A noun in the plural, as English mostly has it."""
    for ending, plural in (("man", "men"), ("f", "ves"), ("ch", "ches"), ("s", "ses")):
        if word.endswith(ending):
            return word.removesuffix(ending) + plural
    return word[:-1] + "ies" if re.search(r"[^aeiou]y$", word) else f"{word}s"


@lru_cache(maxsize=32)
def _tokens(pack: Pack) -> tuple[re.Pattern[str], dict[str, str]]:
    """Every word for a role, as a pattern, and word -> token."""
    found = dict.fromkeys(_WOLF, "wolf")
    for place, (key, part) in enumerate(pack.parts.items()):
        token = "wolf" if part == "wolf" else f"{part}{place}"
        called = names(pack, key)
        half = len(called) // 2
        found |= dict.fromkeys((*called[:half], *pack.data.words.get(key, ())), token)
        found |= dict.fromkeys(called[half:], token if part == "wolf" else f"{token}s")
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
    return next((r for r, part in pack.parts.items() if part == token and pack.role(part)), "")
