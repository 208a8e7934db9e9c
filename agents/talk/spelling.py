"""Typing errors and chat shorthand put right, where the game turns on the word.

Names of the table and the game's own words are found again through one slip of the finger (a
letter too many, too few, wrong, or two in each other's place). Words that exist are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

# What people type -> what they mean.
SHORTHAND: dict[str, str] = {
    "teh": "the",
    "villa": "villager",
    "wdyt": "what do you think",
    "hbu": "how about you",
    "wbu": "what about you",
    "thx": "thanks",
    "em": "them",
    "yall": "you all",
    "abt": "about",
    "likelier": "more likely",
    "gotta": "have to",
    "tehm": "them",
    "adn": "and",
    "n": "and",
    "w": "with",
    "r": "are",
    "iam": "i am",
    "hes": "he is",
    "shes": "she is",
    "theyre": "they are",
    "youre": "you are",
    "dotn": "do not",
    "dont": "do not",
    "nite": "night",
    "b4": "before",
    "rn": "now",
    "vill": "villager",
    "villy": "villager",
    "villie": "villager",
    "vt": "villager",
    "def": "definitely",
    "deffo": "definitely",
    "defo": "definitely",
    "prob": "probably",
    "probs": "probably",
    "bc": "because",
    "cuz": "because",
    "cause": "because",
    "coz": "because",
    "pls": "please",
    "plz": "please",
    "shld": "should",
    "shd": "should",
    "cud": "could",
    "wud": "would",
    "gonna": "going to",
    "wanna": "want to",
    "evryone": "everyone",
    "every1": "everyone",
    "sum1": "somebody",
    "thru": "through",
    "ppl": "people",
    "thot": "thought",
    "susp": "suspicious",
    "cleen": "clean",
    "lookd": "looked",
    "chekd": "checked",
    "checkd": "checked",
    "thnk": "think",
    "nwo": "now",
    "com": "come",
    "vot": "vote",
    "voet": "vote",
    "beggin": "begging",
    "ofc": "of course",
    "smth": "something",
    "nah": "no",
    "nope": "no",
    "ya": "you",
}
# The game's words, found again through one slip.
WORDS = (
    "villager",
    "werewolf",
    "mason",
    "masons",
    "seer",
    "tanner",
    "minion",
    "lying",
    "liar",
    "voting",
    "suspect",
    "suspicious",
    "believe",
    "trust",
    "agree",
    "disagree",
    "innocent",
    "neither",
    "checked",
    "looked",
    "right",
    "wrong",
    "think",
    "just",
    "claim",
    "partner",
    "leave",
)
# Ordinary words one slip away from a name or a word above.
ORDINARY = frozenset(
    [
        "season",
        "reason",
        "tea",
        "ate",
        "masonry",
        "seem",
        "seen",
        "sees",
        "seek",
        "steer",
        "peer",
        "deer",
        "beer",
        "veer",
        "banner",
        "manner",
        "tanned",
        "lair",
        "flying",
        "trying",
        "dying",
        "buying",
        "tying",
        "laying",
        "laying",
        "light",
        "night",
        "might",
        "fight",
        "sight",
        "tight",
        "bright",
        "wrung",
        "thing",
        "thank",
        "thin",
        "blink",
        "drink",
        "locked",
        "hooked",
        "booked",
        "cooked",
        "blocked",
        "looker",
        "thrust",
        "crust",
        "rust",
        "dust",
        "must",
        "bust",
        "bet",
        "beat",
        "beta's",
        "meta",
        "best",
        "belt",
        "bell",
        "data",
        "date",
        "gamer",
        "games",
        "game",
        "gamble",
        "either",
        "weather",
        "leaves",
        "leaver",
        "heave",
        "weave",
        "lean",
        "leap",
        "least",
        "relieve",
        "claims",
        "clam",
        "climb",
        "reclaim",
        "notion",
        "union",
        "million",
        "opinion",
        "rotting",
        "noting",
        "vetoing",
        "roting",
        "agreed",
        "degree",
        "greed",
        "rights",
        "eighth",
        "theta",
        "zero",
        "zest",
        "late",
        "set",
        "net",
        "get",
        "let",
        "yet",
        "jet",
        "pet",
        "met",
        "vet",
        "wet",
        "bet",
        "eat",
        "eta",
        "etc",
        "era",
        "delta",
        "dealt",
        "deal",
        "alpha's",
        "mason's",
        "seers",
        "villagers",
        "minions",
        "tanners",
        "liars",
        "partners",
        "judge",
        "jest",
        "jut",
        "gust",
        "lust",
        "thinks",
        "clear",
        "clean",
    ]
)

LONG = 5  # letters


@lru_cache(maxsize=64)
def _targets(names: tuple[str, ...]) -> dict[str, str]:
    """Every spelling one slip away -> the word, where only one word is that near."""
    found: dict[str, str] = {}
    twice: set[str] = set()
    known = {*names, *WORDS, *ORDINARY}
    for word in (*names, *WORDS):
        for slip in slips(word):
            if slip in known:
                continue
            if found.get(slip, word) != word:
                twice.add(slip)
            found[slip] = word
    return {slip: word for slip, word in found.items() if slip not in twice}


def slips(word: str) -> Iterable[str]:
    """The spellings one slip away from `word`; its first letter is hardly ever wrong.

    Of short words only letters doubled or in each other's place: "well" is not "Will".
    """
    letters = "abcdefghijklmnopqrstuvwxyz"
    for i, letter in enumerate(word):
        yield word[:i] + letter + word[i:]
        if i + 1 < len(word) and word[i + 1] != letter:
            yield word[:i] + word[i + 1] + letter + word[i + 2 :]
        if len(word) >= LONG:
            yield from (word[: i + 1] + c + word[i + 1 :] for c in letters)
            if i:
                yield word[:i] + word[i + 1 :]
                yield from (word[:i] + c + word[i + 1 :] for c in letters)


def corrected(text: str, seats: Sequence[str]) -> str:
    """`text`, in lower case, with slips and shorthand put right."""
    near = _targets(tuple(s.lower() for s in seats))

    def put_right(match: re.Match[str]) -> str:
        word = match[0]
        return SHORTHAND.get(word) or near.get(word, word)

    return re.sub(r"(?<![\w'@])[a-z0-9]+(?![\w'])", put_right, text)
