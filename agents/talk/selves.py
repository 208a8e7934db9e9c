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
    if re.match(r"that i am\b", text) or re.search(
        r"\b(?:never|not) (?:said|say|claimed|told)\b.*\bi (?:am|was)\b", text
    ):
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
    if re.match(
        r"(?:, )?(?:says|said|we hear|claims|claimed|so says|tells us|according|comes from|"
        r"seer$|mason$)\b(?: from| us)?",
        after.strip(" ,"),
    ):
        return
    other = (
        "@" in before or re.search(r"\b(?:he|she|they|who|people|some) \w+", before)
    ) and not re.search(r"\basked\b", before)
    if (
        other
        and not ME.search(text)
        and not re.search(r"\bhere\b|^(?:as|just|plain|simple)\b", text)
    ):
        return
    if _BARE.match(text) and not re.search(
        r"\b(?:seer|mason)s? (?:please|now|first|here and|or)\b", text
    ):
        yield from _listed(text)
        return
    if (match := _AFTER_ME.search(text)) and not _OTHER.search(text[: match.start()]):
        yield (
            "deny"
            if denied(text[: match.start(1)]) or re.search(r"\bnot (?:me|i|mine)\b", match[0])
            else "claim",
            match[1],
        )
        return
    if (
        (card := _CARD.search(text))
        and (role := _ROLE.search(text))
        and not MENTION.search(text[: role.start()])
        and not _OBJECT.search(text[min(card.end(), role.end()) : max(card.start(), role.start())])
    ) and (
        not re.search(
            r"\b(?:about|doubt|believe|question|asked|share|reveal|say|tell)(?: \w+)? $",
            text[: card.start()],
        )
        and not role[2]
    ):
        yield ("deny" if denied(text[: role.start()]) else "claim", role[1])
        return
    yield from _held(text)


def _listed(text: str) -> Iterator[tuple[str, str]]:
    found = list(_ROLE.finditer(text))
    start, no = 0, False
    for match in found:
        gap = text[start : match.start()]
        no = denied(gap) or (no and bool(re.fullmatch(r" ?(?:and|or|nor|,)? ?(?:a |the )?", gap)))
        if (
            match[1] != "wolf" or no or ME.search(text) or re.search(r"\b(?:here|speaking)\b", text)
        ) and not (match[2] and not ME.search(text)):
            yield ("deny" if no else "claim", match[1])
        start = match.end()


def _held(text: str) -> Iterator[tuple[str, str]]:
    no_before = False
    for match in _ROLE.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        if match[3] and not re.match(r" (?:card|role|part)", after):
            continue
        mine = list(_SUBJECT.finditer(before))
        if _TYPE_AFTER.match(after) and not (
            mine
            and re.search(r"\b(?:am|got|drew|have|claim) (?:a |the |also |one of the )?$", before)
        ):
            continue
        if not mine:
            if (
                re.match(
                    r"^(?:(?:so|anyway|well|but|and|ok) )*(?:as|being|speaking as|speaking for|"
                    r"claiming) (?:a |an |the |your |our )?(?:[\w-]+ ){0,4}$",
                    before,
                )
                and not match[2]
            ):
                yield ("claim", match[1])
            continue
        subject = mine[-1]
        between = before[subject.end() :]
        lead = before[: subject.end()]
        if (
            _OTHER.search(between)
            or _OBJECT.search(between)
            or re.search(r"\b(?:both|all) be\b", between)
        ):
            continue
        if re.search(r"\b(?:never|not) (?:said|say|claimed|told)\b", lead):
            continue
        if cues.HEARSAY.search(lead) or (
            re.search(
                r"\b(?:think|thinks|says?|said|call|called|calling|calls|accus\w+|suspect\w*|"
                r"told|make|made|makes|takes?|wonder\w*|believes?|as though) (?:that )?(?:i|"
                r"me|my)$",
                lead,
            )
            and not re.search(
                r"\bi (?:do |would |can |must |only |just )?(?:say|said|told you|think|swear|"
                r"believe|mean|guess|suppose|repeat|confess|admit|promise|insist) (?:that )?i$|"
                r"^call me",
                lead,
            )
        ):
            continue
        if not _HOLDS.search(subject[0] + between) and not re.fullmatch(
            r" (?:a |the )?(?:plain |simple |just |only )?", between
        ):
            continue
        if match[2] and not re.search(r"\b(?:we|us|one of|two|the)\b", subject[0] + between):
            continue
        no = denied(between) or (
            no_before and bool(re.search(r"\b(?:and|or|nor)(?: \w+)? $", before))
        )
        no_before = no
        yield ("deny" if no else "claim", match[1])


def takes_back(text: str, everything: str) -> bool:
    """Whether a clause takes back what its speaker claimed."""
    match = RETRACT.search(text) or (
        re.search(r"\b(?:scrap|forget|ignore|disregard|strike|drop) (?:it|that)(?: out)?$", text)
        if re.search(
            r"\bi (?:said|claimed|told|lied)|\bmy (?:\w+ )?claim|\bi am not\b.*\bclaim|\bi "
            r"was not\b",
            everything,
        )
        else None
    )
    if not match:
        return False
    if re.search(
        r"\b(?:about|against|on|of|to|from|for) @|@[\d+]+_s|@[\d+]+ (?:is|was|lied|made)|"
        r"\bsuspicion|\baccusation|\bvote\b|\bback nothing",
        text,
    ):
        return False
    if re.search(r"\bnot (?:\w+ )?(?:forget|ignore)|\b(?:your|name one|show me|tell me)\b", text):
        return False
    return bool(_MINE.search(everything)) and not re.search(
        r"\b(?:should|would|could|someone|somebody|who|you|can|not) (?:going to |\w+ "
        r")?(?:take|taking|retract|withdraw)",
        text,
    )


_WE = re.compile(
    r"\b(?:we|us|both of us)\b.*\b(?:masons?|woke up|together|a pair|pair|partners|the "
    r"two|know each other|same time|same card)\b|^(?:we are )?(?:both )?masons(?: both| "
    r"gang| together)?$"
)


def shares(text: str, whole: str, mason: bool, last: str = "") -> str:
    """The seat a clause says is the speaker's fellow Mason, "" for none; last: named before."""
    ours = last and "@" not in text and not denied(text) and re.search(r"\bmason", whole)
    sure = mason or "mason" in text or not re.search(r"\btogether\b", text)
    if ours and sure and _WE.search(text):
        return last
    if last and re.search(r"\bi am the (?:other|second) mason\b", text) and "@" not in text:
        return last
    if denied(text) or cues.HEARSAY.search(text):
        return ""
    found = list(MENTION.finditer(text))
    single = [m[1] for m in found if m[1].isdigit()]
    about = re.search(r"\bmasons?\b", whole)
    if joined := [re.sub(r"\+?me", "", m[1]) for m in found if "me" in m[1]]:
        sure = mason or not re.search(
            r"\b(?:see it|alike|agree|think|suspect|vote|voting|said|say|asked)\b", text
        )
        return joined[0] if joined[0].isdigit() and about and sure else ""
    if not single or (found[-1][2] and not re.search(r"\bmason", text)):
        return ""
    if re.search(
        r"\bmy (?:\w+ )?(?:partner|fellow|mason|buddy|mason partner|mason buddy|mason mate|"
        r"other half|colleague|twin)\b",
        text,
    ):
        return single[0]
    if not (about or mason):
        return ""
    if re.search(
        r"\b(?:agree|side|trust|talk|vote|voting|against|stand|deal|fed up|problem)\b", text
    ) or re.search(r"\b(?:he|she|you|claims?|claimed|says|said|told)\b", text.split("@")[0]):
        return ""
    near = re.search(r"\bmasons?\b(?:[^@]{0,25})@(\d+)", text) or re.search(
        r"@(\d+)\b(?:[^@]{0,30})\bmasons?\b", text
    )
    mine = ME.search(text) or re.match(r"(?:\w+ ){0,3}masons?\b", text)
    if mason and (
        PARTNER.search(text)
        or re.fullmatch(
            r"(?:and |also )?(?:so is|with|together with|along with|w|same as|as is) @\d+(?: too|"
            r" also| as well)?",
            text,
        )
    ):
        return single[-1]
    if near and mine and _TOGETHER.search(text):
        return single[-1]
    return ""
