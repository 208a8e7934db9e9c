"""Votes: "my vote goes to @3", "@3 has to hang"."""

from __future__ import annotations

import re

from agents.talk import cues
from agents.talk.verdicts.near import Near, Verdict, negated

# "vote for @3"
_VOTE_FOR = re.compile(
    rf"{cues.VOTE.pattern}(?: (?:for|to|against|out|off|on|with|at|in|up|down|is|goes|go|"
    rf"going|be|will|poor|today|this|my|it|should|be|all|now|please|firmly|accordingly|"
    rf"therefore|then|the|cast|=|again|still|tonight|here|over|by|as|and|only|must|stays|"
    rf"remains|straight|directly|down|end|gate|button))* $|\b(?:clicking|click|name down "
    rf"(?:for|against)|cast mine for|mine (?:is|goes) (?:for|to)) $"
)
# "my vote is for @3"
_MY_VOTE = re.compile(
    r"\bmy (?:\w+ )?(?:vote|ballot)(?:'s| is)?(?: \w+){0,5} $|\bmy hand (?:will )?(?:go|"
    r"goes) up (?:for|against) $|\b(?:lock in|locking in|put me down for) $|"
    r"\b(?:everybody|everyone|all(?: of us)?|us all|we all) (?:go )?(?:point(?:ing)? "
    r")?(?:on|onto|for|at) $|\b(?:i am|im|all aboard|locked) on $|"
    r"\b(?:lim|pl|lynch|nuke|yeet|vtlo|exe) $|\b(?:kill|rope|hanged|noose for|gallows "
    r"for|rope for|get rid of|out goes|out with|raise my hand (?:for|against)|hand up "
    r"(?:for|against)) $"
)
# "@3 gets my vote", "@3 has to go"
_GETS_VOTE = re.compile(
    r"(?: \w+){0,2}? (?:gets?|has|have|will (?:get|have|be getting)|can have|earns?|"
    r"wins?|getting|got|is getting|is where|takes?|deserves?) (?:my|our|the|all our|"
    r"every) (?:vote|votes|noose|rope)|"
    r"(?: \w+)? (?:should|must|has to|needs to|have to|ought to|gotta|can)(?: \w+){0,2} "
    r"(?:go|hang|die|be (?:out|voted|lynched|gone|eliminated|hanged))\b|"
    r" (?:that )?(?:i|we) (?:am|are|will be|will|would|shall|should be)? ?(?:voting|vote|"
    r"hang|lynch)|"
    r" (?:out|for the (?:vote|rope|gallows|noose|win)|is my vote|my vote|it is "
    r"then|for my vote|is gone|goes out|today|tonight|has to go|then|goes)\s*$| it "
    r"is(?:\s*$| then| and| for my vote| for me)"
)
# "going for", which needs a voter
_GO_FOR = re.compile(r"go(?:ing)? for")
# who would vote
_VOTERS = re.compile(r"\b(?:i|we|us|i am)\b")
# others' votes are talked about
_OTHERS_VOTE = re.compile(
    r"\b(?:who|they|he|she|did|everyone|everybody|people|whoever|nobody) (?:\w+ "
    r")?(?:vote[sd]?|voting)\b|\bvoted (?:for|against)\b|\bvotes (?:are|were)\b"
)
# "@2 votes @3"
_VOTER_NAMED = re.compile(r"@[\d+]+ (?:\w+ )?(?:vot|hang|push|kick|lynch)")
# the speaker's own vote, or a call
_I_OR_PLEA = re.compile(r"\b(?:i|we|let|us|please)\b")
# "I vote with @3"
_VOTE_WITH = re.compile(r"\bvot\w+ with $")
# "voting @3 is a mistake"
_WASTE = re.compile(r"\b(?:wrong|mistake|waste|silly|disaster|error|stupid|shame)\b")
# the speaker
_I_OR_WE = re.compile(r"\b(?:i|we)\b")
# what stands before a name that gets no vote
_NO_VOTE_LEFT = re.compile(r"\b(?:that leaves|maybe|leaves|looked at|check\w*|saw)\b")
# "@3 today": a vote only where nothing stands before
_BARE_CUE = re.compile(r" (?:today|tonight|then|out)\s*")


def vote(near: Near) -> Verdict:
    """Whom the speaker votes for, or calls on all to."""
    if cue := _VOTE_FOR.search(near.left) or _MY_VOTE.search(near.left):
        return _vote_for(near, cue[0].strip())
    if near.own or not (cue := _GETS_VOTE.match(near.right)):
        return None
    if near.more and _I_OR_WE.search(cue[0]):
        return None  # it is for the name that follows
    if negated(cue[0]):
        return ("defend", "")
    if _NO_VOTE_LEFT.search(near.left) or (_BARE_CUE.fullmatch(cue[0]) and near.left.strip()):
        return None
    return ("vote", "")


def _vote_for(near: Near, cue: str) -> Verdict:
    """The vote whose `cue` stands before the name; none where it is somebody else's."""
    left = near.left
    if _GO_FOR.match(cue) and not _VOTERS.search(left):
        return None
    call = "everyone vote" in left or "everybody vote" in left
    if _OTHERS_VOTE.search(left) and not call:
        return None
    if _VOTER_NAMED.search(near.all_before) and not _I_OR_PLEA.search(left):
        return None
    if _VOTE_WITH.search(left):
        return ("agree", "")
    no = negated(left[-26:]) or _WASTE.search(left + near.right[:40])
    return ("defend" if no else "vote", "")
