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
from agents.talk.charges import QUIET, patterns
from agents.talk.plain import plain
from agents.talk.roles import tokens

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
_HAIL = (
    r"(?:hey|hi|hello|so|and|but|ok|okay|well|now|listen|look|please|no|yes|sorry|dear|come on|"
    r"wait|then|as for|what about|tell us|tell me|say|question for|a question for|i ask|let me "
    r"ask|seriously)"
)
_OPENS = re.compile(rf"^(?:{_HAIL},? )*@([\d+]+)(?=\s*(?:[,:]|$)| (?!is |was |has |and ))")
_CLOSES = re.compile(r"(?:,|\byou|\byour \w+|\bwhy|\bso|\bnow|\bnot) @(\d+)$")
_ALL = re.compile(r"^(?:hey |ok |so |now )*(?:everyone|everybody|all of you|each of you|you all)\b")
_YOU = re.compile(r"\b(?:you|your|yours|yourself)\b")
_ASKS = re.compile(
    r"^(?:(?:so|and|but|or|well|now|please|ok|then|just|come on|seriously|honestly|once more|"
    r"again|one more time|straight|,|:) *)*(?:who|whom|whose|what|which|why|how|where|when|will|"
    r"would|do|did|does|are|is|was|were|can|could|have|has|should|name|tell|answer|explain|say|"
    r"give|choose|pick|decide|speak|justify|defend yourself|state|claim|show|convince|let us "
    r"hear|yes or|your (?:role|card|vote|claim$|reasons?|name|pick|suspect)|one word|on what|in "
    r"(?:one|a) word|apart from|besides|aside from|other "
    r"than|between|of (?:the|those|these|@))\b"
)
_LOOKED = re.compile(
    r"\b(?:look(?:ed)? at|check(?:ed)?|(?:see|saw|seen|learn\w*|find|found) (?:out )?(?:anything "
    r")?(?:in the|last|that|at) night|vision|result|peek\w*|your night)\b"
)
_PARTNER = re.compile(r"\b(?:partner|fellow|other half|other one|companion|your mate)\b")
_OWN_ROLE = re.compile(
    r"\b(?:your (?:\w+ )?(?:role|card|claim)|(?:who|what) (?:exactly )?are you|who you are|what "
    r"you are|what (?:role|card) (?:are|do|did|have) you|what do you claim|which role|what did you "
    r"draw|claim (?:a |your )?role|(?:say|state|tell us) (?:a|your|the) role)\b"
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
    r"leaving out|second(?:,)? after|next to|after) @([\d+]+)"
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
    words = _role_words(pack)
    you, named, found = before, False, list[Point]()
    for sentence in plain(text, seats, pack):
        to, body = _address(sentence.whole, me)
        if to:
            you, named = to, True
        last = you == me and (named or bool(_YOU.search(body)))
        if match := _ALL.match(body):
            last, body = True, body[match.end() :].lstrip(" ,:")
        if sentence.asks and re.search(rf"\b(?:believe|trust|spare|listen to) @{me}$", body):
            last = True  # "why should we believe you, Beta?"
        asks = sentence.asks or bool(_ASKS.match(body))
        if last and asks:
            found += _questions(body, by, me, words)
            continue
        direct = last and bool(_YOU.search(body))
        if direct or (pressed and me in (_of(sentence.whole)[:1] or (me,))):
            found += [replace(c, direct=direct) for c in _charges(body, by, me, words)]
    if asked and not found:  # the name stands where it is no plain address: "who is it Beta, then?"
        open_to = [s.whole for s in plain(text, seats, pack) if s.asks or _ASKS.match(s.whole)]
        found += [p for whole in open_to[:1] for p in _questions(whole, by, me, words)]
    if any(p.charge for p in found):  # "…, now the other. Explain that."
        found = [p for p in found if p.charge or p.about != "why" or p.of]
    return tuple(dict.fromkeys(found))


def _address(whole: str, me: int) -> tuple[int, str]:
    """The seat a sentence turns to by name, 0 for none, and the sentence without that name."""
    if match := _OPENS.match(whole):
        first, *rest = match[1].split("+")
        after = whole[match.end() :].lstrip(" ,:")
        if rest and int(first) == me:  # "Gamma, Epsilon or Eta: …" to Gamma
            return me, f"@{'+'.join(rest)} , {after}"
        if rest:
            return 0, whole
        return int(first), after
    if match := _CLOSES.search(whole):
        return int(match[1]), whole[: match.start(1) - 1].rstrip(" ,")
    return 0, whole


def _of(body: str, *without: int) -> tuple[int, ...]:
    """The seats a sentence names."""
    found = (int(s) for m in _MENTION.findall(body) for s in m.split("+") if s.isdigit())
    return tuple(dict.fromkeys(s for s in found if s not in without))


def _questions(body: str, by: int, me: int, words: dict[str, str]) -> Iterator[Point]:
    """What one sentence asks of `me`."""
    of = _of(body, me)
    roles = tuple(dict.fromkeys(words[w] for w in _roles_in(body, words)))
    excluded = _of(" ".join(m[0] for m in _BUT.finditer(body)))
    many = [s for s in of if s not in excluded]
    if excluded and _WHOM.search(body):
        yield Point(by, "whom", excluded)
    elif _LOOKED.search(body) and not _WHY.search(body) and (_YOU.search(body) or not of):
        yield Point(by, "result", of)
    elif _PARTNER.search(body) and _YOU.search(body):
        yield Point(by, "partner", of)
    elif QUIET.search(body) and not of:
        yield Point(by, "silent", charge=True)
    elif _MIND.search(body) and "what" in body:
        yield Point(by, "mind", of)
    elif not of and _WHOM.search(body) and re.search(r"\byou (?:\w+ )?trust\b(?! least)", body):
        yield Point(by, "trust")
    elif _WHY.search(body) and not (_VOTES.search(body) and _WHOM.search(body) and not of):
        held = [c for c in _charges(body, by, me, words) if c.about != "pressed"]
        yield from held[:1] or [Point(by, "why", of, roles)]
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
        if re.search(r"\b(?:should|can|must|would) (?:we|i|any\w+|the village)\b", body):
            yield Point(by, "why")
        else:
            yield Point(by, "trust")
    elif not of and re.search(r"\b(?:who|whom|name|names|suspect|which)\b", body):
        yield Point(by, "whom")
    elif len(many) == 1:
        yield Point(by, "opinion", tuple(many))
    elif _SPEAK.search(body):
        yield Point(by, "silent", charge=True)
    else:
        yield Point(by, "open")


def _charges(body: str, by: int, me: int, words: dict[str, str]) -> Iterator[Point]:
    """The reasons one sentence gives against `me`, the first two."""
    found = []
    for about, pattern in patterns(tuple(words)):
        of = _of(body, me, by)
        if pattern.search(body) and (of or about not in ("pressed", "defended", "flip")):
            found.append(Point(by, about, of, charge=True))
    yield from found[:2]


def _roles_in(body: str, words: dict[str, str]) -> Sequence[str]:
    return re.findall(rf"\b({'|'.join(map(re.escape, words))})s?\b", body) if words else ()


@lru_cache(maxsize=8)
def _role_words(pack: Pack) -> dict[str, str]:
    """What a role of the deck is called in plain sentences -> its key."""
    return {tokens(key.replace("_", " "), pack): key for key in pack.deck}
