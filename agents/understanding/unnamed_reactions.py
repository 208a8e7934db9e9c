"""What shows without a name beside it.

Words that answer whoever was spoken to or go on about whoever was spoken of, and what only the
whole statement tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agents.understanding import lexicon
from agents.understanding.clauses import Clause, seats_in
from agents.understanding.normalise import Sentence
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.verdicts.mention import Finding, negated

# nothing but agreement
_SHORT_AGREE = re.compile(
    r"^(?:(?:so|and|well|ok|okay|yes|yeah|yea|ya|yep|oh|hm|hmm|ah|haha|lol|no|fair|good|quite|"
    r"totally|honestly|actually|pff|true|i|that|is|very|a|it|what|fully|completely|absolutely|hard|"
    r"100|could not|you|just|this|the) )*(?:agree|agreed|agree (?:with that|fully|completely|100|"
    r"there)|right(?! now)|exactly|true|fair enough|fair point|good point|great point|nice point|"
    r"buy (?:that|it)|believe (?:it|that|this)|same here|this|makes sense|seconded|well said|"
    r"point taken|spot on|well spotted|well done|hear hear|checks out|adds up|sounds right|"
    r"good eye|good read|legit|sounds about right|correct|see it the same way|my thoughts exactly|"
    r"good call|indeed|agreed 100|ditto|preach|nice catch|good catch|good thinking|quite so|"
    r"convinced)(?: (?:there|with that|on that|fully|then|now|lol|completely|here|bro|man|friend|"
    r"too|as well|it|that|from me|one|actually|to me|i guess|totally))*$"
)
# nothing but disagreement
_SHORT_DISAGREE = re.compile(
    r"^(?:(?:so|and|well|ok|okay|yes|oh|hm|ah|haha|lol|no|nope|nah|ya|i|that|is|just|sorry|"
    r"honestly|still|a|do|does|did|really|it|what|hard|strongly|totally|utter|complete|total|this|"
    r"must|cannot|can|completely|such|sheer|am) )*(?:disagree|see it (?:quite |rather |"
    r"very )?differently|not agree|wrong|wrong again|nonsense|rubbish|bs|bullshit|not buy (?:it|"
    r"that|this)|not buying (?:it|that|this|any of it)|not believe (?:it|that|this|a word)|"
    r"not true|garbage|mistaken|no way|absurd|ridiculous|not right|contradict (?:you|that)|"
    r"not how (?:\w+ ){1,3}?(?:works?|went|goes|happened|plays?)|just no|makes no sense|"
    r"not make sense|beg to differ|not having it|backwards|silly|hogwash|not ring true|not correct|"
    r"a no from me|no chance|doubt (?:it|that)|bad read|reaching|not how i remember it|"
    r"not what happened|not true|differ|not convinced|not follow|not see it(?: that way)?|object|"
    r"false)(?: (?:there|with that|on that|at all|then|now|lol|completely|here|bro|man|friend|"
    r"for a second|one bit|hard|sorry|strongly|to me|sir|respectfully|professor))*$"
)
# nothing but an accusation
_SHORT_LIAR = re.compile(
    r"^(?:(?:you|lol|haha|nah|no|pff|sorry|but|and|a|such|what|trash|him|total|straight up|"
    r"straight|our|your|there|here|we|have|found|got|clear|obvious|confirmed|dirty|filthy|big|"
    r"little|fat|the|so|that is|is|oh|ok|lying|wolf|clearly|obviously|pure|an|its|it|"
    r"utter) )*(?:liar|lying|lies|a lie|liar liar|cap|fake|invented|made up|all made up|fabricated|"
    r"wolf|wolf wolf|wolf confirmed|wolf wolf wolf|caught|busted|guilty|a lie)(?: (?:confirmed|"
    r"pants on fire|right|there|people|folks|lol|for sure|obvs|obviously|100|then|"
    r"all day|to|us|your|our|faces?|again|as))*(?:$| a )"
)
# nothing but a vote
_SHORT_VOTE = re.compile(
    r"^(?:(?:so|and|ok|im|is|that is|where|now|then|my|therefore|hence|accordingly|"
    r"firmly|i|am|will|locked|still|will be|shall) )*(?:voting|vote|vote there|vote "
    r"accordingly|voting there|voting accordingly|locked in|locked|hang|that is where my "
    r"vote (?:is|goes)|raise my hand accordingly|vote is there|vote goes there)(?: (?:there|"
    r"now|then|accordingly|for that|today|that way|is there))*$"
)
# nothing but a suspicion
_SHORT_ODD = re.compile(
    r"^(?:that|this|it) (?:is|was|sounds?|sounded|looks?|looked|seems?|seemed|felt|"
    r"feels)(?: \w+){0,3} (?:rehearsed|forced|defensive|evasive|vague|nervous|fake|staged|scripted|"
    r"smooth|convenient)\b|\b(?:a|the) wolf would (?:\w+ )?(?:talk|say|act|behave|do)|\bwolf (?:do|"
    r"does) (?:that|this)|\b(?:what|how|like) (?:a |the )?wolf (?:do|does|would|will|says?|acts?|"
    r"behaves?|talks?|talking)\b|^(?:something|smth) (?:there )?(?:is|smells|"
    r"feels) (?:\w+ )?(?:wrong|off|fishy|rotten|not right|amiss)|^(?:(?:and|so|well|but|which|that|"
    r"this|it|what) )*(?:\w+ )?(?:makes?|made|making|has|got|gets|gives|"
    r"gave) me (?:\w+ ){0,2}?(?:suspicious|wonder\w*|nervous|uneasy|think twice|doubt\w*|worried|"
    r"pause|itch\w*|uncomfortable|chills|the creeps|goosebumps|bad vibes|wary)\b|^(?:(?:and|so|but|"
    r"which|that|this|it) )+(?:\w+ )?(?:worries|bothers|bugs|troubles|concerns|irks|alarms|"
    r"unsettles) me\b|^(?:and |but |so )*i (?:do )?not (?:\w+ )?(?:trust|like|love) (?:that|it|"
    r"this)(?: (?:one|a) (?:bit|little|second))?$|^(?:and |but |so )*i (?:find|found) (?:that|it|"
    r"this) (?:\w+ )?(?:odd|strange|weird|suspicious|worrying|fishy|curious|sus)\b|\b(?:smells|"
    r"sounds|looks|seems) (?:so |very |kinda |super )?(?:fishy|sus|suspicious|off|weird|odd|"
    r"strange|wolfy)$|^(?:(?:and|so|well|ok|um) )*(?:that|this|it|which|thats)(?: (?:is|was|looks|"
    r"sounds|seems|feels|smells|all|just|kinda|really|a bit|very|so|pretty|super|of|like))* (?:sus|"
    r"suspicious|odd|strange|weird|fishy|shady|off|convenient|wolf behavio\w+|wolf talk|wolfy|"
    r"scummy|sketchy)\b"
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
# the speaker's own part
_OWN = re.compile(r"\b(?:i am|i was|im|me|my|mine|said|as)\b")


def answers(
    text: str, you: str, last: str, judged: bool, many: bool, everything: str
) -> Iterator[Finding]:
    """Return what a clause without a name says of the seats spoken to (`you`) and of (`last`).

    judged: its sentence has judged somebody; many: it has other clauses; everything: the statement.
    """
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
    elif _SHORT_LIAR.match(text):
        yield ("accuse", last, "")
    elif _SHORT_VOTE.match(text):
        yield ("vote", last, "")


def _short_side(text: str) -> str:
    """Return which helper or loner a clause without a name takes somebody for."""
    if not _SHORT_SIDE.search(text) or negated(text) or _OWN.search(text):
        return ""
    return str(_SIDE.findall(text)[0])


# Before other clauses these are no answers.
_OPENING_WORDS = ("right", "true", "exactly", "good")


# the speaker
_OF_ONESELF = re.compile(r"(?<![\w@'])(?:i|me|my|mine|myself)(?![\w'])")
# what a role is otherwise spoken of with
_NO_CLAIM = re.compile(
    r"\b(?:think|thought|believe|suspect|want|wants|need|hope|trust|ask|asked|agree|vote|find|hear|"
    r"heard|wait|waiting|see|looking|doubt|should|would|could|if|who|whoever|whether|said|says|"
    r"claims?|claimed|two|three|another|any|every|he|she|they|their|his|her|somebody|someone|game|"
    r"games|love|hate|prefer|protect|help|know|counting|confused|forget|pretend|wish|rules?|"
    r"with (?:a|the|your)|will|people|one day|kind of|like a|against|claiming|arguing|\w+y to me|"
    r"a good|the other|other|must|let|tell me|your|you)\b|\b(?:looker|mate|keeper|plain|helper|"
    r"loner)\d+s? (?:is|was|has|does|did|can|could|might|may|will|looks|saw|knows|"
    r"wants)\b(?! (?:me|mine))"
)
# acts that settle what is thought of their targets
_JUDGING = ("suspect", "accuse", "defend", "agree", "disagree", "companion")
# a role somebody may own up to
_TOKEN = re.compile(r"\b((?:looker|mate|keeper|plain|helper|loner)\d+)\b")


def claimed_somehow(lines: Lines) -> str:
    """Return the role in a sentence of oneself that names one role and no player, "" for none."""
    for sentence, clauses in lines:
        sentence_text = sentence.whole
        roles = set(_TOKEN.findall(sentence_text))
        if len(roles) != 1 or "@" in sentence_text or sentence.asks or any(c.idle for c in clauses):
            continue
        if (
            _OF_ONESELF.search(sentence_text)
            and not lexicon.NOT.search(sentence_text)
            and not _NO_CLAIM.search(sentence_text)
        ):
            return str(roles.pop())
    return ""


# what is odd or doubted, in words that need no subject near
_DOUBTED = re.compile(
    r"\b(?:sus|suspicious|suspicion|suspicions|fishy|shady|sketchy|dodgy|shifty|weird|odd|strange|"
    r"distrust|mistrust|uneasy|nervous|scummy|creeps?|goosebumps|rehearsed|evasive|smells|stinks|"
    r"convenient|convincing|unconvincing|red flags?|worr\w+|bother\w*|bugs|troubles|sweating|"
    r"keep an eye|hunch|my money|my bet|raises? an eyebrow|wolfy|wolfish|hiding)\b|\b(?:what|how|"
    r"like|as|which|only) (?:\w+ ){0,2}?(?:a |the )?wolf (?:does?|would|will|says?|acts?|behaves?|"
    r"talks?|talking|wants?|plays?)\b"
)


def left_over(lines: Lines, acts: Sequence[SpeechAct]) -> Iterator[Finding]:
    """Yield doubt about the one player it names, if `acts` do not judge that player yet."""
    judged = {t for act in acts for t in act.targets if act.kind in _JUDGING}
    for sentence, clauses in lines:
        live = " , ".join(c.text for c in clauses if not c.idle and not c.vocative)
        if sentence.asks or negated(live) or lexicon.HEARSAY.search(live):
            continue
        if not _DOUBTED.search(live):
            continue
        seats = seats_in(live)
        left = [s for s in dict.fromkeys(seats) if int(s) not in judged]
        if len(left) == 1 == len(set(seats)):
            judged.add(int(left[0]))
            yield ("suspect", left[0], "")


Lines = Sequence[tuple[Sentence, list[Clause]]]
