"""Idioms that claim, deny or retract a role for the speaker, whatever the rest of the clause."""

from __future__ import annotations

import re

from agents.understanding import lexicon

# a role, in the plural (2), with "'s" (3)
ROLE_WORD = re.compile(rf"\b({lexicon.ROLE})(s)?\b(?!_)('s)?")
# somebody else
OTHER = re.compile(
    r"@[\d+]+|\b(?:he|she|they|you|your(?! (?:(?:looker|mate|keeper|plain)\d+|wolf|(?:helper|"
    r"loner)\d+))|"
    r"who|whoever|whom|somebody|someone|everyone|everybody|nobody|anyone|any|others|people|each|"
    r"which|his|their|find|help|protect|kill|save|every|another player|whether|card to|person|"
    r"those|these)\b"
)

# "the looker i am"
_INVERTED = re.compile(
    rf"^(?:\w+ ){{0,3}}?({lexicon.ROLE}) (?:i am|am i|i was|is what i (?:am|got|have|drew)|is all "
    rf"i (?:am|got|have))( not| no longer| never)?\b(?! (?:looking|after|asking|worried|"
    rf"talking))"
)

# "the wolf is not me"
_NOT_ME = re.compile(
    rf"\b({lexicon.ROLE})\b[^@]*\b(?:is|was) not (?:me|mine|i)\b|^(?:it|that) is not me$|^not me$|"
    rf"\bit is not me\b"
)

# nothing but roles denied: "not the wolf, not the loner"
_NOT_ROLES = re.compile(
    rf"^(?:(?:and|also|but|so|i swear|honestly|ok|well|look|no) )*?(?:(?:not|no|neither|"
    rf"nor|never|or) (?:even )?(?:the |a |an |any |your )?{lexicon.ROLE}s?(?: (?:and|or))? ?)+"
    r"(?:\b(?:either|here|card|stop|ask|guys|that|please|so|i swear|though|lol|as well|"
    r"before|idc|just|in my|$).*|$)"
)

# "i wish i were the looker"
_WISHED = re.compile(
    rf"\bwish (?:that )?(?:i (?:was|were|had|got|drew|could be) )(?:been |the |a |"
    rf"dealt ){{0,3}}({lexicon.ROLE})\b"
)

# "just a mate growing turnips"
_JUST_A = re.compile(
    rf"^(?:(?:and|well|no|i am|so|but|here is) )*(?:just|only|merely|simply|nothing (?:but|"
    rf"more than)) (?:a|an|your|one|another|some) (?:[\w-]+ ){{0,3}}?({lexicon.ROLE})\b(?! (?:"
    rf"claims?|who|would|could|can|will|is|has|knows?|thing|card of))"
)


# "calling me the wolf is absurd"
_ABSURD = re.compile(
    rf"\b(?:calling me|call me|thinking (?:that )?i am|that i am|to think i am|me being|"
    rf"me as) (?:the |a )?({lexicon.ROLE})\b(?: [\w']+){{0,3}}? "
    rf"(?:absurd|nonsense|ridiculous|wrong|silly|laughable|false|a lie|a joke|"
    rf"funny|hilarious|rubbish|insulting|a stretch|crazy)\b"
)

# "i am the one with the looker card", "the looker's card came to me", "i am the one who looks"
_HOLDER = re.compile(
    rf"\bi am (?:the )?(?:one|guy|girl|person|player|man|woman|lady|sitting)(?: \w+){{0,4}}? with "
    rf"the ({lexicon.ROLE})(?:'s)? (?:card|role)|\b({lexicon.ROLE})(?:'s)? (?:card|"
    rf"role) (?:\w+ ){{0,2}}?(?:(?:came|fell|went|was given|was dealt|was handed) to me|"
    rf"landed (?:on|with|in front of) me|is mine|was mine|is in my)\b|\bi am the (?:one|guy|girl|"
    rf"person) (?:with the crystal ball|with the (?:third )?eye|who (?:looks|looked|peeks|peeked|"
    rf"got to (?:look|peek)) (?:at )?(?:two |the )?(?:cards|people|players)?)"
)


# "looker claim", at the beginning
_CLAIM_OF = re.compile(
    rf"^(?:(?:so|ok|okay|yes|hi|hard|soft|full|my|real|here is my|i|this is a|all right|well) )*"
    rf"({lexicon.ROLE}) claim(?:ing)?(?: here| from me| now)?(?= n ?\d| night| @|$| i\b| my\b)"
)
# "these are my results as looker"
_TOLD_AS = re.compile(
    r"\b(?:results?|checks?|looks?|speaking|talking|tell you|telling you|say(?:ing)?|"
    r"nights?)(?: this)? "
    r"as (?:the |a |your )?((?:looker|keeper)\d+)$"
)


def fixed(text: str) -> list[tuple[str, str]]:
    """Turns of speech that are the speaker's whatever stands around them."""
    if match := _INVERTED.search(text):
        return [("deny" if match[2] else "claim", match[1])]
    if match := _NOT_ME.search(text):
        return [("deny", match[1] or "wolf")]
    if (match := _HOLDER.search(text)) and "@" not in text[: match.start()]:
        return [("claim", next(filter(None, match.groups()), "looker"))]
    if match := _ABSURD.search(text):
        return [("deny", match[1])]
    if (match := _JUST_A.match(text)) and not OTHER.search(match[0]):
        return [("claim", match[1])]
    if match := _CLAIM_OF.match(text) or _TOLD_AS.search(text):
        return [("claim", match[1])]
    if match := _WISHED.search(text):
        return [("deny", match[1])]
    if denials := _NOT_ROLES.match(text):
        return [("deny", match[1]) for match in ROLE_WORD.finditer(denials[0])]
    return []


# an earlier claim is taken back, or owned to be a lie
_RETRACT = re.compile(
    r"\b(?:take|taking|took|taken|takes) (?:(?:it|that|this|what|my|all|everything|"
    r"the)\b.{0,30})?back\b|\b(?:scrap|forget|ignore|disregard|strike|scratch|delete|undo|cancel|"
    r"drop) (?:what (?:i|my)|my (?:\w+ )?(?:claim|(?:looker|mate|keeper|plain)\d+|story|result|"
    r"words?|"
    r"report|statement)|the (?:claim|(?:looker|mate|keeper|plain)\d+|result)|that(?= i| claim|"
    r" looker\d+|"
    r" mate\d+)|everything i|all i|anything i)\b|\b(?:retract|retracting|withdraw|withdrawing|"
    r"recant|recanting|unclaim|walk back|unclaiming|changing my story|rescind)\b|\bjk about\b|"
    r"\bmistaken to say\b|\bthat was a test\b|\bpulling back my\b|\bsaid \w+ (?:because|cause|bc|"
    r"cos) i (?:panicked|was)\b|\b\w+ business was\b|\bwas (?:just |only )?(?:trolling|bluffing|"
    r"kidding|joking)\b|\bthe (?:(?:looker|mate|keeper|plain|loner)\d+|helper\d+) (?:claim|thing|"
    r"story) was (?!made by)|\bmade up the (?:part|bit|story|thing)|\bwhat i (?:said|claimed|"
    r"told)[^,]* (?:was|is) not\b|\bnot stand by\b|^i lied about|\b(?:looker|mate|keeper|plain|"
    r"loner|"
    r"helper)\d+ was a lie\b|\bcorrect (?:myself|what i|my)\b|\bi (?:\w+ )?(?:lied|(?:was|am|"
    r"been) (?:just |only )?(?:lying|bluffing|pretending|faking|trolling|kidding|joking|"
    r"pulling (?:your|everyone|you)|fooling|testing|messing|playing you)|bluffed|pretended|faked|"
    r"invented it|made it up|made that up|fibbed|misled|told (?:you )?(?:an? )?(?:untruth|lie|fib)|"
    r"fooled|deceived|misspoke|messed with|should not have (?:said|claimed))\b|"
    r"\b(?:made a (?:bad )?joke|bad joke|a joke before)\b|\b(?:(?:it|that|this|which|all|i (?:said|"
    r"told|claimed)[^,]*|my (?:\w+ ){0,4}?\w+) (?:was|were)|my (?:\w+ ){0,4}?\w+ is|i (?:said|told|"
    r"claimed)[^,]* is|^was) (?:all |just |only |purely |merely )?(?:an? |my )?(?:\w+ )?(?:bluff|"
    r"lie|lies|fake|false|fib|untrue|bs|bull|bullshit|made up|invented|joke|nonsense|trap|bait|"
    r"gambit|cover|smokescreen|front|not true|untruth|mistake from me|mistake|fakeclaim|ruse|decoy|"
    r"reaction test|trick)\b|\bi only (?:pretended|claimed|said)\b|\bi (?:called|named|passed|"
    r"posed) myself\b|\bnot (?:\w+ ){0,3}?(?:as|like) i (?:said|told|claimed)|\bi (?:did not tell|"
    r"have not told|was not telling|did not say) (?:\w+ )?the truth\b|\b(?:was not|have not been|"
    r"been less than) honest\b|\bi am (?:no|not (?:a|the|really a)) \w+ after all\b|^never was$|"
    r"^never was (?:a |the )?(?:looker|mate|keeper|plain)\d+|\bi (?:was never|"
    r"never was) (?:really )?(?:a "
    r"|the )?(?:looker|mate|keeper|plain)\d+\b|\btrolling about\b|\bi ought not to have\b|"
    r"^lied about|"
    r"\bmis-?(?:click|clicked|typed|spoke)\b|\bclicked wrong\b|\bwrong (?:button|window)\b|"
    r"\bi panicked\b|\b(?:whatever|despite what|contrary to what|other than what|"
    r"unlike what) i (?:said|claimed|told)|\bno more (?:looker|mate|keeper|plain|helper|"
    r"loner)\d+ for me\b|\bthat i (?:am|was) (?:a |the )?\w+ was\b"
)
# the speaker's own
_MINE = re.compile(r"(?<![\w@'])(?:i|my|me|mine|we|our)(?![\w'])")
# "forget it", a retraction where a claim was spoken of
_FORGET_IT = re.compile(
    r"\b(?:scratch|scrap|forget|ignore|disregard|strike|drop) (?:it|that)(?: out)?$"
)
# the statement speaks of an earlier claim
_CLAIM_MADE = re.compile(
    r"\bi (?:said|claimed|told|lied)|\bmy (?:\w+ )?claim|\bi am not\b.*\bclaim|\bi was not\b|"
    r"^(?:scratch|scrap|forget|strike) that\b.*\bi am not\b|\bwas (?:just |only )?testing\b"
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
    r"(?:\b(?:should|would|could|someone|somebody|who|you|can|not)|@[\d+]+) (?:going to |\w+ "
    r")?(?:take|taking|took|retract|withdraw)"
)


def takes_back(text: str, everything: str) -> bool:
    """Return whether a clause takes back what its speaker claimed.

    Everything: the statement.
    """
    match = _RETRACT.search(text) or (
        _FORGET_IT.search(text) if _CLAIM_MADE.search(everything) else None
    )
    if not match or _NOT_THE_CLAIM.search(text) or _NOT_TAKEN.search(text):
        return False
    return bool(_MINE.search(everything)) and not _OTHERS_TAKE.search(text)
