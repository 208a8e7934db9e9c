"""Whom the clauses of a sentence speak to, and whom their pronouns mean."""

from __future__ import annotations

import re

from agents.talk.clauses import Clause, cut, seats_in
from agents.talk.plain import Sentence
from agents.talk.pronouns import resolved

# words before a name that is spoken to
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
# a clause that is a name, with or without words of greeting
_VOCATIVE = re.compile(
    rf"^(?:{_GREETING} )*@([\d+]+)(?: (?:dude|bro|mate|man|my friend|dear|please|lol|ok|"
    rf"darling|sweetie|love|buddy|"
    r"pal|though|tho|haha|here|there|honey|mon ami|chill|bud|sir|child|hello|lad|boy|girl))*$"
)
# a name, then what is said to its owner
_LEAD = re.compile(
    rf"^(?:{_GREETING} )*@([\d+]+) (?=(?:you|your|yourself|why|what|whats|who|whom|which|"
    rf"how|where|(?<!\+\d )are|is it (?:true|you|really|that|possible|a|the)|do you|did you|have "
    rf"you|can "
    r"you|could you|would you|tell|explain|please|answer|i|we|care to|any|so|come|give|"
    r"say|speak|talk|"
    r"be|don|do not|when|role|my|that|please|sorry|stop|quick|whatcha|nobody|go|there is|"
    r"idk|ngl|tbh|lol|bro|dude|im|honestly|"
    r"woah|chill|real talk|did (?!it\b)|wtf|well|really|villager or|seer or|mason or)\b)"
    r"(?!(?:i|we) (?:would |do |will |still |fully |am )*(?:trust|trusting|believe|"
    r"suspect|vote|voting|like|not|cannot|leave|throw|"
    r"hang|had|looked|checked|saw|peeped|have seen|know|find|picked|chose)\b)"
)
# a question or demand with the name at its end
_TRAILING = re.compile(
    r"((?:(?:so|and|but|ok|okay|hey|yo|wait|well|now|no|lol|"
    r"yeah) )*(?:that is(?= (?:\w+ ){0,2}?(?:cap|bs|nonsense|rubbish|bull|crap|wrong|false|true|"
    r"right|fair|lie)\b)|what|who|why|how|stop|quit|"
    r"drop|cut|tell us|explain|are you|did you|do you|come on|good|nice|well|sorry|"
    r"thanks)\b(?: [\w']+)*? "
    r"(?!(?:about|of|with|for|on|at|to|from|is|was|are|by|and|or|\w+ing|doubt|press|"
    r"towards?|suspects?|trust|vote|voting|believe|think|accuse|like|than|defend|ask|"
    r"against|kill|hang|that|checked|check|saw|see|did|does|do|has|if|makes?|between|not|"
    r"said|says|out|the|poor|our|or|be|would|should|can|could|will|got|let|pick|after|"
    r"name|call|target|lynch)\b)[\w']+) @(\d+)$"
)
# how a clause goes on about the name before it
_TOPIC = re.compile(
    r"^(?:is|are|was|were|has|have|he|she|they|both|one|who|whose|neither|for me|fine|"
    r"clean|clear|good|wolf|"
    r"sus|lying|liar|no|not|seems|looks|sounds|that one|too|who by the way|as far|never|"
    r"always|definitely|"
    r"obviously|the (?:wolf|liar|tanner|minion))\b"
)
# a verdict without a subject: "clearly the wolf"
_HEADLESS = re.compile(
    r"^(?:and |not |no |never |just |only |clearly |straight up |straight |totally |"
    r"obviously |definitely |simply |probably |maybe |"
    r"certainly |major |super |mega |pretty |kinda |the |a |an |our |your |such |so |"
    r"very |all |in my (?:opinion|book) )*(?:wolf|liar|lying|faking|minion|tanner|"
    r"innocent|clean|honest|guilty|impostor|imposter|killer|culprit|fraud|phony|beast|"
    r"wolfy|busted|suspicious|fake|trustworthy|harmless|sus)\b(?=$| (?:in my|for me$|to "
    r"me|if|as|from|to your|to our|then|lol|through|at|all|about|and))"
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


class Table:
    """Whom "you" and "he" mean, sentence after sentence."""

    def __init__(self, to: str) -> None:
        self.you = to  # as in "3"; "" for nobody
        self.last = to  # whom a pronoun means

    def clauses(self, sentence: Sentence) -> list[Clause]:
        """The clauses of the next sentence, pronouns resolved."""
        found = list(cut(sentence.whole, sentence.asks))
        if not self.last and (ahead := seats_in(sentence.whole)):
            self.last = ahead[0]
        for i in range(len(found)):
            self._address(i, found, sentence.asks)
        before = ""
        for clause in found:
            if not clause.vocative:
                text = resolved(clause.text, sentence.asks, self.you, self.last)
                clause.text = self._with_subject(text, before, sentence.asks)
            before = clause.text
            if seats := seats_in(clause.text):
                self.last = seats[-1]
        return found

    def _with_subject(self, text: str, before: str, asks: bool) -> str:
        """A clause that goes on about the seat named last, with that seat as its subject."""
        if self.last and not asks and _VERB_FIRST.match(text) and "@" in before:
            text = f"@{self.last} {text}"
        if self.last and _HEADLESS.match(text) and _ABOUT_ONE.search(before):
            text = f"@{self.last} is {text}"
        return text

    def _address(self, i: int, found: list[Clause], asks: bool) -> None:
        """Note whom clause `i` of a sentence speaks to, and take the address out of it."""
        clause = found[i]
        if match := _VOCATIVE.match(clause.text):
            if not self._topic(i, match[1], found, asks):
                clause.vocative = self.you = match[1]
        elif match := _LEAD.match(clause.text):
            self.you = match[1]
            clause.lead, clause.text = match[1], clause.text[match.end() :]
        elif not any(_VOCATIVE.match(c.text) for c in found) and (
            match := _TRAILING.match(clause.text)
        ):
            self.you, clause.lead = match[2], match[2]
            clause.text = match[1]
        elif match := _INNER_LEAD.search(clause.text):
            self.you = match[1]
            clause.text = clause.text[: match.start()] + clause.text[match.end() :]
        elif (match := _LEAD_I.match(clause.text)) or (
            asks and len(found) == 1 and (match := _ONLY_SEAT.fullmatch(clause.text))
        ):
            self.you = match[1]

    def _topic(self, i: int, seat: str, found: list[Clause], asks: bool) -> bool:
        """Whether a lone name is what the next clause speaks of ("@3, clearly the wolf")."""
        after = found[i + 1].text if i + 1 < len(found) else ""
        mine = i and _OF_ADDRESSEE.match(found[i - 1].text)
        if not after or mine or asks or not _TOPIC.match(after) or _YOU.search(after):
            return False
        self.last = seat
        if not _SUBJECT.match(after):
            found[i + 1].text = f"@{seat} {after}"
            found[i].text = ""
        return True
