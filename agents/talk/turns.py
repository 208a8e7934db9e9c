"""Turns of speech that give the speaker a role or deny it, whatever stands around them."""

from __future__ import annotations

import re

from agents.talk import cues

# a role, in the plural (2), with "'s" (3)
ROLE_WORD = re.compile(rf"\b({cues.ROLE})(s)?\b(?!_)('s)?")
# somebody else
OTHER = re.compile(
    r"@[\d+]+|\b(?:he|she|they|you|your(?! (?:(?:looker|mate|plain)\d+|wolf|(?:helper|loner)\d+))|who|"
    r"whoever|whom|somebody|someone|everyone|"
    r"everybody|nobody|anyone|"
    r"any|others|people|each|which|his|their|find|help|protect|kill|save|every|another "
    r"player|whether|"
    r"card to|person|those|these)\b"
)
# "count me among the mates", "my fellow mate"
_COUNT_ME = re.compile(
    rf"\b(?:count|put|mark|list) me (?:down )?(?:among|as|with|down)(?: \w+){{0,3}}? "
    rf"({cues.ROLE})|\bmy (?:fellow|other|partner) mate\d+s?\b|\bmy mate\d+ (?:partner|buddy)\b"
)

# "the looker i am"
_INVERTED = re.compile(
    rf"^(?:\w+ ){{0,3}}?({cues.ROLE}) (?:i am|am i|i was|is what i (?:am|got|have|drew)|is all i "
    rf"(?:am|got|have))( not| no longer| never)?\b(?! (?:looking|after|asking|worried|"
    rf"talking))"
)

# "the wolf is not me"
_NOT_ME = re.compile(
    rf"\b({cues.ROLE})\b[^@]*\b(?:is|was) not (?:me|mine|i)\b|^(?:it|that) is not me$|^not me$|"
    rf"\bit is not me\b"
)

# nothing but roles denied: "not the wolf, not the loner"
_NOT_ROLES = re.compile(
    rf"^(?:(?:and|also|but|so|i swear|honestly|ok|well|look|no) )*?(?:(?:not|no|neither|"
    rf"nor|never|or) (?:even )?(?:the |a |an |any |your )?{cues.ROLE}s?(?: (?:and|or))? ?)+"
    r"(?:\b(?:either|here|card|stop|ask|guys|that|please|so|i swear|though|lol|as well|"
    r"before|idc|just|in my|$).*|$)"
)

# "i wish i were the looker"
_WISHED = re.compile(
    rf"\bwish (?:that )?(?:i (?:was|were|had|got|drew|could be) )(?:been |the |a |"
    rf"dealt ){{0,3}}({cues.ROLE})\b"
)

# "just a plain growing turnips"
_JUST_A = re.compile(
    rf"^(?:(?:and|well|no|i am|so|but|here is) )*(?:just|only|merely|simply|nothing (?:but|"
    rf"more than)) "
    rf"(?:a|an|your|one|another|some) (?:[\w-]+ ){{0,3}}?({cues.ROLE})\b(?! (?:claims?|who|would|"
    rf"could|can|"
    rf"will|is|has|knows?|thing|card of))"
)

# "the looker you are looking for is not me"
_NOT_SO = re.compile(rf"\bi am not (?:your|our|this|that) ({cues.ROLE})\b")

# "calling me the wolf is absurd"
_ABSURD = re.compile(
    rf"\b(?:calling me|call me|thinking (?:that )?i am|that i am|to think i am|me being|"
    rf"me as) (?:the |a )?"
    rf"({cues.ROLE})\b(?: [\w']+){{0,3}}? (?:absurd|nonsense|ridiculous|wrong|silly|laughable|"
    rf"false|a lie|"
    rf"a joke|funny|hilarious|rubbish|insulting|a stretch|crazy)\b"
)

# "i am the one with the looker card", "the looker's card came to me", "i am the one who looks"
_HOLDER = re.compile(
    rf"\bi am (?:the )?(?:one|guy|girl|person|player|man|woman|lady|"
    rf"sitting)(?: \w+){{0,4}}? with the "
    rf"({cues.ROLE})(?:'s)? (?:card|role)|\b({cues.ROLE})(?:'s)? (?:card|"
    rf"role) (?:\w+ ){{0,2}}?(?:(?:came|"
    rf"fell|went|was given|was dealt|was handed) to me|landed (?:on|with|in front of) me|is mine|"
    rf"was mine|"
    rf"is in my)\b|\bi am the (?:one|guy|girl|person) (?:with the crystal ball|"
    rf"with the (?:third )?eye|who "
    rf"(?:looks|looked|peeks|peeked|got to (?:look|peek)) (?:at )?(?:two |the )?(?:cards|people|"
    rf"players)?)"
)


def fixed(text: str) -> list[tuple[str, str]]:
    """Turns of speech that are the speaker's whatever stands around them."""
    if match := _INVERTED.search(text):
        return [("deny" if match[2] else "claim", match[1])]
    if match := _NOT_ME.search(text):
        return [("deny", match[1] or "wolf")]
    if (match := _COUNT_ME.search(text)) and "@" not in text:
        return [("claim", match[1] or "mate")]
    if (match := _HOLDER.search(text)) and "@" not in text[: match.start()]:
        return [("claim", next(filter(None, match.groups()), "looker"))]
    if match := _ABSURD.search(text) or _NOT_SO.search(text):
        return [("deny", match[1])]
    if (match := _JUST_A.match(text)) and not OTHER.search(match[0]):
        return [("claim", match[1])]
    if match := _WISHED.search(text):
        return [("deny", match[1])]
    if denials := _NOT_ROLES.match(text):
        return [("deny", match[1]) for match in ROLE_WORD.finditer(denials[0])]
    return []
