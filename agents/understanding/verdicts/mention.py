"""One mention of a player and the words around it; whether these deny or hedge."""

from __future__ import annotations

from dataclasses import dataclass

from agents.understanding.patterns import LEXICON, load

P = load("mention")


Finding = tuple[str, str, str]  # (kind of act, seat, role)
Verdict = tuple[str, str] | None  # (kind of act, role)


@dataclass(frozen=True)
class Mention:
    """The words around one mention of a player or of several."""

    clause: str
    all_before: str  # from its beginning to the mention
    left: str  # from the mention before it; begins with a space
    right: str  # up to the next mention; ends in a space
    own: bool  # of something theirs: "@3_s claim"
    many: bool  # of several players: "@2+3"
    more: bool  # another mention follows


# Taken out in this order before denials are counted.
_NO_DENIAL = (P.no_other, P.no_need, P.not_only, P.stop_lying)


def negated(text: str) -> bool:
    """Return whether an odd number of denials stands in `text`.

    The readers give it only so many characters before a cue: a denial doesn't reach far.
    """
    for pattern in _NO_DENIAL:
        text = pattern.sub(" ", text)
    return len(LEXICON.denial.findall(text)) % 2 == 1


def hedged(text: str, lying: bool) -> bool:
    """Return whether `text` is a guess.

    Lying: "I think @3 lies" is none, "maybe @3 lies" is.
    """
    text = P.no_hedge.sub(" ", text)
    return bool((LEXICON.modal if lying else LEXICON.hedge).search(text) or P.share.search(text))


def doubted(text: str) -> bool:
    """Return whether `text` turns a verdict round: "I doubt that"."""
    return bool(P.doubt.search(text))


MANY = 2  # plus signs of a list of three
