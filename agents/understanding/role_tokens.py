"""Replace words for roles by tokens, so that the patterns do not depend on a game's role names.

A token is the role's part in the game (`agents.packs.Part`) and its index in the ruleset:
`looker0`, in the plural "looker0s". The token of the hunted roles is "wolf" in every ruleset.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import cast

from agents.packs import Pack, Part
from game.engine.ruleset import role_of

# Words for the hunted role in every game.
_WOLF = ("wolf", "wolves", "wolfs", "ww")
# Part of a village role that neither looks nor knows another player and is not the plain one.
_KEEPER = "keeper"
# Token of the verb for keeping a player alive at night.
_WARD = "ward"
# A keeper's name used as that verb: "keep @3 tonight".
_KEEPS = re.compile(
    r"(?<!the )(?<!a )(?<!our )(?<!real )(?<!am )(?<!im )(?<!is )(?<!as )(?<!claim )(?<!'m )"
    r"\bkeeper\d+ (?=@|me\b|him\b|her\b|them\b|us\b|you\b|\w+self\b|some(?:body|one)\b|who\w*\b|"
    r"(?:the|our|your) (?:looker|badge|real|same)|badge\b|or (?:check|look)|tonight\b)"
)
# A player's own words that look like a token.
_LIKE_A_TOKEN = re.compile(r"\b(?:looker|mate|keeper|plain|helper|loner)\d+s?\b")
# A token: part, index, plural.
_TOKEN = re.compile(r"([a-z]+)(\d*)s?")


def role_names(pack: Pack, key: str) -> tuple[list[str], list[str]]:
    """Return (singulars, plurals) of the game's names for a role, in lower case."""
    name = role_of(pack.ruleset, key).name
    singulars = list(dict.fromkeys(re.sub(r"[\W_]+", " ", word).lower() for word in (name, key)))
    return singulars, [_plural(word) for word in singulars]


def _plural(word: str) -> str:
    """Return the plural of an English noun, by the regular rules."""
    if word.endswith(("man", "f")):
        return re.sub("an$", "en", re.sub("f$", "ves", word))
    if word.endswith(("ch", "sh", "s", "x")):
        return f"{word}es"
    return word[:-1] + "ies" if re.search(r"[^aeiou]y$", word) else f"{word}s"


@lru_cache(maxsize=32)
def _role_words(pack: Pack) -> tuple[re.Pattern[str], dict[str, str]]:
    """Return (pattern of all words for roles, word -> token)."""
    tokens_by_word = dict.fromkeys(_WOLF, "wolf")
    part: str
    for index, (key, part) in enumerate(pack.parts.items()):
        if part == "plain" and key != pack.plain_role:
            part = _KEEPER
        token = "wolf" if part == "wolf" else f"{part}{index}"
        singulars, plurals = role_names(pack, key)
        tokens_by_word |= dict.fromkeys((*singulars, *pack.data.words.get(key, ())), token)
        tokens_by_word |= dict.fromkeys(plurals, token if part == "wolf" else f"{token}s")
    tokens_by_word |= dict.fromkeys(pack.data.badge, "badge")
    tokens_by_word |= {word: _WARD for word in pack.data.deeds if word not in tokens_by_word}
    longest_first = sorted(tokens_by_word, key=len, reverse=True)
    alternatives = "|".join(map(re.escape, longest_first))
    return re.compile(rf"\b({alternatives})(?=(?:y|ish)?\b)"), tokens_by_word


def replace_role_words(text: str, pack: Pack) -> str:
    """Return the lower-case `text` with a token in place of every word for a role."""
    pattern, token = _role_words(pack)
    text = pattern.sub(lambda m: token[m[1]], _LIKE_A_TOKEN.sub(" ", text))
    return _KEEPS.sub(f"{_WARD} ", text) if pack.data.deeds else text


def role_key(token: str, pack: Pack) -> str:
    """Return the key of the role that a token stands for.

    A part without an index stands for its first role, "" if the deck has none.
    """
    match = _TOKEN.fullmatch(token)
    if match and match[2]:
        return pack.ruleset.roles[int(match[2])].key
    return pack.role(cast(Part, token))
