"""Whether a player is right: "I agree with @3", "@3 is wrong"."""

from __future__ import annotations

import re

from agents.talk import cues
from agents.talk.verdicts.near import Near, Verdict, negated

# "I agree with @3", "I second @3"
_AGREE_WITH = re.compile(
    r"(?:\b(?:agree\w*|am|is|second|follow|same|echo|support|side|join|concur|on board|"
    r"going|go along|think|feel|see it|stand|siding|we are|thoughts|way|opinion|plus "
    r"one)|\+ ?1|\b1)\b(?: \w+){0,6}? (?:with|as|to|like|what) $|"
    r"(?:^ |\b(?:i|we|let us|will|would|and|to) (?:\w+ )?)(?:second|echo|follow|join|"
    r"support|back|seconding|backing|quoting|\+1|listen to|what) $"
)
# what is done with somebody that is no agreement
_NOT_AGREE = re.compile(
    r"\bvot\w+|\b(?:looked|wrong|up with|happy|comfortable|issue|problem|deal|mate\d+|mate\d+s|"
    r"partner|wake|woke|trouble|together|alone|start|something|happened|off|suspicion|finger|"
    r"points?|goes|leads|talk|argu\w+|disagree|paired|in bed|team|working)\b"
)
# "not convinced @3 is"
_NOT_CONVINCED = re.compile(r"\bnot convinced (?:that )?$")
# @3 is the subject of a verdict
_IS_ARE = re.compile(r" (?:is|are) ")
# "I disagree with @3"
_DISAGREE_WITH = re.compile(
    r"\b(?:disagree|not (?:see it (?:that way|the same|like)|agree|follow|share|with|on "
    r"board|think the same)|cannot (?:agree|follow)|beg to differ|differently|part ways|"
    r"object to|i (?:\w+ ){0,3}?(?:contradict|contest|dispute|oppose)|"
    r"take issue with)\b(?: \w+){0,6} $"
)
# "nonsense from @3"
_DISAGREE_BEFORE = re.compile(
    rf"{cues.DISAGREE.pattern}(?: (?:from|with|to|of|there|by|on|about|in|that|here|"
    rf"is))* $"
)
# "@3 is wrong"
_DISAGREE_AFTER = re.compile(rf"(?: [\w']+){{0,6}}? ({cues.DISAGREE.pattern})")
# "rubs me the wrong way": dislike
_RUBS_ME = re.compile(r"\brubs? me\b")
# wrong, but not in what was said
_OTHER_WRONG = re.compile(
    r"\bi (?:was|am|have been|might be|may be) (?:\w+ )?wrong about\b|\bwrong "
    r"(?:game|card|room)|foot wrong|wrong one|nothing wrong|(?:did|done|do|does)(?: "
    r"not)? (?:\w+ ){0,2}(?:a thing )?wrong|something (?:is )?wrong|crazy (?:quiet|"
    r"loud)|\bwrong about\b.*@"
)
# "is wrong about @3"
_WRONG_ABOUT = re.compile(r"\b(?:is|be) wrong about $")
# "@3 is not wrong"
_NOT_WRONG = re.compile(r"\b(?:not|never) (?:\w+ )?(?:disagree|wrong|mistaken|crazy|stupid|silly)")
# "I think as @3 is ...": @3 begins a clause of its own
_IS_HAS = re.compile(r" (?:is|was|has|are) ")
# "good point by @3"
_AGREE_BEFORE = re.compile(
    rf"{cues.AGREE.pattern}(?: (?:by|from|with|about|there|here|to|from you|on that|"
    rf"point|one|of))* $"
)
# "right now": not in the right
_OTHER_RIGHT = re.compile(r"\bvot|\b(?:(?:looker|mate)\d+|now|all) (?:right|second)|right now")
# "@3 is right"
_AGREE_AFTER = re.compile(rf"(?: [\w']+){{0,5}}? ({cues.AGREE.pattern})")
# "@3 said right away": not in the right
_OTHER_RIGHT_AFTER = re.compile(
    r"\b(?:said|all) right\b|\bright (?:now|after|before|away|there|when|off|at|"
    r"behind|side)\b|\bsecond (?:(?:looker|mate)\d+|round|claim|time)|too (?:smart|clever)|"
    r"\b(?:sits?|feels?) right|\bword\b|this (?:game|whole|round|time)|reasonable "
    r"doubt|my right|might (?:even )?be right|came second"
)
# agreement only where it goes before a name
_NOT_AFTER = re.compile(r"this|word|exactly|logic|same|agree|concur")


# "i share @3's concern"
_SHARE = re.compile(r"\bi (?:\w+ )?(?:share|second|echo|support) $")
# what is shared
_VIEW = re.compile(
    r" (?:\w+ )?(?:concerns?|views?|opinion|worry|worries|suspicions?|feelings?|doubts?|thoughts?|"
    r"read|"
    r"sentiment|point|assessment)\b"
)
# "i couldn't have said it better than @3"
_BETTER_THAN = re.compile(r"\bnot (?:have )?(?:put|say|said|express\w*) it better than $")


def agreement(near: Near) -> Verdict:
    """Whether what a player said is right or wrong."""
    both = near.left + near.right
    if (
        _NOT_CONVINCED.search(near.left)
        and _IS_ARE.match(near.right)
        and cues.GOOD.search(near.right)
    ):
        return ("suspect", "")
    if _DISAGREE_WITH.search(near.left):
        return ("disagree", "")
    if _DISAGREE_BEFORE.search(near.left) or (not near.own and _DISAGREE_AFTER.match(near.right)):
        if _RUBS_ME.search(both) or _OTHER_WRONG.search(both) or _WRONG_ABOUT.search(near.left):
            return None
        return ("agree" if _NOT_WRONG.search(both) else "disagree", "")
    if near.own:
        return ("agree", "") if _SHARE.search(near.left) and _VIEW.match(near.right) else None
    if _BETTER_THAN.search(near.left):
        return ("agree", "")
    if _AGREE_WITH.search(near.left) and not _NOT_AGREE.search(near.left):
        if _IS_HAS.match(near.right):
            return None
        return ("disagree" if negated(near.left) else "agree", "")
    if (cue := _AGREE_BEFORE.search(near.left)) and not _OTHER_RIGHT.search(cue[0]):
        return ("disagree" if negated(near.left) else "agree", "")
    if cue := _AGREE_AFTER.match(near.right):
        if _OTHER_RIGHT_AFTER.search(near.right) or _NOT_AFTER.match(cue[1]):
            return None
        return ("disagree" if negated(near.left[-20:] + cue[0]) else "agree", "")
    return None
