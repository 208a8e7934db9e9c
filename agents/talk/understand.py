"""From a statement's words to speech acts. What isn't understood is no act.

A statement is cut into sentences (`plain`) and clauses (`clauses`), its look in the night is
searched over all of them (`nights`), and every clause is then read for what it says of its speaker
(`selves`) and of the seats it names (`verdicts`), by the words that stand near them (`cues`).
Conditionals, hearsay, past games, plain irony, quotations and lines that pose as somebody else
say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from agents.talk import cues, selves
from agents.talk.acts import Act
from agents.talk.address import Table
from agents.talk.clauses import Clause, seats_in
from agents.talk.nights import Said, report
from agents.talk.partners import shares
from agents.talk.plain import Sentence, plain
from agents.talk.retracts import takes_back
from agents.talk.verdicts.judge import verdicts
from agents.talk.verdicts.near import negated

_ASKING = re.compile(
    r"^(?:(?:so|and|but|please|now|ok|okay|come on|well|then|hey|also|yo|wait|dude|bro|"
    r"man|um|quick question|perhaps|honestly|kindly) )*"
    r"(?:tell (?:us|me|everyone|the)|explain|answer|speak up|say something|give us|give "
    r"me|care to|enlighten|convince|spill|come clean|show us|"
    r"state your|name your|justify|defend yourself|clarify|role|your role|your card|"
    r"claim|who|whom|what|whats|why|which|where|when|how|are you|is it|did|do you|can "
    r"you|"
    r"could you|would you|will you|have you|were you|was it|any (?:thoughts|idea|read|"
    r"result)|anything|i am asking|talk to us|let us hear|your turn|@[\d+]+_s (?:role|"
    r"card|turn))\b"
)
_HEAR = re.compile(
    r"\b(?:hear (?:[\w']+ ){0,4}?from|i (?:\w+ ){0,3}?ask|asking|question (?:for|to)|"
    r"curious (?:about |what |how )?|(?:like|want|love) to know (?:\w+ ){0,3}?(?:from|"
    r"what|why|who|where)?|answer from|waiting (?:for|on)|owes? us|what about|how about|"
    r"ask)(?: \w+){0,3} @([\d+]+)"
)
_SHORT_AGREE = re.compile(
    r"^(?:(?:so|and|well|ok|okay|yes|yeah|yea|ya|yep|oh|hm|hmm|ah|haha|lol|no|fair|good|"
    r"quite|totally|honestly|actually|pff|true|i|that|is|very|a|it|what|fully|completely|"
    r"absolutely|hard|100|could not|you|just|this|the) )*"
    r"(?:agree|agreed|agree (?:with that|fully|completely|100|there)|right(?! now)|"
    r"exactly|true|fair enough|fair point|good point|great point|nice point|buy (?:that|"
    r"it)|believe (?:it|that|this)|same here|this|makes sense|seconded|well said|point "
    r"taken|spot on|correct|see it the same way|my thoughts exactly|good call|indeed|"
    r"agreed 100|ditto|preach|nice catch|good catch|good thinking|quite so|convinced)"
    r"(?: (?:there|with that|on that|fully|then|now|lol|completely|here|bro|man|friend|"
    r"too|as well|it|that|from me|one|actually|to me|i guess|totally))*$"
)
_SHORT_DISAGREE = re.compile(
    r"^(?:(?:so|and|well|ok|okay|yes|oh|hm|ah|haha|lol|no|nope|nah|ya|i|that|is|just|"
    r"sorry|honestly|still|a|do|really|it|what|hard|strongly|totally|utter|complete|"
    r"total|this|must|cannot|can|completely|such|sheer|am) )*"
    r"(?:disagree|see it (?:quite |rather |very )?differently|not agree|wrong|wrong "
    r"again|nonsense|rubbish|bs|bullshit|not buy (?:it|that|this)|not buying (?:it|that|"
    r"this|any of it)|not believe (?:it|that|this|a word)|not true|garbage|mistaken|no "
    r"way|absurd|ridiculous|not right|contradict (?:you|that)|not how it (?:works|went)|"
    r"makes no sense|not make sense|beg to differ|not having it|backwards|silly|hogwash|"
    r"differ|not convinced|not follow|not see it(?: that way)?|object|false)"
    r"(?: (?:there|with that|on that|at all|then|now|lol|completely|here|bro|man|friend|"
    r"for a second|one bit|hard|sorry|strongly|to me|sir|respectfully|professor))*$"
)
_SHORT_LIAR = re.compile(
    r"^(?:(?:you|a|such|what|trash|him|total|straight up|straight|our|your|there|here|we|"
    r"have|found|got|clear|obvious|confirmed|dirty|filthy|big|little|fat|trash|the|so|that "
    r"is|is|oh|ok|lying|wolf|clearly|obvious|obviously|pure|an|its|it|utter) )*(?:liar|lying|"
    r"lies|a lie|liar liar|cap|fake|invented|made up|all made up|fabricated|wolf|wolf wolf|"
    r"wolf confirmed|wolf wolf wolf|caught|busted|guilty|a lie)(?: (?:confirmed|pants on "
    r"fire|right there|right|there|people|folks|lol|for sure|obvs|obviously|100|then|all day|"
    r"to|us|your|our|faces?|again|as))*(?:$| a )"
)
_SHORT_VOTE = re.compile(
    r"^(?:(?:so|and|ok|i am|im|is|that is|where|now|then|my|therefore|hence|accordingly|"
    r"firmly|i|am|will|locked|still|will be|shall) )*(?:voting|vote|vote there|vote "
    r"accordingly|voting there|voting accordingly|locked in|locked|hang|that is where my "
    r"vote (?:is|goes)|raise my hand accordingly|vote is there|vote goes there)(?: (?:there|"
    r"now|then|accordingly|for that|today|that way|is there))*$"
)
_QUESTION = re.compile(
    r"^(?:and |so |but )*(?:is|are|do|does|did|was|were|have|has|can|could|would|will|should|"
    r"why|what|who|how|which|where|when)\b"
)
_GUESS = re.compile(
    r"^(?:so |but |or )*(?:maybe|perhaps|probably|might be|may be|i think|could be|it could "
    r"be|i kind of think|i would say|i guess|i suppose|the wolf is|has to be|have to "
    r"be)\b.*@\d+"
)
_CAUGHT = re.compile(
    r"^(?:that|it) is false$|^there (?:sits|is|goes) (?:the|our|your) wolf$|^(?:that|"
    r"this|the) liar\b|^(?:that|this|it) (?:is|was)(?: (?!every|of|some|no\b|"
    r"not)[\w-]+){0,4} (?:lie|lies|whopper|fib|fabrication|invention|liar|killer|"
    r"culprit)\b|"
    r"\bonly (?:the|a) wolf (?:would|could|knows|can)\b|^(?:so |and |now )?(?:drop|cut|"
    r"stop|quit) (?:the|that|your|this) (?:act|cap|crap|lies|lying|bs|nonsense|charade|"
    r"show|theatre)|"
    r"^(?:oh |come on |please )*(?:stop|quit) (?:lying|pretending|faking|capping|bluffing)"
)
_OF_WOLF = re.compile(
    r"\b(?:wolf|liar|lie|lies|lying|lied|fangs|fake|fraud|guilty|killer|culprit|beast|bluff|"
    r"impostor)\b"
)
_NO_ACCUSATION = re.compile(
    r"\b(?:a liar|i am|i was|me|my|if|would|should|one of us|the wolf (?:would|wants|is "
    r"hiding|must|will|who)|whoever|somebody|someone|who|find|hunt|catch|looking for|"
    r"vote for the|a wolf (?:would|could|can)|wolves|help|game|rules?)\b"
)
_OF_ONESELF = re.compile(r"(?<![\w@'])(?:i|me|my|mine|myself)(?![\w'])")
_NO_CLAIM = re.compile(
    r"\b(?:think|thought|believe|suspect|want|wants|need|hope|trust|ask|asked|agree|vote|"
    r"find|hear|heard|wait|waiting|see|looking|doubt|should|would|could|if|who|whoever|"
    r"whether|"
    r"said|says|claims?|claimed|two|three|another|any|every|he|she|they|their|his|her|"
    r"somebody|someone|game|games|love|hate|prefer|protect|help|know|counting|confused|"
    r"forget|pretend|wish|rules?|"
    r"a good|the other|other|must|let|tell me|your|you)\b|"
    r"\b(?:seer|mason|villager|minion|tanner)s? (?:is|was|has|does|did|can|could|might|"
    r"may|will|looks|saw|knows|wants)\b(?! (?:me|mine))"
)
_JUDGING = ("suspect", "accuse", "defend", "agree", "disagree", "companion")
_TELL = re.compile(
    r"^(?:(?:so|and|but|please|now|ok|okay|come on|well|then|hey|also|yo|wait|dude|bro|"
    r"man|um|quick question|perhaps|honestly|kindly) )*"
    r"(?:tell (?:us|me|everyone|the)|explain|answer|speak up|say something|give (?:us|"
    r"me)(?! a (?:moment|second|minute|break|while)| time)|enlighten|convince|spill|come "
    r"clean|show us|state your|name your|"
    r"justify|defend yourself|clarify|role|your role|your card|what role|who (?:you|all|"
    r"are|do)|whats|what is|i am asking|talk to us|let us hear|your turn|@[\d+]+_s "
    r"(?:role|card|turn)|which is it)\b"
)
_SAME = re.compile(
    r"^(?:and )?(?:so is|so does|same for|same goes for|same with|as is|ditto) @(\d+)(?: "
    r"too)?$|^(?:and )?@(\d+) too$"
)
_SHORT_ODD = re.compile(
    r"^(?:that|this|it) (?:is|was|sounds?|sounded|looks?|looked|seems?|seemed|felt|"
    r"feels)(?: \w+){0,3} (?:rehearsed|forced|defensive|evasive|vague|nervous|fake|staged|"
    r"scripted|smooth|convenient)\b|\b(?:a|the) wolf would (?:\w+ )?(?:talk|say|act|behave|"
    r"do)|\bwolves do (?:that|this)|\b(?:what|how) (?:a|the) wolf (?:does|would|says|acts|"
    r"behaves|talks)|\b(?:smells|sounds|looks|seems) (?:so |very |kinda |super )?(?:fishy|"
    r"sus|suspicious|off|weird|odd|strange|wolfy)$|^(?:(?:and|so|well|ok|um) )*(?:that|this|"
    r"it|which|thats)(?: (?:is|was|looks|sounds|seems|feels|smells|all|just|kinda|really|a "
    r"bit|very|so|pretty|super|of|like))* (?:sus|suspicious|odd|strange|weird|fishy|shady|"
    r"off|convenient|wolf behavio\w+|wolf talk|wolfy|scummy|sketchy)\b"
)
_SHORT_SIDE = re.compile(
    r"^(?:so |and )?(?:i (?:guess|think|say|bet|reckon)|probably|maybe|perhaps) (?:the |a "
    r")?(?=(?:tanner|minion)$)|^classic (?=(?:tanner|minion))|^that is (?:a |the |your |our "
    r")?(?:\w+ )?(?=(?:tanner|minion))|\b(tanner|minion|jester)(?: |-)?y?(?:$| (?:vibes?|"
    r"energy|behavio\w+|if i ever|to me|written|move|is my guess|talk|for sure|imo|read))"
)
_WH_TO_YOU = re.compile(
    r"^(?:and |but |so |then |lol |no )*(?:why|what|which|how|for what)\b(?: (?:so|me|not|"
    r"that|those|two|the|made|is that|exactly|role|makes|now|for|come)|$)"
)
_WH_YOU = re.compile(
    r"(?:(?:so|and|but|wait) )*(?:why (?:did|do|are|would|is)|what (?:did|do|are|is|makes|"
    r"made)|who (?:did|do|are|is)|which (?:two|one|role|of)|how (?:do|did|come|are)|tell us|"
    r"explain|(?:why|how) @\d+|(?:what|who) @\d+ (?:is$|is at|did|do|think|suspect|get|"
    r"got))\b"
)
_MUST = (
    r"(?:\w+ ){0,2}?(?:should|must|ought|has to|have to|had better|needs? to|could|would|"
    r"may|better|do better|please|pls|come|"
    r"speak|talk|step|show|stay|keep|hold|wait|reveal|say|tell|yesterday|can)\b"
)
_OF_ROLE = re.compile(
    rf"\b(?:seer|mason)s? (?:and (?:the )?(?:seer|mason)s? )?{_MUST}|"
    r"\b(?:let|want|wish|like|ask|beg|urge|allow|hope|prefer|rather|need|where is|where "
    r"are|call(?:ing)? (?:on|for)|could|would|will|keep(?= the)|time for|early for|"
    r"better for|better if|wise if|"
    r"point for|reason for|whoever (?:is|has|holds|got)|if (?=the (?:seer|mason)s? (?:is|"
    r"are|could|would|still|hit|wants))|kill|lovely if|good if|nice if|help if|sense for|"
    r"for) (?:the |our |dear |a |both |two |your |you |real )*(?:\w+ )?(?:seer|mason)s?\b"
)
_NO_PROPOSAL = re.compile(
    r"\bmy (?:other|partner|fellow|buddy)\b|\b(?:i am|i was|my (?:role|card|claim|name|"
    r"\w+ is)|as the|i have|i had|as a|we are)\b[^,]{0,14}\b(?:seer|mason)|"
    r"@[\d+]+(?:_s)?[^,]{0,24}\b(?:seer|mason)s?\b|"
    r"\b(?:seer|mason)s? (?:here|claims?|claimed|checks|looks|reporting|with|w|is)\b(?! "
    r"(?:please|still))|"
    r"\bclaiming (?:to be )?(?:the )?(?:seer|mason)|\bof (?:our|the) (?:seer|mason)s\b|"
    r"\b(?:a (?:real )?mason|a (?:real )?seer|two seers|no seer|claimed seer|by this "
    r"logic|would not have|would have|would never|only the seer had|told me|same for me|"
    r"all same|before the masons)\b"
)
_NO_HIDING = re.compile(
    r"\b(?:no (?:reason|point|need)|stop|enough|do not|cannot|not) (?:\w+ ){0,5}?(?:hide|"
    r"hiding|wait|waiting|silent|quiet|hidden|stay)\b"
)
_WAIT = re.compile(
    r"\b(?:wait|waits|hide|hidden|hiding|stay|stays|hold|keep|keeps|quiet|silent|silence|"
    r"shut up|shut it|mouth shut|sleep|lie low|later|shush|shh+|hush|low|secret|under "
    r"cover|"
    r"premature|too early|not yet|patience|mum|zip|sit tight|lay low|hidden|no hurry|do "
    r"not (?:\w+ )?(?:speak|reveal|claim|come|talk|say|show|tell|out|step)|not (?:\w+ "
    r")?(?:speak|reveal|claim|come|talk|out|say|show|tell)|never)\b"
)
_SPEAK = re.compile(
    r"\b(?:speak|speaks|come|comes|talk|talks|step|tell|tells|show|shows|out|say|says|"
    r"forward|stand|reveal|reveals|claim|share|announce|now|declare|open up|open the|"
    r"identify|"
    r"stop hiding|stop waiting|no reason|raise|out with it|make yourself|scream|claim up|"
    r"where|speaking|coming|stepping|revealing|time to|your turn|be heard|up)\b"
)
_ROLE_CALLED = re.compile(
    r"(?:^|, )(?:(?:please|the|dear|our|real|hey|ok|okay|so|whoever is|whoever has|and|"
    r"hush|attention|now|yo|come on|also|oh|true|both|to the|mr|patience|hold) )*(seer|"
    r"mason)s?\b"
    r"(?: (?:please|dear|pls|and masons?|and the masons?|if you are there|whoever you "
    r"are|if you exist|out there))*(?: ,)*(?: (?:please|dear|be so kind and|be so good "
    r"and|be so kind|now|would you|could you|you|kindly))* "
    r"(?:,? ?)(?:come|speak|talk|talks|do not|stay|keep (?!up)|hold|wait|hush|show|tell|"
    r"reveal|step|out|be|open|claim|if|time|shush|shh+|lie|lay|zip|raise|say|not yet|let "
    r"the|make|identify|stop|your time|where)\b|"
    r"^(?:come|speak|talk|step|show|hush|hold|wait|stay|do not|please|shush|"
    r"patience)\b.{0,25}\b(seer|mason)s?(?: (?:please|dear))?$"
)


# A sentence, its clauses, and whom "you" and "he" meant after it.
_Line = tuple[Sentence, list[Clause], str, str]


# a role somebody may own up to
_VILLAGE_ROLE = re.compile(r"\b(seer|mason|villager|minion|tanner)\b")
# "no, never": the answer to a role asked back
_NO_ME = re.compile(r"(?:(?:lol|haha\w*|um|pff) )*(?:no|nah|nope|non|never|not me)\b")
# a role asked back: "me, the tanner?"
_ECHO = re.compile(
    r"(?:who , )?(?:me )?(?:, )?(?:a |an |the )?(seer|mason|villager|wolf|minion|"
    r"tanner)(?: , no)?(?: , me)?"
)
# a question's end without its mark
_OR_WHAT = re.compile(r"\b(?:or what|or not|or nah|yes or no)$")
# "thinking of it": part of the question, not a statement beside it
_ING = re.compile(r"\w+ing\b")
# "first a villager, now the seer": a list, not a claim
_ROLE_NEXT = re.compile(rf"(?:then|now|later) (?:a |the )?{cues.ROLE}$")
# a form of "to be" of oneself
_WAS = re.compile(r"\b(?:am|was)\b")
# the one spoken to
_YOU = re.compile(r"\b(?:you|your|yours|yourself)\b")
# words that make a question without clauses one to somebody
_YOU_OR_BARE = re.compile(r"\b(?:you|and|what|how|so)\b")
# a demand, whatever the sentence's mark
_TELL_US = re.compile(r"\btell (?:us|me|your)\b")
# "I can tell": no demand
_I_TELL = re.compile(r"\bi (?:\w+ ){0,2}tell\b|\bcan tell\b")
# what a very short question asks for
_ROLE_ASKED = re.compile(r"\b(?:seer|mason|villager|wolf|yes or no|role|well)\b")
# "what about @3"
_ASKED_LAST = re.compile(r"(?:about|from|with|to|ask|of|and) @(\d+)$")
# "@3's role"
_ASKED_FIRST = re.compile(r"(?:\w+ ){0,2}?@(\d+)(?:_s)? (?:role|card|read|claim|who|what|why)")
# somebody else asks, or everybody is asked
_ASKED_OTHERWISE = re.compile(
    r"@[\d+]+ (?:\w+ )?(?:asked|asks|is asking|is waiting)|\bask(?:ed)? @\d+|\bask "
    r"(?:all|everyone|everybody|you all|that|you)\b|\bhim can\b"
)
# a question that is a request
_KINDLY = re.compile(r"\b(?:please|would|could|can|kind|where)\b")
# the roles a request is for
_CALLED = re.compile(r"\b(seer|mason)s?\b")
# what stands beside the retraction: "i am a villager", "as seer"
_INSTEAD = re.compile(r"\bi am\b|\bas\b")
# a denial with an article, which may be of oneself
_NOT_THE = re.compile(r"\bnot (?:the|a) ")
# "@3 is", the rest of "i am not the wolf, @3 is"
_CONTRAST = re.compile(r"(?:and |but )?@(\d+)(?:_s claim)? (?:is|does)")
# the denial such a contrast hangs on
_NOT_WOLF = re.compile(r"\bnot (?:the |a )?(?:wolf|liar|lying)")
# "is @3 ...": asked, whatever the mark
_ASKING_OF = re.compile(r"(?:and |so |but )?(?:is|are|did|do|does|was|would|could|will) @")
# "its name is @3"
_NAME_IS = re.compile(
    r"\b(?:his|her|its|the|whose)?\s?name is(?: \w+){0,2} @(\d+)$|^it is called "
    r"@(\d+)$"
)
# the Werewolf was spoken of
_WOLF = re.compile(r"\bwolf\b")


class _Reader:
    """Reads one statement of `speaker`; `to`: the seat "you" means where nobody is named."""

    def __init__(self, speaker: int, seats: Sequence[str], to: int = 0) -> None:
        self.speaker, self.seats = speaker, seats
        self.table = Table(str(to) if to and to != speaker else "")
        self.role = ""
        self.retracted = False
        self.listing = False  # a sentence that names several roles
        self.many = False  # whether the sentence at hand has several clauses
        self.asks = False  # whether the sentence at hand is a question
        self.echo = ""  # a role asked back: "me, the tanner?"
        self.judged = False  # whether somebody was judged in this sentence
        self.before = ""  # the seat named last in an earlier clause
        self.verdict: tuple[str, str] = ("", "")
        self.all = ""

    def read(self, text: str) -> list[Act]:
        """All acts of the statement."""
        sentences = plain(text, self.seats)
        if not self.table.last:  # a pronoun before any name means whoever is named first
            self.table.last = next(
                (s for t in sentences for s in seats_in(t.whole) if s != str(self.speaker)), ""
            )
        lines: list[_Line] = []
        for sentence in sentences:
            whole = re.sub(rf"@{self.speaker}(?![\d+])", "i", sentence.whole)
            sentence = replace(sentence, whole=whole)
            clauses = self.table.clauses(sentence)
            if not (cues.PAST.search(whole) or cues.IRONY.search(whole)):
                lines.append((sentence, clauses, self.table.you, self.table.last))
        self.all = " . ".join(c.text for line in lines for c in line[1])
        told = [c for line in lines for c in line[1]]
        said = [
            Said(c.text, tuple(seats_in(c.text)) or tuple(filter(None, [c.vocative])), c.idle)
            for c in told
        ]
        seer = any(("claim", "seer") in list(selves.roles(c.text)) for c in told if not c.idle)
        night = report(said, seer)
        found: list[Act] = []
        used = {id(told[i]) for i in night.used} if night else set()
        first = next((s for c in told for s in seats_in(c.text)), "")
        for sentence, clauses, you, last in lines:
            last = last or first
            self.table.you, self.table.last = you, last
            for act in self.sentence(sentence, clauses, used):
                if act.kind == "retract" and not any(a.kind == "retract" for a in found):
                    found = [a for a in found if a.kind not in ("claim", "companion", "deny")]
                found.append(act)
        if not night:
            found += self._left_over(lines, found)
        if not any(a.kind in ("claim", "deny", "propose", "companion") for a in found):
            found += self._claimed_somehow(lines)
        if night:
            found += self._act("report", "+".join(map(str, night.targets)), found=night.found)
        return found

    def _claimed_somehow(self, lines: list[_Line]) -> Iterator[Act]:
        """A sentence of oneself that names one role and no player."""
        for sentence, clauses, _, _ in lines:
            whole = sentence.whole
            roles = set(_VILLAGE_ROLE.findall(whole))
            if len(roles) != 1 or "@" in whole or sentence.asks or any(c.idle for c in clauses):
                continue
            if (
                _OF_ONESELF.search(whole)
                and not cues.NOT.search(whole)
                and not _NO_CLAIM.search(whole)
            ):
                yield from self._act("claim", role=roles.pop())
                return

    def _left_over(self, lines: list[_Line], found: list[Act]) -> Iterator[Act]:
        """A clause that names one player, of whom nothing bad was understood, and the Werewolf."""
        judged = {t for act in found for t in act.targets if act.kind in _JUDGING}
        for number, (sentence, clauses, _, _) in enumerate(lines):
            near = [s for s, *_ in lines[max(0, number - 1) : number + 2]]
            live = " , ".join(c.text for c in clauses if not c.idle)
            if sentence.asks or not _OF_WOLF.search(live) or negated(live):
                continue
            if cues.HEARSAY.search(live) or _NO_ACCUSATION.search(live):
                continue
            seats = seats_in(live) or [s for t in near for s in seats_in(t.whole)]
            open_ = [s for s in dict.fromkeys(seats) if int(s) not in judged]
            if len(open_) == 1 == len(set(seats)):
                judged.add(int(open_[0]))
                kind = "suspect" if cues.HEDGE.search(live) else "accuse"
                yield from self._act(kind, open_[0])

    def _act(self, kind: str, seats: str = "", **more: object) -> Iterator[Act]:
        targets = tuple(int(s) for s in seats.split("+") if s.isdigit())
        targets = tuple(t for t in targets if t != self.speaker and t <= len(self.seats))
        if targets or not seats:
            if more.get("role") == "wolf":
                more["role"] = "werewolf"
            yield Act(kind, self.speaker, targets, **more)  # type: ignore[arg-type]

    def sentence(self, sentence: Sentence, clauses: list[Clause], used: set[int]) -> Iterator[Act]:
        texts = [c for c in clauses if c.text and not c.vocative]
        body = " , ".join(c.text for c in texts)
        if self.echo and _NO_ME.match(body):
            yield from self._act("deny", role=self.echo)
        echo = _ECHO.fullmatch(body)
        self.echo = echo[1] if echo and sentence.asks else ""
        named = [n for c in clauses if (n := c.vocative or c.lead)]
        asks = sentence.asks or bool(named and _OR_WHAT.search(body))
        self.asks, self.many = asks, len(texts) > 1
        questions = list(self._question(sentence, asks, texts, named, body))
        yield from questions
        you_asked = next(
            (t for t in texts if questions and not asks and _ASKING.match(t.text)), None
        )
        if asks:
            texts = [
                t for t in texts[:-1] if not _QUESTION.match(t.text) and not _ING.match(t.text)
            ] + [t for t in texts[-1:] if _GUESS.match(t.text)]
        self.judged = False
        claims = {r for t in texts if not t.idle for k, r in selves.roles(t.text) if k == "claim"}
        self.listing = (
            len(claims) > 1 or any(_ROLE_NEXT.match(t.text) for t in texts)
        ) and not _WAS.search(body)
        proposal = list(self._proposal(body, texts, asks))
        yield from proposal
        for clause in texts:
            if not clause.idle and not (you_asked and clause is you_asked):
                yield from self._clause(clause.text, body, bool(proposal), id(clause) in used)
            if seats := seats_in(clause.text):
                self.before = seats[-1]

    # -- questions

    def _question(
        self, sentence: Sentence, asks: bool, texts: list[Clause], named: list[str], body: str
    ) -> Iterator[Act]:
        whole = sentence.whole
        you = bool(_YOU.search(whole))
        asking = [t for t in texts if _ASKING.match(t.text)]
        seats = ""
        if asks and not texts and not _YOU_OR_BARE.search(whole):
            return
        if asks or (_TELL_US.search(body) and not _I_TELL.search(body)):
            seats = "+".join(named)
            short = len(whole.split()) <= 4 and _ROLE_ASKED.search(whole)
            if not seats and self.table.you and (you or short or _WH_TO_YOU.match(whole)):
                seats = self.table.you
            if not seats and (match := _ASKED_LAST.search(body)):
                seats = match[1]
            if not seats and (match := _ASKED_FIRST.match(body)):
                seats = match[1]
        elif named and any(_WH_YOU.match(t.text) or _TELL.match(t.text) for t in asking):
            seats = "+".join(named)
        elif you and self.table.you and not named and asking and _WH_YOU.match(asking[0].text):
            seats = self.table.you
        if not seats and (match := _HEAR.search(body)) and not _ASKED_OTHERWISE.search(body):
            seats = match[1]
        if seats:
            yield from self._act("question", seats, about=about(body))

    # -- what the Seer and the Masons should do

    def _proposal(self, body: str, texts: list[Clause], asks: bool) -> Iterator[Act]:
        found = _OF_ROLE.search(body)
        called = _ROLE_CALLED.search(body)
        if not (found or called) or (asks and not _KINDLY.search(body)):
            return
        if _NO_PROPOSAL.search(body):
            return
        after = body[found.start() :] if found else body
        wait, speak = _WAIT.search(after), _SPEAK.search(after)
        if _NO_HIDING.search(body):
            wait, speak = None, _NO_HIDING.search(body)
        if wait or speak:
            for role in dict.fromkeys(m[1] for m in _CALLED.finditer(after)):
                yield from self._act("propose", role=role, about="wait" if wait else "speak")

    # -- statements

    def _clause(self, text: str, body: str, proposal: bool, used: bool) -> Iterator[Act]:
        if takes_back(text, self.all):
            self.retracted = True
            self.role = ""
            yield from self._act("retract")
            if not _INSTEAD.search(text):
                return
        if partner := shares(text, self.all, self.role == "mason", self.before):
            self.role = "mason"
            yield from self._act("claim", role="mason")
            yield from self._act("companion", partner, role="mason")
            return
        if not proposal:
            for kind, role in selves.roles(text, *_around(text, body)):
                if kind == "claim" and self.listing:
                    continue
                if kind == "deny" and (
                    self.retracted
                    or used
                    or (
                        role == "wolf"
                        and self.before
                        and not selves.ME.search(text)
                        and not _NOT_THE.search(text)
                    )
                ):
                    continue
                if kind == "claim":
                    self.role = role
                yield from self._act(kind, role=role)
        if used:
            return
        if not self.asks:
            yield from self._short(text)
        if (match := _CONTRAST.fullmatch(text)) and _NOT_WOLF.search(body):
            yield from self._act("accuse", match[1])
        if _ASKING_OF.match(text):
            return
        for kind, seat, role in verdicts(text):
            self.verdict, self.judged = (kind, role), True
            yield from self._act(kind, seat, role=role)
        if self.verdict[0] and (match := _SAME.match(text)):
            yield from self._act(self.verdict[0], match[1] or match[2], role=self.verdict[1])

    def _short(self, text: str) -> Iterator[Act]:
        """Words without a name that answer whoever was spoken to or of."""
        if (match := _NAME_IS.search(text)) and _WOLF.search(self.all):
            yield from self._act("accuse", match[1] or match[2])
        if "@" in text:
            return
        if text in ("right", "true", "exactly", "good") and self.many:
            return  # an opening word, not an answer
        if (you := self.table.you or self.table.last) and not self.judged:
            if _SHORT_AGREE.match(text):
                yield from self._act("agree", you)
            elif _SHORT_DISAGREE.match(text):
                yield from self._act("disagree", you)
        if self.table.last:
            if _SHORT_SIDE.search(text):
                yield from self._act(
                    "suspect", self.table.last, role="minion" if "minion" in text else "tanner"
                )
            elif _SHORT_ODD.match(text):
                yield from self._act("suspect", self.table.last)
            elif _SHORT_LIAR.match(text) or _CAUGHT.search(text):
                yield from self._act("accuse", self.table.last)
            elif _SHORT_VOTE.match(text):
                yield from self._act("vote", self.table.last)


def _around(text: str, body: str) -> tuple[str, str]:
    """What stands before and after a clause in its sentence."""
    before, _, after = body.partition(text)
    return before, after


# asks why
_REASON = re.compile(r"\b(?:why|reasons?|grounds|how come|what makes|what made)\b")
# asks what was seen in the night
_RESULT = re.compile(r"\b(?:look|looked|check|checked|see|saw|vision|result|learn|learned)\b")
# asks who somebody is
_ROLE = re.compile(
    r"\b(?:role|who are|what are|who is(?! it)|what is|(?:who|what) @\d+ is|claim|card)\b"
)
# asks whom somebody suspects
_OPINION = re.compile(
    r"\b(?:suspect|suspicious|trust|whom?|think|make of|vote|stand|read|eye|wolf)\b"
)


def about(body: str) -> str:
    """What a question is about."""
    if _REASON.search(body):
        return "reason"
    if _RESULT.search(body):
        return "result"
    if _ROLE.search(body):
        return "role"
    if _OPINION.search(body):
        return "suspect"
    return ""


@lru_cache(maxsize=4096)
def understand(text: str, speaker: int, seats: tuple[str, ...], to: int = 0) -> tuple[Act, ...]:
    """The acts in `text`, said by `speaker`, at a table of `seats` (names in order).

    `to`: the seat that spoke last, whom "you" means where nobody is named; 0 for nobody.
    """
    return tuple(dict.fromkeys(_Reader(speaker, seats, to).read(text)))
