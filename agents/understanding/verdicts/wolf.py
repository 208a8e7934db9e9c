"""Who is the wolf or lies: "@3 is lying", "it can only be @3"."""

from __future__ import annotations

import re

from agents.understanding import lexicon
from agents.understanding.verdicts.mention import DOUBT, MANY, Mention, Verdict, hedged, negated

# what may stand between a cue and the name it is for
_LINK = (
    r"(?: (?:is|was|here|has|to|be|must|it|named|called|i|say|for|me|goes|by|the|name|of|you|would|"
    r"will|might|could|probably|think|said|are|surely|clearly|obviously|between|among|either|one|"
    r"looks|like|in|on|at|from|with|sitting|table|this|our|your|caught|only|mr|ms|can|definitely|a|"
    r"real|today|tonight|most|likely|possibly|maybe|calling|we|have|that|leaves|what|i am|so|far|"
    r"as|biggest|bet|guess|other|looker\d+|mate\d+|alert|claim|claimer|found|confirmed|spotted|aka|"
    r"either way|pants|fire|vibes?|energy|feelings?|read|card))* $"
)
# "@3 is the wolf"
_EVIL_AFTER = re.compile(rf"(?: [\w']+)*? ({lexicon.EVIL.pattern})")
# @3 does or says something about the wolf
_AT_WOLF = re.compile(
    r"\b(?:hunt\w*|afraid|kill(?:ed)?|looking for|searching|find|finds|found|ate|looked|"
    r"against|for the|about the|if|let(?:s)? the|want\w*|vote\w*|asks?|accus\w+|says?|"
    r"said|thinks?|pushed|more likely|other than|who would|would be)\b"
)
# "the wolf is @3"
_EVIL_BEFORE = re.compile(rf"({lexicon.EVIL.pattern}){_LINK}")
# "not the wolf", "help the wolf"
_WOLF_OBJECT = re.compile(
    r"\b(?:i am|not|help the|for the|of the|to the|the way a|if|eat|ate) (?:the |a "
    r")?(?:wolf)(?: \w+)? $"
)
# "not"
_PLAIN_NOT = re.compile(r"\bnot\b")
# a list is the subject
_IS_HAS_WAS = re.compile(r" (?:is|has|was) ")
# "I disagree with @2 that @3 ..."
_DISAGREED_THAT = re.compile(
    r"\b(?:disagree|not agree|not (?:think|believe|buy|see)) (?:with )?@[\d+]+ that\b"
)
# a clue that makes the next word sure
_OUTED = re.compile(
    r"\b(?:leaves|leaving|outed|exposed|revealed|unmasked|proved|confirmed)\b|"
    r"\b(?:name|naming|call|calling|declare|denounce|accuse|nominate|unmask|got) $"
)
# "@2+3 are the wolves": each of them
_THEY_ARE = re.compile(r"\b(?:are|were|both)\b")
# helps the wolf, or behaves like one
_WOLFISH = re.compile(
    r"\b(?:help\w*|protect\w*|cover\w*|save|team|(?:like|as) (?:a |the )?(?:\w+ )?wolf|"
    r"way a|exactly what|how a|what a|behavio\w+|vibes?|energy|move|moves|thing to)\b"
)
# "caught me"
_ME = re.compile(r" (?:me|us|my)\b")


def evil(mention: Mention) -> Verdict:
    """Return who is the wolf, or lies."""
    left, right = mention.left, mention.right
    if mention.own:
        return None
    after = _evil_after(right)
    cue = after or _evil_before(left)
    if not cue or _DISAGREED_THAT.search(mention.whole):
        return None
    lying = bool(lexicon.LYING.search(cue[1]))
    if lying and mention.many and after and _IS_HAS_WAS.match(right):
        return None  # "@2 or @3 is lying": of whom it is true stays open
    between = after[0] if after else ""
    tail = right[after.end() : after.end() + 24] if after else right[:20]
    if (
        after
        and not lying
        and not _OUTED.search(left + between)
        and _WOLFISH.search(between + tail[:14])
    ):
        return ("defend" if negated(left[-32:] + between) else "suspect", "")
    if cue[1] in ("caught", "exposed", "busted") and _ME.match(tail):
        return None
    context = left + between
    if after and "@" in mention.all_before:
        left = left[-10:]
    before_cue = between[: after.start(1)] if after else ""
    if negated(left[-36:] + before_cue) != bool(DOUBT.search(left[-36:])):
        return ("defend", "")
    if lying:
        guessed = hedged(context[-70:], lying)
    else:
        one_of = mention.many and not _THEY_ARE.search(context)
        guessed = one_of or hedged(context[-70:] + tail, lying)
    return ("suspect" if guessed else "accuse", "")


def _evil_after(right: str) -> re.Match[str] | None:
    """Return the cue in "@3 is the wolf"."""
    match = _EVIL_AFTER.match(right)
    return None if match and _AT_WOLF.search(match[0]) else match


def _evil_before(left: str) -> re.Match[str] | None:
    """Return the cue in "the wolf is @3"."""
    match = _EVIL_BEFORE.search(left)
    if match and _WOLF_OBJECT.search(left) and not _PLAIN_NOT.search(left):
        return None
    return match


# "it is @3", "that leaves @3"
_IT_IS = re.compile(
    r"\b(?:it is|its|it has to be|it must be|i fear it is|it will be|it can only be|it would be|"
    r"that leaves|leaves|leaving|i say|i name|i accuse|accuse|accusing|it could be|could well be|"
    r"may well be|might well be|i would (?:say|pick|choose|guess|name|point at)|i (?:rather |"
    r"do )?(?:think|guess|reckon)|it might be|it may be|going with|go with|going for|could be|"
    r"might be|may be|must be|has to be|have to be|by (?:process of |the law of |pure |"
    r"simple )?elimination|(?:the|my) (?:final )?answer(?: is)?|answer is|it is (?:the|that|"
    r"our) (?:\w+ )?one (?!thing|time|point|reason|who|i )(?:\w+ ){1,4}?|leaves us|leaves us with|"
    r"leaves only|maybe|perhaps|probably|only be|points? to|caught|exposed|it to be|^ (?:and |so |"
    r"because )*it was(?: always| always going to be)?) (?:only |all |clearly |obviously |"
    r"definitely |probably |maybe |down to |either |surely |totally |always |poor |all along |at |"
    r"then |not |good old |our |more likely |most likely |rather )*$"
)
# "@3 is the one"
_THE_ONE = re.compile(
    r" (?:(?:is|are) the only (?:one|person|player|seat|name|candidate|option|possibility) (?:left|"
    r"remaining|who (?:could|can) be)|(?:is|was|must be|might be|may be|could be|"
    r"has to be)(?: (?:clearly|not|surely|definitely|certainly|simply))* (?:(?:the one|who|"
    r"what)(?=\s*$| we (?!should|must|have|want|need|vote)| i (?:saw|mean|suspect)|"
    r" with the (?:teeth|fangs|claws|tail|fur)|"
    r" who (?:did|has|is|bit)| eating| biting| howling| you (?:want|seek|are (?:looking|after))|"
    r" to (?:blame|fear))|it|\d+ ?%? ?it|our (?:man|one|guy|girl)|him|her|who we (?:want|need))\b|"
    r"100|for sure|all day|all the way|did it|it (?:simply |just )?(?:must|has to|can only|"
    r"have to) be|wolf\b|done it|(?:definitely )?dunn?it)"
)
# "it can't be @3"
_CANNOT_BE = re.compile(r"\b(?:cannot|can not|could not) be (?:our |poor )?$")
# what may follow in "it is @3 for sure"
_IT_IS_REST = re.compile(
    r"\s*$|\s*(?:for sure|100|or maybe|guys|everyone|all along|then|imo|tbh|i think|i guess|"
    r"i am sure|by elimination|as far|maybe|without|from here|no doubt|people|folks|i bet|lol|"
    r"definitely|probably|who|idk|honestly|for me|or|could|here|again|if|today|anyway|and)\b"
)
# makes "it is" an accusation, not a guess
_SURE_ENOUGH = re.compile(
    r"\b(?:it|its|caught|exposed|accus\w+|must|has|have|only|leaves|leaving|elimination|answer)\b"
)


def it_is(mention: Mention) -> Verdict:
    """Return who "it" is: the one looked for, by whatever name."""
    left, right = mention.left, mention.right
    if mention.own:
        return None
    if match := _THE_ONE.match(right):
        if negated(left[-20:] + match[0]):
            return ("defend", "")
        return ("suspect" if hedged(left + right, False) else "accuse", "")
    if _CANNOT_BE.search(left):
        return ("defend", "")
    if not _IT_IS.search(left) or mention.whole.count("+") >= MANY or not _IT_IS_REST.match(right):
        return None
    if negated(left[-30:]):
        return ("defend", "")
    guessed = mention.many or hedged(left + right[:30], False) or not _SURE_ENOUGH.search(left)
    return ("suspect" if guessed else "accuse", "")
