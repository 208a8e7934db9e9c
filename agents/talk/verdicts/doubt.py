"""Who is odd or disliked: "@3 is acting strange", "@3 is on my list"."""

from __future__ import annotations

import re

from agents.talk import cues
from agents.talk.verdicts.near import Near, Verdict, negated

# what may stand between a cue and the name it is for
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
    rf"chips) on|bet (?:\w+ ){{0,3}}on|coming back to|strike against|less sure|"
    rf"whiff|my (?:\w+ ){{0,2}}?(?:read|choice|lead|candidate|theory) (?=is |would |stays |"
    rf"remains ))"
    rf"{_ODD_LINK}"
)
# "@3 is suspicious"
_UP_TO = re.compile(rf"(?: [\w'%-]+)*? ({cues.ODD.pattern})$")
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
_STATE = re.compile(r"(?:quiet|silent|off|bad|weird|loud)\b(?! (?:vibes?|feel|read))")


def odd(near: Near) -> Verdict:
    """Who is odd, watched or distrusted."""
    before, after = _odd_before(near), _odd_after(near)
    cue = after or before
    if not cue or _EACH_OTHER.search(near.right) or _HIDE_NOTHING.search(near.left):
        return None
    if after and (_IN_MY_EYES.search(after[0]) or (near.more and _TRANSITIVE.search(after[0]))):
        return None
    if before:
        lead = near.left[: before.start()]
        if before[1].startswith("too ") and _I_WAS.search(lead):
            return None
        if _STATE.match(before[0]) and _I_AM.search(lead):
            return None
    no = negated(near.left[-34:] + (after[0] if after else ""))
    turned = bool(_TURNED.search(cue[1]))
    return ("defend" if no != turned else "suspect", "")


def _odd_before(near: Near) -> re.Match[str] | None:
    """The cue in "my suspicion is on @3"."""
    match = _ODD_BEFORE.search(near.left)
    return None if match and _SILENCE.match(match[1]) else match


def _odd_after(near: Near) -> re.Match[str] | None:
    """The cue in "@3 is suspicious"."""
    for cue in cues.ODD.finditer(near.right):
        match = _UP_TO.match(near.right, 0, cue.end())
        if match and _is_of(near, match):
            return match
    return None


def _is_of(near: Near, match: re.Match[str]) -> bool:
    """Whether the cue that ends `match` is said of the mention before it."""
    if near.own and len(match[0].split()) < 2:
        return False
    if _MINE_NEEDED.match(match[1]) and not _SPEAKERS.search(match[0]):
        return False
    mine = bool(_I_OR_MY.search(match[0]))
    if near.more and mine:
        return False  # it is for the name that follows
    return mine or not _MY_NEEDED.match(match[1])


# "I don't like @3"
_LIKE = re.compile(
    r"\b(?:not|never) (?:a |the )?(?:\w+ )?(?:fan of|like|love|fond|happy with|comfortable with|"
    r"sure about|sold "
    r"on|care for|easy about|convinced by|so sure about|feeling)(?: (?:how|the way|about|"
    r"what|this|that|it|of|by|with|is|at|all|when))* $|"
    r"\bthe (?:less|least) i (?:like|trust|believe|buy) (?:the |about )?$|\bdunno about $|"
    r"\bnot know about $|"
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
    r"(?: \w+){0,2}? (?:(?:on|in) my (?:\w+ )?(?:list|pile|radar|sights)|i (?:do not|no|"
    r"dont) (?:\w+ "
    r")?(?:like|trust)|i am (?:still |really )?(?:not|less|rather less) (?:\w+ )?(?:sure|sold|"
    r"convinced|certain|comfortable)|(?:gives?|giving) me (?:\w+ )?(?:the |a )?(?:\w+ )?(?:ache|"
    r"itch|"
    r"bad|creeps|wolf|weird|chills|pause|goosebumps|nothing|vibes|heebie)|"
    r"makes? me (?:\w+ )?(?:uneasy|nervous|wonder|suspicious|itch\w*|"
    r"uncomfortable)|stands? out|gains|flinched|profits|benefits)\b"
)


# "not convinced by @3's claim"
_CONVINCED = re.compile(r"\bnot (?:\w+ )?(?:convinced by|sold on) $")


def disliked(near: Near) -> Verdict:
    """Who is not liked, or on somebody's list."""
    if _WHOM.search(near.right[:40]):
        return None
    if _STRIKE.search(near.left) or _LOWER.match(near.right):
        return ("defend", "")
    if near.own and _CONVINCED.search(near.left):
        return ("disagree", "")
    if _LIKE.search(near.left) or _ON_MY_LIST.match(near.right):
        return ("suspect", "")
    return None
