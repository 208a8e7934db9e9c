"""A sentence cut into clauses that can be weighed one by one.

Names stand as `@3` (several as `@2+3`, with the speaker as `@3+me`). What follows a condition is
idle: it says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# seats, perhaps with the speaker; "_s": something of theirs
MENTION = re.compile(r"@([\d+]+(?:\+?me)?)(_s)?")
# "my guess: @3"
_NAMES_AFTER_COLON = re.compile(
    r"\s*(?::|->|=>|=|\bbeing\b)\s*(?=(?:the )?@[\d+]+(?:\s*(?:,|$| and | for )))"
)
# where a new clause begins
_SPLIT = re.compile(
    r"\s*(?:,|:|\(|\)|…|\.\.+|->|=>|=|\||\*|\^)\s*|\s+-+\s+|\s+(?:(?<!nobody )(?<!none )(?<!no one "
    r")(?<!anyone )(?<!anybody )(?<!nothing )but|because|since|while|although|though|whereas|"
    r"(?<!as )yet|so that|and so(?! (?:is|does|am|are)\b)|(?<!is )(?<!are )(?<!was )(?<!be )(?<!am "
    r")(?<!were )(?<!been )(?<!not )(?<!looks )(?<!seems )(?<!just )(?<!think )(?<!say )(?<!got "
    r")so(?! (?:is|am|are|was|does|sure|much|far|far as)\b)|which means|therefore|cos|however|ergo|"
    r"hence|thus|plus(?! @)|meaning|then|wherefore|n|except|only that)\s+|\s+and\s+(?=(?:i|we|he|"
    r"she|they|it|that|one|neither|both|none|my|this|will|am|nobody|vote|voting|let|think|your|you|"
    r"his|her|everyone|there|no|all|now|please|in|if|to|for me|since|because|maybe|probably|not|"
    r"quite|what|why|who|go|come|tell|whoever|as|honestly|looked|checked|according|therefore|a big|"
    r"find|of these)\b|@[\d+]+(?:_s)? )"
)
# conditions that condition nothing: "if you ask me"
_IDLE_IF = re.compile(
    r"\bin case (?:anyone|anybody|you|someone) (?:\w+ )?(?:wonders?|asks?|cares?)\b,?|"
    r"\bif (?:you ask me|i may(?: say so)?|i might|you like|you must(?: know)?|that helps|possible|"
    r"you please|(?:anyone|anybody|you|someone) (?:asks?|cares?|wants? to know|wonders?|wondered|"
    r"really)|i am honest|i am being honest|that is ok(?:ay)?|you (?:guys )?want my opinion|i must|"
    r"you will (?:indulge|forgive|permit|allow|excuse) me(?: \w+){0,3}|you do not mind|it helps|"
    r"i were you(?: all| guys| lot| folks)?)\b,?|\bif i (?:hurt|offend|am wrong|am mistaken|sound|"
    r"seem|may be)\b[^,]*,?|\bas if\b"
)
# "if i had to choose": a hedge
_FORCED_IF = re.compile(
    r"\bif (?:i|you) (?:had|have|force|forced|forces?|made|make|must|were|was|really)(?: "
    r"me)?(?: to)?(?: \w+){0,3}? ?\b(?:choose|pick|guess|say|name|bet|vote|point|decide|"
    r"me)\b(?: \w+)?"
)
# what makes all that follows idle
_CONDITION = re.compile(
    r"\b(?:if|suppose|supposing|(?<!not )imagine|assuming|assume|unless|in case|had i|^were (?:i\b|"
    r"@[\d+]+)|whether|would have|hypothetically|let us say|provided|when @[\d+]+ is (?:the |"
    r"a )?wolf|i could (?:tell|say|claim)|wish we|picture that|could have|say i am|"
    r"according to(?! me)|as long as(?! you (?:like|want|please))|(?<!i )(?<!we )had @[\d+]+|"
    r"for @[\d+]+ to (?:be|have))\b"
)


@dataclass
class Clause:
    """A part of a sentence, in plain words.

    Its pronouns are resolved by `address.Table`.
    """

    text: str
    idle: bool = False  # conditional
    vocative: str = ""  # the seat addressed by a clause that is nothing but its name
    lead: str = ""  # who is addressed at its beginning


def seats_in(text: str) -> list[str]:
    """Return the seats that occur in `text`, each once, in order."""
    joined = [m[1] for m in MENTION.finditer(text)]
    return list(dict.fromkeys(s for j in joined for s in j.split("+") if s.isdigit()))


# an exception in the midst of a sentence
_UNLESS = re.compile(r"\bunless\b[^,]*,")
# "it was me who"
_IT_IS_ME = re.compile(r"\bit (?:is|was) (?:me|i)(?: who| that)?(?= |$)")
# "if it is not @3": @3 is named all the same
_IF_IT_IS_NOT = re.compile(r"\bif it is not (?=@)")
# "@3: wolf"
_COLON_IS = re.compile(
    r"(@\d+)\s*(?::|->)\s*(?=(?:the |a )?(?:wolf|(?:helper|loner)\d+|liar|lying|innocent|"
    r"clean|good|sus|suspicious|guilty|impostor|imposter|fraud|fake|beast|busted|"
    r"(?:loner|helper)\d+|fine|legit)\b)"
)
# "@3 = wolf"
_EQUALS = re.compile(r"\s*(?<![<>])=(?!>)\s*")
# "i would not be surprised if"
_NOT_SURPRISED = re.compile(r"\bnot be surprised if\b")
# a new clause without a comma: "... he is clearly lying"
_RUN_ON = re.compile(
    r"(?<!that)(?<!think)(?<!say)(?<!says)(?<!said)(?<!if)(?<!and)(?<!or)(?<!because)(?<!thinks)"
    r"(?<!believe)(?<!when)(?<!what)(?<!who)(?<!how)(?<!where)(?<!why)(?<!know)(?<!claims)(?<!like)"
    r"(?<!is)(?<!sure)(?<!bet)(?<!guess)(?<!feel)(?<!but)(?<!so)(?<!then)(?<!,)(?<!neither)"
    r"(?<!until) (?=(?:he|she) is (?:literally|so|clearly|just|the|a|lying|wolf|sus|acting|not|way|"
    r"too)\b)"
)
# what a name after a colon answers: whom one suspects
_VERDICT_WORD = re.compile(
    r"\b(?:wolf|liar|vote|suspect|guess|pick|answer|recommend\w*|advice|suggestion)\b"
)
# ends a condition
_BUT = re.compile(r"(?<!nobody)(?<!none)(?<!no one)(?<!anyone)(?<!anybody)(?<!nothing),? but ")
# white space
_SPACES = re.compile(r"\s+")
# what didn't happen
_WOULD_HAVE = re.compile(r"(?:would|could) have")
# a plain condition
_IF = re.compile(r"(?:if|unless)\b")
# what hangs on the condition that follows
_I_WOULD = re.compile(r"\bi would\b")
# Rewritten before a sentence is cut, in this order.
_BEFORE_CUT = (
    (_IDLE_IF, " "),
    (_UNLESS, " "),
    (_IT_IS_ME, "i"),
    (_IF_IT_IS_NOT, ""),
    (_FORCED_IF, " perhaps "),
    (_COLON_IS, r"\1 is "),
    (_EQUALS, " is "),
    (_NOT_SURPRISED, "perhaps"),
    (_RUN_ON, ", "),
)


def cut(sentence: str, is_question: bool) -> Iterator[Clause]:
    """Yield the clauses of a sentence.

    Returns what hangs on a condition is idle, up to a "but".
    """
    for pattern, plainer in _BEFORE_CUT:
        sentence = pattern.sub(plainer, sentence)
    tells_verdict = _VERDICT_WORD.search(sentence)
    if not is_question:
        sentence = _NAMES_AFTER_COLON.sub(" is " if tells_verdict else " ", sentence)
    idle = False
    for piece in _SPLIT.split(_BUT.sub(" , BUT ", sentence)):
        piece = _SPACES.sub(" ", piece).strip(" ,-")
        if piece.startswith("BUT"):
            idle, piece = False, piece[3:].strip()
        condition = None if idle else _CONDITION.search(piece)
        if condition:
            head, tail = piece[: condition.start()].strip(), piece[condition.start() :]
            if head:
                yield Clause(head, _unreal(head, tail))
            idle = not tail.startswith("as long as")
            yield Clause(tail, True)
        elif piece:
            yield Clause(piece, idle)


def _unreal(head: str, condition: str) -> bool:
    """Return whether what goes before a condition says nothing either."""
    return bool(_WOULD_HAVE.match(condition) or (_IF.match(condition) and _I_WOULD.search(head)))
