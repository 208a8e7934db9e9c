""" "You" and "he" replaced by the seats they stand for."""

from __future__ import annotations

import re

from agents.talk.clauses import MENTION

# what "your" goes with; before other words it is "you're"
_NOUN_OF_YOURS = (
    r"(?=(?:\w+ ){0,2}?(?:claim|story|word|words|report|vision|result|results|look|role|"
    r"card|vote|reasoning|"
    r"argument|logic|theory|point|read|account|version|turn|name|silence|tale|case|"
    r"suspicion|suspicions|"
    r"partner|side|mouth|tongue|(?:looker|mate)\d+|eyes|face|manner|tone|opinion|idea|plan|take|"
    r"statement|answer|"
    r"question|night|picks?|check|two|accusation|defen[cs]e|behaviou?r|timing|push|own|"
    r"help|thing|deal|"
    r"honou?r|sake|shoes|place|plain\d+ claim|explanation|thoughts?|thinking)\b)"
)
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
    r"^who (?!(?:is|was|are|do|did) (?:you|your)\b)(?=\w+(?:s|ed|d|t|e)\b|never|always|by|had|has|"
    r"is|was|ran|sat|came|"
    r"went|took)"
)
# "that story": the story of the one spoken to
_THAT_CLAIM = re.compile(
    r"^(?:that|this|the) (?:whole |last |\w+ )?(?=(?:claim|story|reasoning|logic|"
    r"argument|theory|excuse|explanation|version|defen[cs]e)\b)"
)
# "that looker claim": of the one spoken to
_ROLE_CLAIM = re.compile(
    r"\b(?:that|this) (?=(?:looker|mate|plain|helper|loner)\d+ (?:claim|story|thing|business|"
    r"stuff|tale)\b)"
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
_TWICE = re.compile(r"@(\d+)((?: \w+)? )@\1(?![\d_+])")
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
    r"look|vote|role|card|version|account|argument|point|silence|tale|(?:mate|looker)\d+)\b)"
)
# an object that may be a genitive
_HER = re.compile(r"(?<!of )\b(?:her|them)\b")
# Rewritten whoever is spoken to.
_PLAINER = ((_GENITIVE_IS, r"\1 is "), (_CLAIM_OF, r"\2_s \1"), (_PAIR, r"@\1+\2"))


def resolved(text: str, asks: bool, you: str, last: str) -> str:
    """A clause with seats for "you" and "he"; you, last: the seats these mean, "" for nobody."""
    for pattern, plainer in _PLAINER:
        text = pattern.sub(plainer, text)
    if not you and last:
        text = _YOU_ARE.sub(f"@{last} is ", text)
        text = _YOU_MIGHT.sub(f"@{last} ", text)
    text = _IS_DOES.sub(r"\1_s claim ", text)
    if not asks:
        if last:
            text = _WHOSE.sub(f"@{last}_s ", text)
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
    """`seat` for "you"."""
    if "@" not in text:
        text = _THAT_CLAIM.sub(f"{seat}_s ", text)
        text = _ROLE_CLAIM.sub(f"{seat}_s ", text)
    text = _ARE_YOU.sub(f"{seat} is", text)
    text = _YOUR_CLAIM.sub(f"{seat}_s ", text)
    text = _YOURS.sub(f"{seat}_s claim", text)
    text = _YOUR.sub(f"{seat} is", text)
    return _YOU_ALONE.sub(seat, text)


def _third(text: str, seat: str) -> str:
    """`seat` for "he", "she" and "they"."""
    text = _HE_IS.sub(f"{seat} is", text)
    text = _HE.sub(seat, text)
    text = _THE_MAN.sub(f"{seat} ", text)
    text = _HIM.sub(seat, text)
    text = _HIS.sub(f"{seat}_s", text)
    return _HER.sub(seat, text)
