"""Resolves addressees and pronouns: whom a clause speaks to, whom "you" and "he" mean."""

from __future__ import annotations

import re

from agents.understanding.clauses import MENTION, Clause, cut, seats_in
from agents.understanding.normalise import Sentence

# what "your" goes with; before other words it is "you're"
_NOUN_OF_YOURS = (
    r"(?=(?:\w+ ){0,2}?(?:claim|story|word|words|report|vision|result|results|look|role|card|vote|"
    r"reasoning|argument|logic|theory|point|read|account|version|turn|name|silence|tale|case|"
    r"suspicion|suspicions|partner|side|mouth|tongue|(?:looker|mate|keeper)\d+|eyes|face|manner|tone|"
    r"opinion|idea|plan|take|statement|answer|question|night|picks?|check|two|accusation|"
    r"defen[cs]e|behaviou?r|timing|push|own|help|thing|deal|honou?r|sake|shoes|place|"
    r"plain\d+ claim|explanation|thoughts?|thinking)\b)"
)
# "@3_s lying" was "is lying" after all
_GENITIVE_IS = re.compile(
    r"(@\d+)_s (?=(?:got|not|a|the|been|right|wrong|lying|my|our|just|so|too|as|in|on|probably|"
    r"definitely|gonna|going|clearly|being|making|telling|giving|hiding|only|still|also|no|never|"
    r"honest|innocent|clean|sus)\b)"
)
# "the claim of @3"
_CLAIM_OF = re.compile(
    r"\b(?:the )?(?:\w+ )?(claim|story|report|version|word|argument|logic) (?:from|of|by) (@\d+)\b"
)
# "@2 @3 clean": a pair
_PAIR = re.compile(r"@(\d+) @(\d+)(?=$| (?:clean|clear|both|one|wolf|no wolf|good|fine|equals))")
# "you are", said to nobody known
_YOU_ARE = re.compile(r"\byou are (?!all|guys|both|people|idiots|not all|lot)")
# "@3's does": @3's claim does
_IS_DOES = re.compile(r"(@\d+) is (?=does|do\b|did|i do\b|i will\b|i am not)")
# a relative clause's subject
_WHO = re.compile(
    r"^who (?!(?:is|was|are|do|did) (?:you|your)\b)(?=\w+(?:s|ed|d|t|e)\b|never|always|by|had|has|"
    r"is|was|ran|sat|came|went|took)"
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
# "your" for "you're"
_YOUR = re.compile(r"\byour\b")
# "you", but not "of you"
_YOU_ALONE = re.compile(r"(?<!of )\b(?:you|yourself)\b")
# "no, ..." before a subject
_OPENER = re.compile(r"^(?:no|nope|yes|yeah|well|ok|okay|so) (?=@|i\b)")
# "@3 and i"
_AND_ME = re.compile(r"@(\d+) (?:and|plus) (?:me|i)\b")
# the same seat twice
_TWICE = re.compile(r"@(\d+)((?: \w+)? )@\1(?![\d_+])")
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
    r"look|vote|role|card|version|account|argument|point|silence|tale|(?:mate|looker)\d+)\b)"
)
# an object that may be a genitive
_HER = re.compile(r"(?<!of )\b(?:her|them)\b")
# Rewritten whoever is spoken to.
_PLAINER = ((_GENITIVE_IS, r"\1 is "), (_CLAIM_OF, r"\2_s \1"), (_PAIR, r"@\1+\2"))


def resolved(text: str, is_question: bool, you: str, last: str) -> str:
    """Return a clause with seats for "you" and "he".

    You, last: the seats these mean, "" for nobody.
    """
    for pattern, plainer in _PLAINER:
        text = pattern.sub(plainer, text)
    if not you and last:
        text = _YOU_ARE.sub(f"@{last} is ", text)
    text = _IS_DOES.sub(r"\1_s claim ", text)
    if not is_question:
        text = _WHO.sub("he ", text)
    if you:
        text = _second(text, f"@{you}")
    text = _OPENER.sub("", text)
    text = _AND_ME.sub(r"@\1+me", text)
    first = MENTION.search(text)
    if last:
        at = first.start() if first else len(text)
        text = _third(text[:at], f"@{last}") + text[at:]
    first = MENTION.search(text)
    if first and first[1].isdigit():
        at = first.end()
        text = text[:at] + _third(text[at:], f"@{first[1]}")
    return _TWICE.sub(r"@\1\2", text)


def _second(text: str, seat: str) -> str:
    """Return `seat` for "you"."""
    if "@" not in text:
        text = _THAT_CLAIM.sub(f"{seat}_s ", text)
    text = _ARE_YOU.sub(f"{seat} is", text)
    text = _YOUR_CLAIM.sub(f"{seat}_s ", text)
    text = _YOUR.sub(f"{seat} is", text)
    return _YOU_ALONE.sub(seat, text)


def _third(text: str, seat: str) -> str:
    """Return `seat` for "he", "she" and "they"."""
    text = _HE.sub(seat, text)
    text = _THE_MAN.sub(f"{seat} ", text)
    text = _HIM.sub(seat, text)
    text = _HIS.sub(f"{seat}_s", text)
    return _HER.sub(seat, text)


# words before a name that is spoken to
_GREETING = (
    r"(?:hey|hi|hello|so|and|no|yes|yeah|ya|look|sorry|come on|please|well|dear|oh|ok|okay|sure|"
    r"right|listen|now|my|friend|dude|bro|lol|haha|wow|um|uh|hmm|nah|yo|to|of course|but|true|"
    r"exactly|agreed|thanks|thank you|nope|wait|also|sir|madam|miss|mister|mr|mrs|what about|"
    r"how about|good evening|excuse me|forgive me|bye|goodbye|you|correct|nice try|"
    r"no hard feelings|honestly|quick question|question for|ty|woah|whoa|ffs|wtf|omg|srsly|"
    r"seriously|as for you|poor|our|good|sweet|old|this|that)"
)
# a clause that is a name, with or without words of greeting
_VOCATIVE = re.compile(
    rf"^(?:{_GREETING} )*@([\d+]+)(?: (?:dude|bro|mate|man|my friend|dear|please|lol|ok|"
    rf"darling|sweetie|love|buddy|"
    r"pal|though|tho|haha|here|there|honey|mon ami|chill|bud|sir|child|hello|lad|boy|girl))*$"
)
# a name, then what is said to its owner
_LEAD = re.compile(
    rf"^(?:{_GREETING} )*@([\d+]+) (?=(?:you|your|yourself|why|what|whats|who|whom|which|how|where|"
    rf"are(?= (?:not )?(?:you|we)\b)|is it (?:true|you|really|that|possible|a|the)|do you|did you|"
    rf"have you|can "
    r"you|could you|would you|tell|explain|please|answer|i|we|care to|any|so|come|give|say|speak|"
    r"talk|be|don|do not|when|role|my|that|please|sorry|stop|quick|whatcha|nobody|go|there is|idk|"
    r"ngl|tbh|lol|bro|dude|im|honestly|woah|chill|real talk|did (?!it\b)|wtf|well|really|"
    r"plain\d+ or|looker\d+ or|mate\d+ or)\b)(?!(?:i|we) (?:would |do |will |still |fully |"
    r"am )*(?:trust|trusting|believe|suspect|vote|voting|like|not|cannot|leave|throw|hang|had|"
    r"looked|checked|saw|peeped|have seen|know|find|picked|chose)\b)"
)
# a question or demand with the name at its end
_TRAILING = re.compile(
    r"((?:(?:so|and|but|ok|okay|hey|yo|wait|well|now|no|lol|yeah) )*(?:that is(?= (?:\w+ "
    r"){0,2}?(?:cap|bs|nonsense|rubbish|bull|crap|wrong|false|true|right|fair|lie)\b)|what|who|why|"
    r"how|stop|quit|drop|cut|tell us|explain|are you|did you|do you|come on|good|nice|well|sorry|"
    r"thanks)\b(?: [\w']+)*? (?!(?:about|of|with|for|on|at|to|from|is|was|are|by|and|or|\w+ing|"
    r"doubt|press|towards?|suspects?|trust|vote|voting|believe|think|accuse|like|than|defend|ask|"
    r"against|kill|hang|that|checked|check|saw|see|did|does|do|has|if|makes?|between|not|said|says|"
    r"out|the|poor|our|or|be|would|should|can|could|will|got|let|pick|after|name|call|target|"
    r"lynch)\b)[\w']+) @(\d+)$"
)
# how a clause goes on about the name before it
_TOPIC = re.compile(
    r"^(?:is|are|was|were|has|have|he|she|they|both|one|who|whose|neither|for me|fine|clean|clear|"
    r"good|wolf|sus|lying|liar|no|not|seems|looks|sounds|that one|too|who by the way|as far|never|"
    r"always|definitely|obviously|the (?:wolf|liar|(?:loner|helper)\d+))\b"
)
# a verdict without a subject: "clearly the wolf"
_HEADLESS = re.compile(
    r"^(?:and |not |no |never |just |only |clearly |straight up |straight |totally |obviously |"
    r"definitely |simply |probably |maybe |certainly |major |super |mega |pretty |kinda |the |a |"
    r"an |our |your |such |so |very |all |in my (?:opinion|book) )*(?:wolf|liar|lying|faking|"
    r"(?:helper|loner)\d+|innocent|clean|honest|guilty|impostor|imposter|killer|culprit|fraud|"
    r"phony|beast|wolfy|busted|suspicious|fake|trustworthy|harmless|sus)\b(?=$| (?:in my|for me$|"
    r"to me|if|as|from|to your|to our|then|lol|through|at|all|about|and))"
)
# a verb without a subject: "has to be the wolf"
_VERB_FIRST = re.compile(
    r"^(?:turns out to be|has to be|must be|looks like|seems|sounds like|(?:is|are) "
    r"(?:clearly |definitely )?(?:the|a|lying|our|not telling)) ?"
)
# a clause about one seat and not the speaker
_ABOUT_ONE = re.compile(r"^(?!.*(?<![\w@'])(?:i|me|my|we)(?![\w'])).*@\d+(?:_s)?(?!\+)")
# "my guess, @3, ...": the name is no vocative
_OF_ADDRESSEE = re.compile(r"(?:my|what|who|the|your|our)\b")
# the one spoken to
_YOU = re.compile(r"\byou\b")
# "... @3 you ..."
_INNER_LEAD = re.compile(
    r"(?<!with )(?<!about )(?<!and )(?<!for )(?<!on )@(\d+) (?=(?:you|your)\b)"
)
# "@3 i ... you"
_LEAD_I = re.compile(r"@(\d+) i\b.*\byou\b")
# nothing but a seat
_ONLY_SEAT = re.compile(r"@(\d+)")


class Addressees:
    """The seats that "you" and "he" mean, sentence after sentence."""

    def __init__(self, to: str) -> None:
        self.you = to  # as in "3"; "" for nobody
        self.last = to  # whom a pronoun means

    def clauses(self, sentence: Sentence) -> list[Clause]:
        """Return the clauses of the next sentence, pronouns resolved."""
        clause_list = list(cut(sentence.whole, sentence.asks))
        if not self.last and (ahead := seats_in(sentence.whole)):
            self.last = ahead[0]
        for i in range(len(clause_list)):
            self._address(i, clause_list, sentence.asks)
        before = ""
        for clause in clause_list:
            if not clause.vocative:
                text = resolved(clause.text, sentence.asks, self.you, self.last)
                clause.text = self._with_subject(text, before, sentence.asks)
            before = clause.text
            if seats := seats_in(clause.text):
                self.last = seats[-1]
        return clause_list

    def _with_subject(self, text: str, before: str, is_question: bool) -> str:
        """Return a clause that goes on about the seat named last, with that seat as its subject."""
        if self.last and not is_question and _VERB_FIRST.match(text) and "@" in before:
            text = f"@{self.last} {text}"
        if self.last and _HEADLESS.match(text) and _ABOUT_ONE.search(before):
            text = f"@{self.last} is {text}"
        return text

    def _address(self, i: int, clause_list: list[Clause], is_question: bool) -> None:
        """Note whom clause `i` of a sentence speaks to, and take the address out of it."""
        clause = clause_list[i]
        if match := _VOCATIVE.match(clause.text):
            if not self._topic(i, match[1], clause_list, is_question):
                clause.vocative = self.you = match[1]
        elif match := _LEAD.match(clause.text):
            self.you = match[1]
            clause.lead, clause.text = match[1], clause.text[match.end() :]
        elif not any(_VOCATIVE.match(c.text) for c in clause_list) and (
            match := _TRAILING.match(clause.text)
        ):
            self.you, clause.lead = match[2], match[2]
            clause.text = match[1]
        elif match := _INNER_LEAD.search(clause.text):
            self.you = match[1]
            clause.text = clause.text[: match.start()] + clause.text[match.end() :]
        elif (match := _LEAD_I.match(clause.text)) or (
            is_question and len(clause_list) == 1 and (match := _ONLY_SEAT.fullmatch(clause.text))
        ):
            self.you = match[1]

    def _topic(self, i: int, seat: str, clause_list: list[Clause], is_question: bool) -> bool:
        """Return whether a lone name is what the next clause speaks of ("@3, clearly the wolf")."""
        after = clause_list[i + 1].text if i + 1 < len(clause_list) else ""
        mine = i and _OF_ADDRESSEE.match(clause_list[i - 1].text)
        if not after or mine or is_question or not _TOPIC.match(after) or _YOU.search(after):
            return False
        self.last = seat
        clause_list[i + 1].text = f"@{seat} {after}"
        clause_list[i].text = ""
        return True
