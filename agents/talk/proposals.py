"""What the looker and the mates should do."""

from __future__ import annotations

import re
from collections.abc import Iterator

# what the looker or the mates are called on with
_MUST = (
    r"(?:\w+ ){0,2}?(?:should|must|ought|has to|have to|had better|needs? to|could|would|"
    r"may|better|do better|please|pls|come|"
    r"speak|talk|step|show|stay|keep|hold|wait|reveal|say|tell|yesterday|can)\b"
)
# what the looker or the mates should do, or are asked for
_OF_ROLE = re.compile(
    rf"\b(?:looker|mate)\d+s? (?:and (?:the )?(?:looker|mate)\d+s? )?{_MUST}|"
    r"\b(?:let|want|wish|like|ask|beg|urge|allow|hope|prefer|rather|need|where is|where "
    r"are|call(?:ing)? (?:on|for)|could|would|will|keep(?= the)|time for|early for|"
    r"better for|better if|wise if|"
    r"point for|reason for|whoever (?:is|has|holds|got)|if (?=the (?:looker|mate)\d+s? (?:is|"
    r"are|could|would|still|hit|wants|spoke|came|stepped|told|said))|kill(?! me)|great help if|"
    r"lovely if|good if|nice if|help if|sense for|"
    r"for) (?:the |our |dear |a |both |two |your |you |real )*(?:\w+ )?(?:looker|mate)\d+s?\b"
)
# talk of the looker or the mates that asks nothing of them
_NO_PROPOSAL = re.compile(
    r"\bmy (?:other|partner|fellow|buddy)\b|\b(?:i am|i was|my (?:role|card|claim|name|"
    r"\w+ is)|as the|i have|i had|as a|we are)\b[^,]{0,14}\b(?:looker|mate)\d+|"
    r"@[\d+]+(?:_s)?[^,]{0,24}\b(?:looker|mate)\d+s?\b|"
    r"\b(?:looker|mate)\d+s? (?:here|claims?|claimed|checks|looks|reporting|with|w|is)\b(?! "
    r"(?:please|still))|"
    r"\bclaiming (?:to be )?(?:the )?(?:looker|mate)\d+|\bof (?:our|the) (?:looker|mate)\d+s\b|"
    r"\b(?:a (?:real )?mate\d+|a (?:real )?looker\d+|two looker\d+s|no looker\d+|claimed looker\d+|by this "
    r"logic|would not have|would have|would never|only the looker\d+ had|told me|same for me|"
    r"all same|before the mate\d+s)\b"
)
# "no reason to hide": to speak after all
_NO_HIDING = re.compile(
    r"\b(?:no (?:reason|point|need)|stop|enough|do not|cannot|not) (?:\w+ ){0,5}?(?:hide|"
    r"hiding|wait|waiting|silent|quiet|hidden|stay)\b"
)
# to stay quiet
_WAIT = re.compile(
    r"\b(?:wait|waits|hide|hidden|hiding|stay|stays|hold|keep|keeps|quiet|silent|silence|"
    r"shut up|shut it|mouth shut|sleep|lie low|later|shush|shh+|hush|low|secret|under "
    r"cover|"
    r"premature|too early|not yet|patience|mum|zip|sit tight|lay low|hidden|no hurry|do "
    r"not (?:\w+ )?(?:speak|reveal|claim|come|talk|say|show|tell|out|step)|not (?:\w+ "
    r")?(?:speak|reveal|claim|come|talk|out|say|show|tell)|never)\b"
)
# to come out
_SPEAK = re.compile(
    r"\b(?:speak|speaks|come|comes|talk|talks|step|tell|tells|show|shows|out|say|says|"
    r"forward|stand|reveal|reveals|claim|share|announce|now|declare|open up|open the|"
    r"identify|"
    r"stop hiding|stop waiting|no reason|raise|out with it|make yourself|scream|claim up|"
    r"where|speaking|coming|stepping|revealing|time to|your turn|be heard|up)\b"
)
# the role called by its name: "looker, come out"
_ROLE_CALLED = re.compile(
    r"(?:^|, )(?:(?:please|the|dear|our|real|hey|ok|okay|so|whoever is|whoever has|and|"
    r"hush|attention|now|yo|come on|also|oh|true|both|to the|mr|patience|hold) )*(looker\d+|"
    r"mate\d+)s?\b"
    r"(?: (?:please|dear|pls|and mate\d+s?|and the mate\d+s?|if you are there|whoever you "
    r"are|if you exist|out there))*(?: ,)*(?: (?:please|dear|be so kind and|be so good "
    r"and|be so kind|now|would you|could you|you|kindly))* "
    r"(?:,? ?)(?:come|speak|talk|talks|do not|stay|keep (?!up)|hold|wait|hush|show|tell|"
    r"reveal|step|out|be|open|claim|if|time|shush|shh+|lie|lay|zip|raise|say|not yet|let "
    r"the|make|identify|stop|your time|where)\b|"
    r"^(?:come|speak|talk|step|show|hush|hold|wait|stay|do not|please|shush|"
    r"patience)\b.{0,25}\b((?:looker|mate)\d+)s?(?: (?:please|dear))?$"
)
# a question that is a request
_KINDLY = re.compile(r"\b(?:please|would|could|can|kind|where)\b")
# the roles a request is for
_CALLED = re.compile(r"\b((?:looker|mate)\d+)s?\b")


def proposals(body: str, asks: bool) -> Iterator[tuple[str, str]]:
    """(role, speak or wait) for what a sentence wants the looker or the mates to do."""
    found = _OF_ROLE.search(body)
    if not (found or _ROLE_CALLED.search(body)) or (asks and not _KINDLY.search(body)):
        return
    if _NO_PROPOSAL.search(body):
        return
    after = body[found.start() :] if found else body
    if _NO_HIDING.search(body):
        what = "speak"
    elif _WAIT.search(after):
        what = "wait"
    elif _SPEAK.search(after):
        what = "speak"
    else:
        return
    for role in dict.fromkeys(m[1] for m in _CALLED.finditer(after)):
        yield (role, what)
