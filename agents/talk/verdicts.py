"""How a clause judges the players it names, by the cues that stand near each name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from agents.talk import cues
from agents.talk.clauses import MENTION

Finding = tuple[str, str, str]  # (kind of act, seat, role)
Verdict = tuple[str, str] | None  # (kind of act, role)


@dataclass(frozen=True)
class Near:
    """What stands by one mention: before and after it, up to the next; `own`: "@3_s"."""

    all_before: str
    left: str
    right: str
    own: bool
    many: bool
    whole: str
    more: bool = False  # another mention follows


# "so is @4": the verdict before holds again
_SO_IS = re.compile(
    r" (?:and )?(?:so (?:is|does|am|are|do)|neither (?:is|does|are)|nor is|also|same "
    r"(?:for|with|goes for)|as (?:is|does)) "
)


def verdicts(text: str) -> Iterator[Finding]:
    """What `text`, a clause, says of the seats in it; at most one verdict a seat."""
    found = list(MENTION.finditer(text))
    done: set[str] = set()
    last: Verdict = None
    for i, mention in enumerate(found):
        start = found[i - 1].end() if i else 0
        end = found[i + 1].start() if i + 1 < len(found) else len(text)
        near = Near(
            text[: mention.start()],
            " " + text[start : mention.start()],
            text[mention.end() : end] + " ",
            bool(mention[2]),
            "+" in mention[1],
            text,
            i + 1 < len(found),
        )
        verdict = judge(near)
        if (
            last
            and _SO_IS.fullmatch(
                near.left,
            )
            and not verdict
        ):
            verdict = last
        last = verdict or last
        if verdict:
            seats = [s for s in mention[1].split("+") if s.isdigit()]
            fresh = [s for s in seats if s not in done or verdict[0] == "vote"]
            if fresh:
                yield (verdict[0], "+".join(fresh), verdict[1])
            done |= set(fresh)


# "@3 says ...", but not "@3 tells lies"
_SPEAKS = re.compile(
    rf"(?! (?:i|we|for|by|when|while|because) )(?: \w+){{0,2}}? (?:{cues.SAYS})\b(?! "
    rf"(?:\w+ ){0, 3}?(?:truth|lies?|fibs?|tales?|porkies|whoppers?|nothing but)\b)"
)
# "who is @3", "what @3"
_ASKED = re.compile(r"\b(?:who|what|why|whom|whether|how) (?:is|do|did|does|about)?\s*$")
# "can't both be"
_BOTH_ARE = re.compile(r"\b(?:both|all) (?:be|are|is)\b")
# a clause of its own before the mention
_NEW_START = re.compile(r"\b(?:i|we|my|me|us|let|please|vote|hang|so|and|but)\b")


def judge(near: Near) -> Verdict:
    if (
        _SPEAKS.match(
            near.right,
        )
        and not near.own
    ):
        return _speech(near)
    if (
        cues.WANTS_BELIEVED.search(near.all_before)
        or cues.HEARSAY.search(near.all_before)
        or _ASKED.search(near.left)
    ):
        return None
    if _BOTH_ARE.search(near.right[:30]) and negated(near.right[:30]):
        return None
    theirs = "@" in near.all_before and not _NEW_START.search(near.left)
    for reader in READERS:
        if verdict := reader(
            replace(near, left=" ") if theirs and reader not in (_evil, _spared) else near
        ):
            return verdict
    return None


# "none but @3", "no doubt": no denials
_NO_OTHER = re.compile(
    r"\b(?:nobody|none|no one|nothing|no other) (?:but|other than|than|except)\b|\bno "
    r"(?:\w+ )?doubt\b|\bno way around\b|\bno mystery\b"
)
# "no need to tell"
_NO_NEED = re.compile(r"\bnot need (?:\w+ ){0,4}?to (?:tell|see|know)\b")
# "no reason to doubt"
_NO_DOUBT = re.compile(r"\bno (?:reason|cause|need|grounds?) to doubt\b")
# "not only", "can't help": no denials
_NOT_ONLY = re.compile(
    r"\bnot (?:only|just|to mention)\b|\bno (?:doubt|question|cap|lie|joke)\b|"
    r"\bwithout (?:a )?doubt\b|\bdo not know\b|"
    r"\bnot sure why\b|\bnot (?:gonna|going to) lie\b|\bnot (?:help|resist|help "
    r"but)\b|\bnot stop\b"
)
# "stop lying": no denial
_STOP_LYING = re.compile(
    r"\b(?:stop|quit|stopped) (?=lying|pretend|faking|bluff|hiding|dodg|deflect)"
)


def negated(text: str) -> bool:
    """Whether an odd number of denials stands in `text`."""
    text = _NO_OTHER.sub(
        " ",
        text,
    )
    text = _NO_NEED.sub(" ", text)
    text = _NO_DOUBT.sub(" ", text)
    text = _NOT_ONLY.sub(
        " ",
        text,
    )
    text = _STOP_LYING.sub(" ", text)
    return len(cues.NOT.findall(text)) % 2 == 1


# "exactly what @3 said", "I believe what @3 said"
_WHAT_INTRO = re.compile(
    r"(?:^ (?:yeah |yes |exactly |just |and |so |this |yup |yep |ya |basically |honestly "
    r"|pretty much |literally |1 |\+1 )*|\b(?:believe|believing|buy|trust|with|that is|"
    r"exactly|same as|everything|take|accept|like|hear) (?:that )?)(?:what|everything|"
    r"all|like|as|whatever)? ?$"
)
# words right before "@3 said"
_WHAT_SAID = re.compile(r"\b(?:what|everything|all|like|as|whatever|believe|trust|buy) $")
# "who cares what @3 said"
_NOT_CARE = re.compile(r"\b(?:not care|ignore|idc|who cares)\b")
# trust in what was said
_BELIEVE_WORD = re.compile(r"\b(?:believe|buy|trust|take|convinc\w+)\b")
# "as @3 said"
_AS_SAID = re.compile(r"\b(?:what|as) $")
# "what @3 said is false"
_FALSE = re.compile(r"\bfalse\b")
# what was said is wrong
_NOT_BELIEVED = re.compile(
    r"\bnot (?:\w+ )?(?:believe|buy|true|right|add|make)\b|\b(?:cannot be|"
    r"nonsense|rubbish|wrong)\b"
)
# "odd how @3 said ..."
_ODD_THAT = re.compile(
    r"\b(?:odd|strange|weird|suspicious|fishy|funny|interesting|convenient)(?: (?:how|"
    r"that|it is|is))* $"
)
# "what @3 said is odd"
_ODD_AFTER = re.compile(
    r"\b(?:not (?:sit right|add up)|odd|strange|weird|suspicious|bothers?|worries?|"
    r"fishy)\b"
)
# "not a word of what @3 says"
_NOT_A_WORD = re.compile(r"\b(?:not a (?:single )?word|none|nothing) of what $")
# "@3 said it best"
_SAID_IT_BEST = re.compile(r"\bsaid it (?:best|right|well|all)\b|\bsaid (?:what|exactly)\b")
# "I believe @3 said ..."
_I_BELIEVE = re.compile(r"\b(?:believe|trust|buy) $")


def _speech(near: Near) -> Verdict:
    """ "@3 said …": only "what @3 said", "@3 said it best" say something of @3 itself."""
    if (
        _WHAT_INTRO.search(
            near.left,
        )
        and _WHAT_SAID.search(near.left)
        and not _NOT_CARE.search(near.left)
    ) and (
        _BELIEVE_WORD.search(near.left)
        or near.left.split()[:1] in (["what"], ["like"], ["as"], ["exactly"], ["yeah"], ["this"])
        or _AS_SAID.search(near.left)
    ):
        rest = near.right
        if cues.LYING.search(rest) or _FALSE.search(rest):
            return ("agree" if negated(rest) else "accuse", "")
        if _NOT_BELIEVED.search(
            near.left + rest,
        ):
            return ("disagree", "")
        return ("disagree" if negated(near.left) else "agree", "")
    if _ODD_THAT.search(
        near.left,
    ):
        return ("suspect", "")
    if _ODD_AFTER.search(
        near.right,
    ):
        return ("suspect", "")
    if _NOT_A_WORD.search(near.left):
        return ("accuse", "")
    if _SAID_IT_BEST.search(near.right):
        return ("agree", "")
    if _I_BELIEVE.search(near.left):
        return ("disagree" if negated(near.left) else "agree", "")
    return None


_VOTE_FOR = re.compile(
    rf"{cues.VOTE.pattern}(?: (?:for|to|against|out|off|on|with|at|in|up|down|is|goes|go|"
    rf"going|be|will|poor|today|this|my|it|should|be|all|now|please|firmly|accordingly|"
    rf"therefore|then|the|cast|=|again|still|tonight|here|over|by|as|and|only|must|stays|"
    rf"remains|straight|directly|down|end|gate|button))* $|\b(?:clicking|click|name down "
    rf"(?:for|against)|cast mine for|mine (?:is|goes) (?:for|to)) $"
)
_MY_VOTE = re.compile(
    r"\bmy (?:\w+ )?(?:vote|ballot)(?:'s| is)?(?: \w+){0,5} $|\bmy hand (?:will )?(?:go|"
    r"goes) up (?:for|against) $|\b(?:lock in|locking in|put me down for) $|"
    r"\b(?:everybody|everyone|all(?: of us)?|us all|we all) (?:go )?(?:point(?:ing)? "
    r")?(?:on|onto|for|at) $|\b(?:i am|im|all aboard|locked) on $|"
    r"\b(?:lim|pl|lynch|nuke|yeet|vtlo|exe) $|\b(?:kill|rope|hanged|noose for|gallows "
    r"for|rope for|get rid of|out goes|out with|raise my hand (?:for|against)|hand up "
    r"(?:for|against)) $"
)
_GETS_VOTE = re.compile(
    r"(?: \w+){0,2}? (?:gets?|has|have|will (?:get|have|be getting)|can have|earns?|"
    r"wins?|getting|got|is getting|is where|takes?|deserves?) (?:my|our|the|all our|"
    r"every) (?:vote|votes|noose|rope)|"
    r"(?: \w+)? (?:should|must|has to|needs to|have to|ought to|gotta|can)(?: \w+){0,2} "
    r"(?:go|hang|die|be (?:out|voted|lynched|gone|eliminated|hanged))\b|"
    r" (?:that )?(?:i|we) (?:am|are|will be|will|would|shall|should be)? ?(?:voting|vote|"
    r"hang|lynch)|"
    r" (?:out|for the (?:vote|rope|gallows|noose|win)|is my vote|my vote|gets it|it is "
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


def _vote(near: Near) -> Verdict:
    cue = _VOTE_FOR.search(near.left) or _MY_VOTE.search(near.left)
    if cue and _GO_FOR.match(cue[0].strip()) and not _VOTERS.search(near.left):
        return None
    if cue:
        if (
            _OTHERS_VOTE.search(
                near.left,
            )
            and "everyone vote" not in near.left
            and "everybody vote" not in near.left
        ):
            return None
        if _VOTER_NAMED.search(near.all_before) and not _I_OR_PLEA.search(near.left):
            return None
        if _VOTE_WITH.search(near.left):
            return ("agree", "")
        return (
            "defend"
            if negated(near.left[-26:])
            or _WASTE.search(
                near.left + near.right[:40],
            )
            else "vote",
            "",
        )
    if not near.own and (cue := _GETS_VOTE.match(near.right)):
        if near.more and _I_OR_WE.search(cue[0]):
            return None
        if negated(cue[0]):
            return ("defend", "")
        if _NO_VOTE_LEFT.search(near.left) or (_BARE_CUE.fullmatch(cue[0]) and near.left.strip()):
            return None
        return ("vote", "")
    return None


_BELIEVE = re.compile(
    r"\b(?:believe|believing|buy|buying|trust|accept|stand by|go with|going with|sold|"
    r"fan|swallow|convinced|support|"
    r"second|with|falling for|fall for|follow|agree|like|on board|back|having|have)\b"
)
_HOLDS = re.compile(
    r"\b(?:add up|adds up|hold up|holds up|hold|holds|true|right|real|genuine|check out|"
    r"checks out|make sense|makes sense|"
    r"sound|sounds right|fit|fits|plausible|solid|good|believable|credible|convincing|"
    r"convince|convinces|fine|legit|tracks|scans|hangs together|sits right|holds "
    r"together|hold water|holds water|"
    r"rings true|stands|works|consistent|okay|ok|honest|strong|reasonable|better|the "
    r"true one|matches)\b"
)
_POOR = re.compile(
    r"\b(?:hole|holes|thin|weak|late|flimsy|shaky|far-fetched|wobbly|zero sense|no sense|"
    r"nonsense|garbage|rubbish|hard to believe|"
    r"stinks|polished|convenient|odd|strange|weird|fishy|off|suspicious|the false one|"
    r"wrong|too good|backwards|bad|sense only|poor|ridiculous|absurd|false|not true)\b"
)


# a word for the claim and what follows
_CLAIM_REST = re.compile(rf" (?:[\w']+ ){{0,3}}?{cues.CLAIMED.pattern}(.*)")
# a verb that makes the claim a subject
_IS = re.compile(r" (?:is|was|looks|sounds)\b")
# "I doubt @3's claim"
_QUESTIONED = re.compile(
    r"\b(?:doubt|doubting|question|hole in|holes in|problem with|trouble with|against)\b"
)
# a claim that is odd rather than wrong
_SOFTLY_POOR = re.compile(
    r"\b(?:polished|convenient|odd|strange|weird|fishy|off|suspicious|too good|"
    r"stinks)\b|suspicious"
)
# "@3's claim does not ..."
_DOES_NOT = re.compile(r"\bdo(?:es)? not\b|\bnot (?:have|buy|accept|believe)")
# "@3's claim I believe"
_I_ACCEPT = re.compile(r"\bi (?:\w+ )?(?:believe|accept|buy|trust|like|do)\s*$")


def _standing(near: Near) -> Verdict:
    """Verdicts on somebody's claim or story."""
    if not near.own:
        return None
    head = _CLAIM_REST.match(near.right)
    if not head:
        return None
    if cues.LYING.search(near.right[: head.start(1)]):
        return ("accuse", "")
    rest, believing = head[1], _BELIEVE.search(near.left)
    if believing and not _IS.match(rest):
        return ("disagree" if negated(near.left) else "agree", "")
    if _QUESTIONED.search(
        near.left,
    ):
        return ("disagree", "")
    lying = cues.LYING.search(rest)
    if lying and cues.MODAL.search(rest[: lying.start()]):
        return ("suspect", "")
    if lying and not _HOLDS.search(rest[: lying.start()]):
        return ("agree" if negated(rest[: lying.start()]) else "accuse", "")
    if poor := _POOR.search(rest):
        soft = _SOFTLY_POOR.search(
            poor[0] + rest,
        )
        return (
            "agree"
            if negated(rest[: poor.start()]) and poor[0] not in ("not true",)
            else "suspect"
            if soft
            else "disagree",
            "",
        )
    if _HOLDS.search(rest):
        return ("disagree" if negated(rest) else "agree", "")
    if _DOES_NOT.search(rest):
        return ("disagree", "")
    if not near.more and _I_ACCEPT.search(rest):
        return ("agree", "")
    return None


_SIDE_GAP = re.compile(
    r"\b(?:want|looking|protect\w*|help\w*|with the|about the|from the|against|find|hunting|"
    r"for the|to the|asked|between)\b"
)


# the role ascribed
_ROLE_NAMED = re.compile(r"\b(seer|mason|tanner|minion)s?\b")
# "the tanner is @3"
_SIDE_BEFORE = re.compile(
    r"\b(tanner|minion)(?: (?:is|be|alert|his|her|as|i would guess|goes to|says|on|"
    r"from|here|must be|has to be|i|think|called|named|would|say|might|could|"
    r"probably|of|this|game|table|the|in|it))* $"
)
# "help the tanner"
_SIDE_HELPED = re.compile(r"\b(?:to|with|help\w*|am|i am|want\w*)\b")
# "my seer", "when the seer": no role of @3
_MINE_OR_AS = re.compile(r"\b(?:my|as the|like the|when|who)\b")
# "I take @3 for the tanner"
_TAKE = re.compile(r"\btake $")
# plain denial
_NO_WAY = re.compile(r"\b(?:no way|not)\b")
# "seer claim": the claim, not the role
_CLAIM_NOUN = re.compile(r" (?:claim|story|thing|vision|result|check|act)")
# "@3 as the seer"
_AS_THE = re.compile(r" (?:\w+ )?(?:as|for|to be|is|being) (?:the |a |our )?(?:real |true )?$")
# what goes before such an "as"
_TRUSTS = re.compile(r"\b(?:trust|believe|take|accept|support|back|see)\b")
# "@3 stole the seer's card"
_TOOK = re.compile(r"\b(?:found|took|stole|discovered|copied|borrowed|wants)\b")
# @3 does something to, or says something of, the role
_TO_THE_ROLE = re.compile(
    r"\b(?:claim\w*|said|says|saying|counter|looking|about|asked|asks|ask|hunting|find|"
    r"after|against|with|protect\w*|to|fishing|calling|called|for|should|wants?|and|"
    r"would|know|knows)\b"
)
# "@3 is the seer"
_IS_ROLE = re.compile(
    r"(?: \w+)*? (?:is|are|was|be|cannot|can|as|a|the|no|not|really|being|seems|looks|"
    r"isnt|aint|must|our|your|actually|seer|mason)\b"
)
# "no way @3 is the seer"
_ROLE_DOUBTED = re.compile(r"\b(?:doubt|no way|impossible|do not think|how (?:can|could))\b")


def _role(near: Near) -> Verdict:
    """ "@3 is the tanner", "@3 can't be the seer"."""
    if near.own:
        return None
    ahead = _ROLE_NAMED.search(near.right)
    if not ahead:
        behind = _SIDE_BEFORE.search(
            near.left,
        )
        if (
            behind
            and not negated(near.left)
            and not _SIDE_HELPED.search(near.left[: behind.start() + 1])
        ):
            return ("suspect", behind[1])
        return None
    gap, role = near.right[: ahead.start()], ahead[1]
    if _MINE_OR_AS.search(gap) and role in ("seer", "mason"):
        return None
    if role in ("tanner", "minion"):
        if _SIDE_GAP.search(gap) and not _TAKE.search(near.left):
            return None
        if negated(near.left[-30:] + gap):
            return ("defend", "") if _NO_WAY.search(near.left + gap) and role == "minion" else None
        return ("suspect", role)
    if cues.EVIL.search(near.right[: ahead.start()]) or _CLAIM_NOUN.match(
        near.right[ahead.end() :]
    ):
        return None
    if _AS_THE.match(gap) and _TRUSTS.search(near.left):
        return ("disagree" if negated(near.left) else "agree", role)
    if near.right[ahead.end() :].startswith("'s") or _TOOK.search(gap):
        return None
    if _TO_THE_ROLE.search(
        gap,
    ):
        return None
    if not _IS_ROLE.match(
        gap + role + " ",
    ):
        return None
    no = negated(near.left[-34:] + gap) or bool(_ROLE_DOUBTED.search(near.left))
    return ("disagree" if no else "agree", role)


_AGREE_WITH = re.compile(
    r"(?:\b(?:agree\w*|am|is|second|follow|same|echo|support|side|join|concur|on board|"
    r"going|go along|think|feel|see it|stand|siding|we are|thoughts|way|opinion|plus "
    r"one)|\+ ?1|\b1)\b(?: \w+){0,6}? (?:with|as|to|like|what) $|"
    r"(?:^ |\b(?:i|we|let us|will|would|and|to) (?:\w+ )?)(?:second|echo|follow|join|"
    r"support|back|seconding|backing|quoting|\+1|listen to|what) $"
)
_NOT_AGREE = re.compile(
    r"\bvot\w+|\b(?:looked|wrong|up with|happy|comfortable|issue|problem|deal|mason|masons|"
    r"partner|wake|woke|trouble|together|alone|start|something|happened|off|suspicion|finger|"
    r"points?|goes|leads|talk|argu\w+|disagree|paired|in bed|team|working)\b"
)


# "not convinced @3 is"
_NOT_CONVINCED = re.compile(r"\bnot convinced (?:that )?$")
#
_IS_ARE = re.compile(r" (?:is|are) ")
# "I disagree with @3"
_DISAGREE_WITH = re.compile(
    r"\b(?:disagree|not (?:see it (?:that way|the same|like)|agree|follow|share|with|on "
    r"board|think the same)|cannot (?:agree|follow)|beg to differ|differently|part ways|"
    r"object to)\b(?: \w+){0,6} $"
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
#
_IS_HAS = re.compile(r" (?:is|was|has|are) ")
# "good point by @3"
_AGREE_BEFORE = re.compile(
    rf"{cues.AGREE.pattern}(?: (?:by|from|with|about|there|here|to|from you|on that|"
    rf"point|one|of))* $"
)
# "right now": not in the right
_OTHER_RIGHT = re.compile(r"\bvot|\b(?:seer|mason|now|all) (?:right|second)|right now")
# "@3 is right"
_AGREE_AFTER = re.compile(rf"(?: [\w']+){{0,5}}? ({cues.AGREE.pattern})")
# "@3 said right away": not in the right
_OTHER_RIGHT_AFTER = re.compile(
    r"\b(?:said|all) right\b|\bright (?:now|after|before|away|there|when|off|at|"
    r"behind|side)\b|\bsecond (?:seer|mason|round|claim|time)|too (?:smart|clever)|"
    r"\b(?:sits?|feels?) right|\bword\b|this (?:game|whole|round|time)|reasonable "
    r"doubt|my right|might (?:even )?be right|came second"
)
# agreement only where it goes before a name
_NOT_AFTER = re.compile(r"this|word|exactly|logic|same|agree|concur")


def _agreement(near: Near) -> Verdict:
    both = near.left + near.right
    if (
        _NOT_CONVINCED.search(near.left)
        and _IS_ARE.match(near.right)
        and cues.GOOD.search(near.right)
    ):
        return ("suspect", "")
    if _DISAGREE_WITH.search(
        near.left,
    ):
        return ("disagree", "")
    if (
        cue := _DISAGREE_BEFORE.search(
            near.left,
        )
    ) or (not near.own and (cue := _DISAGREE_AFTER.match(near.right))):
        if _RUBS_ME.search(both):
            return None
        if _OTHER_WRONG.search(
            both,
        ) or _WRONG_ABOUT.search(near.left):
            return None
        return (
            "agree" if _NOT_WRONG.search(both) else "disagree",
            "",
        )
    if _AGREE_WITH.search(near.left) and not _NOT_AGREE.search(near.left) and not near.own:
        if _IS_HAS.match(near.right):
            return None
        return ("disagree" if negated(near.left) else "agree", "")
    if (
        cue := _AGREE_BEFORE.search(
            near.left,
        )
    ) and (not _OTHER_RIGHT.search(cue[0]) and not near.own):
        return ("disagree" if negated(near.left) else "agree", "")
    if not near.own and (cue := _AGREE_AFTER.match(near.right)):
        if _OTHER_RIGHT_AFTER.search(
            near.right,
        ):
            return None
        if _NOT_AFTER.match(cue[1]):
            return None
        return ("disagree" if negated(near.left[-20:] + cue[0]) else "agree", "")
    return None


# words that look like a hedge and are none
_NO_HEDGE = re.compile(
    r"\bno doubt\b|\bthink it over\b|\bwould (?:never|bet my (?:house|life|hat))\b|"
    r"\blook(?:ed)? at\b|\bonly look\b"
)


def _hedged(text: str, lying: bool) -> bool:
    text = _NO_HEDGE.sub(
        " ",
        text,
    )
    return bool((cues.MODAL if lying else cues.HEDGE).search(text))


_LINK = (
    r"(?: (?:is|was|here|has|to|be|must|it|named|called|i|say|for|me|goes|by|the|name|of|"
    r"you|would|will|might|could|probably|"
    r"think|said|are|surely|clearly|obviously|between|among|either|one|looks|like|in|on|"
    r"at|from|with|sitting|table|this|our|"
    r"your|caught|only|mr|ms|can|definitely|a|real|today|tonight|most|likely|possibly|"
    r"maybe|calling|we|have|that|leaves|what|i am|so|far|as|biggest|bet|guess|other|seer|"
    r"mason|alert|claim|claimer|found|confirmed|spotted|aka|either way|pants|fire|vibes?|"
    r"energy|feelings?|read|card))* $"
)


# "@3's name is the wolf": of @3 itself
_BODILY = re.compile(r" (?:chair|seat|voice|hands?|name|card|place)\b")
# "@3 is the wolf"
_EVIL_AFTER = re.compile(rf"(?: [\w']+)*? ({cues.EVIL.pattern})")
# @3 does or says something about the wolf
_AT_WOLF = re.compile(
    r"\b(?:hunt\w*|afraid|kill(?:ed)?|looking for|searching|find|finds|found|ate|looked|"
    r"against|for the|about the|if|let(?:s)? the|want\w*|vote\w*|asks?|accus\w+|says?|"
    r"said|thinks?|pushed|more likely|other than|who would|would be)\b"
)
# "the wolf is @3"
_EVIL_BEFORE = re.compile(rf"({cues.EVIL.pattern}){_LINK}")
# "our wolf in sheep's clothes has to be @3"
_WOLF_NAMED = re.compile(
    r"\b(?:the|our|your|only) (wolf)\b(?: [\w']+){0,8}? (?:is|was|named|name|has to "
    r"be|must be)(?: [\w']+){0,4}? $"
)
# "not the wolf", "help the wolf"
_WOLF_OBJECT = re.compile(
    r"\b(?:i am|not|help the|for the|of the|to the|the way a|if|eat|ate) (?:the |a "
    r")?(?:wolf)(?: \w+)? $"
)
# "not"
_PLAIN_NOT = re.compile(r"\bnot\b")
#
_IS_HAS_WAS = re.compile(r" (?:is|has|was) ")
# "I disagree with @2 that @3 ..."
_DISAGREED_THAT = re.compile(
    r"\b(?:disagree|not agree|not (?:think|believe|buy|see)) (?:with )?@[\d+]+ that\b"
)
# a clue that makes the next word sure
_OUTED = re.compile(r"\b(?:leaves|leaving|outed|exposed|revealed|unmasked|proved|confirmed)\b")
# helps the wolf, or behaves like one
_WOLFISH = re.compile(
    r"\b(?:help\w*|protect\w*|cover\w*|save|team|(?:like|as) (?:a |the )?(?:\w+ )?wolf|"
    r"way a|exactly what|how a|what a|behavio\w+|vibes?|energy|move|moves|thing to)\b"
)
# "caught me"
_ME = re.compile(r" (?:me|us|my)\b")
# "that @3", "I think @3"
_THAT = re.compile(r"\bthat $|\bthink $")
# turns a verdict round
_DOUBT = re.compile(r"\bdoubt\b")
# a guess put behind
_GUESSED = re.compile(r"\bi (?:think|guess|bet|reckon)\b|\bprobably\b|\bmaybe\b")


def _evil(near: Near) -> Verdict:
    left, right = near.left, near.right
    if near.own and not _BODILY.match(right):
        return None
    after = None if near.own else _EVIL_AFTER.match(right)
    if after and _AT_WOLF.search(
        after[0],
    ):
        after = None
    before = (
        None
        if after
        else _EVIL_BEFORE.search(left)
        or _WOLF_NAMED.search(
            left,
        )
    )
    if (
        before
        and _WOLF_OBJECT.search(
            left,
        )
        and not _PLAIN_NOT.search(left)
    ):
        return None
    cue = after or before
    if not cue:
        return None
    lying = bool(cues.LYING.search(cue[1]))
    if lying and near.many and after and _IS_HAS_WAS.match(right):
        return None  # "@2 or @3 is lying": of whom it is true stays open
    if _DISAGREED_THAT.search(
        near.whole,
    ):
        return None
    context = left + (after[0] if after else "")
    tail = right[after.end() : after.end() + 24] if after else right[:20]
    if (
        not lying
        and after
        and not _OUTED.search(after[0])
        and (
            soft := _WOLFISH.search(
                after[0] + tail[:14],
            )
        )
    ):
        return ("defend" if negated(left[-32:] + after[0]) else "suspect", "") if soft else None
    if cue[1] in ("caught", "exposed", "busted") and _ME.match(tail):
        return None
    if after and "@" in near.all_before and not _THAT.search(left):
        left = left[-10:]
    if negated(left[-36:] + (after[0] if after else "")) != bool(_DOUBT.search(left[-36:])):
        return ("defend", "")
    guessed = (
        bool(near.many and not lying)
        or _hedged(context[-70:] + (tail if not lying else ""), lying)
        or (bool(_GUESSED.search(near.right)) and not lying)
    )
    return ("suspect" if guessed else "accuse", "")


MANY = 2  # plus signs of a list of three
_IT_IS = re.compile(
    r"\b(?:it is|its|it has to be|it must be|i fear it is|it will be|it can only be|it "
    r"would be|that leaves|leaves|leaving|i say|i name|i accuse|accuse|accusing|it could "
    r"be|could well be|may well be|might well be|i would (?:say|pick|choose|guess|name|"
    r"point at)|i (?:rather |do )?(?:think|guess|reckon)|"
    r"it might be|it may be|going with|go with|going for|could be|might be|may be|must "
    r"be|has to be|have to be|maybe|perhaps|probably|only be|points? to|caught|exposed|"
    r"it to be) "
    r"(?:only |all |clearly |obviously |definitely |probably |maybe |down to |either |"
    r"surely |totally |always |poor |all along |at |then |not |good old |our |only |more "
    r"likely |most likely |rather )*$"
)


# "@3 is the one"
_THE_ONE = re.compile(
    r" (?:(?:is|was|must be|might be|may be|could be|has to be)(?: (?:clearly|not|surely|"
    r"definitely|certainly|simply))* (?:the one(?=\s*$| we | i (?:saw|mean|suspect)| "
    r"with the (?:teeth|fangs|claws|tail|fur)| who (?:did|has|is|bit))|it|our (?:man|one|"
    r"guy|girl)|him|her|who we (?:want|need))\b|100|for sure|all day|all the way|did it|"
    r"wolf\b)"
)
# "clearly @3", "gut says @3"
_ADVERB = re.compile(
    r" (?:and |or |so |definitely |clearly )*(clearly|obviously|definitely|surely|"
    r"certainly|probably|possibly|maybe|perhaps|likely|most likely|gut says|my gut says|"
    r"i would say|i say|has to be|have to be)\s"
)
# the end of such a clause
_NOTHING_MORE = re.compile(r"\s*(?:$|for me|then|imo|i think|maybe|or|again)")
# an adverb that makes it an accusation
_SURELY = re.compile(r"clearly|obviously|definitely|surely|certainly|ha")
# "@3 probably"
_PROBABLY = re.compile(
    r" (?:probably|i think|i guess|for me|probs|imo|most likely|would be my guess|is my "
    r"(?:guess|pick|bet))\s*$"
)
# "it can't be @3"
_CANNOT_BE = re.compile(r"\b(?:cannot|can not|could not) be (?:our |poor )?$")
# what may follow in "it is @3 for sure"
_IT_IS_REST = re.compile(
    r"\s*$|\s*(?:for sure|100|or maybe|guys|everyone|all along|then|imo|tbh|i think|i "
    r"guess|i am sure|by elimination|as far|maybe|without|from here|no doubt|people|"
    r"folks|i bet|lol|definitely|probably|who|idk|honestly|for me|or|could|here|again|if|"
    r"today|anyway|and)\b"
)
# makes "it is" an accusation, not a guess
_SURE_ENOUGH = re.compile(r"\b(?:it|its|caught|exposed|accus\w+|must|has|have|only)\b")


def _it_is(near: Near) -> Verdict:
    if near.own:
        return None
    if match := _THE_ONE.match(
        near.right,
    ):
        return (
            "defend"
            if negated(near.left[-20:] + match[0])
            else "suspect"
            if _hedged(near.left + near.right, False)
            else "accuse",
            "",
        )
    if (
        adverb := _ADVERB.fullmatch(
            near.left,
        )
    ) and _NOTHING_MORE.match(near.right):
        return (
            "accuse" if _SURELY.match(adverb[1]) else "suspect",
            "",
        )
    if not near.left.strip() and _PROBABLY.match(
        near.right,
    ):
        return ("suspect", "")
    if _CANNOT_BE.search(near.left):
        return ("defend", "")
    if not _IT_IS.search(near.left) or near.whole.count("+") >= MANY:
        return None
    if not _IT_IS_REST.match(
        near.right,
    ):
        return None
    if negated(near.left[-30:]):
        return ("defend", "")
    return (
        "suspect"
        if near.many
        or _hedged(near.left + near.right[:30], False)
        or not _SURE_ENOUGH.search(near.left)
        else "accuse",
        "",
    )


# "I trust in @3"
_TRUST_BEFORE = re.compile(
    rf"({cues.TRUST.pattern})(?: (?:in|for|by|with|on|to|that|what|a word|anything|a "
    rf"thing|much|more|fully|behind|up for|dear|our|old|poor|either|is|so|is with|"
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


def _trusted(near: Near) -> Verdict:
    match = _TRUST_BEFORE.search(
        near.left,
    )
    if match and cues.EVIL.search(near.right[:40]) and _TO_BE.search(near.right[:12]):
        return None
    if match:
        believing = "believ" in match[1]
        if negated(near.left):
            return ("disagree" if believing else "suspect", "")
        return ("agree" if believing else "defend", "")
    if near.own:
        return None
    if near.more or cues.EVIL.search(near.right):
        return None
    if match := _TRUST_AFTER.match(
        near.right,
    ):
        believing = "believ" in match[1]
        if negated(match[0]):
            return ("disagree" if believing else "suspect", "")
        return ("agree" if believing else "defend", "")
    return None


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


def _spared(near: Near) -> Verdict:
    if not near.own and _NOTHING_TO_HIDE.match(near.right):
        return ("defend", "")
    if _I_WAS_WRONG.search(near.left):
        return ("defend", "")
    if _I_WOULD_SPARE.match(near.right):
        return ("defend", "")
    if _NOT_SEEN.search(near.all_before):
        return None
    if (
        _SPARE.search(near.left)
        and not _ON_LIST.match(near.right)
        and not _NOT_SPARED.search(
            near.left.replace("get off", "") if "get off" in near.left else near.left,
        )
    ):
        return ("defend", "")
    if _ALONE.match(
        near.right,
    ) and (_LEAVE.search(near.left) or _STAYS.match(near.right)):
        return ("defend", "")
    if not near.own and _NO_WRONG.match(
        near.right,
    ):
        return ("defend", "")
    return None


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


def _odd(near: Near) -> Verdict:
    before = _ODD_BEFORE.search(
        near.left,
    )
    after = _ODD_AFTER_NAME.match(near.right)
    if (
        after
        and _MINE_NEEDED.match(
            after[1],
        )
        and not _SPEAKERS.search(after[0])
    ):
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
        _I_AM.search(
            near.left[: before.start()] if before else "",
        )
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


def _disliked(near: Near) -> Verdict:
    if _WHOM.search(near.right[:40]):
        return None
    if _STRIKE.search(near.left) or _LOWER.match(near.right):
        return ("defend", "")
    if _LIKE.search(near.left) or _ON_MY_LIST.match(
        near.right,
    ):
        return ("suspect", "")
    return None


# "@3 is honest"
_GOOD_AFTER = re.compile(rf"(?: [\w']+)*? ({cues.GOOD.pattern})")
# "the only one", "one of": of several
_ONLY_ONE = re.compile(r"\b(?:only one|one of)\b")
# a verb that gives the praise to @3
_IS_GOOD = re.compile(
    r"(?: [\w']+){0,6}? (?:is|are|was|were|looks?|seems?|sounds?|feels?|be|strikes?|"
    r"comes?|came|tells?|telling|told|as|to be|has been|have been|reads?|100|clean|"
    r"legit|safe|fine|good|ok|okay|innocent|villager|clear|honest|speaks?|spoke|"
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
# "good luck", "the villager is": no praise
_GOOD_LUCK = re.compile(
    r"\bgood (?:to|luck|for|evening|morning)\b|\b(?:seer|villager) (?:is|for|to|about|"
    r"from|with)? ?$"
)


def _good(near: Near) -> Verdict:
    if near.own:
        return None
    after = _GOOD_AFTER.match(near.right)
    if _ONLY_ONE.search(near.right) or near.whole.count("+") >= MANY:
        return None
    if (
        after
        and _IS_GOOD.match(
            near.right,
        )
        and not _GOOD_AT.search(
            after[0] + near.right[after.end() : after.end() + 10],
        )
    ):
        no = negated(near.left[-34:] + after[0]) != bool(_DOUBT.search(near.left[-34:]))
        if no and _TRUTH.search(after[1]):
            return ("accuse", "")
        return (
            "suspect" if no else "agree" if _TRUTH_ABOUT.search(near.right) else "defend",
            "",
        )
    before = _GOOD_BEFORE.search(
        near.left,
    )
    if before and not _GOOD_LUCK.search(
        before[0],
    ):
        return ("suspect" if negated(near.left[-30:]) else "defend", "")
    return None


READERS: tuple[Callable[[Near], Verdict], ...] = (
    _vote,
    _standing,
    _role,
    _disliked,
    _agreement,
    _trusted,
    _spared,
    _evil,
    _it_is,
    _odd,
    _good,
)
