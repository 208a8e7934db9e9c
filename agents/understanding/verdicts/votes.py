"""Votes, and who wants them on itself, as only a loner does.

"my vote goes to @3", "@3 is begging for the noose".
"""

from __future__ import annotations

import re

from agents.understanding import lexicon
from agents.understanding.verdicts.mention import Mention, Verdict, negated

# "vote for @3"
_VOTE_FOR = re.compile(
    rf"{lexicon.VOTE.pattern}(?: (?:for|to|against|out|off|on|with|at|in|up|down|is|goes|go|"
    rf"going|be|will|poor|today|this|my|it|should|all|now|please|firmly|accordingly|"
    rf"therefore|then|the|cast|=|again|still|tonight|here|over|by|as|and|only|must|stays|"
    rf"remains|straight|directly|end|gate|button))* $|\b(?:clicking|click|name down "
    rf"(?:for|against)|cast mine for|mine (?:is|goes) (?:for|to)) $"
)
# "my vote is for @3"
_MY_VOTE = re.compile(
    r"\bmy (?:\w+ )?(?:vote|ballot)(?:'s| is)?(?: \w+){0,5} $|\bmy hand (?:will )?(?:go|"
    r"goes) up (?:for|against) $|\b(?:lock in|locking in|put me down for) $|\b(?:everybody|"
    r"everyone|all(?: of us)?|us all|we all) (?:go )?(?:point(?:ing)? )?(?:on|onto|for|at) $|"
    r"\b(?:i am|im|all aboard|locked) on $|\b(?:lim|pl|lynch|nuke|yeet|vtlo|exe) $|\b(?:kill|rope|"
    r"hanged|noose for|gallows for|rope for|get rid of|out goes|out with|raise my hand (?:for|"
    r"against)|hand up (?:for|against)) $|\b(?:switch\w*|chang\w+(?: my vote)?|mov\w+ (?:my vote|"
    r"over)|go over) (?:now )?(?:to|onto) $|\b(?:my|our|the|badge_s|"
    r"badge's) (?:\w+ )?(?:recommendation|"
    r"advice|suggestion|order)(?: (?:\w+ ){0,5}?(?:is|on|stays|remains)(?: on| for| with)?| for|"
    r" on)? $|"
    r"\bas (?:your |the )?badge i (?:say|go|choose|pick|name|want|call) $|\blet it be $|"
    r"\b(?:recommend\w*|suggest\w*|stack(?:ing)?|target(?:ing)?) (?:on |for )?$"
)
# "@3 gets my vote", "@3 has to go"
_GETS_VOTE = re.compile(
    r"(?: \w+){0,2}? (?:gets?|has|have|will (?:get|have|be getting)|can have|earns?|wins?|getting|"
    r"got|is getting|is where|takes?|deserves?) (?:my|our|the|all our|every) (?:vote|votes|noose|"
    r"rope)|(?: \w+)? (?:should|must|has to|needs to|have to|ought to|gotta|"
    r"can)(?: \w+){0,2} (?:go|leave|hang|die|be (?:out|voted|lynched|gone|eliminated|hanged))\b|"
    r" (?:whom|who|that) (?:i|we) want (?:to see )?(?:out|gone|to go)\b|"
    r" (?:out|off) (?:today|now|first|please|then|this (?:day|round))\b|"
    r" (?:that )?(?:i|we) (?:am|are|will be|will|would|shall|should be)? ?(?:voting|vote|hang|"
    r"lynch)| (?:out|for the (?:vote|rope|gallows|noose|win)|is my vote|my vote|it is then|"
    r"for my vote|is gone|goes out|today|tonight|has to go|then|goes)\s*$| it is(?:\s*$| then| and|"
    r" for my vote| for me)"
)
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
# "@3 today": a vote only where nothing stands before
_BARE_CUE = re.compile(r" (?:today|tonight|then|out)\s*")


def vote(mention: Mention) -> Verdict:
    """Return whom the speaker votes for, or calls on all to."""
    if cue := _VOTE_FOR.search(mention.left) or _MY_VOTE.search(mention.left):
        return _vote_for(mention, cue[0].strip())
    if mention.own or not (cue := _GETS_VOTE.match(mention.right)):
        return None
    if negated(cue[0]):
        return ("defend", "")
    if _BARE_CUE.fullmatch(cue[0]) and mention.left.strip():
        return None
    return ("vote", "")


def _vote_for(mention: Mention, cue: str) -> Verdict:
    """Return the vote whose `cue` stands before the name.

    Returns None where it is somebody else's.
    """
    left = mention.left
    call = "everyone vote" in left or "everybody vote" in left
    if _OTHERS_VOTE.search(left) and not call:
        return None
    if _VOTER_NAMED.search(mention.all_before) and not _I_OR_PLEA.search(left):
        return None
    if _VOTE_WITH.search(left):
        return ("agree", "")
    no = negated(left[-26:]) or _WASTE.search(left + mention.right[:40])
    return ("defend" if no else "vote", "")


# to want something badly
_WANTS = (
    r"(?:wants?|wanted|wanting|begs?|begging|trying|tries|tried|asks?|asking|fishing|fishes|"
    r"desperate|dying|insists?|playing|hungry|eager|eagerness|longing|hoping|love|loves|keen|"
    r"aching|praying|screaming|works?|working|campaigning)"
)
# to be put to death
_DEATH = (
    r"(?:(?:to )?(?:be|get|gets|getting|being) (?:\w+ )?(?:voted|hanged|hung|lynched|killed|"
    r"executed|eliminated|strung|caught)|to (?:die|hang|swing)|(?:the|a|her|his|our|your|"
    r"my)? ?(?:\w+ )?(?:noose|rope|gallows|hanging|lynch|votes)\b|votes?\b|for it\b|it (?:so|too|"
    r"that) bad\w*|it$|us to (?:vote|hang|kill|lynch))"
)
# "@3 wants to be hanged"
_WISH = re.compile(rf"(?: [\w']+){{0,4}}? {_WANTS}(?: [\w']+){{0,5}}? {_DEATH}")
# votes for others, votes one needs, a role that is wanted, the speaker
_OTHERWISE = re.compile(
    r"\b(?:i|me|we|on|against|count|reason|wolf|(?:looker|mate|keeper)\d+|know|answers?|for @)\b"
)


def wants_death(mention: Mention) -> Verdict:
    """Return whom its own wish to be voted out makes the loner."""
    if mention.own and not mention.right.startswith(" eager"):
        return None
    match = _WISH.match(mention.right.rstrip())
    if not match or mention.more or _OTHERWISE.search(match[0]) or negated(match[0]):
        return None
    return ("suspect", "loner")
