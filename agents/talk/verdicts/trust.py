"""Who is trusted, spared, praised: "I believe @3", "leave @3 alone", "@3 is clean"."""

from __future__ import annotations

import re

from agents.talk import cues
from agents.talk.verdicts.near import DOUBT, MANY, Near, Verdict, negated

# "I trust in @3"
_TRUST_BEFORE = re.compile(
    rf"({cues.TRUST.pattern})(?: (?:in|for|by|with|on|to|that|what|a word|anything|a "
    rf"thing|much|more|fully|behind|up for|dear|our|old|poor|either|is|so|is with|"
    rf"goes to|completely|entirely|at all|only|again|now|today|here|even))* $"
)
# "I believe @3 to be the wolf"
_TO_BE = re.compile(r"\bto be\b|\bis\b")
# "i take @3 at his word"
_TAKE = re.compile(r"\b(?:take|taking|took) $")
# what follows such a "take"
_WORD = re.compile(r" at (?:his|her|their)? ?(?:@\S+ )?(?:word|face value)\b")
# "@3 can be trusted"
_TRUST_AFTER = re.compile(
    r"(?: \w+){0,4}? (?:can be|be|is|to be|gets|has|get|have|seems|are|i|i do)(?: "
    r"\w+){0,3}? (trust\w*|my trust|townread|cleared|my (?:full )?confidence|believe|my "
    r"faith)\b"
)


# "i trust @3 the least"
_LEAST = re.compile(r" (?:the )?(?:least|less)\b")


def trusted(near: Near) -> Verdict:
    """Who is trusted or believed."""
    if match := _TRUST_BEFORE.search(near.left):
        if cues.EVIL.search(near.right[:40]) and _TO_BE.search(near.right[:12]):
            return None
        least = bool(_LEAST.match(near.right))
        return _trust("believ" in match[1], negated(near.left) != least)
    if _TAKE.search(near.left) and _WORD.match(near.right):
        return ("agree", "")
    if near.own or near.more or cues.EVIL.search(near.right):
        return None
    if match := _TRUST_AFTER.match(near.right):
        return _trust("believ" in match[1], negated(match[0]))
    return None


def _trust(believing: bool, no: bool) -> Verdict:
    """Belief is in what somebody says, trust in the player itself."""
    if believing:
        return ("disagree" if no else "agree", "")
    return ("suspect" if no else "defend", "")


# "leave @3", "nothing against @3"
_SPARE = re.compile(
    r"\b(?:leave|spare|lay off|back off|go easy on|easy on|defend|defending|stop (?:\w+ "
    r")*(?:on|at|after|with|pushing|accusing|blaming)|let up on|get off|hands off|"
    r"nothing (?:\w+ ){0,2}(?:on|against|wrong with)|no (?:problem|issue|quarrel|beef) "
    r"with|"
    r"not (?:\w+ )?(?:go after|going after|touch|hurt|attack|harass|blame|gang up on|"
    r"bully|target|hang|kill|lynch|waste (?:\w+ )*on|bother|bothering|worried about|"
    r"worry about|suspect|see it in|see it being|looking at)|"
    r"picking on|pick on|ganging up on|protect|cross|crossing|crossed|hands off|in "
    r"favou?r of|stick up for|stands? up for|keep|no reason to (?:doubt|suspect|vote|"
    r"hang)|fan of|nice to|(?:too|so) hard on) (?:our |poor |old |dear |on )*$"
)
# "@3 has nothing to hide"
_NOTHING_TO_HIDE = re.compile(r"(?: \w+){0,3}? (?:nothing to hide|crossed off|off the list)\b")
# "I was wrong about @3"
_I_WAS_WRONG = re.compile(r"\bi (?:was|am|have been) (?:\w+ )?wrong about $")
# "@3 I would spare"
_I_WOULD_SPARE = re.compile(r" i (?:would|will|should) (?:rather )?(?:spare|leave|keep)\b")
# "I don't see, @2, that @3 ..."
_NOT_SEEN = re.compile(r"\bnot (?:agree|think|believe|buy|see) .*@[\d+]+.*\bthat $")
# "keep @3 on the list"
_ON_LIST = re.compile(r" on (?:the|my) list")
# "don't spare"
_NOT_SPARED = re.compile(r"\b(?:not (?:leave|defend|a fan|spare)|fan of|(?:get|lay|back) off)\b")
# "leave @3 alone"
_ALONE = re.compile(
    r" (?:alone|be|a break|off the (?:list|hook)|off my list|out of (?:it|this)|in peace|"
    r"live|stays?|is off)\b"
)
# what goes before "@3 alone"
_LEAVE = re.compile(r"\b(?:leave|let|leaving|give|cut|keep|take|cross|leaves|lets|takes)\b")
# needs nothing before it
_STAYS = re.compile(r" (?:stays|off|in peace|is off)")
# "@3 has done nothing wrong"
_NO_WRONG = re.compile(
    r"(?: \w+){0,3}? (?:(?:did|has|have|had|done)(?: not)? (?:done |do )?(?:anything|"
    r"nothing|a thing) wrong|nothing wrong|does not deserve|deserves? (?:a break|better)|"
    r"is off (?:my|the) (?:list|hook|table)|has not slipped|(?:has )?not put a foot "
    r"wrong|wrong one|can sit)"
)


def spared(near: Near) -> Verdict:
    """Who should be left alone."""
    if not near.own and _NOTHING_TO_HIDE.match(near.right):
        return ("defend", "")
    if _I_WAS_WRONG.search(near.left) or _I_WOULD_SPARE.match(near.right):
        return ("defend", "")
    if _NOT_SEEN.search(near.all_before):
        return None
    if (
        _SPARE.search(near.left)
        and not _ON_LIST.match(near.right)
        and not _NOT_SPARED.search(near.left.replace("get off", ""))
    ):
        return ("defend", "")
    if _ALONE.match(near.right) and (_LEAVE.search(near.left) or _STAYS.match(near.right)):
        return ("defend", "")
    if not near.own and _NO_WRONG.match(near.right):
        return ("defend", "")
    return None


# "@3 is honest"
_GOOD_AFTER = re.compile(rf"(?: [\w']+)*? ({cues.GOOD.pattern})")
# "the only one", "one of": of several
_ONLY_ONE = re.compile(r"\b(?:only one|one of)\b")
# a verb that gives the praise to @3
_IS_GOOD = re.compile(
    r"(?: [\w']+){0,6}? (?:is|are|was|were|looks?|seems?|sounds?|feels?|be|strikes?|"
    r"comes?|came|tells?|telling|told|as|to be|has been|have been|reads?|100|clean|"
    r"legit|safe|fine|good|ok|okay|innocent|plain\d+|clear|honest|speaks?|spoke|"
    r"speaking|just|being|must be|town|natural)\b"
)
# "too good", "a good idea": no praise
_GOOD_AT = re.compile(
    r"\b(?:for a|too|good (?:at|luck|reason|idea|thing|enough|as any|evening|morning|"
    r"night|game|question|grief)|what is good)\b"
)
# "not the truth" is a lie
_TRUTH = re.compile(r"\btruth")
# "the truth about": right in that
_TRUTH_ABOUT = re.compile(r"\btruth about\b")
# "innocent is @3"
_GOOD_BEFORE = re.compile(
    rf"({cues.GOOD.pattern})(?: (?:is|are|was|for|on|to|read on|reads?|feeling about|"
    rf"feelings about|about|with|vibes from|from|vibe from))* $"
)
# "good luck", "the plain is": no praise
_GOOD_LUCK = re.compile(
    r"\bgood (?:to|luck|for|evening|morning)\b|\b(?:looker|plain)\d+ (?:is|for|to|about|"
    r"from|with)? ?$"
)


def good(near: Near) -> Verdict:
    """Who is praised as honest or clean."""
    if near.own:
        return None
    after = _GOOD_AFTER.match(near.right)
    if _ONLY_ONE.search(near.right) or near.whole.count("+") >= MANY:
        return None
    if (
        after
        and _IS_GOOD.match(near.right)
        and not _GOOD_AT.search(after[0] + near.right[after.end() : after.end() + 10])
    ):
        no = negated(near.left[-34:] + after[0]) != bool(DOUBT.search(near.left[-34:]))
        if no and _TRUTH.search(after[1]):
            return ("accuse", "")
        if not no and (_TRUTH.search(after[1]) or _TRUTH_ABOUT.search(near.right)):
            return ("agree", "")
        return ("suspect" if no else "defend", "")
    before = _GOOD_BEFORE.search(near.left)
    if before and not _GOOD_LUCK.search(before[0]):
        return ("suspect" if negated(near.left[-30:]) else "defend", "")
    return None
