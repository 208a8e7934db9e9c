"""What a clause says of the speaker itself: a role held, denied, taken back, shared."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.talk import cues
from agents.talk.clauses import MENTION

ROLE = r"(?:seer|mason|villager|wolf|minion|tanner)"
_ROLE = re.compile(rf"\b({ROLE})(s)?\b(?!_)('s)?")
ME = re.compile(r"(?<![\w@'])(?:i|me|my|mine|myself|im|we|us|ours?)(?![\w'])")
_SUBJECT = re.compile(
    r"(?<![\w@'])(?:i|im|me|myself|we(?= (?:are|two|both|mason|seer|villager)))(?![\w'])|"
    r"\bmy (?=(?:\w+ ){0,2}(?:card|role))"
)
_OTHER = re.compile(
    r"@[\d+]+|\b(?:he|she|they|you|your|who|whoever|whom|somebody|someone|everyone|"
    r"everybody|nobody|anyone|"
    r"any|others|people|each|which|his|their|find|help|protect|kill|save|every|another "
    r"player|whether|"
    r"card to|person|those|these)\b"
)
# A verb that makes the role the speaker's thought, wish or object, not its own part.
_OBJECT = re.compile(
    r"\b(?:think|thinking|thought|believe|believed|suspect|want|wants|need|hope|trust|"
    r"ask|asked|asking|agree|disagree|vote|voted|voting|find|"
    r"finding|found|hear|heard|hearing|wait|waiting|see|saw|seen|looked|look|looking|"
    r"doubt|accuse|accused|accusing|figure|"
    r"bet|guess|take|like|love|blame|understand|defend|support|follow|help|protect|let|"
    r"expect|hunt|hunting|catch|"
    r"tell|wonder|feel|know|met|calling|smell|consider|against|than|between|where|when|"
    r"how|why|explain|"
    r"if|unless|until|counter|countered|fear|guard|save|out|lead|mention|mentioned|"
    r"talking|talk|arguing|argue|"
    r"interested|curious|side with|buy|with the|for the|from the|about|like a|like the|"
    r"as if|killed|kill|dreamed|read|fooled|"
    r"pretend|pretending|wish|prefer|rather|discuss|remember|played with|would say|"
    r"should|would|could|might|may|"
    r"supposed|seem|thank|sold|(?<!belong )to the|ask for|push|pushing|address|speaking "
    r"to|putting|put|picked the|sleep|sure|certain|afraid|counting|happy)\b"
)
_HOLDS = re.compile(
    r"\b(?:am|was|is|im|got|get|drew|draw|have|had|dealt|hold|holding|held|play|playing|"
    r"claim\w*|receiv\w+|pulled|picked|woke|"
    r"given|ended|flipped|as|being|be|been|card|only|just|being|stuck|hard claim\w*|"
    r"declar\w+|confess|admit|reveal|"
    r"introduce|remain|represent|carry|carrying|wear|belong|rolled|landed|hands? me|"
    r"handed|says?|said|told|one of|come from|from)\b"
)
_TYPE_AFTER = re.compile(
    r"^ (?:claims?|claimed|claimants?|pair|would|should|has to|must|needs?|will|vibes?|"
    r"hunt|talk|team|stuff|slip|or|"
    r"wants?|knows?|looks|can|could|might|is(?! me| i\b)|are|was|does|do|did|dead|went|"
    r"said|says|thing|story|result|fight|"
    r"behavio\w+|energy|read|win|wins|never|always|gets|that)\b"
)
_CARD = re.compile(
    r"\b(?:my|our) (?:\w+ ){0,3}?(?:role|card|part|job|profession|trade|lot|identity|"
    r"claim|fate|answer)\b(?! (?:to|for))|^(?:role|me|card|claim|answer)\b|"
    r"\bthe card (?:\w+ ){0,4}?(?:i|me|my)\b|\bclaiming\b"
)
_AFTER_ME = re.compile(
    rf"\b({ROLE})(?:'?s)? (?:(?:is|was|it is|its|right|over|present|am|for|from|speaking|"
    rf"reporting|such as|like|,|that is|that would be|the only|"
    rf"what|card is|by) )*(?:here|(?<=is the seer )talking|speaking|reporting|me|i$|at "
    rf"your service|checking in|in the house|for duty|myself|mine|birth|on duty|"
    rf"in my hands?|signing off|my card)\b(?! (?:think|believe|know|suspect|want|need))"
)
_BARE_WORDS = (
    r"(?:so|well|ok|okay|yes|yeah|yep|no|nah|um|uh|hi|hey|all|lol|a|an|the|just|only|"
    r"plain|simple|boring|old|humble|real|true|"
    r"normal|regular|ordinary|honest|definitely|def|tbh|one of|two|fine|also|legit|still|"
    r"myself|good|"
    r"poor|little|merely|obviously|sadly|alas|actually|claim|hard|soft|hardclaim|"
    r"hardclaiming|softclaim|being|100%|as|not|never|neither|nor|"
    r"and|or|role|hello|greetings|full|for|us|basic|bog|standard|your|local|friendly|"
    r"neighbourhood|neighborhood|"
    r"village|sleepy|it|is|was|got|drew|am|im|dealt|pulled|have|had|lazy|dull|leaves|oh|"
    r"right|ugh|"
    r"once|more|again|me|too|classic|total|pure|mere|common|card|life|girl|boy|guy|man|"
    r"woman|dude|here|btw|sorry|"
    r"guys|folks|aka|cc|namely|can|dead|everyone|friends|of|course|by|way|nothing|else|"
    r"please|swear|promise|period|haha|now|today|"
    r"game|end|story|indeed|always|unfortunately|since|start|over|gang|really|very|i|say|"
    r"said|told|you|already|before|like|from|beginning|innocent|harmless|"
    r"nobody|special|aint|nope|confirmed|to|be|clear|exact|my|turn|quite|rather|bit|"
    r"cards|on|table|confession)"
)
_BARE = re.compile(
    rf"^(?:{_BARE_WORDS} ){{0,9}}{ROLE}(?! (?:said|says|say|told|is|was|will|you|i|we)\b)(?: "
    rf"(?:{_BARE_WORDS}|{ROLE})){{0,9}}$"
)
_NOT_ROLES = re.compile(
    rf"^(?:(?:and|also|but|so|i swear|honestly|ok|well|look|no) )*?(?:(?:not|no|neither|"
    rf"nor|never|or) (?:even )?(?:the |a |an |any |your )?{ROLE}s?(?: (?:and|or))? ?)+"
    r"(?:\b(?:either|here|card|stop|ask|guys|that|please|so|i swear|though|lol|as well|"
    r"before|idc|just|in my|$).*|$)"
)
_ELLIPTICAL = re.compile(
    r"^(?:was not|was dealt|was given|am not|am|got|drew|rolled|pulled|picked|dealt|have|had|"
    r"been|lied about) (?!.*@)"
)
_NOT_ME = re.compile(
    rf"\b({ROLE})\b[^@]*\b(?:is|was) not (?:me|mine|i)\b|^(?:it|that) is not me$|^not me$|"
    rf"\bit is not me\b"
)
_COUNT_ME = re.compile(
    rf"\b(?:count|put|mark|list) me (?:down )?(?:among|as|with|down)(?: \w+){{0,3}}? "
    rf"({ROLE})|\bmy (?:fellow|other|partner) masons?\b|\bmy mason (?:partner|buddy)\b"
)
_THAT_I_AM = re.compile(
    r"^(?:(?:because|so|no|well|and|sorry|sweetheart) )*(?:i am|i am the real one|that is me|"
    r"i am one|that would be me|me)$"
)
_INVERTED = re.compile(
    rf"^(?:\w+ ){{0,3}}?({ROLE}) (?:i am|am i|i was|is what i (?:am|got|have|drew)|is all i "
    rf"(?:am|got|have))( not| no longer| never)?\b(?! (?:looking|after|asking|worried|"
    rf"talking))"
)
_NO = re.compile(
    r"\b(?:not|no|never|neither|nor|nope|cannot|hardly|far from|anything but|instead of|"
    r"without|zero)\b"
)
_FREE = re.compile(
    r"\bno (?:cap|lie|doubt|joke|kidding|question|secret|more than|reason)\b|\bnot (?:only|"
    r"gonna lie|lying|kidding|joking|going to lie|going to hide)\b|\bnothing (?:more|else|"
    r"but|other)\b|\bno point\b|^no (?=i am )"
)

RETRACT = re.compile(
    r"\b(?:take|taking|took|taken|takes) (?:(?:it|that|this|what|my|all|everything|"
    r"the)\b.{0,30})?back\b|"
    r"\b(?:scrap|forget|ignore|disregard|strike|scratch|delete|undo|cancel|drop) (?:what "
    r"(?:i|my)|my (?:\\w+ )?(?:claim|seer|mason|villager|story|result|words?|report|"
    r"statement)|the (?:claim|seer|mason|villager|result)|that(?= i| claim| seer| mason)|"
    r"everything i|all i|anything i)\b|\b(?:retract|retracting|withdraw|withdrawing|"
    r"recant|recanting|unclaim|walk back|unclaiming|changing my story|rescind)\b|\bjk "
    r"about\b|\bmistaken to say\b|\bthat was a test\b|\bpulling back my\b|\bsaid \w+ "
    r"(?:because|cause|bc|cos) i (?:panicked|was)\b|\b\w+ business was\b|\bwas (?:just |"
    r"only )?(?:trolling|bluffing|kidding|joking)\b|\bthe (?:seer|mason|villager|tanner|"
    r"minion) (?:claim|thing|story) was (?!made by)|\bmade up the (?:part|bit|story|"
    r"thing)|\bwhat i (?:said|claimed|told)[^,]* (?:was|is) not\b|\bnot stand by\b|^i "
    r"lied about|\b(?:seer|mason|villager|tanner|minion) was a lie\b|"
    r"\bcorrect (?:myself|what i|my)\b|"
    r"\bi (?:\w+ )?(?:lied|(?:was|am|been) (?:just |only )?(?:lying|bluffing|pretending|"
    r"faking|trolling|kidding|joking|pulling (?:your|everyone|you)|fooling|testing|"
    r"messing|playing you)|bluffed|pretended|"
    r"faked|invented it|made it up|made that up|fibbed|misled|told (?:you )?(?:an? "
    r")?(?:untruth|lie|fib)|fooled|deceived|misspoke|messed with|should not have (?:said|"
    r"claimed))\b|"
    r"\b(?:made a (?:bad )?joke|bad joke|a joke before)\b|\b(?:(?:it|that|this|which|all|"
    r"i (?:said|told|claimed)[^,]*|my (?:\w+ ){0,4}?\w+) (?:was|were)|my (?:\w+ "
    r"){0,4}?\w+ is|i (?:said|told|claimed)[^,]* is|^was) (?:all |just |only |purely |"
    r"merely )?(?:an? |my )?(?:\w+ )?"
    r"(?:bluff|lie|lies|fake|false|fib|untrue|bs|bull|bullshit|made up|invented|joke|"
    r"nonsense|trap|bait|gambit|cover|smokescreen|front|not true|untruth|mistake from me|"
    r"mistake|fakeclaim|ruse|decoy|reaction test|trick)\b|"
    r"\bi only (?:pretended|claimed|said)\b|\bi (?:called|named|passed|posed) myself\b|"
    r"\bnot (?:\w+ ){0,3}?(?:as|like) i (?:said|told|claimed)|"
    r"\bi (?:did not tell|have not told|was not telling|did not say) (?:\w+ )?the "
    r"truth\b|\b(?:was not|have not been|been less than) honest\b|"
    r"\bi am (?:no|not (?:a|the|really a)) \w+ after all\b|^never was$|^never was (?:a |"
    r"the )?(?:seer|mason|villager)|\bi (?:was never|never was) (?:really )?(?:a |the "
    r")?(?:seer|mason|villager)\b|\btrolling about\b|\bi ought not to have\b"
)
_MINE = re.compile(r"(?<![\w@'])(?:i|my|me|mine|we|our)(?![\w'])")
PARTNER = re.compile(
    r"\b(?:partner|companion|other half|counterpart|twin|buddy|fellow|other mason|"
    r"co-mason|comrade|teammate|"
    r"brother|sister|mate|other one|second mason|second one|other card|colleague|friend|"
    r"pal|the second|the other|other)\b"
)
_TOGETHER = re.compile(
    r"\b(?:with|and so is|so is|same as|alongside|together|along with|beside|besides|as "
    r"is|next to|we|both|us|each other|w|also|just like)\b"
)


def denied(before: str) -> bool:
    return bool(_NO.search(_FREE.sub(" ", before)[-44:]))


# a clause that hangs on another's verb
_THAT_I_AM_SAID = re.compile(r"that i am\b")
# "i never said i am ..."
_NEVER_SAID = re.compile(r"\b(?:never|not) (?:said|say|claimed|told)\b.*\bi (?:am|was)\b")
# "..., says @3": somebody else's words
_THEIR_WORDS = re.compile(
    r"(?:, )?(?:says|said|we hear|claims|claimed|so says|tells us|according|comes from|"
    r"seer$|mason$)\b(?: from| us)?"
)
# others stand before the clause
_OF_OTHERS = re.compile(r"\b(?:he|she|they|who|people|some) \w+")
# "who asked": no others after all
_ASKED = re.compile(r"\basked\b")
# "seer here": of oneself, whoever was spoken of
_HERE = re.compile(r"\bhere\b|^(?:as|just|plain|simple)\b")
# "seer, please": the Seer is called
_ADDRESSED = re.compile(r"\b(?:seer|mason)s? (?:please|now|first|here and|or)\b")
# "seer is not me"
_NOT_MINE = re.compile(r"\bnot (?:me|i|mine)\b")
# the card is talked about, not shown
_TALKED_ABOUT = re.compile(
    r"\b(?:about|doubt|believe|question|asked|share|reveal|say|tell)(?: \w+)? $"
)


def roles(text: str, before: str = "", after: str = "") -> Iterator[tuple[str, str]]:
    """(claim or deny, role) for every role a clause gives to its speaker.

    before, after: what stands around it in its sentence.
    """
    told = list(_ROLE.finditer(before))
    if told and _THAT_I_AM.match(text) and ("@" in before or "real" in before):
        yield ("claim", told[-1][1])
        return
    if _ELLIPTICAL.match(text):
        text = "i " + text
    if _THAT_I_AM_SAID.match(text) or _NEVER_SAID.search(text):
        return
    if match := _INVERTED.search(text):
        yield ("deny" if match[2] else "claim", match[1])
        return
    if match := _NOT_ME.search(text):
        yield ("deny", match[1] or "wolf")
        return
    if (match := _COUNT_ME.search(text)) and "@" not in text:
        yield ("claim", match[1] or "mason")
        return
    if denials := _NOT_ROLES.match(text):
        for match in _ROLE.finditer(denials[0]):
            yield ("deny", match[1])
        return
    if _THEIR_WORDS.match(
        after.strip(" ,"),
    ):
        return
    other = ("@" in before or _OF_OTHERS.search(before)) and not _ASKED.search(before)
    if other and not ME.search(text) and not _HERE.search(text):
        return
    if _BARE.match(text) and not _ADDRESSED.search(text):
        yield from _listed(text)
        return
    if (match := _AFTER_ME.search(text)) and not _OTHER.search(text[: match.start()]):
        yield (
            "deny" if denied(text[: match.start(1)]) or _NOT_MINE.search(match[0]) else "claim",
            match[1],
        )
        return
    if (
        (card := _CARD.search(text))
        and (role := _ROLE.search(text))
        and not MENTION.search(text[: role.start()])
        and not _OBJECT.search(text[min(card.end(), role.end()) : max(card.start(), role.start())])
    ) and (
        not _TALKED_ABOUT.search(
            text[: card.start()],
        )
        and not role[2]
    ):
        yield ("deny" if denied(text[: role.start()]) else "claim", role[1])
        return
    yield from _held(text)


# what may stand between two roles denied together
_LISTED_ON = re.compile(r" ?(?:and|or|nor|,)? ?(?:a |the )?")
# "wolf here"
_PRESENT = re.compile(r"\b(?:here|speaking)\b")


def _listed(text: str) -> Iterator[tuple[str, str]]:
    found = list(_ROLE.finditer(text))
    start, no = 0, False
    for match in found:
        gap = text[start : match.start()]
        no = denied(gap) or (no and bool(_LISTED_ON.fullmatch(gap)))
        if (match[1] != "wolf" or no or ME.search(text) or _PRESENT.search(text)) and not (
            match[2] and not ME.search(text)
        ):
            yield ("deny" if no else "claim", match[1])
        start = match.end()


# "the seer's card"
_CARD_AFTER = re.compile(r" (?:card|role|part)")
# "am the", right before the role
_JUST_HELD = re.compile(r"\b(?:am|got|drew|have|claim) (?:a |the |also |one of the )?$")
# "as a villager"
_AS_A = re.compile(
    r"^(?:(?:so|anyway|well|but|and|ok) )*(?:as|being|speaking as|speaking for|"
    r"claiming) (?:a |an |the |your |our )?(?:[\w-]+ ){0,4}$"
)
# "can't both be the seer"
_BOTH_BE = re.compile(r"\b(?:both|all) be\b")
# "i never claimed"
_NEVER_TOLD = re.compile(r"\b(?:never|not) (?:said|say|claimed|told)\b")
# what others think of the speaker: "she thinks i"
_OF_ME = re.compile(
    r"\b(?:think|thinks|says?|said|call|called|calling|calls|accus\w+|suspect\w*|"
    r"told|make|made|makes|takes?|wonder\w*|believes?|as though) (?:that )?(?:i|"
    r"me|my)$"
)
# the speaker's own word for it: "i swear i"
_MY_WORD = re.compile(
    r"\bi (?:do |would |can |must |only |just )?(?:say|said|told you|think|swear|"
    r"believe|mean|guess|suppose|repeat|confess|admit|promise|insist) (?:that )?i$|"
    r"^call me"
)
# "i plain villager"
_BARE_GAP = re.compile(r" (?:a |the )?(?:plain |simple |just |only )?")
# words before a role in the plural
_OF_SEVERAL = re.compile(r"\b(?:we|us|one of|two|the)\b")
# "and", "or" before the second role denied
_JOINED = re.compile(r"\b(?:and|or|nor)(?: \w+)? $")


def _held(text: str) -> Iterator[tuple[str, str]]:
    no_before = False
    for match in _ROLE.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        if match[3] and not _CARD_AFTER.match(after):
            continue
        mine = list(_SUBJECT.finditer(before))
        if _TYPE_AFTER.match(after) and not (mine and _JUST_HELD.search(before)):
            continue
        if not mine:
            if (
                _AS_A.match(
                    before,
                )
                and not match[2]
            ):
                yield ("claim", match[1])
            continue
        subject = mine[-1]
        between = before[subject.end() :]
        lead = before[: subject.end()]
        if _OTHER.search(between) or _OBJECT.search(between) or _BOTH_BE.search(between):
            continue
        if _NEVER_TOLD.search(lead):
            continue
        if cues.HEARSAY.search(lead) or (
            _OF_ME.search(
                lead,
            )
            and not _MY_WORD.search(
                lead,
            )
        ):
            continue
        if not _HOLDS.search(subject[0] + between) and not _BARE_GAP.fullmatch(between):
            continue
        if match[2] and not _OF_SEVERAL.search(subject[0] + between):
            continue
        no = denied(between) or (no_before and bool(_JOINED.search(before)))
        no_before = no
        yield ("deny" if no else "claim", match[1])


# "forget it", a retraction where a claim was spoken of
_FORGET_IT = re.compile(r"\b(?:scrap|forget|ignore|disregard|strike|drop) (?:it|that)(?: out)?$")
# the statement speaks of an earlier claim
_CLAIM_MADE = re.compile(
    r"\bi (?:said|claimed|told|lied)|\bmy (?:\w+ )?claim|\bi am not\b.*\bclaim|\bi "
    r"was not\b"
)
# another's claim, a suspicion or a vote is taken back
_NOT_THE_CLAIM = re.compile(
    r"\b(?:about|against|on|of|to|from|for) @|@[\d+]+_s|@[\d+]+ (?:is|was|lied|made)|"
    r"\bsuspicion|\baccusation|\bvote\b|\bback nothing"
)
# "don't forget", "show me": nothing is taken back
_NOT_TAKEN = re.compile(r"\bnot (?:\w+ )?(?:forget|ignore)|\b(?:your|name one|show me|tell me)\b")
# somebody else should take something back
_OTHERS_TAKE = re.compile(
    r"\b(?:should|would|could|someone|somebody|who|you|can|not) (?:going to |\w+ "
    r")?(?:take|taking|retract|withdraw)"
)


def takes_back(text: str, everything: str) -> bool:
    """Whether a clause takes back what its speaker claimed."""
    match = RETRACT.search(text) or (
        _FORGET_IT.search(text)
        if _CLAIM_MADE.search(
            everything,
        )
        else None
    )
    if not match:
        return False
    if _NOT_THE_CLAIM.search(
        text,
    ):
        return False
    if _NOT_TAKEN.search(text):
        return False
    return bool(_MINE.search(everything)) and not _OTHERS_TAKE.search(
        text,
    )


_WE = re.compile(
    r"\b(?:we|us|both of us)\b.*\b(?:masons?|woke up|together|a pair|pair|partners|the "
    r"two|know each other|same time|same card)\b|^(?:we are )?(?:both )?masons(?: both| "
    r"gang| together)?$"
)


# the role
_MASON = re.compile(r"\bmason")
# the word alone, which may be of anything
_TOGETHER_WORD = re.compile(r"\btogether\b")
# the second of a pair already named
_OTHER_MASON = re.compile(r"\bi am the (?:other|second) mason\b")
# the role or the pair
_MASONS = re.compile(r"\bmasons?\b")
# the speaker in "@3+me"
_PLUS_ME = re.compile(r"\+?me")
# what two share that isn't a role
_OF_OPINION = re.compile(r"\b(?:see it|alike|agree|think|suspect|vote|voting|said|say|asked)\b")
# "my partner"
_MY_PARTNER = re.compile(
    r"\bmy (?:\w+ )?(?:partner|fellow|mason|buddy|mason partner|mason buddy|mason mate|"
    r"other half|colleague|twin)\b"
)
# what is done with somebody who shares no role
_NOT_A_PAIR = re.compile(
    r"\b(?:agree|side|trust|talk|vote|voting|against|stand|deal|fed up|problem)\b"
)
# what others say before a name
_OTHERS_WORDS = re.compile(r"\b(?:he|she|you|claims?|claimed|says|said|told)\b")
# "mason with @3"
_MASON_SEAT = re.compile(r"\bmasons?\b(?:[^@]{0,25})@(\d+)")
# "@3 is my fellow mason"
_SEAT_MASON = re.compile(r"@(\d+)\b(?:[^@]{0,30})\bmasons?\b")
# "fellow mason @3"
_MASON_FIRST = re.compile(r"(?:\w+ ){0,3}masons?\b")
# "so is @3", after the speaker's own claim
_SO_IS = re.compile(
    r"(?:and |also )?(?:so is|with|together with|along with|w|same as|as is) @\d+(?: too|"
    r" also| as well)?"
)


def shares(text: str, whole: str, mason: bool, last: str = "") -> str:
    """The seat a clause says is the speaker's fellow Mason, "" for none; last: named before."""
    ours = last and "@" not in text and not denied(text) and _MASON.search(whole)
    sure = mason or "mason" in text or not _TOGETHER_WORD.search(text)
    if ours and sure and _WE.search(text):
        return last
    if last and _OTHER_MASON.search(text) and "@" not in text:
        return last
    if denied(text) or cues.HEARSAY.search(text):
        return ""
    found = list(MENTION.finditer(text))
    single = [m[1] for m in found if m[1].isdigit()]
    about = _MASONS.search(whole)
    if joined := [_PLUS_ME.sub("", m[1]) for m in found if "me" in m[1]]:
        sure = mason or not _OF_OPINION.search(text)
        return joined[0] if joined[0].isdigit() and about and sure else ""
    if not single or (found[-1][2] and not _MASON.search(text)):
        return ""
    if _MY_PARTNER.search(
        text,
    ):
        return single[0]
    if not (about or mason):
        return ""
    if _NOT_A_PAIR.search(text) or _OTHERS_WORDS.search(text.split("@")[0]):
        return ""
    near = _MASON_SEAT.search(text) or _SEAT_MASON.search(text)
    mine = ME.search(text) or _MASON_FIRST.match(text)
    if mason and (
        PARTNER.search(text)
        or _SO_IS.fullmatch(
            text,
        )
    ):
        return single[-1]
    if near and mine and _TOGETHER.search(text):
        return single[-1]
    return ""
