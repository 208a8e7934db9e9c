"""Roles that a clause claims or denies for its speaker."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.understanding import lexicon
from agents.understanding.clauses import MENTION
from agents.understanding.role_idioms import OTHER, ROLE_WORD, fixed

# the speaker
ME = re.compile(r"(?<![\w@'])(?:i|me|my|mine|myself|im|we|us|ours?)(?![\w'])")
# the speaker as somebody who holds something
_SUBJECT = re.compile(
    r"(?<![\w@'])(?:i|im|me|myself|we(?= (?:are|two|both|(?:mate|looker|plain)\d+)))(?![\w'])|"
    r"\bmy (?=(?:\w+ ){0,2}(?:card|role))"
)
# A verb that makes the role the speaker's thought, wish or object, not its own part.
_OBJECT = re.compile(
    r"\b(?:think|thinking|thought|believe|believed|suspect|want|wants|need|hope|trust|ask|asked|"
    r"asking|agree|disagree|vote|voted|voting|find|finding|found|hear|heard|hearing|wait|waiting|"
    r"see|saw|seen|looked|look|looking|doubt|accuse|accused|accusing|figure|bet|guess|take|like|"
    r"love|blame|understand|defend|support|follow|help|protect|let|expect|hunt|hunting|catch|tell|"
    r"wonder|feel|know|met|calling|smell|consider|against|than|between|where|when|how|why|explain|"
    r"if|unless|until|counter|countered|fear|guard|save|out|lead|mention|mentioned|talking|talk|"
    r"arguing|argue|interested|curious|side with|buy|with the|for the|from the|about|like a|"
    r"like the|as if|killed|kill|dreamed|read|fooled|pretend|pretending|wish|prefer|rather|discuss|"
    r"remember|played with|would say|should|would|could|might|may|supposed|seem|thank|sold|"
    r"(?<!belong )to the|ask for|push|pushing|address|speaking to|putting|put|picked the|sleep|"
    r"sure|certain|afraid|counting|happy)\b"
)
# how a role is held or told
_HOLDS = re.compile(
    r"\b(?:am|was|is|im|got|get|drew|draw|have|had|dealt|hold|holding|held|play|playing|claim\w*|"
    r"receiv\w+|pulled|picked|woke|given|ended|flipped|as|being|be|been|card|only|just|being|stuck|"
    r"hard claim\w*|declar\w+|confess|admit|reveal|introduce|remain|represent|carry|carrying|wear|"
    r"belong|rolled|landed|hands? me|handed|says?|said|told|one of|come from|from)\b"
)
# the role as a kind of player: "looker claims", "the mate would"
_TYPE_AFTER = re.compile(
    r"^ (?:claims?|claimed|claimants?|pair|would|should|has to|must|needs?|will|vibes?|hunt|talk|"
    r"team|stuff|slip|or|wants?|knows?|looks|can|could|might|is(?! me| i\b)|are|was|does|do|did|"
    r"dead|went|said|says|thing|story|result|fight|behavio\w+|energy|read|win|wins|never|always|"
    r"gets|that)\b"
)
# the speaker's card
_CARD = re.compile(
    r"\b(?:my|our) (?:\w+ ){0,3}?(?:role|card|part|job|profession|trade|lot|identity|"
    r"claim|fate|answer)\b(?! (?:to|for))|^(?:role|me|card|claim|answer)\b|"
    r"\bthe card (?:\w+ ){0,4}?(?:i|me|my)\b|\bclaiming\b"
)
# "the looker is me", "looker here"
_AFTER_ME = re.compile(
    rf"\b({lexicon.ROLE})(?:'?s)? (?:(?:is|was|it is|its|right|over|present|am|for|from|speaking|"
    rf"reporting|such as|like|,|that is|that would be|the only|"
    rf"what|card is|by) )*(?:here|(?<=is the looker\d )talking|speaking|reporting|me|i$|at "
    rf"your service|checking in|in the house|for duty|myself|mine|birth|on duty|"
    rf"in my hands?|signing off|my card)\b(?! (?:think|believe|know|suspect|want|need))"
)
# what a bare role may stand among
_BARE_WORDS = (
    r"(?:so|well|ok|okay|yes|yeah|yep|no|nah|um|uh|hi|hey|all|lol|a|an|the|just|only|plain|simple|"
    r"boring|old|humble|real|true|normal|regular|ordinary|honest|definitely|def|tbh|one of|two|"
    r"fine|also|legit|still|myself|good|poor|little|merely|obviously|sadly|alas|actually|claim|"
    r"hard|soft|hardclaim|hardclaiming|softclaim|being|100%|as|not|never|neither|nor|and|or|role|"
    r"hello|greetings|full|for|us|basic|bog|standard|your|local|friendly|neighbourhood|"
    r"neighborhood|village|sleepy|it|is|was|got|drew|am|im|dealt|pulled|have|had|lazy|dull|leaves|"
    r"oh|right|ugh|once|more|again|me|too|classic|total|pure|mere|common|card|life|girl|boy|guy|"
    r"man|woman|dude|here|btw|sorry|guys|folks|aka|cc|namely|can|dead|everyone|friends|of|course|"
    r"by|way|nothing|else|please|swear|promise|period|haha|now|today|game|end|story|indeed|always|"
    r"unfortunately|since|start|over|gang|really|very|i|say|said|told|you|already|before|like|from|"
    r"beginning|innocent|harmless|nobody|special|aint|nope|confirmed|to|be|clear|exact|my|turn|"
    r"quite|rather|bit|cards|on|table|confession)"
)
# nothing but roles and small words: "just a simple mate"
_BARE = re.compile(
    rf"^(?:{_BARE_WORDS} ){{0,9}}{lexicon.ROLE}(?! (?:said|says|say|told|is|was|will|you|i|we)\b)"
    rf"(?: (?:{_BARE_WORDS}|{lexicon.ROLE})){{0,9}}$"
)
# a verb without its "i"
_ELLIPTICAL = re.compile(
    r"^(?:was not|was dealt|was given|am not|am|got|drew|rolled|pulled|picked|dealt|have|had|"
    r"been|lied about) (?!.*@)"
)
# "i am": the role just named
_THAT_I_AM = re.compile(
    r"^(?:(?:because|so|no|well|and|sorry|sweetheart) )*(?:i am|i am the real one|that is me|"
    r"i am one|i am one of (?:them|the two|those)|that would be me|me)$"
)
# a denial
_NO = re.compile(
    r"\b(?:not|no|never|neither|nor|nope|cannot|hardly|far from|anything but|instead of|"
    r"without|zero|den(?:y|ies|ied|ying))\b"
)
# denials that deny no role
_FREE = re.compile(
    r"\bno (?:cap|lie|doubt|joke|kidding|question|secret|more than|reason)\b|\bnot (?:only|"
    r"gonna lie|lying|kidding|joking|going to lie|going to hide)\b|\bnothing (?:more|else|"
    r"but|other)\b|\bno point\b|^no (?=i am )"
)


def denied(before: str) -> bool:
    """Return whether a role is denied by the words before it.

    A denial reaches 44 characters.
    """
    return bool(_NO.search(_FREE.sub(" ", before)[-44:]))


# a clause that hangs on another's verb
_THAT_I_AM_SAID = re.compile(r"that i am\b")
# "i never said i am ..."
_NEVER_SAID = re.compile(r"\b(?:never|not) (?:said|say|claimed|told)\b.*\bi (?:am|was)\b")
# what is said to a role by its name: "keeper, stay with @3"
_CALLED_ON = re.compile(
    r"[ ,]*(?:(?:please|pls|dear|tonight|now|whoever you are)[ ,]*|"
    r"if you (?:are|can|live)\b[^,]*,[ ,]*)*(?:if you (?:are|can|live)\b[^,]*)?"
    r"(?:stay|look|check|protect|ward|watch|do not|never|keep|come|speak|tell|say|hide|choose|pick|"
    r"listen|wait|hold|be|think|remember|make sure|take|try|give|use|go|put|sit|you|your|if you|we "
    r"need|show|save|reveal|claim|out|step|thank|perhaps|maybe|it is time|its time|time to|"
    r"not yet|no need)\b"
)
# "..., says @3": somebody else's words
_THEIR_WORDS = re.compile(
    r"(?:, )?(?:says|said|we hear|claims|claimed|so says|tells us|according|comes from|"
    r"looker\d+$|mate\d+$)\b(?: from| us)?"
)
# others stand before the clause
_OF_OTHERS = re.compile(r"\b(?:he|she|they|who|people|some) \w+")
# "who asked": no others after all
_ASKED = re.compile(r"\basked\b")
# "looker here": of oneself, whoever was spoken of
_HERE = re.compile(r"\bhere\b|^(?:as|just|plain|simple)\b")
# "looker, please": the looker is called
_ADDRESSED = re.compile(r"\b(?:looker|mate|keeper)\d+s? (?:please|now|first|here and|or)\b")
# "a mate such as me": of oneself, whatever is denied before
_SUCH_AS = re.compile(r"\b(?:such as|like)\b")


def roles(text: str, before: str = "", after: str = "") -> Iterator[tuple[str, str]]:
    """Yield (claim or deny, role) for every role a clause gives to its speaker.

    before, after: what stands around it in its sentence.
    """
    role_words = list(ROLE_WORD.finditer(before))
    if (
        role_words
        and _THAT_I_AM.match(text)
        and ("@" in before or "real" in before or "one of" in text)
    ):
        yield ("claim", role_words[-1][1])
        return
    if _ELLIPTICAL.match(text):
        text = "i " + text
    if _THAT_I_AM_SAID.match(text) or _NEVER_SAID.search(text):
        return
    spoken = ME.search(text) or _HERE.search(text)
    if _BARE.match(text) and _CALLED_ON.match(after) and not spoken:
        return
    if told_so := fixed(text):
        yield from told_so
        return
    if _THEIR_WORDS.match(after.strip(" ,")):
        return
    tells_of_others = ("@" in before or _OF_OTHERS.search(before)) and not _ASKED.search(before)
    if tells_of_others and not ME.search(text) and not _HERE.search(text):
        return
    if _BARE.match(text) and not _ADDRESSED.search(text):
        yield from _listed(text)
    elif shown_role := _inverted_claim(text):
        yield shown_role
    else:
        yield from _claimed_roles(text)


def _inverted_claim(text: str) -> tuple[str, str] | None:
    """Return the role in "the looker is me", "my card is the looker"."""
    if (match := _AFTER_ME.search(text)) and not OTHER.search(text[: match.start()]):
        no = denied(text[: match.start(1)]) and not _SUCH_AS.search(match[0])
        return ("deny" if no else "claim", match[1])
    card, role = _CARD.search(text), ROLE_WORD.search(text)
    if not card or not role or role[2] or MENTION.search(text[: role.start()]):
        return None
    between = text[min(card.end(), role.end()) : max(card.start(), role.start())]
    if _OBJECT.search(between):
        return None
    return ("deny" if denied(text[: role.start()]) else "claim", role[1])


def _listed(text: str) -> Iterator[tuple[str, str]]:
    """Yield the roles of a bare list: "not the wolf, just a mate"."""
    role_words = list(ROLE_WORD.finditer(text))
    start, no = 0, False
    for match in role_words:
        gap = text[start : match.start()]
        no = denied(gap)
        mine = bool(ME.search(text))
        owned = match[1] != "wolf" or no or mine
        if owned and (mine or not match[2]):
            yield ("deny" if no else "claim", match[1])
        start = match.end()


# "i got a plain one on @3": what a look told
_ON_SEAT = re.compile(r" (?:on|for|at) @")
# "the looker's card"
_CARD_AFTER = re.compile(r" (?:card|role|part)")
# "as a mate"
_AS_A = re.compile(
    r"^(?:(?:so|anyway|well|but|and|ok) )*(?:as|being|speaking as|speaking for|"
    r"claiming) (?:a |an |the |your |our )?(?:[\w-]+ ){0,4}$"
)
# what others think of the speaker: "she thinks i"
_OF_ME = re.compile(
    r"\b(?:think|thinks|says?|said|call|called|calling|calls|accus\w+|suspect\w*|told|make|made|"
    r"makes|takes?|wonder\w*|believes?|as though) (?:that )?(?:i|me|my)$"
)
# the speaker's own word for it: "i swear i"
_MY_WORD = re.compile(
    r"\bi (?:do |would |can |must |only |just )?(?:say|said|told you|think|swear|believe|mean|"
    r"guess|suppose|repeat|confess|admit|promise|insist) (?:that )?i$|^call me"
)
# "i simple mate"
_BARE_GAP = re.compile(r" (?:a |the )?(?:plain |simple |just |only )?")
# words before a role in the plural
_OF_SEVERAL = re.compile(r"\b(?:we|us|one of|two|the)\b")


def _claimed_roles(text: str) -> Iterator[tuple[str, str]]:
    """Yield the roles in a sentence whose subject is the speaker, or "as a mate"."""
    for match in ROLE_WORD.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        if (match[3] and not _CARD_AFTER.match(after)) or _ON_SEAT.match(after):
            continue
        mine = list(_SUBJECT.finditer(before))
        if _TYPE_AFTER.match(after):
            continue
        if not mine:
            if _AS_A.match(before) and not match[2]:
                yield ("claim", match[1])
            continue
        between = before[mine[-1].end() :]
        if not _holds(before[: mine[-1].end()], mine[-1][0], between, plural=bool(match[2])):
            continue
        yield ("deny" if denied(between) else "claim", match[1])


def _holds(lead: str, subject: str, between: str, plural: bool) -> bool:
    """Return whether a role belongs to `subject`, the speaker.

    lead: all up to and with the subject; between: from there to the role.
    """
    if OTHER.search(between) or _OBJECT.search(between):
        return False
    if lexicon.HEARSAY.search(lead):
        return False
    if _OF_ME.search(lead) and not _MY_WORD.search(lead):
        return False
    if not _HOLDS.search(subject + between) and not _BARE_GAP.fullmatch(between):
        return False
    return not plural or bool(_OF_SEVERAL.search(subject + between))
