"""What a clause says of another player's claim: "@3's story holds", "@3 can't be the looker"."""

from __future__ import annotations

import re

from agents.understanding import lexicon
from agents.understanding.verdicts.mention import Mention, Verdict, negated

# trust in a claim, before it
_BELIEVE = re.compile(
    r"\b(?:believe|believing|buy|buying|trust|accept|stand by|go with|going with|sold|"
    r"fan|swallow|convinced|support|"
    r"second|with|falling for|fall for|follow|agree|like|on board|back|having|have)\b"
)
# a claim that holds
_HOLDS = re.compile(
    r"\b(?:add up|adds up|hold up|holds up|hold|holds|true|right|real|genuine|check out|checks out|"
    r"make sense|makes sense|sound|sounds right|fit|fits|plausible|solid|good|believable|credible|"
    r"convincing|convince|convinces|fine|legit|tracks|scans|hangs together|sits right|"
    r"holds together|hold water|holds water|rings true|stands|works|consistent|okay|ok|honest|"
    r"strong|reasonable|better|the true one|matches)\b"
)
# a claim that does not hold, or is odd
_POOR = re.compile(
    r"\b(?:hole|holes|thin|weak|late|flimsy|shaky|far-fetched|wobbly|zero sense|no sense|"
    r"nonsense|garbage|rubbish|hard to believe|"
    r"stinks|polished|convenient|odd|strange|weird|fishy|off|suspicious|the false one|"
    r"wrong|too good|backwards|bad|sense only|poor|ridiculous|absurd|false|not true)\b"
)
# a word for the claim and what follows
_CLAIM_REST = re.compile(rf" (?:[\w']+ ){{0,3}}?{lexicon.CLAIMED.pattern}(.*)")
# "I doubt @3's claim"
_QUESTIONED = re.compile(
    r"\b(?:doubt|doubting|question|hole in|holes in|problem with|trouble with|against)\b"
)
# a claim that is odd rather than wrong
_SOFTLY_POOR = re.compile(
    r"\b(?:polished|convenient|odd|strange|weird|fishy|off|suspicious|too good|stinks)\b|suspicious"
)
# "i do not think @3's claim"
_NOT_THOUGHT = re.compile(r"\bnot (?:\w+ )?(?:think|believe|say|find|see|feel)(?: that)? $")
# "@3's claim does not ..."
_DOES_NOT = re.compile(r"\bdo(?:es)? not\b|\bnot (?:have|buy|accept|believe)")
# "@3's claim I believe"
_I_ACCEPT = re.compile(r"\bi (?:\w+ )?(?:believe|accept|buy|trust|like|do)\s*$")


def standing(mention: Mention) -> Verdict:
    """Return what is thought of a player's claim or story."""
    if not mention.own:
        return None
    head = _CLAIM_REST.match(mention.right)
    if not head:
        return None
    if lexicon.LYING.search(mention.right[: head.start(1)]):
        return ("accuse", "")
    rest, believing = head[1], _BELIEVE.search(mention.left)
    if believing:
        return ("disagree" if negated(mention.left) else "agree", "")
    if _QUESTIONED.search(mention.left):
        return ("disagree", "")
    lying = lexicon.LYING.search(rest)
    if lying and lexicon.MODAL.search(rest[: lying.start()]):
        return ("suspect", "")
    if lying and not _HOLDS.search(rest[: lying.start()]):
        return ("agree" if negated(rest[: lying.start()]) else "accuse", "")
    if poor := _POOR.search(rest):
        if negated(rest[: poor.start()]) and poor[0] != "not true":
            return ("agree", "")
        return ("suspect" if _SOFTLY_POOR.search(poor[0] + rest) else "disagree", "")
    if _HOLDS.search(rest):
        no = negated(rest) != bool(_NOT_THOUGHT.search(mention.left))
        return ("disagree" if no else "agree", "")
    if _DOES_NOT.search(rest):
        return ("disagree", "")
    if not mention.more and _I_ACCEPT.search(rest):
        return ("agree", "")
    return None


# @3 does something with the loner or the helper, and is not it
_SIDE_GAP = re.compile(
    r"\b(?:want|looking|protect\w*|help\w*|with the|about the|from the|against|find|hunting|"
    r"for the|to the|asked|between)\b"
)
# the role ascribed
_ROLE_NAMED = re.compile(r"\b((?:looker|mate|keeper|loner|helper)\d+)s?\b")
# "the loner is @3"
_SIDE_BEFORE = re.compile(
    r"\b((?:loner|helper)\d+)(?: (?:is|be|alert|his|her|as|i would guess|goes to|says|on|"
    r"from|here|must be|has to be|i|think|called|named|would|say|might|could|"
    r"probably|of|this|game|table|the|in|it))* $"
)
# "the real looker is @3"
_REAL_IS = re.compile(
    r"\b(?:real|true|right) ((?:looker|mate|keeper)\d+) (?:is|was|must be|has to be|can only be) $"
)
# "my looker", "when the looker": no role of @3
_MINE_OR_AS = re.compile(r"\b(?:my|as the|like the|when|who)\b")
# "I take @3 for the loner"
_TAKE = re.compile(r"\btake $")
# "looker claim": the claim, not the role
_CLAIM_NOUN = re.compile(r" (?:claim|story|thing|vision|result|check|act)")
# "@3 as the looker"
_AS_THE = re.compile(r" (?:\w+ )?(?:as|for|to be|is|being) (?:the |a |our )?(?:real |true )?$")
# what goes before such an "as"
_TRUSTS = re.compile(r"\b(?:trust|believe|take|accept|support|back|see)\b")
# @3 does something to, or says something of, the role
_TO_THE_ROLE = re.compile(
    r"\b(?:claim\w*|said|says|saying|counter|looking|about|asked|asks|ask|hunting|find|after|"
    r"against|with|protect\w*|to|fishing|calling|called|for|should|wants?|and|would|know|knows)\b"
)
# "@3 is the looker"
_IS_ROLE = re.compile(
    r"(?: \w+)*? (?:is|are|was|be|cannot|can|as|a|the|no|not|really|being|seems|looks|"
    r"isnt|aint|must|our|your|actually|(?:looker|mate|keeper)\d+)\b"
)
# "no way @3 is the looker"
_ROLE_DOUBTED = re.compile(r"\b(?:doubt|no way|impossible|do not think|how (?:can|could))\b")


def role(mention: Mention) -> Verdict:
    """Return "@3 is the loner", "@3 can't be the looker"."""
    if mention.own:
        return None
    ahead = _ROLE_NAMED.search(mention.right)
    if not ahead:
        return _side_before(mention.left)
    gap, name = mention.right[: ahead.start()], ahead[1]
    if name.startswith(("loner", "helper")):
        return _side(mention.left, gap, name)
    if _MINE_OR_AS.search(gap) or lexicon.EVIL.search(f"{gap}{name}"):
        return None
    rest = mention.right[ahead.end() :]
    if _CLAIM_NOUN.match(rest):
        return None
    if _AS_THE.match(gap) and _TRUSTS.search(mention.left):
        return ("disagree" if negated(mention.left) else "agree", name)
    if rest.startswith("'s") or _TO_THE_ROLE.search(gap):
        return None
    if not _IS_ROLE.match(f"{gap}{name} "):
        return None
    no = negated(mention.left[-34:] + gap) or bool(_ROLE_DOUBTED.search(mention.left))
    return ("disagree" if no else "agree", name)


def _side_before(left: str) -> Verdict:
    """Return "The loner is @3", "the real looker is @3"."""
    if real := _REAL_IS.search(left):
        return ("disagree" if negated(left) else "agree", real[1])
    match = _SIDE_BEFORE.search(left)
    if not match or negated(left):
        return None
    return ("suspect", match[1])


def _side(left: str, gap: str, role: str) -> Verdict:
    """Return "@3 is the loner".

    Gap: what stands between the two.
    """
    if _SIDE_GAP.search(gap) and not _TAKE.search(left):
        return None
    if not negated(left[-30:] + gap):
        return ("suspect", role)
    return None
