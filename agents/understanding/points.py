"""What a statement wants of one player: the content of the questions put to it and of the reasons
given against it, which the acts `question`, `suspect` … don't hold.

A question keeps what an answer has to name (which of whom, what role, why whom); a charge is a
reason given for pressing or disbelieving somebody. Both are read sentence by sentence, by rule;
what is not understood is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from agents.packs import Pack
from agents.understanding.addressee import ALL, LISTED, address
from agents.understanding.charges import QUIET, patterns
from agents.understanding.limits import is_short_enough
from agents.understanding.normalise import plain
from agents.understanding.role_tokens import tokens
from agents.understanding.subjects import first_person, tells_of

# What may be asked for.
QUESTIONS = (
    "role",  # what one holds; `roles`: those that are asked for
    "why",  # why one holds of `of` what one said; of nobody: of whomever one named
    "which",  # whom of `of` one suspects most
    "whom",  # whom one suspects; not `of`
    "trust",  # whom one trusts, of `of` or of all
    "opinion",  # what one thinks of `of`
    "join",  # whether one votes for `of` too
    "vote",  # whom one votes for
    "result",  # what one saw in the night
    "partner",  # who shares one's role
    "plan",  # what the holder of one of `roles` should do
    "mind",  # what would change one's mind
    "silent",  # to say something
    "open",  # anything else
)


@dataclass(frozen=True)
class Point:
    """Something `by` wants of a player: `about` one of QUESTIONS; a `charge`, one of CHARGES.

    of: the seats it is about; roles: the roles that are named, as the ruleset calls them. direct:
    it is said to that player, not of it.
    """

    by: int
    about: str
    of: tuple[int, ...] = ()
    roles: tuple[str, ...] = ()
    charge: bool = False
    direct: bool = True


_MENTION = re.compile(r"@([\d+]+)")
_YOU = re.compile(r"\b(?:you|your|yours|yourself)\b")
_ASKS = re.compile(
    r"^(?:(?:so|and|but|or|well|now|please|ok|then|just|come on|seriously|honestly|once more|"
    r"again|one more time|straight|,|:) *)*(?:who|whom|whose|what(?! (?:i|you|we)\b)|which|"
    r"why|how|where|when|"
    r"(?:will|"
    r"would|do|did|does|are|is|was|were|can|could|have|has|should)(?= (?:i|you|we|they|he|she|it|"
    r"not|any\w+|the (?:\w+\d|wolf)|@\d))(?! it$)|name|tell|answer|explain|say|prove|give|"
    r"choose|pick|decide|speak(?! up, and)|justify|defend yourself|state|claim|show|"
    r"convince|let us "
    r"hear|yes or|your (?:role|card|vote|claim$|reasons?|name|pick|suspect)|one word|on what|in "
    r"(?:one|a) word|apart from|besides|aside from|other "
    r"than|between|of (?:the|those|these))\b"
)
_IF = re.compile(r"^(?:so |and |but |well )*if [^,@]*, (?:then )?")
_SHORT = re.compile(r"\S+(?: \S+){0,4}")
_BELIEVE_YOU = re.compile(
    r"\b(?:why|how|what reason)\b.*\b(?:should|can|must|would|do|am|are) (?:we|i|any\w+|the "
    r"\w+)\b.*\b(?:believe|trust|buy)\b(?: @\d+|.* your?\b|$)"
)
_BELIEVE_ME = re.compile(
    r"\byou (?:\w+ )?(?:believe|trust|buy|doubt) (?:me|that i|my (?:\w+ )?(?:claim|story|"
    r"word|role))\b"
)
_WHICH_NOW = re.compile(
    r"\b(?:which (?:one |of (?:the two|them) )?is it|what is it (?:now|then)|which is (?:the )?"
    r"(?:true|right|real))\b"
)
_WHICH_ONE = re.compile(
    r"\b(?:which|who|whom)(?: one| of (?:them|the two|those|these|both|the three)|$| (?:do|would|"
    r"is|will|should) )"
)
_LOOKED = re.compile(
    r"\b(?:what (?:did |have )?you (?:see|saw|seen|find|found|learn\w*)|look(?:ed)? at|"
    r"you check(?:ed)?|(?:see|saw|seen|learn\w*|find|found) (?:out )?(?:anything "
    r")?(?:in the|last|that|at) night|vision|result|peek\w*|your night)\b"
)
_PARTNER = re.compile(r"\b(?:partner|fellow|other half|other one|companion|your mate)\b")
_OWN_ROLE = re.compile(
    r"\b(?:your (?:\w+ )?(?:role|card|claim)|(?:who|what) (?:exactly )?are you|who you are|what "
    r"you are|what (?:role|card) (?:are|do|did|have) you|what do you claim|which role|what "
    r"did you "
    r"(?:draw|get)|you (?:get |were )?dealt|claim (?:a |your )?role|(?:say|state|tell us) "
    r"(?:a|your|the) role)\b"
)
_ARE_YOU = re.compile(r"\b(?:are you|you are|is it you|you were dealt|were you|be)\b")
_WHY = re.compile(
    r"\b(?:why|how come|what makes|what made|reasons?|grounds|on what|explain|justify|what is "
    r"(?:it|that) based on|what have you (?:got )?against|what speaks (?:for|against))\b"
)
_MIND = re.compile(r"\b(?:change|changes|convince|persuade)\b.*\b(?:your mind|you)\b")
_WHO_IS = re.compile(r"\b(?:who|whom|which of \w+)(?: \w+){0,4}? (?:is|the|for)\b")
_VOTES = re.compile(r"\b(?:votes?|voting|vote out|throw out|vote off|lynch|exile|out today)\b")
_JOIN = re.compile(
    r"\b(?:(?:will|would|are|do|can) you (?:\w+ ){0,3}?(?:vote|voting|join|follow|help|come|with)|"
    r"(?:vote|join|go|are you|with) (?:\S+ ){0,4}?(?:me|us)\b|ready to)\b"
)
_WHOM = re.compile(r"\b(?:who|whom|whose|which|what name|a name|name|the two|somebody)\b")
_BUT = re.compile(
    r"\b(?:apart from|besides|aside from|other than|except(?: for)?|if not|not counting|but not|"
    r"leaving out|second(?:,)? after|next to|after|if(?: it turns out(?: that)?| we learn(?: "
    r"that)?)?(?= @\d+ (?:is|was|were|turns out|comes up|came up) (?:not|innocent|clean|clear|out|"
    r"gone|cleared|no)\b)) @([\d+]+)"
)
# a tag, or a wonder at somebody else: "would not you", "how did @3 get from @2 to @4"
_NOT_ASKED = re.compile(
    r"(?:is|are|do|does|did|would|will|have|has|can|could)(?: not)? (?:you|it|i|they|he|she)$|"
    r"(?:how|when|where) (?:did|does|do|can|could|is|was) @\d+ "
)
_TRUSTS = re.compile(
    r"\b(?:trust(?!s? (?:(?:the )?least|less))|believe|honest|trustworthy|clean|innocent|vouch|"
    r"rely|"
    r"telling the truth|truthful|most like (?:the )?village|real)\b"
)
_THINK = re.compile(
    r"\b(?:make of|think (?:of|about|@)|feel about|opinion (?:on|of|about)|read on|view (?:on|of)|"
    r"stand on|say (?:about|of|to)|trust|believe|buy|suspect|doubt|agree with|lying|lies?|liar|"
    r"honest|innocent|clean|suspicious|telling the truth|real|how about|what about|fake|false|"
    r"convince[ds]?|guilty|right|wrong|could @\d+ be|is @\d+)\b"
)
_SPEAK = re.compile(
    r"\b(?:say something|speak up|let us hear(?: (?:from )?you)?|your turn|talk to us|are you "
    r"(?:still )?(?:there|awake|asleep|with us)|wake up|cat got your)\b"
)


@lru_cache(maxsize=4096)
def points(
    text: str,
    by: int,
    me: int,
    seats: tuple[str, ...],
    pack: Pack,
    before: int = 0,
    pressed: bool = False,
    asked: bool = False,
) -> tuple[Point, ...]:
    """What `text`, said by `by`, asks of the seat `me` or holds against it, in order.

    pack: of the game. before: the seat that spoke last, whom "you" means where nobody
    is spoken to. pressed: whether it presses or disbelieves `me`. asked: whether it is known to
    ask `me` something.
    """
    if not is_short_enough(text):
        return ()
    words = _role_words(pack)
    you, named, third, found = before, False, 0, list[Point]()
    options: tuple[int, ...] = ()
    sentences = plain(text, seats, pack)
    for number, sentence in enumerate(sentences):
        to, body = address(sentence.whole, me)
        if to:
            you, named = to, True
        body = _IF.sub("", body)
        third = next(iter(_of(sentence.whole)), third)
        last = you == me and (named or bool(_YOU.search(body)))
        if match := ALL.match(body):
            last, body = True, body[match.end() :].lstrip(" ,:")
        if sentence.asks and re.search(rf"\b(?:believe|trust|spare|listen to) @{me}$", body):
            last = True  # "why should we believe you, Beta?"
        held = _Held(by, me, me if last else you, third, to == me, words)
        if last and (sentence.asks or _ASKS.match(body)):
            rest = sentences[number + 1 : number + 2]
            if not _echoes(body, rest[0].whole if rest else ""):
                found += _questions(body, held, options)
        elif pressed or (last and _YOU.search(body)):
            found += [replace(c, direct=last) for c in held.charges(_told(sentence.whole, body))]
        options = _of(body, me) if len(_of(body, me)) > 1 else options
    turned = {to for s in sentences if (to := address(s.whole, me)[0])}
    if (
        asked and not found and not turned - {me}
    ):  # the name stands where it is no plain address: "who is it Beta, then?"
        open_to = [s.whole for s in sentences if s.asks or _ASKS.match(s.whole)]
        open_to = [w for w in open_to if not _echo(w) and not LISTED.match(w)]
        held = _Held(by, me, me, 0, False, words)
        found += [p for whole in open_to[:1] for p in _questions(whole, held)]
    if any(p.charge for p in found):  # "…, now the other. Explain that."
        found = [p for p in found if p.charge or p.about != "why" or p.of]
    if len({p.about for p in found}) > 1:  # "And you? Why so quiet?"
        found = [p for p in found if p.about != "open"]
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class _Held:
    """What `by` may hold against `me`; you, third: whom "you" and "she" mean; turned: whether it
    turns to `me` by name."""

    by: int
    me: int
    you: int
    third: int
    turned: bool
    words: dict[str, str]

    def charges(self, body: str) -> list[Point]:
        """The reasons one sentence gives against `me`, the first two."""
        found = []
        of = _of(body, self.me, self.by)
        for about, pattern in patterns(tuple(self.words)):
            if not of and about in ("pressed", "defended", "flip"):
                continue
            if any(self._mine(about, body, m) for m in pattern.finditer(body)):
                found.append(Point(self.by, about, of, charge=True))
        return found[:2]

    def silent(self, body: str) -> bool:
        return any(self._mine("silent", body, m) for m in QUIET.finditer(body))

    def _mine(self, about: str, body: str, match: re.Match[str]) -> bool:
        start = match.end() if about == "changed" else match.start()
        return tells_of(
            self.me,
            body,
            start,
            match.end(),
            you=self.you,
            third=self.third,
            turned=self.turned,
        )


def _echo(body: str) -> bool:
    """Whether a question gives back what was said of its speaker: "Quiet, me?"."""
    return bool(_SHORT.fullmatch(body)) and first_person(body) and not _YOU.search(body)


def _echoes(body: str, after: str) -> bool:
    """The same, or a few words that the speaker then answers for itself: "Quiet? I listened."."""
    if _YOU.search(body) or _WHY.search(body) or _WHOM.search(body):
        return False
    answered = first_person(after) and not _YOU.search(after)
    if _ASKS.match(body):
        return False
    return _echo(body) or bool(_SHORT.fullmatch(body) and answered)


def _told(whole: str, body: str) -> str:
    """What is told of somebody: with the name, where that is the subject: "@2 says little"."""
    return whole if re.match(r"@\d+ ", whole) else body


def _of(body: str, *without: int) -> tuple[int, ...]:
    """The seats a sentence names."""
    found = (int(s) for m in _MENTION.findall(body) for s in m.split("+") if s.isdigit())
    return tuple(dict.fromkeys(s for s in found if s not in without))


def _questions(body: str, held: _Held, options: tuple[int, ...] = ()) -> Iterator[Point]:
    """What one sentence asks of `held.me`; options: whom the sentence before named, if several."""
    by, words = held.by, held.words
    of = _of(body, held.me)
    roles = tuple(dict.fromkeys(words[w] for w in _roles_in(body, words)))
    excluded = _of(" ".join(m[0] for m in _BUT.finditer(body)))
    many = [s for s in of if s not in excluded]
    if not of and options and _WHICH_ONE.search(body):
        many = list(options)
    if _NOT_ASKED.match(body) and not (_YOU.search(body) and len(body.split()) > 4):
        return
    if excluded and _WHOM.search(body):
        yield Point(by, "whom", excluded)
    elif _BELIEVE_YOU.search(body):
        yield Point(by, "cheap", charge=True)
    elif _BELIEVE_ME.search(body):
        yield Point(by, "opinion", (by,))
    elif not many and _WHICH_NOW.search(body) and len(roles) != 1:
        yield Point(by, "changed", charge=True)
    elif roles and not of and _plans(body, words):
        yield Point(by, "plan", (), roles)
    elif roles and not of and re.search(rf"\b(?:other|second) (?:{_any(words)})s?\b", body):
        yield Point(by, "partner")
    elif _LOOKED.search(body) and not _WHY.search(body) and (_YOU.search(body) or not of):
        yield Point(by, "result", of)
    elif _PARTNER.search(body) and _YOU.search(body):
        yield Point(by, "partner", of)
    elif held.silent(body) and not of:
        yield Point(by, "silent", charge=True)
    elif _MIND.search(body) and "what" in body:
        yield Point(by, "mind", of)
    elif not many and _WHOM.search(body) and re.search(r"\byou (?:\w+ )?trust\b(?! least)", body):
        yield Point(by, "trust")
    elif _WHY.search(body) and not (_VOTES.search(body) and _WHOM.search(body) and not of):
        reasons = [c for c in held.charges(body) if c.about != "pressed"]
        yield from reasons[:1] or [Point(by, "why", of, roles)]
    elif roles and not of and _WHO_IS.search(body):
        yield Point(by, "whom")
    elif roles and not of and (_ARE_YOU.search(body) or len(body.split()) < 10):
        yield Point(by, "role", (), roles)
    elif _OWN_ROLE.search(body):
        yield Point(by, "role")
    elif len(many) > 1:
        yield Point(by, "trust" if _TRUSTS.search(body) else "which", tuple(many))
    elif len(many) == 1 and (_VOTES.search(body) or "join" in body) and _JOIN.search(body):
        yield Point(by, "join", tuple(many))
    elif len(many) == 1 and (roles or _THINK.search(body)):
        yield Point(by, "opinion", tuple(many), roles)
    elif _VOTES.search(body) and not of:
        yield Point(by, "vote")
    elif not of and re.search(r"\b(?:trust|believe)\b(?! (?:the )?(?:least|less))", body):
        yield Point(by, "trust")
    elif not of and re.search(r"\b(?:who|whom|name|names|suspect|which)\b", body):
        yield Point(by, "whom")
    elif len(many) == 1:
        yield Point(by, "opinion", tuple(many))
    elif _SPEAK.search(body):
        yield Point(by, "silent", charge=True)
    else:
        yield Point(by, "open")


def _roles_in(body: str, words: dict[str, str]) -> Sequence[str]:
    return re.findall(rf"\b({_any(words)})s?\b", body) if words else ()


def _any(words: dict[str, str]) -> str:
    """A pattern for the roles' words."""
    return "|".join(map(re.escape, words))


def _plans(body: str, words: dict[str, str]) -> bool:
    """Whether it asks what the holder of a role should do: to speak or to wait."""
    role = rf"(?:the |a |our |any |all )?(?:{_any(words)})s?"
    return bool(re.search(rf"\b(?:should|ought|must|better for|time for|let) {role}\b", body))


@lru_cache(maxsize=8)
def _role_words(pack: Pack) -> dict[str, str]:
    """What a role of the deck is called in plain sentences -> its key."""
    return {tokens(key.replace("_", " "), pack): key for key in pack.deck}
