"""Whether a player, or what it said, is right: "I agree with @3", "exactly what @3 said"."""

from __future__ import annotations

import re

from agents.understanding import lexicon
from agents.understanding.verdicts.mention import Mention, Verdict, negated

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
    r"\b(?:disagree|not (?:see it (?:that way|the same|like)|agree|follow|share|with|on board|"
    r"think the same)|cannot (?:agree|follow)|beg to differ|differently|part ways|object to|"
    r"i (?:\w+ ){0,3}?(?:contradict|contest|dispute|oppose)|take issue with)\b(?: \w+){0,6} $"
)
# "nonsense from @3"
_DISAGREE_BEFORE = re.compile(
    rf"{lexicon.DISAGREE.pattern}(?: (?:from|with|to|of|there|by|on|about|in|that|here|is))* $"
)
# "@3 is wrong"
_DISAGREE_AFTER = re.compile(rf"(?: [\w']+){{0,6}}? ({lexicon.DISAGREE.pattern})")
# "rubs me the wrong way": dislike
_RUBS_ME = re.compile(r"\brubs? me\b")
# wrong, but not in what was said
_OTHER_WRONG = re.compile(
    r"\bi (?:was|am|have been|might be|may be) (?:\w+ )?wrong about\b|\bwrong (?:game|card|room)|"
    r"foot wrong|wrong one|nothing wrong|(?:did|done|do|does)(?: not)? (?:\w+ ){0,2}(?:a thing "
    r")?wrong|something (?:is )?wrong|crazy (?:quiet|loud)|\bwrong about\b.*@"
)
# "is wrong about @3"
_WRONG_ABOUT = re.compile(r"\b(?:is|be) wrong about $")
# "@3 is not wrong"
_NOT_WRONG = re.compile(r"\b(?:not|never) (?:\w+ )?(?:disagree|wrong|mistaken|crazy|stupid|silly)")
# "I think as @3 is ...": @3 begins a clause of its own
_IS_HAS = re.compile(r" (?:is|was|has|are) ")
# "@3 is right"
_AGREE_AFTER = re.compile(rf"(?: [\w']+){{0,5}}? ({lexicon.AGREE.pattern})")
# "@3 said right away": not in the right
_OTHER_RIGHT_AFTER = re.compile(
    r"\b(?:said|all) right\b|\bright (?:now|after|before|away|there|when|off|at|"
    r"behind|side)\b|\bsecond (?:(?:looker|mate|keeper)\d+|round|claim|time)|too (?:smart|clever)|"
    r"\b(?:sits?|feels?) right|\bword\b|this (?:game|whole|round|time)|reasonable "
    r"doubt|my right|might (?:even )?be right|came second"
)


# "i share @3's concern"
_SHARE = re.compile(r"\bi (?:\w+ )?(?:share|second|echo|support) $")
# what is shared
_VIEW = re.compile(
    r" (?:\w+ )?(?:concerns?|views?|opinion|worry|worries|suspicions?|feelings?|doubts?|thoughts?|"
    r"read|sentiment|point|assessment)\b"
)
# "i couldn't have said it better than @3"
_BETTER_THAN = re.compile(r"\bnot (?:have )?(?:put|say|said|express\w*) it better than $")


def agreement(mention: Mention) -> Verdict:
    """Return whether what a player said is right or wrong."""
    both = mention.left + mention.right
    if (
        _NOT_CONVINCED.search(mention.left)
        and _IS_ARE.match(mention.right)
        and lexicon.GOOD.search(mention.right)
    ):
        return ("suspect", "")
    if _DISAGREE_WITH.search(mention.left):
        return ("disagree", "")
    if _DISAGREE_BEFORE.search(mention.left) or (
        not mention.own and _DISAGREE_AFTER.match(mention.right)
    ):
        if _RUBS_ME.search(both) or _OTHER_WRONG.search(both) or _WRONG_ABOUT.search(mention.left):
            return None
        return ("agree" if _NOT_WRONG.search(both) else "disagree", "")
    if mention.own:
        return ("agree", "") if _SHARE.search(mention.left) and _VIEW.match(mention.right) else None
    if _BETTER_THAN.search(mention.left):
        return ("agree", "")
    if _AGREE_WITH.search(mention.left) and not _NOT_AGREE.search(mention.left):
        if _IS_HAS.match(mention.right):
            return None
        return ("disagree" if negated(mention.left) else "agree", "")
    if cue := _AGREE_AFTER.match(mention.right):
        if _OTHER_RIGHT_AFTER.search(mention.right):
            return None
        return ("disagree" if negated(mention.left[-20:] + cue[0]) else "agree", "")
    return None


# "exactly what @3 said", "I believe what @3 said"
_WHAT_INTRO = re.compile(
    r"(?:^ (?:yeah |yes |exactly |just |and |so |this |yup |yep |ya |basically |honestly |"
    r"pretty much |literally |1 |\+1 )*|\b(?:believe|believing|buy|trust|with|that is|confirm|"
    r"second|support|back|exactly|same as|everything|take|accept|like|hear) (?:that )?)(?:what|"
    r"everything|all|like|as|whatever)? ?$"
)
# words right before "@3 said"
_WHAT_SAID = re.compile(r"\b(?:what|everything|all|like|as|whatever|believe|trust|buy) $")
# "as @3 said"
_AS_SAID = re.compile(r"\b(?:what|as) $")
# what was said is wrong
_NOT_BELIEVED = re.compile(
    r"\bnot (?:\w+ )?(?:believe|buy|true|right|add|make)\b|\b(?:cannot be|nonsense|rubbish|wrong)\b"
)
# "odd how @3 said ..."
_ODD_THAT = re.compile(
    r"\b(?:odd|strange|weird|suspicious|fishy|funny|interesting|convenient)(?: (?:how|"
    r"that|it is|is))* $"
)
# "i do not like how @3 pushed ..."
_NOT_LIKED = re.compile(
    r"\bnot (?:\w+ )?(?:like|love|trust|enjoy) (?:how|that|the way|it that|it how) $"
)
# "what @3 said is odd"
_ODD_AFTER = re.compile(
    r"\b(?:not (?:sit right|add up)|odd|strange|weird|suspicious|bothers?|worries?|"
    r"fishy|rehearsed|scripted|staged|forced|sus|shady|too (?:good|smooth|neat)|convenient)\b"
)
# "not a word of what @3 says"
_NOT_A_WORD = re.compile(r"\b(?:not a (?:single )?word|none|nothing) of what $")
# "@3 said it best"
_SAID_IT_BEST = re.compile(r"\bsaid it (?:best|right|well|all)\b|\bsaid (?:what|exactly)\b")
# "I believe @3 said ..."
_I_BELIEVE = re.compile(r"\b(?:believe|trust|buy) $")


def speech(mention: Mention) -> Verdict:
    """Return "@3 said ...": only "what @3 said", "@3 said it best" say something of @3 itself."""
    left, right = mention.left, mention.right
    if _of_words(left):
        if lexicon.LYING.search(right):
            return ("agree" if negated(right) else "accuse", "")
        if _ODD_AFTER.search(right):
            return ("suspect", "")
        wrong = _NOT_BELIEVED.search(left + right) or negated(left)
        return ("disagree" if wrong else "agree", "")
    if _NOT_LIKED.search(left) or _ODD_THAT.search(left) or _ODD_AFTER.search(right):
        return ("suspect", "")
    if _NOT_A_WORD.search(left):
        return ("accuse", "")
    if _SAID_IT_BEST.search(right):
        return ("agree", "")
    if _I_BELIEVE.search(left):
        return ("disagree" if negated(left) else "agree", "")
    return None


def _of_words(left: str) -> bool:
    """Whether what a player said is weighed: "exactly what @3 said", "I believe what @3 said"."""
    if not _WHAT_INTRO.search(left) or not _WHAT_SAID.search(left):
        return False
    return bool(
        left.split()[0] in ("what", "like", "as", "exactly", "yeah", "this")
        or _AS_SAID.search(left)
    )
