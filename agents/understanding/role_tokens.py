"""Role words as tokens, so that no pattern knows a game's roles by name.

As a name becomes `@3`, a role's word becomes its part in the game and its place in the ruleset:
`looker0`, in the plural "looker0s" (the parts: `agents.packs.Part`). The hunted ones are "wolf",
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
# one of the village that neither looks nor knows anybody, and isn't the usual one
_KEEPER = "keeper"
# to keep somebody alive at night
_WARD = "ward"
# the keeper's word for it, which is its name too: "keep @3 tonight"
_KEEPS = re.compile(
    r"(?<!the )(?<!a )(?<!our )(?<!real )(?<!am )(?<!im )(?<!is )(?<!as )(?<!claim )(?<!'m )"
    r"\bkeeper\d+ (?=@|me\b|him\b|her\b|them\b|us\b|you\b|\w+self\b|some(?:body|one)\b|who\w*\b|"
    r"(?:the|our|your) (?:looker|badge|real|same)|badge\b|or (?:check|look)|tonight\b)"
)
# somebody's own words that read like a token
_LIKE_A_TOKEN = re.compile(r"\b(?:looker|mate|keeper|plain|helper|loner)\d+s?\b")
# a token: part, place, plural
_TOKEN = re.compile(r"([a-z]+)(\d*)s?")


def names(pack: Pack, key: str) -> tuple[list[str], list[str]]:
    """Return what the game calls a role, in lower case: one who holds it, and several."""
    name = role_of(pack.ruleset, key).name
    one = list(dict.fromkeys(re.sub(r"[\W_]+", " ", word).lower() for word in (name, key)))
    return one, [_several(word) for word in one]


def _several(word: str) -> str:
    """Return a noun in the plural, as English mostly has it."""
    if word.endswith(("man", "f")):
        return re.sub("an$", "en", re.sub("f$", "ves", word))
    if word.endswith(("ch", "sh", "s", "x")):
        return f"{word}es"
    return word[:-1] + "ies" if re.search(r"[^aeiou]y$", word) else f"{word}s"


@lru_cache(maxsize=32)
def _tokens(pack: Pack) -> tuple[re.Pattern[str], dict[str, str]]:
    """Return every word for a role, as a pattern, and word -> token."""
    tokens_by_word = dict.fromkeys(_WOLF, "wolf")
    part: str
    for index, (key, part) in enumerate(pack.parts.items()):
        if part == "plain" and key != pack.plain_role:
            part = _KEEPER
        token = "wolf" if part == "wolf" else f"{part}{index}"
        one, several = names(pack, key)
        tokens_by_word |= dict.fromkeys((*one, *pack.data.words.get(key, ())), token)
        tokens_by_word |= dict.fromkeys(several, token if part == "wolf" else f"{token}s")
    tokens_by_word |= dict.fromkeys(pack.data.badge, "badge")
    tokens_by_word |= {word: _WARD for word in pack.data.deeds if word not in tokens_by_word}
    longest = "|".join(re.escape(word) for word in sorted(tokens_by_word, key=len, reverse=True))
    return re.compile(rf"\b({longest})(?=(?:y|ish)?\b)"), tokens_by_word


def tokens(text: str, pack: Pack) -> str:
    """Return `text`, in lower case, with a token for every word for a role."""
    pattern, token = _tokens(pack)
    text = pattern.sub(lambda m: token[m[1]], _LIKE_A_TOKEN.sub(" ", text))
    return _KEEPS.sub(f"{_WARD} ", text) if pack.data.deeds else text


def key_of(token: str, pack: Pack) -> str:
    """Return the role a token stands for.

    Of a part alone its first role, "" where the deck has none.
    """
    match = _TOKEN.fullmatch(token)
    if match and match[2]:
        return pack.ruleset.roles[int(match[2])].key
    return pack.role(cast(Part, token))
