"""A sentence as clauses that can be weighed one by one: whose word it is, and whom it speaks of.

Names stand as `@3` (several as `@2+3`, with the speaker as `@3+me`); "you" and "he" are replaced
by the seats they stand for. What follows a condition is idle: it says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agents.talk.plain import Sentence

MENTION = re.compile(r"@([\d+]+(?:\+?me)?)(_s)?")
_NAMES_AFTER_COLON = re.compile(
    r"\s*(?::|->|=>|=|\bbeing\b)\s*(?=(?:the )?@[\d+]+(?:\s*(?:,|$| and | for )))"
)
_SPLIT = re.compile(
    r"\s*(?:,|:|\(|\)|…|\.\.+|->|=>|=|\||\*|\^)\s*|\s+-+\s+|\s+(?:but|because|since|"
    r"while|although|though|"
    r"whereas|(?<!as )yet|so that|and so(?! (?:is|does|am|are)\b)|so(?! (?:is|am|are|was|"
    r"does|sure|much|far|far as)\b)|which means|therefore|"
    r"cos|however|ergo|hence|thus|plus(?! @)|meaning|then|wherefore|n|except|only "
    r"that)\s+|\s+and\s+(?=(?:i|we|he|she|they|it|that|"
    r"one|neither|both|none|my|this|will|am|nobody|vote|voting|let|think|your|you|his|"
    r"her|everyone|there|"
    r"no|all|now|please|in|if|to|for me|since|because|maybe|probably|not|quite|what|why|"
    r"who|go|come|tell|"
    r"whoever|as|honestly|looked|checked|according|therefore|a big|find|of these)\b|"
    r"@[\d+]+(?:_s)? )"
)
_IDLE_IF = re.compile(
    r"\bin case (?:anyone|anybody|you|someone) (?:\w+ )?(?:wonders?|asks?|cares?)\b,?|"
    r"\bif (?:you ask me|i may(?: say so)?|i might|you like|you must(?: know)?|that "
    r"helps|possible|you please|"
    r"(?:anyone|anybody|you|someone) (?:asks?|cares?|wants? to know|wonders?|wondered|"
    r"really)|i am honest|"
    r"i am being honest|that is ok(?:ay)?|you (?:guys )?want my opinion|i must|you will "
    r"(?:indulge|forgive|permit|allow|excuse) me(?: \w+){0,3}|"
    r"you do not mind|it helps)\b,?|\bif i (?:hurt|offend|am wrong|am mistaken|sound|"
    r"seem|may be)\b[^,]*,?|\bas if\b"
)
_FORCED_IF = re.compile(
    r"\bif (?:i|you) (?:had|have|force|forced|forces?|made|make|must|were|was|really)(?: "
    r"me)?(?: to)?(?: \w+){0,3}?\b(?:choose|pick|guess|say|name|bet|vote|point|decide|"
    r"me)\b(?: \w+)?"
)
_CONDITION = re.compile(
    r"\b(?:if|suppose|supposing|imagine|assuming|assume|unless|in case|had i|^were "
    r"(?:i\b|@[\d+]+)|whether|"
    r"would have|hypothetically|let us say|provided|when @[\d+]+ is (?:the |a )?wolf|i "
    r"could (?:tell|say|claim)|wish (?:i|we)|picture that|could have|say i am|according "
    r"to(?! me)|as long as(?! you (?:like|want|please))|had @[\d+]+|for @[\d+]+ to (?:be|"
    r"have))\b"
)
_GREETING = (
    r"(?:hey|hi|hello|so|and|no|yes|yeah|ya|look|sorry|come on|please|well|dear|oh|ok|"
    r"okay|sure|right|listen|now|"
    r"my|friend|dude|bro|lol|haha|wow|um|uh|hmm|nah|yo|to|of course|but|true|exactly|"
    r"agreed|thanks|thank you|"
    r"nope|wait|also|sir|madam|miss|mister|mr|mrs|what about|how about|good evening|"
    r"excuse me|forgive me|"
    r"bye|goodbye|you|correct|nice try|no hard feelings|honestly|quick question|question "
    r"for|ty|woah|whoa|ffs|wtf|omg|srsly|seriously|and you|as for you|poor|our|good|"
    r"sweet|old|this|that)"
)
_VOCATIVE = re.compile(
    rf"^(?:{_GREETING} )*@([\d+]+)(?: (?:dude|bro|mate|man|my friend|dear|please|lol|ok|"
    rf"darling|sweetie|love|buddy|"
    r"pal|too|though|haha|here|there|honey|mon ami|chill|bud|sir|child|hello|lad|boy|girl))*$"
)
_LEAD = re.compile(
    rf"^(?:{_GREETING} )*@([\d+]+) (?=(?:you|your|yourself|why|what|whats|who|whom|which|"
    rf"how|where|are|is it (?:true|you|really|that|possible|a|the)|do you|did you|have "
    rf"you|can "
    r"you|could you|would you|tell|explain|please|answer|i|we|care to|any|so|come|give|"
    r"say|speak|talk|"
    r"be|don|do not|when|role|my|that|please|sorry|stop|quick|whatcha|nobody|go|there is|"
    r"idk|ngl|tbh|lol|bro|dude|im|honestly|"
    r"woah|chill|real talk|did|does|wtf|well|really|villager or|seer or|mason or)\b)"
    r"(?!(?:i|we) (?:would |do |will |still |fully |am )*(?:trust|trusting|believe|"
    r"suspect|vote|voting|like|not|cannot|leave|throw|"
    r"hang|had|looked|checked|saw|peeped|have seen|know|find|picked|chose)\b)"
)
_TRAILING = re.compile(
    r"((?:(?:so|and|but|ok|okay|hey|yo|wait|well|now) )*(?:what|who|why|how|stop|quit|"
    r"drop|cut|tell us|explain|are you|did you|do you|come on|good|nice|well|sorry|"
    r"thanks)\b(?: [\w']+)*? "
    r"(?!(?:about|of|with|for|on|at|to|from|is|was|are|by|and|or|\w+ing|doubt|press|"
    r"towards?|suspects?|trust|vote|voting|believe|think|accuse|like|than|defend|ask|"
    r"against|kill|hang|that|checked|check|saw|see|did|does|do|has|if|makes?|between|not|"
    r"said|says|out|the|poor|our|or|be|would|should|can|could|will|got|let|pick|after|"
    r"name|call|target|lynch)\b)[\w']+) @(\d+)$"
)
_TOPIC = re.compile(
    r"^(?:is|are|was|were|has|have|he|she|they|both|one|who|whose|neither|for me|fine|"
    r"clean|clear|good|wolf|"
    r"sus|lying|liar|no|not|seems|looks|sounds|that one|too|who by the way|as far|never|"
    r"always|definitely|"
    r"obviously|the (?:wolf|liar|tanner|minion))\b"
)
_NOUN_OF_YOURS = (
    r"(?=(?:\w+ ){0,2}?(?:claim|story|word|words|report|vision|result|results|look|role|"
    r"card|vote|reasoning|"
    r"argument|logic|theory|point|read|account|version|turn|name|silence|tale|case|"
    r"suspicion|suspicions|"
    r"partner|side|mouth|tongue|seer|mason|eyes|face|manner|tone|opinion|idea|plan|take|"
    r"statement|answer|"
    r"question|night|picks?|check|two|accusation|defen[cs]e|behaviou?r|timing|push|own|"
    r"help|thing|deal|"
    r"honou?r|sake|shoes|place|villager claim|explanation|thoughts?|thinking)\b)"
)


_HEADLESS = re.compile(
    r"^(?:and |not |no |never |just |only |clearly |straight up |straight |totally |"
    r"obviously |definitely |simply |probably |maybe |"
    r"certainly |major |super |mega |pretty |kinda |the |a |an |our |your |such |so |"
    r"very |all |in my (?:opinion|book) )*(?:wolf|liar|lying|faking|minion|tanner|"
    r"innocent|clean|honest|guilty|impostor|imposter|killer|culprit|fraud|phony|beast|"
    r"wolfy|busted|suspicious|fake|trustworthy|harmless|sus)\b(?=$| (?:in my|for me$|to "
    r"me|if|as|from|to your|to our|then|lol|through|at|all|about|and))"
)
_VERB_FIRST = re.compile(
    r"^(?:turns out to be|has to be|must be|looks like|seems|sounds like|(?:is|are) "
    r"(?:clearly |definitely )?(?:the|a|lying|our|not telling)) ?"
)
_ABOUT_ONE = re.compile(r"^(?!.*(?<![\w@'])(?:i|me|my|we)(?![\w'])).*@\d+(?:_s)?(?!\+)")


@dataclass
class Clause:
    """text: plain words, pronouns resolved. idle: conditional. alone: a vocative's name only."""

    text: str
    idle: bool = False
    vocative: str = ""
    lead: str = ""  # who is addressed at its beginning


def seats_in(text: str) -> list[str]:
    """The seats that occur in `text`, each once, in order."""
    joined = [m[1] for m in MENTION.finditer(text)]
    return list(dict.fromkeys(s for j in joined for s in j.split("+") if s.isdigit()))


# "my guess, @3, ...": the name is no vocative
_OF_ADDRESSEE = re.compile(r"(?:my|what|who|the|your|our)\b")
# the one spoken to
_YOU = re.compile(r"\byou\b")
# a topic's continuation that has its own subject
_SUBJECT = re.compile(r"(?:he|she|they|i|who|whose|for me)\b")
# "... @3 you ..."
_INNER_LEAD = re.compile(
    r"(?<!with )(?<!about )(?<!and )(?<!for )(?<!on )@(\d+) (?=(?:you|your)\b)"
)
# "@3 i ... you"
_LEAD_I = re.compile(r"@(\d+) i\b.*\byou\b")
# nothing but a seat
_ONLY_SEAT = re.compile(r"@(\d+)")
# "@3_s lying" was "is lying" after all
_GENITIVE_IS = re.compile(
    r"(@\d+)_s (?=(?:got|not|a|the|been|right|wrong|lying|my|our|just|so|too|as|in|"
    r"on|probably|definitely|"
    r"gonna|going|clearly|being|making|telling|giving|hiding|only|still|also|no|"
    r"never|honest|innocent|clean|sus)\b)"
)
# "the claim of @3"
_CLAIM_OF = re.compile(
    r"\b(?:the )?(?:\w+ )?(claim|story|report|version|word|argument|logic) (?:from|"
    r"of|by) (@\d+)\b"
)
# "@2 @3 clean": a pair
_PAIR = re.compile(r"@(\d+) @(\d+)(?=$| (?:clean|clear|both|one|wolf|no wolf|good|fine|equals))")
# "you are", said to nobody known
_YOU_ARE = re.compile(r"\byou are (?!all|guys|both|people|idiots|not all|lot)")
# "you look", said to nobody known
_YOU_MIGHT = re.compile(r"\byou (?=(?:might|may|could|must) be\b|(?:look|sound|seem) )")
# "@3's does": @3's claim does
_IS_DOES = re.compile(r"(@\d+) is (?=does|do\b|did|i do\b|i will\b|i am not)")
# a relative clause's owner
_WHOSE = re.compile(r"^whose ")
# a relative clause's subject
_WHO = re.compile(
    r"^who (?=\w+(?:s|ed|d|t|e)\b|never|always|by|had|has|is|was|ran|sat|came|"
    r"went|took)"
)
# "that story": the story of the one spoken to
_THAT_CLAIM = re.compile(
    r"^(?:that|this|the) (?:whole |last |\w+ )?(?=(?:claim|story|reasoning|logic|"
    r"argument|theory|excuse|explanation|version|defen[cs]e)\b)"
)
# "you are", "are you"
_ARE_YOU = re.compile(r"\byou (?:are|were|was)\b|\b(?:are|were) you\b")
# "your claim"
_YOUR_CLAIM = re.compile(rf"\b(?:your|yours) {_NOUN_OF_YOURS}")
# what is yours
_YOURS = re.compile(r"\byours\b")
# "your" for "you're"
_YOUR = re.compile(r"\byour\b")
# "you", but not "of you"
_YOU_ALONE = re.compile(r"(?<!of )\b(?:you|yourself)\b")
# "no, ..." before a subject
_OPENER = re.compile(r"^(?:no|nope|yes|yeah|well|ok|okay|so) (?=@|i\b)")
# "@3 and i"
_AND_ME = re.compile(r"@(\d+) (?:and|plus) (?:me|i)\b")
# the same seat twice
_TWICE = re.compile(r"@(\d+)((?: \w+)? )@\1(?=\D|$)")
# "he is", "they are"
_HE_IS = re.compile(r"\b(?:he|she|dude|bro) (?:is|was|got)\b|\bthey (?:are|were)\b")
# a subject
_HE = re.compile(
    r"\b(?:he|she)\b|\bthey(?= (?:is|are|have|did|do|said|look|seem|sound|lie|lied|"
    r"know|want|ha[sd]))"
)
# "the guy", as a subject
_THE_MAN = re.compile(
    r"\bthe (?:man|guy|lady|girl|boy|woman|kid|gentleman|fellow|dude) (?=is|was|has)"
)
# an object, "that one"
_HIM = re.compile(r"\b(?:him|that guy|this guy|that dude)\b|\b(?:that|this) one\b(?! \w)")
# a genitive
_HIS = re.compile(
    r"\b(?:his|their)\b|\bher(?= (?:\w+ )?(?:claim|story|words?|report|vision|result|"
    r"look|vote|role|card|version|account|argument|point|silence|tale|mason|seer)\b)"
)
# an object that may be a genitive
_HER = re.compile(r"(?<!of )\b(?:her|them)\b")


class Table:
    """Whom "you" and "he" mean, sentence after sentence."""

    def __init__(self, to: str) -> None:
        self.you = to  # as in "3"; "" for nobody
        self.last = to  # whom a pronoun means

    def clauses(self, sentence: Sentence) -> list[Clause]:
        found = list(_cut(sentence.whole, sentence.asks))
        if not self.last and (ahead := seats_in(sentence.whole)):
            self.last = ahead[0]
        self._address(found, sentence)
        before = ""
        for clause in found:
            if not clause.vocative:
                clause.text = self._resolved(clause.text, sentence.asks)
                if (
                    self.last
                    and not sentence.asks
                    and _VERB_FIRST.match(clause.text)
                    and "@" in before
                ):
                    clause.text = f"@{self.last} {clause.text}"
                if self.last and _HEADLESS.match(clause.text) and _ABOUT_ONE.search(before):
                    clause.text = f"@{self.last} is {clause.text}"
            before = clause.text
            if seats := seats_in(clause.text):
                self.last = seats[-1]
        return found

    def _address(self, found: list[Clause], sentence: Sentence) -> None:
        for i, clause in enumerate(found):
            after = found[i + 1].text if i + 1 < len(found) else ""
            if match := _VOCATIVE.match(clause.text):
                mine = i and _OF_ADDRESSEE.match(found[i - 1].text)
                if (
                    after
                    and not mine
                    and not sentence.asks
                    and _TOPIC.match(after)
                    and not _YOU.search(after)
                ):
                    joint = "" if _SUBJECT.match(after) else "@" + match[1] + " "
                    found[i + 1].text = joint + after
                    self.last = match[1]
                    if joint:
                        clause.text = ""
                    continue
                clause.vocative = self.you = match[1]
            elif match := _LEAD.match(clause.text):
                self.you = match[1]
                clause.lead, clause.text = match[1], clause.text[match.end() :]
            elif not self._named(found) and (match := _TRAILING.match(clause.text)):
                self.you, clause.lead = match[2], match[2]
                clause.text = match[1]
            elif match := _INNER_LEAD.search(clause.text):
                self.you = match[1]
                clause.text = clause.text[: match.start()] + clause.text[match.end() :]
            elif (match := _LEAD_I.match(clause.text)) or (
                sentence.asks and len(found) == 1 and (match := _ONLY_SEAT.fullmatch(clause.text))
            ):
                self.you = match[1]

    @staticmethod
    def _named(found: list[Clause]) -> bool:
        return any(_VOCATIVE.match(c.text) for c in found)

    def _resolved(self, text: str, asks: bool) -> str:
        text = _GENITIVE_IS.sub(r"\1 is ", text)
        text = _CLAIM_OF.sub(r"\2_s \1", text)
        text = _PAIR.sub(r"@\1+\2", text)
        if not self.you and self.last:
            text = _YOU_ARE.sub(f"@{self.last} is ", text)
            text = _YOU_MIGHT.sub(f"@{self.last} ", text)
        text = _IS_DOES.sub(r"\1_s claim ", text)
        if not asks:
            if self.last:
                text = _WHOSE.sub(f"@{self.last}_s ", text)
            text = _WHO.sub("he ", text)
        if self.you and "@" not in text:
            text = _THAT_CLAIM.sub(f"@{self.you}_s ", text)
        if self.you:
            you = f"@{self.you}"
            text = _ARE_YOU.sub(f"{you} is", text)
            text = _YOUR_CLAIM.sub(f"{you}_s ", text)
            text = _YOURS.sub(f"{you}_s claim", text)
            text = _YOUR.sub(f"{you} is", text)
            text = _YOU_ALONE.sub(you, text)
        text = _OPENER.sub("", text)
        text = _AND_ME.sub(r"@\1+me", text)
        first = MENTION.search(text)
        if self.last:
            cut = first.start() if first else len(text)
            text = self._they(text[:cut], f"@{self.last}") + text[cut:]
        first = MENTION.search(text)
        if first and first[1].isdigit():
            cut = first.end()
            text = text[:cut] + self._they(text[cut:], f"@{first[1]}")
        return _TWICE.sub(r"@\1\2", text)

    @staticmethod
    def _they(text: str, seat: str) -> str:
        text = _HE_IS.sub(f"{seat} is", text)
        text = _HE.sub(seat, text)
        text = _THE_MAN.sub(f"{seat} ", text)
        text = _HIM.sub(seat, text)
        text = _HIS.sub(f"{seat}_s", text)
        return _HER.sub(seat, text)


# an exception in the midst of a sentence
_UNLESS = re.compile(r"\bunless\b[^,]*,")
# "it was me who"
_IT_IS_ME = re.compile(r"\bit (?:is|was) (?:me|i)(?: who| that)?(?= |$)")
# "if it is not @3": @3 is named all the same
_IF_IT_IS_NOT = re.compile(r"\bif it is not (?=@)")
# "@3: wolf"
_COLON_IS = re.compile(
    r"(@\d+)\s*(?::|->)\s*(?=(?:the |a )?(?:wolf|minion|tanner|liar|lying|innocent|"
    r"clean|good|sus|suspicious|guilty|impostor|imposter|fraud|fake|beast|busted|"
    r"tanner|minion|fine|legit)\b)"
)
# "@3 = wolf"
_EQUALS = re.compile(r"\s*(?<![<>])=(?!>)\s*")
# "i would not be surprised if"
_NOT_SURPRISED = re.compile(r"\bnot be surprised if\b")
# a new clause without a comma: "... he is clearly lying"
_RUN_ON = re.compile(
    r"(?<!that)(?<!think)(?<!say)(?<!says)(?<!said)(?<!if)(?<!and)(?<!or)(?<!because)(?<!thinks)(?<!believe)(?<!when)(?<!what)(?<!who)(?<!how)"
    r"(?<!where)(?<!why)(?<!know)(?<!claims)(?<!like)(?<!is)(?<!sure)(?<!bet)(?<!guess)(?<!feel)(?<!but)(?<!so)(?<!then)(?<!,)(?<!neither)(?<!until)"
    r" (?=(?:he|she) is (?:literally|so|clearly|just|the|a|lying|wolf|sus|acting|not|"
    r"way|too)\b)"
)
# what a name after a colon answers: whom one suspects
_VERDICT_WORD = re.compile(r"\b(?:wolf|liar|vote|suspect|guess|pick|answer)\b")
# what a name after a colon answers: whom one looked at
_NIGHT_WORD = re.compile(r"\b(?:check|look|saw|result|seer|peek)")
# ends a condition
_BUT = re.compile(r",? but ")
# white space
_SPACES = re.compile(r"\s+")
# what didn't happen
_WOULD_HAVE = re.compile(r"(?:would|could) have")
# a plain condition
_IF = re.compile(r"(?:if|unless)\b")
# what hangs on the condition that follows
_I_WOULD = re.compile(r"\bi would\b")
# a conjunction left over before a condition
_LOOSE_END = re.compile(r" (?:and|or|even|only|as)$")


def _cut(whole: str, asks: bool) -> Iterator[Clause]:
    whole = _IDLE_IF.sub(" ", whole)
    whole = _UNLESS.sub(" ", whole)
    whole = _IT_IS_ME.sub("i", whole)
    whole = _IF_IT_IS_NOT.sub("", whole)
    whole = _FORCED_IF.sub(" perhaps ", whole)
    whole = _COLON_IS.sub(r"\1 is ", whole)
    whole = _EQUALS.sub(" is ", whole)
    whole = _NOT_SURPRISED.sub("perhaps", whole)
    whole = _RUN_ON.sub(", ", whole)
    told = _VERDICT_WORD.search(whole) and not _NIGHT_WORD.search(whole)
    if not asks:
        whole = _NAMES_AFTER_COLON.sub(" is " if told else " ", whole)
    idle = False
    for piece in _SPLIT.split(_BUT.sub(" , BUT ", whole)):
        piece = _SPACES.sub(" ", piece).strip(" ,-")
        if piece.startswith("BUT"):
            idle, piece = False, piece[3:].strip()
        if not piece:
            continue
        condition = None if idle else _CONDITION.search(piece)
        if condition:
            head, piece = piece[: condition.start()].strip(), piece[condition.start() :]
            if head:
                had = bool(_WOULD_HAVE.match(piece)) or (
                    bool(_IF.match(piece)) and bool(_I_WOULD.search(head))
                )
                yield Clause(_LOOSE_END.sub("", head), had)
            idle = not piece.startswith("as long as")
            yield Clause(piece, True)
            continue
        yield Clause(piece, idle)
