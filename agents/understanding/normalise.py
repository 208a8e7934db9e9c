"""From free text to plain sentences: one spelling for what matters, names as `@seat`, no filler.

Nothing is interpreted here, only brought into few forms: "I'm", "i am" and "im" become "i am",
"Beta and Gamma" become "@2+3", words for roles tokens (`roles`). Quotations and lines that pose as
somebody else's words are dropped.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from agents.language import Rewrite
from agents.packs import Pack
from agents.understanding.frames import unframed
from agents.understanding.role_tokens import tokens
from agents.understanding.seat_names import in_full
from agents.understanding.spelling import corrected

LONGEST = 3000  # characters that are read of a text
# who speaks for the game
_OFFICES = r"moderator|narrator|system|host|game ?master|gm|server|assistant|admin|user|rules?"
# One form for what is said in many, applied in this order.
_CONTRACTIONS = tuple(
    (re.compile(pattern), plainer)
    for pattern, plainer in (
        (r"\b(?:can't|cant|cannot)\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"\bain'?t\b", "am not"),
        (r"\b(is|are|was|were|do|does|did|has|have|had|could|would|should)n'?t\b", r"\1 not"),
        (r"\b(?:i'm|im|i m)\b", "i am"),
        (
            r"\bits (?=@|a |the |got |have to|just|not|so |been|obvious|clear|def|prob|always)",
            "it is ",
        ),
        (r"\b(that|what|where|here|there|who)s (?=\w|@)", r"\1 is "),
        (r"\b(?:(you|they)'?re|(we)'re)\b", r"\1\2 are"),
        (r"\b(i|you|we|they|he|she|it)'ll\b", r"\1 will"),
        (r"\b(i|you|we|they)'ve\b", r"\1 have"),
        (r"\b(i|you|we|they|he|she|it)'d\b", r"\1 would"),
        (
            r"(\b(?:he|she|it|that|who|everyone|nobody|somebody|someone)|@\d+)'s (?=(?:\w+ly |"
            r"just |not |"
            r"never |only |always )?(?:been|done|had|said|claimed|told|made|given|lied|seen)\b)",
            r"\1 has ",
        ),
        (r"\b(he|she|it|that|there|who|what|here|one)'s\b", r"\1 is"),
        (r"\bnot no (?=\w)", "not a "),
        (r"\blet's\b", "let us"),
        (
            r"\b(money|vote|finger|gut|head|bet|pick|guess|(?:looker|mate|keeper|plain)\d+|wolf|(?:loner|"
            r"helper)\d+|name|role|something|smth|nobody|somebody|everyone|someone|other|pair|"
            r"result|partner|buddy|half|dude|bro|man|guy|lady|girl|boy|woman|kid)'s (?!claim|card|"
            r"role|story|word|report|look|vision|result|intuition|peek|job|place|turn)",
            r"\1 is ",
        ),
        (r"\b(?:yours truly|my humble self|my good self|your humble servant|moi)\b", "me"),
        (r"\bu\b", "you"),
        (r"\bur\b", "your"),
        (
            r"(@\d+) (?:came|comes) (?:up|back|out) (?:as )?(?:a |the )?([a-z]+\d*) for me\b",
            r"i looked at \1 : \1 is \2",
        ),
    )
)
# what models and rules would both take literally
_IDIOMS = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"\blay off (?=@)", "leave "),
        # a plan that was given up: "i was going to vote for @2, but @3 gets it"
        (
            r"\bi (?:was (?:going|about|ready) to|wanted to|would have|meant to) voted? "
            r"(?:for |against )?@\d+,? but\b",
            "",
        ),
        (r"(?:\b(?:after that|now|that|then) )*(@\d+) gets it(?=[.!,]|$)", r" i vote for \1"),
    )
)
# words that say nothing of anybody
_FILLERS = re.compile(
    r"\b(?:really|truly|simply|actually|literally|totally|absolutely|basically|indeed|frankly|"
    r"in fact|of course|honestly|honest to god|at least|anyway|even|very|quite|super|already|"
    r"so far|by now|tbh|to be honest|to be fair|to be clear|i mean(?= i\b| @)|(?<!do "
    r")(?<!did )you (?:know|see)|"
    r"i tell you|i must say|i have to say|i would say that|as you know|let me tell you|"
    r"(?<!you )(?:believe|trust) me|mind you|in all honesty|if i am honest|at all)\b"
)
# asides between commas, which cut a sentence in two
_ASIDES = re.compile(
    r",? ?\b(?:on the (?:other|one) hand|for (?:my|her|his) part|for what it is worth|fwiw|"
    r"in my (?:humble |modest |honest )?(?:opinion|view)|as for me|to my mind|as (?:i )?said|"
    r"by the way|btw|i swear|no offen[cs]e|with (?:all )?(?:due )?respect|needless to say|"
    r"as far as i (?:can tell|know|am concerned|can see)|if you ask me|ladies and gentlemen|"
    r"my friends|dear friends|in the end|at the end of the day|all things considered|at "
    r"this point|"
    r"as it happens|mind you|for the record)\b,?"
)
# "my hunch? @3": a question somebody answers himself
_ANSWERED = re.compile(
    r"\b((?:my|me) (?:\w+ )?(?:hunch|guess|pick|suspect|bet|suspicion|favou?rite|vote|read|answer|"
    r"gut|choice|take|verdict)|(?:the |our )?(?:wolf|liar|culprit)|who (?:is|'s) (?:the |"
    r"our )?(?:wolf|liar))\s*\?\s*(?=(?:it's |its |it is )?@\d+)"
)
# "@3 a mate? pull the other one": a claim asked back, and not believed
_SCOFFED = re.compile(
    r"(@\d+)(?: is| being| as)?,? (?:a |the |our )?(?:real )?((?:looker|mate|keeper|"
    r"plain)\d+)\s*\?+\s*(?:i (?:\w+ ){0,3}?(?:doubt|do not|don't|can't|cannot)|no+\b|nah|nope|"
    r"not buying|pull the other|come on|please|lol|as if|never|hardly|haha|ha\b|yeah right|"
    r"doubt it)[^.?!]*"
)
# what may be somebody's; before other words "@3's" is "@3 is"
_NOUNS = (
    r"look|vision|report|claim|story|word|words|check|result|role|vote|turn|name|suspicion|case|"
    r"argument|answer|question|silence|statement|account|night|two|pair|finding|find|reason|"
    r"reasons|finger|theory|side|place|plan|mouth|hands?|head|book|partner|tale|card|point|news|"
    r"version|list|logic|reasoning|thinking|idea|points|business|thing|bit|excuse|"
    r"explanation|timing|behaviou?r|manner|tone|lie|lies|eyes?|opinion|accusation|push|"
    r"word's|shoes|direction|neck|first|last|late|early|chair|seat|behalf|voice|face|nerves|"
    r"speech|votes|voting|campaign|choice|switch|recommendation|death|badge|"
    r"laugh|smile|post|posts|line|lines|questions|answers|results|read|reads|alibi|motives?"
)
# a tag that makes a question of a statement
_TAGS = re.compile(
    r",? ?(?:right|no|eh|huh|(?:is|are|do|does|did|am) not (?:it|he|she|they|you|we|i)"
    r"(?: think)?|do you not think|agreed|ok)\?$"
)


@dataclass(frozen=True)
class Sentence:
    """whole: plain words, names as `@3` or `@2+3`. asks: ends in a question mark."""

    whole: str
    asks: bool


@lru_cache(maxsize=64)
def _names(seats: tuple[str, ...]) -> re.Pattern[str]:
    ordered = sorted(seats, key=len, reverse=True)
    return re.compile(r"(?<!\w)(" + "|".join(re.escape(s.lower()) for s in ordered) + r")(?!\w)")


@lru_cache(maxsize=4096)
def seats_named(text: str, seats: tuple[str, ...]) -> frozenset[int]:
    """Return the seats whose names stand in `text`."""
    number = {name.lower(): i for i, name in enumerate(seats, 1)}
    return frozenset(number[n] for n in _names(seats).findall(in_full(text, seats).lower()))


# "gammas claim": a name with an "s"
_GENITIVE = re.compile(
    r"\b([a-z_0-9]+)s(?= (?:\w+ ){0,2}?(?:claim|story|check|checks|result|results|vote|role|word|"
    r"words|"
    r"report|speech|reason|reasons|card|look)\b)"
)
# words in double quotes
_QUOTED = re.compile(r'"[^"\n]{0,400}"')
# words in single quotes, no apostrophes
_QUOTED_SINGLE = re.compile(r"(?<=\s)'(?=\w)[^\n]{2,200}?(?<=\w)'(?=[\s.,!?]|$)")
# "@2/@3", "@2-@3"
_DASHED = re.compile(r"(@\d+)\s?[–—/]\s?(?=@\d)")
# a sentence and its end
_SENTENCES = re.compile(r"[^.!?;—–]+(?:[.!?;—–]+|$)")


@lru_cache(maxsize=256)
def spelled(text: str, seats: tuple[str, ...], pack: Pack) -> tuple[str, ...]:
    """Return the lines of `text` in small letters.

    Names as `@3`, roles as tokens, slips put right, no quotations, none that poses as somebody
    else's.
    """
    text = in_full(unicodedata.normalize("NFC", text[:LONGEST]), seats).lower()
    text = text.replace("’", "'").replace("‘", "'").replace("“", '"').replace("”", '"')
    text = _QUOTED.sub(" ", text).replace("@", " ")
    text = _QUOTED_SINGLE.sub(" ", text)
    text = corrected(text, seats, pack)
    number = {name.lower(): str(i) for i, name in enumerate(seats, 1)}
    text = _names(seats).sub(lambda m: f"@{number[m[1]]}", text)
    text = _GENITIVE.sub(lambda m: f"@{number[m[1]]}'s" if m[1] in number else m[0], text)
    for pattern, words in _IDIOMS:
        text = pattern.sub(words, text)
    if pack.data.idioms:
        text = _rewritten(text, pack.data.idioms)
    return tuple(line for line in tokens(text, pack).split("\n") if not _poses(line))


# a sentence with its end and what follows, for the rewrites
_UNITS = re.compile(r"[^.!?;\n]*[.!?;\n]*\s*")


def _rewritten(text: str, rewrites: Sequence[Rewrite]) -> str:
    """Return the text with a game's own words in plain ones, sentence by sentence."""
    for rewrite in rewrites:
        units = [text] if rewrite.across else _UNITS.findall(text)
        text = "".join(map(rewrite.apply, units))
    return text


def plain_sentences(text: str, seats: Sequence[str], pack: Pack) -> tuple[Sentence, ...]:
    """Return the sentences of `text`, said in the game of `pack`."""
    return _plain_sentences(text, tuple(seats), pack)


@lru_cache(maxsize=256)
def _plain_sentences(text: str, seats: tuple[str, ...], pack: Pack) -> tuple[Sentence, ...]:
    """Return the same, kept: the whole table listens to a statement."""
    sentences_found = []
    for line in spelled(text, seats, pack):
        line = _DASHED.sub(r"\1 and ", line)
        line = _ANSWERED.sub(r"\1: ", line)
        line = _SCOFFED.sub(r"\1 is not the \2", line)
        for part in _SENTENCES.findall(line):
            if sentence := _sentence(part.strip()):
                sentences_found.append(sentence)
    return tuple(sentences_found)


# "Moderator: ...", "[system]"
_OFFICE_LINE = re.compile(
    rf"[\s\[(<*_#>-]*(?:{_OFFICES})\b[^a-z@]{{0,4}}:|\s*[\[(<*]+(?:{_OFFICES})[\])>*]"
)
# "@3: ...", but not "@3: you ..."
_SEAT_LINE = re.compile(
    r"[\s\[(<*_#>-]*@\d+[\])>*_]*\s*:(?!\s*(?:you|your)\b)"
    # a verdict, not a speech: "@3: wolf", "@3: definitely lying"
    r"(?!\s*(?:(?:the|a|our|definitely|def|clearly|obviously|probably|prob|maybe|100%?|so|very|"
    r"kinda|still|pretty|most likely) )*(?:wolf|plain\d+|(?:helper|loner)\d+|liar|lying|"
    r"guilty|sus|"
    r"suspicious|innocent|clean|town|good|fake|vote|out|trust|trusted|honest|scum|fishy|"
    r"shady)\b(?! (?:here|says)))"
)


def _poses(line: str) -> bool:
    """Return whether a line imitates the moderator's or somebody's line in the transcript."""
    return bool(_OFFICE_LINE.match(line) or _SEAT_LINE.match(line))


# white space
_SPACES = re.compile(r"\s+")


def _sentence(part: str) -> Sentence | None:
    """Return one sentence, made plain.

    Returns None where nothing is left of it.
    """
    is_question = "?" in part[-3:]
    body = part.rstrip(".!?;—–… ")
    for pattern, plainer in _CONTRACTIONS:
        body = pattern.sub(plainer, body)
    if is_question and (tag := _TAGS.search(body + "?")):
        body, is_question = body[: tag.start()], False
    body = _FILLERS.sub(" ", _possessives(_ASIDES.sub(" ", body)))
    body = _SPACES.sub(" ", body).strip(" ,")
    body, rhetorical = unframed(_lists(body))
    return Sentence(body, is_question and not rhetorical) if body else None


# "@3's claim"
_SEATS_NOUN = re.compile(
    # no noun phrase begins so: "@3's getting my vote"
    r"(@\d+)'s(?! (?:my|your|the|an?|not|no|in|on|got|all|been|our|just|so|too|also|still|clearly|"
    r"getting|going|being|lying|saying|telling|giving|hiding|acting|making|trying|asking|pushing|"
    r"playing|looking|voting|"
    rf"claiming|taking|doing)\b)(?= (?:\w+ ){{0,3}}?(?:{_NOUNS})\b)"
)
# "@3's lying"
_SEAT_IS = re.compile(r"(@\d+)'s\b")


def _possessives(body: str) -> str:
    """Return `@3_s` for what is somebody's, `@3 is` otherwise."""
    body = _SEATS_NOUN.sub(r"\1_s", body)
    return _SEAT_IS.sub(r"\1 is", body)


# not before a verb: "@2 and @3 is lying"
_VERB = (
    r"(?! (?:is|was|looks|seems|has|lies|lied|claims|says|said|sounds|feels|smells|did|does|"
    r"should|must|could|might|wants|needs)\b)"
)
# what stands between the names of a list
_JOIN = (
    r"(?:, (?:and |or )?| (?:and|&|or|nor|plus) (?:at |on |for |by |of |with |about )?|"
    r"\s?[/+]\s?|&\s?| &(?=@))"
)


# "@3 and I"
_AND_ME = re.compile(r"(@\d+) (?:and|plus|\+|&) (?:i|me|myself)\b")
# "I and @3"
_ME_AND = re.compile(r"(?<!to )(?<!for )(?<!on )(?<!told )(?<!of )\b(?:i|me) and (@\d+)\b")
# "one of @2, @3": whatever follows
_SURE_LIST = re.compile(
    rf"((?:between|neither|both|either|one of|among|of) (?:\w+ )?@\d+(?:{_JOIN}@\d+)+)"
)
# "@2, @3 or @5"
_OR_LIST = re.compile(r"(@\d+(?:, @\d+)*,? (?:or|nor) (?:on |at )?@\d+)")
# "@2, @3 and @5", where no verb makes the last a new clause's subject
_AND_LIST = re.compile(
    rf"(@\d+(?:, (?=@\d+,? (?:and|&))@\d+)*,? ?(?:and|&|/|\+|plus) ?"
    rf"(?:at |on |for |by |of |with |about )?@\d+){_VERB}"
)
# "@2 and @3 lied", at the beginning: what several did
_BOTH_DID = re.compile(
    rf"(^(?:(?:so|and|but|well|yes|no|ok|then|i think|i say) )*@\d+(?:{_JOIN}@\d+)+)"
    r"(?= (?:both |all )?(?:lied|lie|did|said|claimed)\b)"
)
# "checked @2, @3": a pair without an "and"
_LOOKED_AT = re.compile(r"\b(at|checked|picked|saw|chose) (@\d+), (@\d+)\b")


def _lists(body: str) -> str:
    """Return `@2, @3 and @5` as `@2+3+5`.

    `@2 and i` as `@2+me`.
    """
    body = _AND_ME.sub(r"\1+me", body)
    body = _ME_AND.sub(r"\1+me", body)
    # a bare "and" may begin a new clause: it comes last
    body = _SURE_LIST.sub(_join, body)
    body = _OR_LIST.sub(_join, body)
    body = _AND_LIST.sub(_join, body)
    body = _BOTH_DID.sub(_join, body)
    return _LOOKED_AT.sub(r"\1 \2+\3", body).replace("+@", "+")


# a seat
_SEAT = re.compile(r"@(\d+)")


def _join(match: re.Match[str]) -> str:
    """Return the seats of a list as one mention."""
    seats = _SEAT.findall(match[0])
    head = match[0][: match[0].index("@")]
    return f"{head}@{'+'.join(dict.fromkeys(seats))}"
