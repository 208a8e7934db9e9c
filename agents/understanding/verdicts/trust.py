"""Who is trusted, spared or praised, and who is odd or disliked.

"I believe @3", "leave @3 alone", "@3 is acting strange".
"""

from __future__ import annotations

import re

from agents.understanding import lexicon
from agents.understanding.verdicts.mention import DOUBT, MANY, Mention, Verdict, negated

# "I trust in @3"
_TRUST_BEFORE = re.compile(
    rf"({lexicon.TRUST.pattern})(?: (?:in|for|by|with|on|to|that|what|a word|anything|a "
    rf"thing|much|more|fully|behind|up for|dear|our|old|poor|either|is|so|"
    rf"goes to|completely|entirely|at all|only|again|now|today|here|even))* $"
)
# "I believe @3 to be the wolf"
_TO_BE = re.compile(r"\bto be\b|\bis\b")
# "@3 can be trusted"
_TRUST_AFTER = re.compile(
    r"(?: \w+){0,4}? (?:can be|be|is|to be|gets|has|get|have|seems|are|i|i do)(?: "
    r"\w+){0,3}? (trust\w*|my trust|townread|cleared|my (?:full )?confidence|believe|my "
    r"faith)\b"
)


# "i believe @3 is honest": no belief in its words
_OF_WHAT_IT_IS = re.compile(
    r" (?:is|was|to be|must be|has to be)\b(?! (?:\w+ )?(?:right|telling|correct|saying|the|a|"
    r"real))"
)
# "i trust @3 the least"
_LEAST = re.compile(r" (?:the )?(?:least|less)\b")


def trusted(mention: Mention) -> Verdict:
    """Return who is trusted or believed."""
    if match := _TRUST_BEFORE.search(mention.left):
        if lexicon.EVIL.search(mention.right[:40]) and _TO_BE.search(mention.right[:12]):
            return None
        if "believ" in match[1] and _OF_WHAT_IT_IS.match(mention.right):
            return None
        least = bool(_LEAST.match(mention.right))
        return _trust("believ" in match[1], negated(mention.left) != least)
    if mention.own or mention.more or lexicon.EVIL.search(mention.right):
        return None
    if match := _TRUST_AFTER.match(mention.right):
        return _trust("believ" in match[1], negated(match[0]))
    return None


def _trust(believing: bool, no: bool) -> Verdict:
    """Belief is in what somebody says, trust in the player itself."""
    if believing:
        return ("disagree" if no else "agree", "")
    return ("suspect" if no else "defend", "")


# "leave @3", "nothing against @3"
_SPARE = re.compile(
    r"\b(?:leave|spare|lay off|back off|go easy on|easy on|defend|defending|stop (?:\w+ )*(?:on|at|"
    r"after|with|pushing|accusing|blaming)|let up on|get off|hands off|nothing (?:\w+ ){0,2}(?:on|"
    r"against|wrong with)|no (?:problem|issue|quarrel|beef) with|not (?:\w+ )?(?:go after|"
    r"going after|touch|hurt|attack|harass|blame|gang up on|bully|target|hang|kill|lynch|"
    r"waste (?:\w+ )*on|bother|bothering|worried about|worry about|suspect|see it in|see it being|"
    r"looking at)|picking on|pick on|ganging up on|protect|cross|crossing|crossed|hands off|"
    r"in favou?r of|stick up for|stands? up for|keep|no reason to (?:doubt|suspect|vote|hang)|"
    r"fan of|nice to|(?:too|so) hard on) (?:our |poor |old |dear |on )*$"
)
# "@3 has nothing to hide"
_NOTHING_TO_HIDE = re.compile(r"(?: \w+){0,3}? (?:nothing to hide|crossed off|off the list)\b")
# "I was wrong about @3"
_I_WAS_WRONG = re.compile(r"\bi (?:was|am|have been) (?:\w+ )?wrong about $")
# "keep @3 on the list"
_ON_LIST = re.compile(r" on (?:the|my) list")
# "leave @3 alone"
_ALONE = re.compile(
    r" (?:alone|be|a break|off the (?:list|hook)|off my list|out of (?:it|this)|in peace|"
    r"live|stays?|is off)\b"
)
# what goes before "@3 alone"
_LEAVE = re.compile(r"\b(?:leave|let|leaving|give|cut|keep|take|cross|leaves|lets|takes)\b")
# "@3 has done nothing wrong"
_NO_WRONG = re.compile(
    r"(?: \w+){0,3}? (?:(?:did|has|have|had|done)(?: not)? (?:done |do )?(?:anything|nothing|"
    r"a thing) wrong|nothing wrong|does not deserve|deserves? (?:a break|better)|is off (?:my|"
    r"the) (?:list|hook|table)|has not slipped|(?:has )?not put a foot wrong|wrong one|can sit)"
)


def spared(mention: Mention) -> Verdict:
    """Return who should be left alone."""
    if not mention.own and _NOTHING_TO_HIDE.match(mention.right):
        return ("defend", "")
    if _I_WAS_WRONG.search(mention.left):
        return ("defend", "")
    if _SPARE.search(mention.left) and not _ON_LIST.match(mention.right):
        return ("defend", "")
    if _ALONE.match(mention.right) and _LEAVE.search(mention.left):
        return ("defend", "")
    if not mention.own and _NO_WRONG.match(mention.right):
        return ("defend", "")
    return None


# "@3 is honest"
_GOOD_AFTER = re.compile(rf"(?: [\w']+)*? ({lexicon.GOOD.pattern})")
# a verb that gives the praise to @3
_IS_GOOD = re.compile(
    r"(?: [\w']+){0,6}? (?:is|are|was|were|looks?|seems?|sounds?|feels?|be|strikes?|comes?|came|"
    r"tells?|telling|told|as|to be|has been|have been|reads?|100|clean|legit|safe|fine|good|ok|"
    r"okay|innocent|plain\d+|clear|honest|speaks?|spoke|speaking|just|being|must be|town|natural)\b"
)
# "too good", "a good idea": no praise
_GOOD_AT = re.compile(
    r"\b(?:for a|too|good (?:at|luck|reason|idea|thing|enough|as any|evening|morning|"
    r"night|game|question|grief)|what is good)\b"
)
# "not the truth" is a lie
_TRUTH = re.compile(r"\btruth")
# "innocent is @3"
_GOOD_BEFORE = re.compile(
    rf"({lexicon.GOOD.pattern})(?: (?:is|are|was|for|on|to|reads?|feeling about|"
    rf"feelings about|about|with|vibes from|from|vibe from))* $"
)
# "good luck", "the plain role is": no praise
_GOOD_LUCK = re.compile(
    r"\bgood (?:to|luck|for|evening|morning)\b|\b(?:looker|plain)\d+ (?:is|for|to|about|"
    r"from|with)? ?$"
)


def good(mention: Mention) -> Verdict:
    """Return who is praised as honest or clean."""
    if mention.own:
        return None
    after = _GOOD_AFTER.match(mention.right)
    if mention.whole.count("+") >= MANY:
        return None
    if (
        after
        and _IS_GOOD.match(mention.right)
        and not _GOOD_AT.search(after[0] + mention.right[after.end() : after.end() + 10])
    ):
        no = negated(mention.left[-34:] + after[0]) != bool(DOUBT.search(mention.left[-34:]))
        if no and _TRUTH.search(after[1]):
            return ("accuse", "")
        if not no and _TRUTH.search(after[1]):
            return ("agree", "")
        return ("suspect" if no else "defend", "")
    before = _GOOD_BEFORE.search(mention.left)
    if before and not _GOOD_LUCK.search(before[0]):
        return ("suspect" if negated(mention.left[-30:]) else "defend", "")
    return None


# what may stand between a cue and the name it is for
_ODD_LINK = (
    r"(?: (?:on|of|at|about|toward|towards|with|by|is|goes to|to|for|in|from|out for|right now|now|"
    r"me|i|have|that|be|would|are|because|over|most|around|hard|how|the way|when|very|"
    r"still|also|only|here|stays?|lies|up|my|the|our|says|tells me|points?|falls?|"
    r"lands?|rests?|sits?|turns?|must|direct|a|bit|little|all|every|closely))* $"
)
# "my suspicion is on @3"
_ODD_BEFORE = re.compile(
    rf"({lexicon.ODD.pattern}|look(?:ing)? (?:a (?:little|bit) )?(?:closer |hard |harder |closely |"
    rf"more closely |straight |right |twice )?at|put (?:it|money|my money|my chips) on|"
    rf"bet (?:\w+ ){{0,3}}on|coming back to|strike against|less sure|whiff|"
    rf"my (?:\w+ ){{0,2}}?(?:read|choice|lead|candidate|theory) (?=is |would |stays |"
    rf"remains )){_ODD_LINK}"
)
# "@3 is suspicious"
_UP_TO = re.compile(rf"(?: [\w'%-]+)*? ({lexicon.ODD.pattern})$")
# cues that are the speaker's only with "my", "me", "is"
_MINE_NEEDED = re.compile(
    r"(?:trust|bet|betting|guess|money|watch|watching|eye|eyes|finger|pick|gut|hunch|eyeing|lean|"
    r"leaning|favou?rite|suspects?|suspected|doubts?|pushing|push|jump\w*|acting|target|avoid\w*)$"
)
# makes such a cue the speaker's, or a state of @3
_SPEAKERS = re.compile(r"\b(?:my|i|me|is|keeps?|was|has)\b")
# cues that are the speaker's only with "my" or "I"
_MY_NEEDED = re.compile(r"(?:finger|gut|money|hunch|pick|eyes?)$")
# the speaker
_I_OR_MY = re.compile(r"\b(?:my|i)\b")
# a manner, no suspicion
_JUST_SO = re.compile(r"\bjust (?:being )?(?:quiet|silent|loud|nervous|careful|weird)$")
# an opinion follows, no suspicion
_IN_MY_EYES = re.compile(r"\bin my (?:eyes|book)\b")
# cues that are good, and odd only where denied
_TURNED = re.compile(r"\b(?:add up|adds up|adding up|sit right|right with me|hold up|trust)\b")
# "I was too hard on @3"
_I_WAS = re.compile(r"\bi (?:was|have been|am) $")
# "nothing to hide from @3"
_HIDE_NOTHING = re.compile(r"\bnothing to hide\b")


def odd(mention: Mention) -> Verdict:
    """Return who is odd, watched or distrusted."""
    before, after = _odd_before(mention), _odd_after(mention)
    cue = after or before
    if not cue or _HIDE_NOTHING.search(mention.left):
        return None
    if after and _IN_MY_EYES.search(after[0]):
        return None
    if before:
        lead = mention.left[: before.start()]
        if before[1].startswith("too ") and _I_WAS.search(lead):
            return None
    no = negated(mention.left[-34:] + (after[0] if after else ""))
    turned = bool(_TURNED.search(cue[1]))
    return ("defend" if no != turned else "suspect", "")


def _odd_before(mention: Mention) -> re.Match[str] | None:
    """Return the cue in "my suspicion is on @3"."""
    return _ODD_BEFORE.search(mention.left)


def _odd_after(mention: Mention) -> re.Match[str] | None:
    """Return the cue in "@3 is suspicious"."""
    for cue in lexicon.ODD.finditer(mention.right):
        match = _UP_TO.match(mention.right, 0, cue.end())
        if match and _is_of(mention, match):
            return match
    return None


def _is_of(mention: Mention, match: re.Match[str]) -> bool:
    """Return whether the cue that ends `match` is said of the mention before it."""
    if (mention.own and len(match[0].split()) < 2) or _JUST_SO.search(match[0]):
        return False
    if _MINE_NEEDED.match(match[1]) and not _SPEAKERS.search(match[0]):
        return False
    mine = bool(_I_OR_MY.search(match[0]))
    if mention.more and mine:
        return False  # it is for the name that follows
    return mine or not _MY_NEEDED.match(match[1])


# "I don't like @3"
_LIKE = re.compile(
    r"\b(?:not|never) (?:a |the )?(?:\w+ )?(?:fan of|like|love|fond|happy with|comfortable with|"
    r"sure about|sold on|care for|easy about|convinced by|so sure about|feeling)(?: (?:how|the way|"
    r"about|what|this|that|it|of|by|with|is|at|all|when))* $|\bthe (?:less|least) i (?:like|trust|"
    r"believe|buy) (?:the |about )?$|\bdunno about $|\bnot know about $|\b(?:on|"
    r"in) my (?:\w+ )?(?:list|pile)\b|\bwould not (?:buy|put|trust|turn|bet)\b"
)
# "strike @3 from the list"
_STRIKE = re.compile(r"\b(?:strike|cross|take) $")
# "@3 is on my list", "@3 gives me the creeps"
_ON_MY_LIST = re.compile(
    r"(?: \w+){0,2}? (?:(?:on|in) my (?:\w+ )?(?:list|pile|radar|sights)|i (?:do not|no|"
    r"dont) (?:\w+ )?(?:like|trust)|i am (?:still |really )?(?:not|less|"
    r"rather less) (?:\w+ )?(?:sure|sold|convinced|certain|comfortable)|(?:gives?|"
    r"giving) me (?:\w+ )?(?:the |a )?(?:\w+ )?(?:ache|itch|bad|creeps|wolf|weird|chills|pause|"
    r"goosebumps|nothing|vibes|heebie)|makes? me (?:\w+ )?(?:uneasy|nervous|wonder|suspicious|"
    r"itch\w*|uncomfortable)|stands? out|gains|flinched|profits|benefits)\b"
)


def disliked(mention: Mention) -> Verdict:
    """Return who is not liked, or on somebody's list."""
    if _STRIKE.search(mention.left):
        return ("defend", "")
    if _LIKE.search(mention.left) or _ON_MY_LIST.match(mention.right):
        return ("suspect", "")
    return None
