"""Whom a clause makes the speaker's fellow Mason."""

from __future__ import annotations

import re

from agents.talk import cues
from agents.talk.clauses import MENTION
from agents.talk.selves import ME, denied

# what a fellow Mason is called
_PARTNER = re.compile(
    r"\b(?:partner|companion|other half|counterpart|twin|buddy|fellow|other mason|"
    r"co-mason|comrade|teammate|"
    r"brother|sister|mate|other one|second mason|second one|other card|colleague|friend|"
    r"pal|the second|the other|other)\b"
)
# what joins two of a kind
_TOGETHER = re.compile(
    r"\b(?:with|and so is|so is|same as|alongside|together|along with|beside|besides|as "
    r"is|next to|we|both|us|each other|w|also|just like)\b"
)
# the pair as its own subject
_WE = re.compile(
    r"\b(?:we|us|both of us)\b.*\b(?:masons?|woke up|together|a pair|pair|partners|the "
    r"two|know each other|same time|same card)\b|^(?:we are )?(?:both )?masons(?: both| "
    r"gang| together)?$"
)
# the role, in whatever form
_MASON = re.compile(r"\bmason")
# the word alone, which may be of anything
_TOGETHER_WORD = re.compile(r"\btogether\b")
# the second of a pair already named
_OTHER_MASON = re.compile(r"\bi am the (?:other|second) mason\b")
# the role or the pair
_MASONS = re.compile(r"\bmasons?\b")
# the speaker in "@3+me"
_PLUS_ME = re.compile(r"\+?me")
# what two share that isn't a role
_OF_OPINION = re.compile(r"\b(?:see it|alike|agree|think|suspect|vote|voting|said|say|asked)\b")
# "my partner"
_MY_PARTNER = re.compile(
    r"\bmy (?:\w+ )?(?:partner|fellow|mason|buddy|mason partner|mason buddy|mason mate|"
    r"other half|colleague|twin)\b"
)
# what is done with somebody who shares no role
_NOT_A_PAIR = re.compile(
    r"\b(?:agree|side|trust|talk|vote|voting|against|stand|deal|fed up|problem)\b"
)
# what others say before a name
_OTHERS_WORDS = re.compile(r"\b(?:he|she|you|claims?|claimed|says|said|told)\b")
# "mason with @3"
_MASON_SEAT = re.compile(r"\bmasons?\b(?:[^@]{0,25})@(\d+)")
# "@3 is my fellow mason"
_SEAT_MASON = re.compile(r"@(\d+)\b(?:[^@]{0,30})\bmasons?\b")
# "fellow mason @3"
_MASON_FIRST = re.compile(r"(?:\w+ ){0,3}masons?\b")
# "so is @3", after the speaker's own claim
_SO_IS = re.compile(
    r"(?:and |also )?(?:so is|with|together with|along with|w|same as|as is) @\d+(?: too|"
    r" also| as well)?"
)


def shares(text: str, whole: str, mason: bool, last: str = "") -> str:
    """The seat a clause says is the speaker's fellow Mason, "" for none.

    whole: the statement; mason: its speaker has claimed to be a Mason; last: the seat named before.
    """
    if last and "@" not in text and _with_last(text, whole, mason):
        return last
    if denied(text) or cues.HEARSAY.search(text):
        return ""
    found = list(MENTION.finditer(text))
    single = [m[1] for m in found if m[1].isdigit()]
    about = _MASONS.search(whole)
    if joined := [_PLUS_ME.sub("", m[1]) for m in found if "me" in m[1]]:
        sure = mason or not _OF_OPINION.search(text)
        return joined[0] if joined[0].isdigit() and about and sure else ""
    if not single or (found[-1][2] and not _MASON.search(text)):
        return ""
    if _MY_PARTNER.search(text):
        return single[0]
    if not (about or mason):
        return ""
    if _NOT_A_PAIR.search(text) or _OTHERS_WORDS.search(text.split("@")[0]):
        return ""
    if mason and (_PARTNER.search(text) or _SO_IS.fullmatch(text)):
        return single[-1]
    near = _MASON_SEAT.search(text) or _SEAT_MASON.search(text)
    mine = ME.search(text) or _MASON_FIRST.match(text)
    return single[-1] if near and mine and _TOGETHER.search(text) else ""


def _with_last(text: str, whole: str, mason: bool) -> bool:
    """Whether a clause without a name makes a pair of the speaker and the seat named before."""
    if _OTHER_MASON.search(text):
        return True
    if denied(text) or not _MASON.search(whole):
        return False
    sure = mason or "mason" in text or not _TOGETHER_WORD.search(text)
    return sure and bool(_WE.search(text))
