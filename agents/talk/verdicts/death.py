"""Who wants to be voted out, as only the loner does: "@3 is begging for the noose"."""

from __future__ import annotations

import re

from agents.talk.verdicts.near import Near, Verdict, negated

# to want something badly
_WANTS = (
    r"(?:wants?|wanted|wanting|begs?|begging|trying|tries|tried|asks?|asking|fishing|fishes|"
    r"desperate|dying|insists?|playing|hungry|eager|eagerness|longing|hoping|love|loves|keen|"
    r"aching|praying|screaming|works?|working|campaigning)"
)
# to be put to death
_DEATH = (
    r"(?:(?:to )?(?:be|get|gets|getting|being) (?:\w+ )?(?:voted|hanged|hung|lynched|killed|"
    r"executed|"
    r"eliminated|strung|caught)|to (?:die|hang|swing)|(?:the|a|her|his|our|your|my)? ?(?:\w+ )?"
    r"(?:noose|rope|gallows|hanging|lynch|votes)\b|votes?\b|for it\b|it (?:so|too|that) bad\w*|"
    r"it$|us to (?:vote|hang|kill|lynch))"
)
# "@3 wants to be hanged"
_WISH = re.compile(rf"(?: [\w']+){{0,4}}? {_WANTS}(?: [\w']+){{0,5}}? {_DEATH}")
# votes for others, votes one needs, a role that is wanted, the speaker
_OTHERWISE = re.compile(
    r"\b(?:i|me|we|on|against|count|reason|wolf|(?:looker|mate)\d+|know|answers?|for @)\b"
)


def wants_death(near: Near) -> Verdict:
    """Whom its own wish to be voted out makes the loner."""
    if near.own and not near.right.startswith(" eager"):
        return None
    match = _WISH.match(near.right.rstrip())
    if not match or near.more or _OTHERWISE.search(match[0]) or negated(match[0]):
        return None
    return ("suspect", "loner")
