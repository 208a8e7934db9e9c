"""Who is odd or disliked: "@3 is acting strange", "@3 is on my list"."""

from __future__ import annotations

import re

from agents.talk import cues
from agents.talk.verdicts.near import Near, Verdict, negated

_ODD_LINK = (
    r"(?: (?:on|of|at|about|toward|towards|with|by|is|goes to|to|for|in|from|out for|"
    r"right now|now|me|i|have|that|be|would|are|"
    r"because|over|most|the most|around|hard|how|the way|when|very|still|also|only|here|"
    r"stays?|lies|sits|up|my|the|our|says|tells me|points?|me is|falls?|lands?|rests?|"
    r"sits?|turns?|must|direct|a|bit|little|all|every|closely))* $"
)
# "my suspicion is on @3"
_ODD_BEFORE = re.compile(
    rf"({cues.ODD.pattern}|look(?:ing)? (?:a (?:little|bit) )?(?:closer |hard |harder |"
    rf"closely |more closely |straight |right |twice )?at|put (?:it|money|my money|my "
    rf"chips) on|bet (?:\w+ ){0, 3}on|coming back to|strike against|less sure|"
    rf"whiff){_ODD_LINK}"
)
# "@3 is suspicious"
_ODD_AFTER_NAME = re.compile(rf"(?: [\w'%-]+)*? ({cues.ODD.pattern})")
# cues that are the speaker's only with "my", "me", "is"
_MINE_NEEDED = re.compile(
    r"(?:trust|bet|betting|guess|money|watch|watching|eye|eyes|finger|pick|gut|hunch|"
    r"eyeing|lean|leaning|favou?rite|suspects?|suspected|doubts?|pushing|push|jump\w*|"
    r"acting|target|avoid\w*)$"
)
# makes such a cue the speaker's, or a state of @3
_SPEAKERS = re.compile(r"\b(?:my|i|me|is|keeps?|was|has)\b")
# cues that are the speaker's only with "my" or "I"
_MY_NEEDED = re.compile(r"(?:finger|gut|money|hunch|pick|eyes?)$")
# the speaker
_I_OR_MY = re.compile(r"\b(?:my|i)\b")
# silence before a name is somebody else's
_SILENCE = re.compile(r"(?:silence|quiet)$")
# an opinion follows, no suspicion
_IN_MY_EYES = re.compile(r"\bin my (?:eyes|book)\b")
# cues that are good, and odd only where denied
_TURNED = re.compile(r"\b(?:add up|adds up|adding up|sit right|right with me|hold up|trust)\b")
# "@2 suspects @3": @2 does the suspecting
_TRANSITIVE = re.compile(r"\b(?:suspect|trust|doubt|distrust|mistrust|watch|watching)$")
# "@2 and @3 suspect each other"
_EACH_OTHER = re.compile(r"\beach other\b|\bwhom\b")
# "I was too hard on @3"
_I_WAS = re.compile(r"\bi (?:was|have been|am) $")
# "nothing to hide from @3"
_HIDE_NOTHING = re.compile(r"\bnothing to hide\b")
# "I am quiet, @3"
_I_AM = re.compile(r"\b(?:i am|im|am i|me|i look) (?:\w+ )?$")
# a state of the speaker
_STATE = re.compile(r"(?:quiet|silent|off|bad|weird|loud)")


def odd(near: Near) -> Verdict:
    before = _ODD_BEFORE.search(near.left)
    after = _ODD_AFTER_NAME.match(near.right)
    if after and _MINE_NEEDED.match(after[1]) and not _SPEAKERS.search(after[0]):
        after = None
    if after and _MY_NEEDED.match(after[1]) and not _I_OR_MY.search(after[0]):
        after = None
    if after and near.more and _I_OR_MY.search(after[0]):
        after = None
    if before and _SILENCE.match(before[1]):
        before = None
    if near.own and after and len(after[0].split()) < 2:
        after = None
    cue = after or before
    if not cue:
        return None
    if after and _IN_MY_EYES.search(after[0]):
        return None
    scope = near.left[-34:] + (after[0] if after else "")
    no = negated(scope)
    if _TURNED.search(cue[1]):
        no = not no
    if after and near.more and _TRANSITIVE.search(after[0]):
        return None
    if _EACH_OTHER.search(near.right):
        return None
    if before and before[1].startswith("too ") and _I_WAS.search(near.left[: before.start()]):
        return None
    if _HIDE_NOTHING.search(near.left):
        return None
    if (
        _I_AM.search(near.left[: before.start()] if before else "")
        and before
        and _STATE.match(before[1])
    ):
        return None
    return ("defend" if no else "suspect", "")


_LIKE = re.compile(
    r"\b(?:not|never) (?:\w+ )?(?:like|love|fond|happy with|comfortable with|sure about|sold "
    r"on|care for|easy about|convinced by|so sure about|feeling)(?: (?:how|the way|about|"
    r"what|this|that|it|of|by|with|is|at|all|when))* $|\bdunno about $|\bnot know about $|"
    r"\b(?:on|in) my (?:\w+ )?(?:list|pile)\b|\bwould not (?:buy|put|trust|turn|bet)\b"
)
# asked or told of others
_WHOM = re.compile(r"\bwhom?\b")
# "strike @3 from the list"
_STRIKE = re.compile(r"\b(?:strike|cross|take) $")
# "@3 moves down my list"
_LOWER = re.compile(r"(?: \w+){0,2}? (?:lower|down|off)\b(?: \w+){0,4}? my list\b")
# "@3 is on my list", "@3 gives me the creeps"
_ON_MY_LIST = re.compile(
    r"(?: \w+){0,2}? (?:(?:on|in) my (?:\w+ )?(?:list|pile|radar|sights)|i do not (?:\w+ "
    r")?(?:like|trust)|(?:gives?|giving) me (?:\w+ )?(?:the |a )?(?:\w+ )?(?:ache|itch|"
    r"bad|creeps|wolf|weird|chills|pause|goosebumps|nothing|vibes|heebie)|wants? (?:it|"
    r"to die)\b|makes? me (?:\w+ )?(?:uneasy|nervous|wonder|suspicious|itch\w*|"
    r"uncomfortable)|stands? out|gains|flinched|profits|benefits)\b"
)


def disliked(near: Near) -> Verdict:
    if _WHOM.search(near.right[:40]):
        return None
    if _STRIKE.search(near.left) or _LOWER.match(near.right):
        return ("defend", "")
    if _LIKE.search(near.left) or _ON_MY_LIST.match(near.right):
        return ("suspect", "")
    return None
