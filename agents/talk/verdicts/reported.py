"""Verdicts in what is said of a player's own words: "exactly what @3 said"."""

from __future__ import annotations

import re

from agents.talk import cues
from agents.talk.verdicts.near import Near, Verdict, negated

# "exactly what @3 said", "I believe what @3 said"
_WHAT_INTRO = re.compile(
    r"(?:^ (?:yeah |yes |exactly |just |and |so |this |yup |yep |ya |basically |honestly "
    r"|pretty much |literally |1 |\+1 )*|\b(?:believe|believing|buy|trust|with|that is|confirm|"
    r"second|support|back|"
    r"exactly|same as|everything|take|accept|like|hear) (?:that )?)(?:what|everything|"
    r"all|like|as|whatever)? ?$"
)
# words right before "@3 said"
_WHAT_SAID = re.compile(r"\b(?:what|everything|all|like|as|whatever|believe|trust|buy) $")
# "who cares what @3 said"
_NOT_CARE = re.compile(r"\b(?:not care|ignore|idc|who cares)\b")
# trust in what was said
_BELIEVE_WORD = re.compile(r"\b(?:believe|buy|trust|take|convinc\w+)\b")
# "as @3 said"
_AS_SAID = re.compile(r"\b(?:what|as) $")
# "what @3 said is false"
_FALSE = re.compile(r"\bfalse\b")
# what was said is wrong
_NOT_BELIEVED = re.compile(
    r"\bnot (?:\w+ )?(?:believe|buy|true|right|add|make)\b|\b(?:cannot be|"
    r"nonsense|rubbish|wrong)\b"
)
# "odd how @3 said ..."
_ODD_THAT = re.compile(
    r"\b(?:odd|strange|weird|suspicious|fishy|funny|interesting|convenient)(?: (?:how|"
    r"that|it is|is))* $"
)
# "what @3 said is odd"
_ODD_AFTER = re.compile(
    r"\b(?:not (?:sit right|add up)|odd|strange|weird|suspicious|bothers?|worries?|"
    r"fishy|rehearsed|scripted|staged|forced|sus|shady|too (?:good|smooth|neat)|convenient)\b"
)
# "smells fishy what @3 said"
_ODD_WHAT = re.compile(r"\b(?:fishy|odd|strange|weird|suspicious|sus|shady|off) what $")
# "not a word of what @3 says"
_NOT_A_WORD = re.compile(r"\b(?:not a (?:single )?word|none|nothing) of what $")
# "@3 said it best"
_SAID_IT_BEST = re.compile(r"\bsaid it (?:best|right|well|all)\b|\bsaid (?:what|exactly)\b")
# "I believe @3 said ..."
_I_BELIEVE = re.compile(r"\b(?:believe|trust|buy) $")


# "everything @3 said"
_EVERYTHING = re.compile(
    r" (?:(?:and|so|but) )*(?:everything|all(?: that)?|whatever|half of what) $"
)


def speech(near: Near) -> Verdict:
    """ "@3 said ...": only "what @3 said", "@3 said it best" say something of @3 itself."""
    left, right = near.left, near.right
    if _EVERYTHING.match(left) and (cues.LYING.search(right) or _FALSE.search(right)):
        return ("agree" if negated(right) else "accuse", "")
    if _of_words(left):
        if cues.LYING.search(right) or _FALSE.search(right):
            return ("agree" if negated(right) else "accuse", "")
        if _ODD_AFTER.search(right) or _ODD_WHAT.search(left):
            return ("suspect", "")
        wrong = _NOT_BELIEVED.search(left + right) or negated(left)
        return ("disagree" if wrong else "agree", "")
    if _ODD_THAT.search(left) or _ODD_AFTER.search(right):
        return ("suspect", "")
    if _NOT_A_WORD.search(left):
        return ("accuse", "")
    if _SAID_IT_BEST.search(right):
        return ("agree", "")
    if _I_BELIEVE.search(left):
        return ("disagree" if negated(left) else "agree", "")
    return None


def _of_words(left: str) -> bool:
    """Whether what a player said is weighed: "exactly what @3 said", "I believe what @3 said"."""
    if not _WHAT_INTRO.search(left) or not _WHAT_SAID.search(left) or _NOT_CARE.search(left):
        return False
    return bool(
        _BELIEVE_WORD.search(left)
        or left.split()[0] in ("what", "like", "as", "exactly", "yeah", "this")
        or _AS_SAID.search(left)
    )
