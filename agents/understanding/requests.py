"""What a sentence asks of others: an answer, or that one of a role should speak or wait."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agents.understanding import lexicon

# how a question or a demand begins
ASKING = re.compile(
    r"^(?:(?:so|and|but|please|now|ok|okay|come on|well|then|hey|also|yo|wait|dude|bro|man|um|"
    r"quick question|perhaps|honestly|kindly) )*(?:tell (?:us|me|everyone|the)|explain|answer|"
    r"speak up|say something|give us|give me|care to|enlighten|convince|spill|come clean|show us|"
    r"state your|name your|justify|defend yourself|clarify|role|your role|your card|claim|who|whom|"
    r"what|whats|why|which|where|when|how|are you|is it|did|do you|can you|could you|would you|"
    r"will you|have you|were you|was it|any (?:thoughts|idea|read|result)|anything|i am asking|"
    r"talk to us|let us hear|your turn|@[\d+]+_s (?:role|card|turn))\b"
)
# "I would like to hear from @3"
_HEAR = re.compile(
    r"\b(?:hear (?:[\w']+ ){0,4}?from|i (?:\w+ ){0,3}?ask|asking|question (?:for|to)|"
    r"curious (?:about |what |how )?|(?:like|want|love) to know (?:\w+ ){0,3}?(?:from|"
    r"what|why|who|where)?|answer from|waiting (?:for|on)|owes? us|what about|how about|"
    r"ask)(?: \w+){0,3} @([\d+]+)"
)
# a demand that needs an answer
_TELL = re.compile(
    r"^(?:(?:so|and|but|please|now|ok|okay|come on|well|then|hey|also|yo|wait|dude|bro|man|um|"
    r"quick question|perhaps|honestly|kindly) )*(?:tell (?:us|me|everyone|the)|explain|answer|"
    r"speak up|say something|give (?:us|me)(?! a (?:moment|second|minute|break|while)| time)|"
    r"enlighten|convince|spill|come clean|show us|state your|name your|justify|defend yourself|"
    r"clarify|role|your role|your card|what role|who (?:you|all|are|do)|whats|what is|i am asking|"
    r"talk to us|let us hear|your turn|@[\d+]+_s (?:role|card|turn)|which is it)\b"
)
# a short question to whoever spoke
_WH_TO_YOU = re.compile(
    r"^(?:and |but |so |then |lol |no )*(?:why|what|which|how|for what)\b(?: (?:so|me|not|"
    r"that|those|two|the|made|is that|exactly|role|makes|now|for|come)|$)"
)
# a question to somebody, without its mark
_WH_YOU = re.compile(
    r"(?:(?:so|and|but|wait) )*(?:why (?:did|do|are|would|is)|what (?:did|do|are|is|makes|made)|"
    r"who (?:did|do|are|is)|which (?:two|one|role|of)|how (?:do|did|come|are)|tell us|explain|"
    r"(?:why|how) @\d+|(?:what|who) @\d+ (?:is$|is at|did|do|think|suspect|get|got))\b"
)
# the one spoken to
_YOU = re.compile(r"\b(?:you|your|yours|yourself)\b")
# a demand, whatever the sentence's mark
_TELL_US = re.compile(r"\btell (?:us|me|your)\b")
# "I can tell": no demand
_I_TELL = re.compile(r"\bi (?:\w+ ){0,2}tell\b|\bcan tell\b")
# what a very short question asks for
_ROLE_ASKED = re.compile(r"\b(?:(?:looker|mate|keeper|plain)\d+|wolf|yes or no|role|well)\b")
# "what about @3"
_ASKED_LAST = re.compile(r"(?:about|from|with|to|ask|of|and) @(\d+)$")
# a question in the third person: "who profits from the death of @3"
_OF_NOBODY = re.compile(
    r"(?:and |so |but )*(?:who (?!do|did|are|is @)\w+|(?:what|why|how) (?:would|could|should|did|"
    r"does|do|"
    r"has|have) (?!@|you|i\b)(?:a|the|any\w+|some\w+|they|we|people|wolf)\b)"
)
# "everyone, say your role": all are asked
_EVERYONE = re.compile(
    r"^(?:(?:so|and|but|please|now|ok|okay|come on|well|then|hey|right) ,? ?)*(?:everyone|"
    r"everybody|all of you|you all|each of you|guys|folks|people|all)\b[ ,]*(?:please |just |now "
    r"|should )*(?:say|tell|name|state|claim|reveal|give|show|what is|what are|who are) "
    r"(?:us |me |out )?(?:your|you|their|his|which|what|who)\b"
)
# somebody else asks, or everybody is asked
_ASKED_OTHERWISE = re.compile(
    r"@[\d+]+ (?:\w+ )?(?:asked|asks|is asking|is waiting)|\bask(?:ed)? @\d+|\bask "
    r"(?:all|everyone|everybody|you all|that|you)\b|\bhim can\b"
)


def asked_seats(
    sentence: str,
    body: str,
    clauses: Sequence[str],
    names: Sequence[str],
    you: str,
    is_question: bool,
) -> str:
    """Return the seats a sentence asks something, "" for none.

    sentence: the sentence; body, clauses: what it says, without the names it calls; names: these
    names' seats; you: the seat spoken to; is_question: whether it is a question by its mark.
    """
    addressed = bool(_YOU.search(sentence))
    asking = [c for c in clauses if ASKING.match(c)]
    seats = ""
    if is_question and not clauses:
        return ""
    if is_question or (_TELL_US.search(body) and not _I_TELL.search(body)):
        is_short = len(sentence.split()) <= SHORT and _ROLE_ASKED.search(sentence)
        seats = "+".join(names)
        if not seats and (addressed or is_short or _WH_TO_YOU.match(sentence)):
            seats = you
        if not seats and (match := _ASKED_LAST.search(body)):
            seats = "" if _OF_NOBODY.match(body) else match[1]
    elif names and any(_WH_YOU.match(c) or _TELL.match(c) for c in asking):
        seats = "+".join(names)
    elif addressed and not names and asking and _WH_YOU.match(asking[0]):
        seats = you
    if not seats and (match := _HEAR.search(body)) and not _ASKED_OTHERWISE.search(body):
        seats = match[1]
    return seats


SHORT = 4  # words of a question that needs no "you"
# asks why
_REASON = re.compile(r"\b(?:why|reasons?|grounds|how come|what makes|what made)\b")
# asks what was seen in the night
_RESULT = re.compile(r"\b(?:look|looked|check|checked|see|saw|vision|result|learn|learned)\b")
# asks who somebody is
_ROLE = re.compile(
    rf"\b(?:role|who are|what are|who is(?! it)|what is|(?:who|what) @\d+ is|claim|card)\b|"
    rf"@\d+ is (?:not )?(?:the |a |an |our )?(?:real |other |true )?{lexicon.ROLE}"
)
# asks whom somebody suspects
_OPINION = re.compile(
    r"\b(?:suspect|suspicious|trust|whom?|think|make of|vote|stand|read|eye|wolf)\b"
)


def asks_everyone(sentence: str) -> bool:
    """Return whether a sentence asks everybody at the table."""
    return bool(_EVERYONE.match(sentence))


def about(body: str) -> str:
    """Return what a question is about."""
    if _REASON.search(body):
        return "reason"
    if _RESULT.search(body):
        return "result"
    if _ROLE.search(body):
        return "role"
    if _OPINION.search(body):
        return "suspect"
    return ""


# what the looker or the mates are called on with
_MUST = (
    r"(?:\w+ ){0,2}?(?:should|must|ought|has to|have to|had better|needs? to|could|would|"
    r"may|better|do better|please|pls|come|"
    r"speak|talk|step|show|stay|keep|hold|wait|reveal|say|tell|yesterday|can)\b"
)
# what the looker or the mates should do, or are asked for
_OF_ROLE = re.compile(
    rf"\b(?:looker|mate|keeper)\d+s? (?:and (?:the )?(?:looker|mate|keeper)\d+s? )?{_MUST}|"
    r"\b(?:let|want|wish|like|ask|beg|urge|allow|hope|prefer|rather|need|where is|where are|"
    r"call(?:ing)? (?:on|for)|could|would|will|keep(?= the)|time for|early for|better for|"
    r"better if|wise if|point for|reason for|whoever (?:is|has|holds|got)|if (?=the (?:looker|"
    r"mate|keeper)\d+s? (?:is|are|could|would|still|hit|wants|spoke|came|stepped|told|said))|"
    r"kill(?! me)|"
    r"great help if|lovely if|good if|nice if|help if|sense for|if (?:there is|we have|you are)|"
    r"for) (?:the |our |dear |a |both |"
    r"two |your |you |real )*(?:\w+ )?(?:looker|mate|keeper)\d+s?\b"
)
# talk of the looker or the mates that asks nothing of them
_NO_PROPOSAL = re.compile(
    r"\bi (?:could|would|might|should|will|can|may|want to|am going to) (?:\w+ )?(?:claim|be|say|"
    r"call)\b|"
    r"\bmy (?:other|partner|fellow|buddy)\b|\b(?:i am|i was|my (?:role|card|claim|name|\w+ is)|"
    r"as the|i have|i had|as a|we are)\b[^,]{0,14}\b(?:looker|mate|keeper)\d+|"
    r"@[\d+]+(?:_s)?[^,]{0,24}\b(?:looker|mate|keeper)\d+s?\b|\b(?:looker|mate|"
    r"keeper)\d+s? (?:here|claims?|"
    r"claimed|checks|looks|reporting|with|w|is)\b(?! (?:please|still))|\bclaiming (?:to be "
    r")?(?:the )?(?:looker|mate|keeper)\d+|\bof (?:our|the) (?:looker|mate|keeper)\d+s\b|"
    r"\b(?:a (?:real )?mate\d+|a (?:real )?looker\d+|two looker\d+s|no looker\d+|claimed looker\d+|"
    r"by this logic|would not have|would have|would never|only the looker\d+ had|told me|"
    r"same for me|all same|before the mate\d+s)\b"
)
# "no reason to hide": to speak after all
_NO_HIDING = re.compile(
    r"\b(?:no (?:reason|point|need)|stop|enough|do not|cannot|not) (?:\w+ ){0,5}?(?:hide|"
    r"hiding|wait|waiting|silent|quiet|hidden|stay)\b"
)
# "no need for the looker to speak"
_NO_NEED = re.compile(
    r"\b(?:no need|no reason|too early|too soon|not time|no hurry) (?:\S+ ){0,5}?to (?:claim|"
    r"speak|come|"
    r"reveal|out|say|tell|step|show)\b"
)
# to stay quiet
_WAIT = re.compile(
    r"\b(?:wait|waits|hide|hidden|hiding|stay|stays|hold|keep|keeps|quiet|silent|silence|shut up|"
    r"shut it|mouth shut|sleep|lie low|later|shush|shh+|hush|low|secret|under cover|premature|"
    r"too early|not yet|patience|mum|zip|sit tight|lay low|hidden|no hurry|"
    r"do not (?:\w+ )?(?:speak|reveal|claim|come|talk|say|show|tell|out|step)|"
    r"not (?:\w+ )?(?:speak|reveal|claim|come|talk|out|say|show|tell)|(?<!or )never)\b"
)
# to come out
_SPEAK = re.compile(
    r"\b(?:speak|speaks|come|comes|talk|talks|step|tell|tells|told|show|shows|out|say|says|forward|"
    r"stand|reveal|reveals|claim|share|announce|now|declare|open up|open the|identify|stop hiding|"
    r"stop waiting|no reason|raise|out with it|make yourself|scream|claim up|where|speaking|coming|"
    r"stepping|revealing|time to|your turn|be heard|up)\b"
)
# the role called by its name: "looker, come out"
_ROLE_CALLED = re.compile(
    r"(?:^|, )(?:(?:please|the|dear|our|real|hey|ok|okay|so|whoever is|whoever has|and|hush|"
    r"attention|now|yo|come on|also|oh|true|both|to the|mr|patience|hold) )*(looker\d+|"
    r"mate\d+|keeper\d+)s?\b(?: (?:please|dear|pls|and mate\d+s?|and the mate\d+s?|"
    r"if you are there|"
    r"whoever you are|if you exist|out there))*(?: ,)*(?: (?:please|dear|be so kind and|"
    r"be so good and|be so kind|now|would you|could you|you|kindly))* (?:,? ?)(?:come|speak|talk|"
    r"talks|do not|stay|keep (?!up)|hold|wait|hush|show|tell|reveal|step|out|be|open|claim|if|time|"
    r"shush|shh+|lie|lay|zip|raise|say|not yet|let the|make|identify|stop|your time|where)\b|"
    r"^(?:come|speak|talk|step|show|hush|hold|wait|stay|do not|please|shush|"
    r"patience)\b.{0,25}\b((?:looker|mate|keeper)\d+)s?(?: (?:please|dear))?$"
)
# the roles a request is for
_CALLED = re.compile(r"\b((?:looker|mate|keeper)\d+)s?\b")


def proposals(body: str, is_question: bool) -> Iterator[tuple[str, str]]:
    """Yield (role, speak or wait) for what a sentence wants the looker or the mates to do."""
    role_match = _OF_ROLE.search(body)
    if not (role_match or _ROLE_CALLED.search(body)) or is_question:
        return
    if _NO_PROPOSAL.search(body):
        return
    after = body[role_match.start() :] if role_match else body
    if _NO_NEED.search(body):
        proposal = "wait"
    elif _NO_HIDING.search(body):
        proposal = "speak"
    elif _WAIT.search(after):
        proposal = "wait"
    elif _SPEAK.search(after):
        proposal = "speak"
    else:
        return
    for role in dict.fromkeys(m[1] for m in _CALLED.finditer(after)):
        yield (role, proposal)
