"""Words without a name that answer whoever was spoken to, or go on about whoever was spoken of."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.talk.verdicts.near import Finding, negated

# nothing but agreement
_SHORT_AGREE = re.compile(
    r"^(?:(?:so|and|well|ok|okay|yes|yeah|yea|ya|yep|oh|hm|hmm|ah|haha|lol|no|fair|good|"
    r"quite|totally|honestly|actually|pff|true|i|that|is|very|a|it|what|fully|completely|"
    r"absolutely|hard|100|could not|you|just|this|the) )*"
    r"(?:agree|agreed|agree (?:with that|fully|completely|100|there)|right(?! now)|"
    r"exactly|true|fair enough|fair point|good point|great point|nice point|buy (?:that|"
    r"it)|believe (?:it|that|this)|same here|this|makes sense|seconded|well said|point "
    r"taken|spot on|well spotted|well done|hear hear|checks out|adds up|"
    r"sounds right|good eye|"
    r"good read|legit|sounds about right|correct|see it the same way|my thoughts exactly|"
    r"good call|indeed|"
    r"agreed 100|ditto|preach|nice catch|good catch|good thinking|quite so|convinced)"
    r"(?: (?:there|with that|on that|fully|then|now|lol|completely|here|bro|man|friend|"
    r"too|as well|it|that|from me|one|actually|to me|i guess|totally))*$"
)
# nothing but disagreement
_SHORT_DISAGREE = re.compile(
    r"^(?:(?:so|and|well|ok|okay|yes|oh|hm|ah|haha|lol|no|nope|nah|ya|i|that|is|just|"
    r"sorry|honestly|still|a|do|does|did|really|it|what|hard|strongly|totally|utter|complete|"
    r"total|this|must|cannot|can|completely|such|sheer|am) )*"
    r"(?:disagree|see it (?:quite |rather |very )?differently|not agree|wrong|wrong "
    r"again|nonsense|rubbish|bs|bullshit|not buy (?:it|that|this)|not buying (?:it|that|"
    r"this|any of it)|not believe (?:it|that|this|a word)|not true|garbage|mistaken|no "
    r"way|absurd|ridiculous|not right|contradict (?:you|that)|not how (?:\w+ ){1,3}?(?:works?|"
    r"went|goes|happened|plays?)|just no|"
    r"makes no sense|not make sense|beg to differ|not having it|backwards|silly|hogwash|"
    r"not ring true|not correct|a no from me|no chance|doubt (?:it|"
    r"that)|bad read|reaching|not how i remember it|not what happened|not true|differ|"
    r"not convinced|not follow|not see it(?: that way)?|object|false)"
    r"(?: (?:there|with that|on that|at all|then|now|lol|completely|here|bro|man|friend|"
    r"for a second|one bit|hard|sorry|strongly|to me|sir|respectfully|professor))*$"
)
# nothing but an accusation
_SHORT_LIAR = re.compile(
    r"^(?:(?:you|lol|haha|nah|no|pff|sorry|but|and|a|such|what|trash|him|total|straight up|"
    r"straight|our|your|there|here|we|"
    r"have|found|got|clear|obvious|confirmed|dirty|filthy|big|little|fat|trash|the|so|that "
    r"is|is|oh|ok|lying|wolf|clearly|obvious|obviously|pure|an|its|it|utter) )*(?:liar|lying|"
    r"lies|a lie|liar liar|cap|fake|invented|made up|all made up|fabricated|wolf|wolf wolf|"
    r"wolf confirmed|wolf wolf wolf|caught|busted|guilty|a lie)(?: (?:confirmed|pants on "
    r"fire|right there|right|there|people|folks|lol|for sure|obvs|obviously|100|then|all day|"
    r"to|us|your|our|faces?|again|as))*(?:$| a )"
)
# nothing but a vote
_SHORT_VOTE = re.compile(
    r"^(?:(?:so|and|ok|i am|im|is|that is|where|now|then|my|therefore|hence|accordingly|"
    r"firmly|i|am|will|locked|still|will be|shall) )*(?:voting|vote|vote there|vote "
    r"accordingly|voting there|voting accordingly|locked in|locked|hang|that is where my "
    r"vote (?:is|goes)|raise my hand accordingly|vote is there|vote goes there)(?: (?:there|"
    r"now|then|accordingly|for that|today|that way|is there))*$"
)
# an accusation without a name: "there sits our wolf", "stop lying"
_CAUGHT = re.compile(
    r"^(?:that|it) is false$|\b(?:none|nothing) of (?:that|this|it|"
    r"what you said) (?:\w+ )?(?:happened|"
    r"is true|was true)\b|^(?:that|it|this) never happened\b|^there (?:sits|is|goes) (?:the|our|"
    r"your) wolf$|^(?:that|"
    r"this|the) liar\b|^(?:and |but |so |well |yes |no |all )*(?:that|this|it|which|"
    r"all that) (?:is|was)(?: (?!every|of|some|one|what|no\b|"
    r"not)[\w-]+){0,4} (?:lie|lies|whopper|fib|fabrication|invention|liar|killer|"
    r"culprit)\b|"
    r"\bonly (?:the|a) wolf (?:would|could|knows|can)\b|^(?:so |and |now )?(?:drop|cut|"
    r"stop|quit) (?:the|that|your|this) (?:act|cap|crap|lies|lying|bs|nonsense|charade|"
    r"show|theatre)|"
    r"^(?:oh |come on |please )*(?:stop|quit) (?:lying|pretending|faking|capping|bluffing)"
)
# nothing but a suspicion
_SHORT_ODD = re.compile(
    r"^(?:that|this|it) (?:is|was|sounds?|sounded|looks?|looked|seems?|seemed|felt|"
    r"feels)(?: \w+){0,3} (?:rehearsed|forced|defensive|evasive|vague|nervous|fake|staged|"
    r"scripted|smooth|convenient)\b|\b(?:a|the) wolf would (?:\w+ )?(?:talk|say|act|behave|"
    r"do)|\bwolf (?:do|does) (?:that|this)|"
    r"\b(?:what|how|like) (?:a |the )?wolf (?:do|does|would|will|says?|acts?|behaves?|talks?|"
    r"talking)\b|"
    r"^(?:something|smth) (?:there )?(?:is|smells|feels) (?:\w+ )?(?:wrong|off|fishy|rotten|"
    r"not right|amiss)|"
    r"^(?:(?:and|so|well|but|which|that|this|it|what) )*(?:\w+ )?(?:makes?|made|making|has|got|"
    r"gets|gives|"
    r"gave) me (?:\w+ ){0,2}?(?:suspicious|wonder\w*|nervous|uneasy|think twice|doubt\w*|worried|"
    r"pause|itch\w*|uncomfortable|chills|the creeps|goosebumps|bad vibes|wary)\b|"
    r"^(?:(?:and|so|but|which|that|this|it) )+(?:\w+ )?(?:worries|bothers|bugs|troubles|"
    r"concerns|irks|"
    r"alarms|unsettles) me\b|^(?:and |but |so )*i (?:do )?not (?:\w+ )?(?:trust|like|love) "
    r"(?:that|it|this)(?: (?:one|a) (?:bit|little|second))?$|"
    r"^(?:and |but |so )*i (?:find|found) (?:that|it|this) (?:\w+ )?(?:odd|strange|weird|"
    r"suspicious|"
    r"worrying|fishy|curious|sus)\b|\b(?:smells|sounds|looks|seems) (?:so |"
    r"very |kinda |super )?(?:fishy|"
    r"sus|suspicious|off|weird|odd|strange|wolfy)$|^(?:(?:and|so|well|ok|um) )*(?:that|this|"
    r"it|which|thats)(?: (?:is|was|looks|sounds|seems|feels|smells|all|just|kinda|really|a "
    r"bit|very|so|pretty|super|of|like))* (?:sus|suspicious|odd|strange|weird|fishy|shady|"
    r"off|convenient|wolf behavio\w+|wolf talk|wolfy|scummy|sketchy)\b"
)
# nothing but the loner or the helper
_SHORT_SIDE = re.compile(
    r"^(?:so |and )?(?:i (?:guess|think|say|bet|reckon)|probably|maybe|perhaps) (?:the |a "
    r")?(?=(?:loner|helper)\d+$)|^classic (?=(?:loner|helper)\d+)|^that is (?:a |the |your |our "
    r")?(?:\w+ )?(?=(?:loner|helper)\d+)|\b(?:loner|helper)\d+(?: |-)?y?(?:$| (?:vibes?|"
    r"energy|behavio\w+|if i ever|to me|written|move|is my guess|talk|for sure|imo|read))"
)
# one of them
_SIDE = re.compile(r"(?:loner|helper)\d+")
# "its name is @3"
_NAME_IS = re.compile(
    r"\b(?:his|her|its|the|whose)?\s?name is(?: \w+){0,2} @(\d+)$|^it is called "
    r"@(\d+)$"
)
# the speaker's own part
_OWN = re.compile(r"\b(?:i am|i was|im|me|my|mine|said|as)\b")
# the wolf was spoken of
_WOLF = re.compile(r"\bwolf\b")


def answers(
    text: str, you: str, last: str, judged: bool, many: bool, everything: str
) -> Iterator[Finding]:
    """What a clause without a name says of the seats spoken to (`you`) and of (`last`).

    judged: its sentence has judged somebody; many: it has other clauses; everything: the statement.
    """
    if (match := _NAME_IS.search(text)) and _WOLF.search(everything):
        yield ("accuse", match[1] or match[2], "")
    if "@" in text or (many and text in _OPENING_WORDS):
        return
    if (to := you or last) and not judged:
        if _SHORT_AGREE.match(text):
            yield ("agree", to, "")
        elif _SHORT_DISAGREE.match(text):
            yield ("disagree", to, "")
    if not last:
        return
    if side := _short_side(text):
        yield ("suspect", last, side)
    elif _SHORT_ODD.match(text):
        yield ("suspect", last, "")
    elif _SHORT_LIAR.match(text) or _CAUGHT.search(text):
        yield ("accuse", last, "")
    elif _SHORT_VOTE.match(text):
        yield ("vote", last, "")


def _short_side(text: str) -> str:
    """Whom of the wolf's helpers and the loners a clause without a name takes somebody for."""
    if not _SHORT_SIDE.search(text) or negated(text) or _OWN.search(text):
        return ""
    return _SIDE.findall(text)[0]


# Before other clauses these are no answers.
_OPENING_WORDS = ("right", "true", "exactly", "good")
