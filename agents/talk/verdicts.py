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
            and re.fullmatch(
                r" (?:and )?(?:so (?:is|does|am|are|do)|neither (?:is|does|are)|nor is|also|same "
                r"(?:for|with|goes for)|as (?:is|does)) ",
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


def judge(near: Near) -> Verdict:
    if (
        re.match(
            rf"(?! (?:i|we|for|by|when|while|because) )(?: \w+){{0,2}}? (?:{cues.SAYS})\b(?! "
            rf"(?:\w+ ){0, 3}?(?:truth|lies?|fibs?|tales?|porkies|whoppers?|nothing but)\b)",
            near.right,
        )
        and not near.own
    ):
        return _speech(near)
    if (
        cues.WANTS_BELIEVED.search(near.all_before)
        or cues.HEARSAY.search(near.all_before)
        or re.search(
            r"\b(?:who|what|why|whom|whether|how) (?:is|do|did|does|about)?\s*$", near.left
        )
    ):
        return None
    if re.search(r"\b(?:both|all) (?:be|are|is)\b", near.right[:30]) and negated(near.right[:30]):
        return None
    theirs = "@" in near.all_before and not re.search(
        r"\b(?:i|we|my|me|us|let|please|vote|hang|so|and|but)\b", near.left
    )
    for reader in READERS:
        if verdict := reader(
            replace(near, left=" ") if theirs and reader not in (_evil, _spared) else near
        ):
            return verdict
    return None


def negated(text: str) -> bool:
    """Whether an odd number of denials stands in `text`."""
    text = re.sub(
        r"\b(?:nobody|none|no one|nothing|no other) (?:but|other than|than|except)\b|\bno "
        r"(?:\w+ )?doubt\b|\bno way around\b|\bno mystery\b",
        " ",
        text,
    )
    text = re.sub(r"\bnot need (?:\w+ ){0,4}?to (?:tell|see|know)\b", " ", text)
    text = re.sub(r"\bno (?:reason|cause|need|grounds?) to doubt\b", " ", text)
    text = re.sub(
        r"\bnot (?:only|just|to mention)\b|\bno (?:doubt|question|cap|lie|joke)\b|"
        r"\bwithout (?:a )?doubt\b|\bdo not know\b|"
        r"\bnot sure why\b|\bnot (?:gonna|going to) lie\b|\bnot (?:help|resist|help "
        r"but)\b|\bnot stop\b",
        " ",
        text,
    )
    text = re.sub(
        r"\b(?:stop|quit|stopped) (?=lying|pretend|faking|bluff|hiding|dodg|deflect)", " ", text
    )
    return len(cues.NOT.findall(text)) % 2 == 1


def _speech(near: Near) -> Verdict:
    """ "@3 said …": only "what @3 said", "@3 said it best" say something of @3 itself."""
    if (
        re.search(
            r"(?:^ (?:yeah |yes |exactly |just |and |so |this |yup |yep |ya |basically |honestly "
            r"|pretty much |literally |1 |\+1 )*|\b(?:believe|believing|buy|trust|with|that is|"
            r"exactly|same as|everything|take|accept|like|hear) (?:that )?)(?:what|everything|"
            r"all|like|as|whatever)? ?$",
            near.left,
        )
        and re.search(r"\b(?:what|everything|all|like|as|whatever|believe|trust|buy) $", near.left)
        and not re.search(r"\b(?:not care|ignore|idc|who cares)\b", near.left)
    ) and (
        re.search(r"\b(?:believe|buy|trust|take|convinc\w+)\b", near.left)
        or near.left.split()[:1] in (["what"], ["like"], ["as"], ["exactly"], ["yeah"], ["this"])
        or re.search(r"\b(?:what|as) $", near.left)
    ):
        rest = near.right
        if cues.LYING.search(rest) or re.search(r"\bfalse\b", rest):
            return ("agree" if negated(rest) else "accuse", "")
        if re.search(
            r"\bnot (?:\w+ )?(?:believe|buy|true|right|add|make)\b|\b(?:cannot be|"
            r"nonsense|rubbish|wrong)\b",
            near.left + rest,
        ):
            return ("disagree", "")
        return ("disagree" if negated(near.left) else "agree", "")
    if re.search(
        r"\b(?:odd|strange|weird|suspicious|fishy|funny|interesting|convenient)(?: (?:how|"
        r"that|it is|is))* $",
        near.left,
    ):
        return ("suspect", "")
    if re.search(
        r"\b(?:not (?:sit right|add up)|odd|strange|weird|suspicious|bothers?|worries?|"
        r"fishy)\b",
        near.right,
    ):
        return ("suspect", "")
    if re.search(r"\b(?:not a (?:single )?word|none|nothing) of what $", near.left):
        return ("accuse", "")
    if re.search(r"\bsaid it (?:best|right|well|all)\b|\bsaid (?:what|exactly)\b", near.right):
        return ("agree", "")
    if re.search(r"\b(?:believe|trust|buy) $", near.left):
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


def _vote(near: Near) -> Verdict:
    cue = _VOTE_FOR.search(near.left) or _MY_VOTE.search(near.left)
    if (
        cue
        and re.match(r"go(?:ing)? for", cue[0].strip())
        and not re.search(r"\b(?:i|we|us|i am)\b", near.left)
    ):
        return None
    if cue:
        if (
            re.search(
                r"\b(?:who|they|he|she|did|everyone|everybody|people|whoever|nobody) (?:\w+ "
                r")?(?:vote[sd]?|voting)\b|\bvoted (?:for|against)\b|\bvotes (?:are|were)\b",
                near.left,
            )
            and "everyone vote" not in near.left
            and "everybody vote" not in near.left
        ):
            return None
        if re.search(
            r"@[\d+]+ (?:\w+ )?(?:vot|hang|push|kick|lynch)", near.all_before
        ) and not re.search(r"\b(?:i|we|let|us|please)\b", near.left):
            return None
        if re.search(r"\bvot\w+ with $", near.left):
            return ("agree", "")
        return (
            "defend"
            if negated(near.left[-26:])
            or re.search(
                r"\b(?:wrong|mistake|waste|silly|disaster|error|stupid|shame)\b",
                near.left + near.right[:40],
            )
            else "vote",
            "",
        )
    if not near.own and (cue := _GETS_VOTE.match(near.right)):
        if near.more and re.search(r"\b(?:i|we)\b", cue[0]):
            return None
        if negated(cue[0]):
            return ("defend", "")
        if re.search(r"\b(?:that leaves|maybe|leaves|looked at|check\w*|saw)\b", near.left) or (
            re.fullmatch(r" (?:today|tonight|then|out)\s*", cue[0]) and near.left.strip()
        ):
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


def _standing(near: Near) -> Verdict:
    """Verdicts on somebody's claim or story."""
    if not near.own:
        return None
    head = re.match(rf" (?:[\w']+ ){{0,3}}?{cues.CLAIMED.pattern}(.*)", near.right)
    if not head:
        return None
    if cues.LYING.search(near.right[: head.start(1)]):
        return ("accuse", "")
    rest, believing = head[1], _BELIEVE.search(near.left)
    if believing and not re.match(r" (?:is|was|looks|sounds)\b", rest):
        return ("disagree" if negated(near.left) else "agree", "")
    if re.search(
        r"\b(?:doubt|doubting|question|hole in|holes in|problem with|trouble with|against)\b",
        near.left,
    ):
        return ("disagree", "")
    lying = cues.LYING.search(rest)
    if lying and cues.MODAL.search(rest[: lying.start()]):
        return ("suspect", "")
    if lying and not _HOLDS.search(rest[: lying.start()]):
        return ("agree" if negated(rest[: lying.start()]) else "accuse", "")
    if poor := _POOR.search(rest):
        soft = re.search(
            r"\b(?:polished|convenient|odd|strange|weird|fishy|off|suspicious|too good|"
            r"stinks)\b|suspicious",
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
    if re.search(r"\bdo(?:es)? not\b|\bnot (?:have|buy|accept|believe)", rest):
        return ("disagree", "")
    if not near.more and re.search(r"\bi (?:\w+ )?(?:believe|accept|buy|trust|like|do)\s*$", rest):
        return ("agree", "")
    return None


_SIDE_GAP = re.compile(
    r"\b(?:want|looking|protect\w*|help\w*|with the|about the|from the|against|find|hunting|"
    r"for the|to the|asked|between)\b"
)


def _role(near: Near) -> Verdict:
    """ "@3 is the tanner", "@3 can't be the seer"."""
    if near.own:
        return None
    ahead = re.search(r"\b(seer|mason|tanner|minion)s?\b", near.right)
    if not ahead:
        behind = re.search(
            r"\b(tanner|minion)(?: (?:is|be|alert|his|her|as|i would guess|goes to|says|on|"
            r"from|here|must be|has to be|i|think|called|named|would|say|might|could|"
            r"probably|of|this|game|table|the|in|it))* $",
            near.left,
        )
        if (
            behind
            and not negated(near.left)
            and not re.search(
                r"\b(?:to|with|help\w*|am|i am|want\w*)\b", near.left[: behind.start() + 1]
            )
        ):
            return ("suspect", behind[1])
        return None
    gap, role = near.right[: ahead.start()], ahead[1]
    if re.search(r"\b(?:my|as the|like the|when|who)\b", gap) and role in ("seer", "mason"):
        return None
    if role in ("tanner", "minion"):
        if _SIDE_GAP.search(gap) and not re.search(r"\btake $", near.left):
            return None
        if negated(near.left[-30:] + gap):
            return (
                ("defend", "")
                if re.search(r"\b(?:no way|not)\b", near.left + gap) and role == "minion"
                else None
            )
        return ("suspect", role)
    if cues.EVIL.search(near.right[: ahead.start()]) or re.match(
        r" (?:claim|story|thing|vision|result|check|act)", near.right[ahead.end() :]
    ):
        return None
    if re.match(
        r" (?:\w+ )?(?:as|for|to be|is|being) (?:the |a |our )?(?:real |true )?$", gap
    ) and re.search(r"\b(?:trust|believe|take|accept|support|back|see)\b", near.left):
        return ("disagree" if negated(near.left) else "agree", role)
    if near.right[ahead.end() :].startswith("'s") or re.search(
        r"\b(?:found|took|stole|discovered|copied|borrowed|wants)\b", gap
    ):
        return None
    if re.search(
        r"\b(?:claim\w*|said|says|saying|counter|looking|about|asked|asks|ask|hunting|find|"
        r"after|against|with|protect\w*|to|fishing|calling|called|for|should|wants?|and|"
        r"would|know|knows)\b",
        gap,
    ):
        return None
    if not re.match(
        r"(?: \w+)*? (?:is|are|was|be|cannot|can|as|a|the|no|not|really|being|seems|looks|"
        r"isnt|aint|must|our|your|actually|seer|mason)\b",
        gap + role + " ",
    ):
        return None
    no = negated(near.left[-34:] + gap) or bool(
        re.search(r"\b(?:doubt|no way|impossible|do not think|how (?:can|could))\b", near.left)
    )
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


def _agreement(near: Near) -> Verdict:
    both = near.left + near.right
    if (
        re.search(r"\bnot convinced (?:that )?$", near.left)
        and re.match(r" (?:is|are) ", near.right)
        and cues.GOOD.search(near.right)
    ):
        return ("suspect", "")
    if re.search(
        r"\b(?:disagree|not (?:see it (?:that way|the same|like)|agree|follow|share|with|on "
        r"board|think the same)|cannot (?:agree|follow)|beg to differ|differently|part ways|"
        r"object to)\b(?: \w+){0,6} $",
        near.left,
    ):
        return ("disagree", "")
    if (
        cue := re.search(
            rf"{cues.DISAGREE.pattern}(?: (?:from|with|to|of|there|by|on|about|in|that|here|"
            rf"is))* $",
            near.left,
        )
    ) or (
        not near.own
        and (cue := re.match(rf"(?: [\w']+){{0,6}}? ({cues.DISAGREE.pattern})", near.right))
    ):
        if re.search(r"\brubs? me\b", both):
            return None
        if re.search(
            r"\bi (?:was|am|have been|might be|may be) (?:\w+ )?wrong about\b|\bwrong "
            r"(?:game|card|room)|foot wrong|wrong one|nothing wrong|(?:did|done|do|does)(?: "
            r"not)? (?:\w+ ){0,2}(?:a thing )?wrong|something (?:is )?wrong|crazy (?:quiet|"
            r"loud)|\bwrong about\b.*@",
            both,
        ) or re.search(r"\b(?:is|be) wrong about $", near.left):
            return None
        return (
            "agree"
            if re.search(
                r"\b(?:not|never) (?:\w+ )?(?:disagree|wrong|mistaken|crazy|stupid|silly)", both
            )
            else "disagree",
            "",
        )
    if _AGREE_WITH.search(near.left) and not _NOT_AGREE.search(near.left) and not near.own:
        if re.match(r" (?:is|was|has|are) ", near.right):
            return None
        return ("disagree" if negated(near.left) else "agree", "")
    if (
        cue := re.search(
            rf"{cues.AGREE.pattern}(?: (?:by|from|with|about|there|here|to|from you|on that|"
            rf"point|one|of))* $",
            near.left,
        )
    ) and (
        not re.search(r"\bvot|\b(?:seer|mason|now|all) (?:right|second)|right now", cue[0])
        and not near.own
    ):
        return ("disagree" if negated(near.left) else "agree", "")
    if not near.own and (
        cue := re.match(rf"(?: [\w']+){{0,5}}? ({cues.AGREE.pattern})", near.right)
    ):
        if re.search(
            r"\b(?:said|all) right\b|\bright (?:now|after|before|away|there|when|off|at|"
            r"behind|side)\b|\bsecond (?:seer|mason|round|claim|time)|too (?:smart|clever)|"
            r"\b(?:sits?|feels?) right|\bword\b|this (?:game|whole|round|time)|reasonable "
            r"doubt|my right|might (?:even )?be right|came second",
            near.right,
        ):
            return None
        if re.match(r"this|word|exactly|logic|same|agree|concur", cue[1]):
            return None
        return ("disagree" if negated(near.left[-20:] + cue[0]) else "agree", "")
    return None


def _hedged(text: str, lying: bool) -> bool:
    text = re.sub(
        r"\bno doubt\b|\bthink it over\b|\bwould (?:never|bet my (?:house|life|hat))\b|"
        r"\blook(?:ed)? at\b|\bonly look\b",
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


def _evil(near: Near) -> Verdict:
    left, right = near.left, near.right
    if near.own and not re.match(r" (?:chair|seat|voice|hands?|name|card|place)\b", right):
        return None
    after = None if near.own else re.match(rf"(?: [\w']+)*? ({cues.EVIL.pattern})", right)
    if after and re.search(
        r"\b(?:hunt\w*|afraid|kill(?:ed)?|looking for|searching|find|finds|found|ate|looked|"
        r"against|for the|about the|if|let(?:s)? the|want\w*|vote\w*|asks?|accus\w+|says?|"
        r"said|thinks?|pushed|more likely|other than|who would|would be)\b",
        after[0],
    ):
        after = None
    before = (
        None
        if after
        else re.search(rf"({cues.EVIL.pattern}){_LINK}", left)
        or re.search(
            r"\b(?:the|our|your|only) (wolf)\b(?: [\w']+){0,8}? (?:is|was|named|name|has to "
            r"be|must be)(?: [\w']+){0,4}? $",
            left,
        )
    )
    if (
        before
        and re.search(
            r"\b(?:i am|not|help the|for the|of the|to the|the way a|if|eat|ate) (?:the |a "
            r")?(?:wolf)(?: \w+)? $",
            left,
        )
        and not re.search(r"\bnot\b", left)
    ):
        return None
    cue = after or before
    if not cue:
        return None
    lying = bool(cues.LYING.search(cue[1]))
    if lying and near.many and after and re.match(r" (?:is|has|was) ", right):
        return None  # "@2 or @3 is lying": of whom it is true stays open
    if re.search(
        r"\b(?:disagree|not agree|not (?:think|believe|buy|see)) (?:with )?@[\d+]+ that\b",
        near.whole,
    ):
        return None
    context = left + (after[0] if after else "")
    tail = right[after.end() : after.end() + 24] if after else right[:20]
    if (
        not lying
        and after
        and not re.search(
            r"\b(?:leaves|leaving|outed|exposed|revealed|unmasked|proved|confirmed)\b", after[0]
        )
        and (
            soft := re.search(
                r"\b(?:help\w*|protect\w*|cover\w*|save|team|(?:like|as) (?:a |the )?(?:\w+ )?wolf|"
                r"way a|exactly what|how a|what a|behavio\w+|vibes?|energy|move|moves|thing to)\b",
                after[0] + tail[:14],
            )
        )
    ):
        return ("defend" if negated(left[-32:] + after[0]) else "suspect", "") if soft else None
    if cue[1] in ("caught", "exposed", "busted") and re.match(r" (?:me|us|my)\b", tail):
        return None
    if after and "@" in near.all_before and not re.search(r"\bthat $|\bthink $", left):
        left = left[-10:]
    if negated(left[-36:] + (after[0] if after else "")) != bool(
        re.search(r"\bdoubt\b", left[-36:])
    ):
        return ("defend", "")
    guessed = (
        bool(near.many and not lying)
        or _hedged(context[-70:] + (tail if not lying else ""), lying)
        or (
            bool(re.search(r"\bi (?:think|guess|bet|reckon)\b|\bprobably\b|\bmaybe\b", near.right))
            and not lying
        )
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


def _it_is(near: Near) -> Verdict:
    if near.own:
        return None
    if match := re.match(
        r" (?:(?:is|was|must be|might be|may be|could be|has to be)(?: (?:clearly|not|surely|"
        r"definitely|certainly|simply))* (?:the one(?=\s*$| we | i (?:saw|mean|suspect)| "
        r"with the (?:teeth|fangs|claws|tail|fur)| who (?:did|has|is|bit))|it|our (?:man|one|"
        r"guy|girl)|him|her|who we (?:want|need))\b|100|for sure|all day|all the way|did it|"
        r"wolf\b)",
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
        adverb := re.fullmatch(
            r" (?:and |or |so |definitely |clearly )*(clearly|obviously|definitely|surely|"
            r"certainly|probably|possibly|maybe|perhaps|likely|most likely|gut says|my gut says|"
            r"i would say|i say|has to be|have to be)\s",
            near.left,
        )
    ) and re.match(r"\s*(?:$|for me|then|imo|i think|maybe|or|again)", near.right):
        return (
            "accuse"
            if re.match(r"clearly|obviously|definitely|surely|certainly|ha", adverb[1])
            else "suspect",
            "",
        )
    if not near.left.strip() and re.match(
        r" (?:probably|i think|i guess|for me|probs|imo|most likely|would be my guess|is my "
        r"(?:guess|pick|bet))\s*$",
        near.right,
    ):
        return ("suspect", "")
    if re.search(r"\b(?:cannot|can not|could not) be (?:our |poor )?$", near.left):
        return ("defend", "")
    if not _IT_IS.search(near.left) or near.whole.count("+") >= MANY:
        return None
    if not re.match(
        r"\s*$|\s*(?:for sure|100|or maybe|guys|everyone|all along|then|imo|tbh|i think|i "
        r"guess|i am sure|by elimination|as far|maybe|without|from here|no doubt|people|"
        r"folks|i bet|lol|definitely|probably|who|idk|honestly|for me|or|could|here|again|if|"
        r"today|anyway|and)\b",
        near.right,
    ):
        return None
    if negated(near.left[-30:]):
        return ("defend", "")
    return (
        "suspect"
        if near.many
        or _hedged(near.left + near.right[:30], False)
        or not re.search(r"\b(?:it|its|caught|exposed|accus\w+|must|has|have|only)\b", near.left)
        else "accuse",
        "",
    )


def _trusted(near: Near) -> Verdict:
    match = re.search(
        rf"({cues.TRUST.pattern})(?: (?:in|for|by|with|on|to|that|what|a word|anything|a "
        rf"thing|much|more|fully|behind|up for|dear|our|old|poor|either|is|so|is with|"
        rf"goes to|completely|entirely|at all|only|again|now|today|here|even))* $",
        near.left,
    )
    if (
        match
        and cues.EVIL.search(near.right[:40])
        and re.search(r"\bto be\b|\bis\b", near.right[:12])
    ):
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
    if match := re.match(
        r"(?: \w+){0,4}? (?:can be|be|is|to be|gets|has|get|have|seems|are|i|i do)(?: "
        r"\w+){0,3}? (trust\w*|my trust|townread|cleared|my (?:full )?confidence|believe|my "
        r"faith)\b",
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


def _spared(near: Near) -> Verdict:
    if not near.own and re.match(
        r"(?: \w+){0,3}? (?:nothing to hide|crossed off|off the list)\b", near.right
    ):
        return ("defend", "")
    if re.search(r"\bi (?:was|am|have been) (?:\w+ )?wrong about $", near.left):
        return ("defend", "")
    if re.match(r" i (?:would|will|should) (?:rather )?(?:spare|leave|keep)\b", near.right):
        return ("defend", "")
    if re.search(r"\bnot (?:agree|think|believe|buy|see) .*@[\d+]+.*\bthat $", near.all_before):
        return None
    if (
        _SPARE.search(near.left)
        and not re.match(r" on (?:the|my) list", near.right)
        and not re.search(
            r"\b(?:not (?:leave|defend|a fan|spare)|fan of|(?:get|lay|back) off)\b",
            near.left.replace("get off", "") if "get off" in near.left else near.left,
        )
    ):
        return ("defend", "")
    if re.match(
        r" (?:alone|be|a break|off the (?:list|hook)|off my list|out of (?:it|this)|in peace|"
        r"live|stays?|is off)\b",
        near.right,
    ) and (
        re.search(
            r"\b(?:leave|let|leaving|give|cut|keep|take|cross|leaves|lets|takes)\b", near.left
        )
        or re.match(r" (?:stays|off|in peace|is off)", near.right)
    ):
        return ("defend", "")
    if not near.own and re.match(
        r"(?: \w+){0,3}? (?:(?:did|has|have|had|done)(?: not)? (?:done |do )?(?:anything|"
        r"nothing|a thing) wrong|nothing wrong|does not deserve|deserves? (?:a break|better)|"
        r"is off (?:my|the) (?:list|hook|table)|has not slipped|(?:has )?not put a foot "
        r"wrong|wrong one|can sit)",
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


def _odd(near: Near) -> Verdict:
    before = re.search(
        rf"({cues.ODD.pattern}|look(?:ing)? (?:a (?:little|bit) )?(?:closer |hard |harder |"
        rf"closely |more closely |straight |right |twice )?at|put (?:it|money|my money|my "
        rf"chips) on|bet (?:\w+ ){0, 3}on|coming back to|strike against|less sure|"
        rf"whiff){_ODD_LINK}",
        near.left,
    )
    after = re.match(rf"(?: [\w'%-]+)*? ({cues.ODD.pattern})", near.right)
    if (
        after
        and re.match(
            r"(?:trust|bet|betting|guess|money|watch|watching|eye|eyes|finger|pick|gut|hunch|"
            r"eyeing|lean|leaning|favou?rite|suspects?|suspected|doubts?|pushing|push|jump\w*|"
            r"acting|target|avoid\w*)$",
            after[1],
        )
        and not re.search(r"\b(?:my|i|me|is|keeps?|was|has)\b", after[0])
    ):
        after = None
    if (
        after
        and re.match(r"(?:finger|gut|money|hunch|pick|eyes?)$", after[1])
        and not re.search(r"\b(?:my|i)\b", after[0])
    ):
        after = None
    if after and near.more and re.search(r"\b(?:i|my)\b", after[0]):
        after = None
    if before and re.match(r"(?:silence|quiet)$", before[1]):
        before = None
    if near.own and after and len(after[0].split()) < 2:
        after = None
    cue = after or before
    if not cue:
        return None
    if after and re.search(r"\bin my (?:eyes|book)\b", after[0]):
        return None
    scope = near.left[-34:] + (after[0] if after else "")
    no = negated(scope)
    if re.search(r"\b(?:add up|adds up|adding up|sit right|right with me|hold up|trust)\b", cue[1]):
        no = not no
    if (
        after
        and near.more
        and re.search(r"\b(?:suspect|trust|doubt|distrust|mistrust|watch|watching)$", after[0])
    ):
        return None
    if re.search(r"\beach other\b|\bwhom\b", near.right):
        return None
    if (
        before
        and before[1].startswith("too ")
        and re.search(r"\bi (?:was|have been|am) $", near.left[: before.start()])
    ):
        return None
    if re.search(r"\bnothing to hide\b", near.left):
        return None
    if (
        re.search(
            r"\b(?:i am|im|am i|me|i look) (?:\w+ )?$",
            near.left[: before.start()] if before else "",
        )
        and before
        and re.match(r"(?:quiet|silent|off|bad|weird|loud)", before[1])
    ):
        return None
    return ("defend" if no else "suspect", "")


_LIKE = re.compile(
    r"\b(?:not|never) (?:\w+ )?(?:like|love|fond|happy with|comfortable with|sure about|sold "
    r"on|care for|easy about|convinced by|so sure about|feeling)(?: (?:how|the way|about|"
    r"what|this|that|it|of|by|with|is|at|all|when))* $|\bdunno about $|\bnot know about $|"
    r"\b(?:on|in) my (?:\w+ )?(?:list|pile)\b|\bwould not (?:buy|put|trust|turn|bet)\b"
)


def _disliked(near: Near) -> Verdict:
    if re.search(r"\bwhom?\b", near.right[:40]):
        return None
    if re.search(r"\b(?:strike|cross|take) $", near.left) or re.match(
        r"(?: \w+){0,2}? (?:lower|down|off)\b(?: \w+){0,4}? my list\b", near.right
    ):
        return ("defend", "")
    if _LIKE.search(near.left) or re.match(
        r"(?: \w+){0,2}? (?:(?:on|in) my (?:\w+ )?(?:list|pile|radar|sights)|i do not (?:\w+ "
        r")?(?:like|trust)|(?:gives?|giving) me (?:\w+ )?(?:the |a )?(?:\w+ )?(?:ache|itch|"
        r"bad|creeps|wolf|weird|chills|pause|goosebumps|nothing|vibes|heebie)|wants? (?:it|"
        r"to die)\b|makes? me (?:\w+ )?(?:uneasy|nervous|wonder|suspicious|itch\w*|"
        r"uncomfortable)|stands? out|gains|flinched|profits|benefits)\b",
        near.right,
    ):
        return ("suspect", "")
    return None


def _good(near: Near) -> Verdict:
    if near.own:
        return None
    after = re.match(rf"(?: [\w']+)*? ({cues.GOOD.pattern})", near.right)
    if re.search(r"\b(?:only one|one of)\b", near.right) or near.whole.count("+") >= MANY:
        return None
    if (
        after
        and re.match(
            r"(?: [\w']+){0,6}? (?:is|are|was|were|looks?|seems?|sounds?|feels?|be|strikes?|"
            r"comes?|came|tells?|telling|told|as|to be|has been|have been|reads?|100|clean|"
            r"legit|safe|fine|good|ok|okay|innocent|villager|clear|honest|speaks?|spoke|"
            r"speaking|just|being|must be|town|natural)\b",
            near.right,
        )
        and not re.search(
            r"\b(?:for a|too|good (?:at|luck|reason|idea|thing|enough|as any|evening|morning|"
            r"night|game|question|grief)|what is good)\b",
            after[0] + near.right[after.end() : after.end() + 10],
        )
    ):
        no = negated(near.left[-34:] + after[0]) != bool(re.search(r"\bdoubt\b", near.left[-34:]))
        if no and re.search(r"\btruth", after[1]):
            return ("accuse", "")
        return (
            "suspect" if no else "agree" if re.search(r"\btruth about\b", near.right) else "defend",
            "",
        )
    before = re.search(
        rf"({cues.GOOD.pattern})(?: (?:is|are|was|for|on|to|read on|reads?|feeling about|"
        rf"feelings about|about|with|vibes from|from|vibe from))* $",
        near.left,
    )
    if before and not re.search(
        r"\bgood (?:to|luck|for|evening|morning)\b|\b(?:seer|villager) (?:is|for|to|about|"
        r"from|with)? ?$",
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
