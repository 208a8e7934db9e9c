"""Whom a sentence asks something, and what about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.talk import cues

# how a question or a demand begins
ASKING = re.compile(
    r"^(?:(?:so|and|but|please|now|ok|okay|come on|well|then|hey|also|yo|wait|dude|bro|"
    r"man|um|quick question|perhaps|honestly|kindly) )*"
    r"(?:tell (?:us|me|everyone|the)|explain|answer|speak up|say something|give us|give "
    r"me|care to|enlighten|convince|spill|come clean|show us|"
    r"state your|name your|justify|defend yourself|clarify|role|your role|your card|"
    r"claim|who|whom|what|whats|why|which|where|when|how|are you|is it|did|do you|can "
    r"you|"
    r"could you|would you|will you|have you|were you|was it|any (?:thoughts|idea|read|"
    r"result)|anything|i am asking|talk to us|let us hear|your turn|@[\d+]+_s (?:role|"
    r"card|turn))\b"
)
# "I would like to hear from @3"
_HEAR = re.compile(
    r"\b(?:hear (?:[\w']+ ){0,4}?from|i (?:\w+ ){0,3}?ask|asking|question (?:for|to)|"
    r"curious (?:about |what |how )?|(?:like|want|love) to know (?:\w+ ){0,3}?(?:from|"
    r"what|why|who|where)?|answer from|waiting (?:for|on)|owes? us|what about|how about|"
    r"ask)(?: \w+){0,3} @([\d+]+)"
)
# a demand that needs an answer
_TELL = re.compile(
    r"^(?:(?:so|and|but|please|now|ok|okay|come on|well|then|hey|also|yo|wait|dude|bro|"
    r"man|um|quick question|perhaps|honestly|kindly) )*"
    r"(?:tell (?:us|me|everyone|the)|explain|answer|speak up|say something|give (?:us|"
    r"me)(?! a (?:moment|second|minute|break|while)| time)|enlighten|convince|spill|come "
    r"clean|show us|state your|name your|"
    r"justify|defend yourself|clarify|role|your role|your card|what role|who (?:you|all|"
    r"are|do)|whats|what is|i am asking|talk to us|let us hear|your turn|@[\d+]+_s "
    r"(?:role|card|turn)|which is it)\b"
)
# a short question to whoever spoke
_WH_TO_YOU = re.compile(
    r"^(?:and |but |so |then |lol |no )*(?:why|what|which|how|for what)\b(?: (?:so|me|not|"
    r"that|those|two|the|made|is that|exactly|role|makes|now|for|come)|$)"
)
# a question to somebody, without its mark
_WH_YOU = re.compile(
    r"(?:(?:so|and|but|wait) )*(?:why (?:did|do|are|would|is)|what (?:did|do|are|is|makes|"
    r"made)|who (?:did|do|are|is)|which (?:two|one|role|of)|how (?:do|did|come|are)|tell us|"
    r"explain|(?:why|how) @\d+|(?:what|who) @\d+ (?:is$|is at|did|do|think|suspect|get|"
    r"got))\b"
)
# the one spoken to
_YOU = re.compile(r"\b(?:you|your|yours|yourself)\b")
# words that make a question without clauses one to somebody
_YOU_OR_BARE = re.compile(r"\b(?:you|and|what|how|so)\b")
# a demand, whatever the sentence's mark
_TELL_US = re.compile(r"\btell (?:us|me|your)\b")
# "I can tell": no demand
_I_TELL = re.compile(r"\bi (?:\w+ ){0,2}tell\b|\bcan tell\b")
# what a very short question asks for
_ROLE_ASKED = re.compile(r"\b(?:seer|mason|villager|wolf|yes or no|role|well)\b")
# "what about @3"
_ASKED_LAST = re.compile(r"(?:about|from|with|to|ask|of|and) @(\d+)$")
# "@3's role"
_ASKED_FIRST = re.compile(r"(?:\w+ ){0,2}?@(\d+)(?:_s)? (?:role|card|read|claim|who|what|why)")
# "what does @3 think"
_ASKED_OF = re.compile(
    r"(?:(?:and|so|but|ok|now) )*(?:what|who|whom|which|where) (?:does|did|do|has|"
    r"would) @(\d+) (?:\w+ )?"
    r"(?:think|say|see|suspect|got|have|claim|make of|stand|vote|believe|look at|check)\b"
)
# "everyone, say your role": all are asked
_EVERYONE = re.compile(
    r"^(?:(?:so|and|but|please|now|ok|okay|come on|well|then|hey|right) ,? ?)*(?:everyone|"
    r"everybody|all of you|you all|each of you|guys|folks|people|all)\b[ ,]*(?:please |just |now "
    r"|should )*(?:say|tell|name|state|claim|reveal|give|show|what is|what are|who are) "
    r"(?:us |me |out )?(?:your|you|their|his|which|what|who)\b"
)
# somebody else asks, or everybody is asked
_ASKED_OTHERWISE = re.compile(
    r"@[\d+]+ (?:\w+ )?(?:asked|asks|is asking|is waiting)|\bask(?:ed)? @\d+|\bask "
    r"(?:all|everyone|everybody|you all|that|you)\b|\bhim can\b"
)


def asked(
    whole: str, body: str, clauses: Sequence[str], named: Sequence[str], you: str, asks: bool
) -> str:
    """The seats a sentence asks something, "" for none.

    whole: the sentence; body, clauses: what it says, without the names it calls; named: these
    names' seats; you: the seat spoken to; asks: whether it is a question by its mark.
    """
    addressed = bool(_YOU.search(whole))
    asking = [c for c in clauses if ASKING.match(c)]
    seats = ""
    if asks and not clauses and not _YOU_OR_BARE.search(whole):
        return ""
    if asks or (_TELL_US.search(body) and not _I_TELL.search(body)):
        short = len(whole.split()) <= SHORT and _ROLE_ASKED.search(whole)
        seats = "+".join(named)
        if not seats and (addressed or short or _WH_TO_YOU.match(whole)):
            seats = you
        if not seats and (match := _ASKED_LAST.search(body) or _ASKED_FIRST.match(body)):
            seats = match[1]
    elif named and any(_WH_YOU.match(c) or _TELL.match(c) for c in asking):
        seats = "+".join(named)
    elif addressed and not named and asking and _WH_YOU.match(asking[0]):
        seats = you
    if not seats and (match := _ASKED_OF.match(body)):
        seats = match[1]
    if not seats and (match := _HEAR.search(body)) and not _ASKED_OTHERWISE.search(body):
        seats = match[1]
    return seats


SHORT = 4  # words of a question that needs no "you"
# asks why
_REASON = re.compile(r"\b(?:why|reasons?|grounds|how come|what makes|what made)\b")
# asks what was seen in the night
_RESULT = re.compile(r"\b(?:look|looked|check|checked|see|saw|vision|result|learn|learned)\b")
# asks who somebody is
_ROLE = re.compile(
    rf"\b(?:role|who are|what are|who is(?! it)|what is|(?:who|what) @\d+ is|claim|card)\b|"
    rf"@\d+ is (?:not )?(?:the |a |an |our )?(?:real |other |true )?{cues.ROLE}\b"
)
# asks whom somebody suspects
_OPINION = re.compile(
    r"\b(?:suspect|suspicious|trust|whom?|think|make of|vote|stand|read|eye|wolf)\b"
)


def asks_everyone(whole: str) -> bool:
    """Whether a sentence asks everybody at the table."""
    return bool(_EVERYONE.match(whole))


def about(body: str) -> str:
    """What a question is about."""
    if _REASON.search(body):
        return "reason"
    if _RESULT.search(body):
        return "result"
    if _ROLE.search(body):
        return "role"
    if _OPINION.search(body):
        return "suspect"
    return ""
