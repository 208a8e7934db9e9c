"""One mention of a player and the words around it; whether these deny or hedge."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agents.understanding import lexicon

Finding = tuple[str, str, str]  # (kind of act, seat, role)
Verdict = tuple[str, str] | None  # (kind of act, role)


@dataclass(frozen=True)
class Mention:
    """The words around one mention of a player or of several."""

    whole: str  # the clause
    all_before: str  # from its beginning to the mention
    left: str  # from the mention before it; begins with a space
    right: str  # up to the next mention; ends in a space
    own: bool  # of something theirs: "@3_s claim"
    many: bool  # of several players: "@2+3"
    more: bool  # another mention follows


# "none but @3", "no doubt": no denials
_NO_OTHER = re.compile(
    r"\b(?:nobody|none|no one|nothing|no other) (?:but|other than|than|except)\b|\bno "
    r"(?:\w+ )?doubt\b|\bno way around\b|\bno mystery\b"
)
# "no need to tell"
_NO_NEED = re.compile(r"\bnot need (?:\w+ ){0,4}?to (?:tell|see|know)\b")
# "not only", "can't help": no denials
_NOT_ONLY = re.compile(
    r"\bnot (?:only|just|to mention)\b|\bno (?:doubt|question|cap|lie|joke)\b|"
    r"\bwithout (?:a )?doubt\b|\bdo not know\b|\bnot sure why\b|\bnot (?:gonna|going to) lie\b|"
    r"\bnot (?:help|resist|help but)\b|\bnot stop\b"
)
# "stop lying": no denial
_STOP_LYING = re.compile(
    r"\b(?:stop|quit|stopped) (?=lying|pretend|faking|bluff|hiding|dodg|deflect)"
)

# Taken out in this order before denials are counted.
_NO_DENIAL = (_NO_OTHER, _NO_NEED, _NOT_ONLY, _STOP_LYING)


def negated(text: str) -> bool:
    """Return whether an odd number of denials stands in `text`.

    The readers give it only so many characters before a cue: a denial doesn't reach far.
    """
    for pattern in _NO_DENIAL:
        text = pattern.sub(" ", text)
    return len(lexicon.NOT.findall(text)) % 2 == 1


# words that look like a hedge and are none
_NO_HEDGE = re.compile(
    r"\bno doubt\b|\bthink it over\b|\bwould (?:never|bet my (?:house|life|hat))\b|"
    r"\blook(?:ed)? at\b|\bonly look\b|\blooking for\b|\bhunting for\b"
)


# a likelihood short of certainty: "90 % wolf", "sixty percent"
_SHARE = re.compile(
    r"(?<![\d.])\d{1,2} ?(?:%|percent|per cent)|\b(?:ten|twenty|thirty|forty|fifty|sixty|seventy|"
    r"eighty|ninety)(?:-\w+)? (?:percent|per cent)\b"
)


def hedged(text: str, lying: bool) -> bool:
    """Return whether `text` is a guess.

    Lying: "I think @3 lies" is none, "maybe @3 lies" is.
    """
    text = _NO_HEDGE.sub(" ", text)
    return bool((lexicon.MODAL if lying else lexicon.HEDGE).search(text) or _SHARE.search(text))


# turns a verdict round
DOUBT = re.compile(r"(?<!no )(?<!without )(?<!without a )(?<!beyond )\bdoubt\b")
MANY = 2  # plus signs of a list of three
