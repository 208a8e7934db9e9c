"""Direct addresses of a person to one house player, and a rule that judges the reply.

A line of `tests/agents/corpus/addresses.jsonl` has the speaker (`by`), the addressee (`to`), the
`text`, what it `wants`, and features of an answer: the `seats` it is about, the requested `roles`,
or `words`, of which a reply to a reason contains one (word beginnings). `before` holds earlier
statements. Without it the address falls in the second round of a played game.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from agents.packs import pack_of
from agents.understanding.speech_acts import STRENGTH, SpeechAct
from agents.understanding.understand import understand
from game.engine import rulesets
from game.engine.events import say
from game.engine.visibility import View
from game.engine.windows import Answer, Window
from tests.agents.table import NAMES, ask_house, log_of, play, scene_of

PACK = pack_of(rulesets.get("one-night"))
ADDRESSES = Path(__file__).parents[1] / "corpus" / "addresses.jsonl"
DEAL = dict(
    enumerate(
        ("villager", "mason", "villager", "werewolf", "minion", "mason", "tanner", "seer"), start=1
    )
)
ROUND = 2
BLAND = ((1, "I'm a Villager."), (2, "Let's talk."), (4, "I listen."))  # statements before
VERDICTS = {*STRENGTH, "defend", "agree", "disagree"}
_ROLE = re.compile(r"\b(?:seer|mason|villager|werewolf|minion|tanner|role|card)s?\b", re.I)
_NIGHT = re.compile(r"\b(?:night|saw|see|looked?|visions?|slept|checked|asleep|eyes)\b", re.I)
_OPEN = re.compile(r"\b(?:can't tell|no (?:firm )?opinion|not sure|undecided|open)\b", re.I)

_SAYS = re.compile(r"^(?:no|yes|not)\b|\b(?:no|yes):|^\w+, (?:no|yes)\b", re.I)
_NONE = re.compile(r"\b(?:none of|not one of|isn't among|misses the one|none of yours)\b", re.I)
_ME = re.compile(r"\b(?:I|I'm|I've|I'd|I'll|me|[Mm]y|mine)\b")
_REASON = re.compile(
    r"\b(?:because|since|as long as|until|unless|before|after|who|whose|which|that's why|for|so|"
    r"when|while|if|reason)\b|[:;]",
    re.I,
)
_REFUSES = re.compile(
    r"\b(?:won't|will not|not going to|rather not|refuse|can't (?:say|tell|answer)|don't (?:owe|"
    r"have to)|no answer|not telling|keep (?:that|it) to myself|undecided|between)\b",
    re.I,
)


@dataclass(frozen=True)
class Address:
    """One line of the file, with seat numbers."""

    to: int
    by: int
    text: str
    wants: str
    seats: tuple[int, ...] = ()
    roles: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    before: tuple[tuple[int, str], ...] = field(default=())

    @classmethod
    def of(cls, line: str) -> Address:
        data = json.loads(line)
        return cls(
            _seat(data["to"]),
            _seat(data["by"]),
            data["text"],
            data["wants"],
            tuple(_seat(name) for name in data.get("seats", ())),
            tuple(data.get("roles", ())),
            tuple(data.get("words", ())),
            tuple((_seat(name), text) for name, text in data.get("before", ())),
        )


def load_addresses(path: Path = ADDRESSES) -> list[Address]:
    """Return all addresses of the file."""
    return [Address.of(line) for line in path.read_text().splitlines() if line.strip()]


def reply_to(address: Address, seed: str) -> str:
    """Return the next statement of the addressee."""
    if address.before:
        log = log_of(DEAL, *address.before, (address.by, address.text), round=ROUND)
        return str(ask_house(scene_of(log, address.to, seed=seed)).answer.action.text)
    return _in_game(address, seed)


def reply_to_epsilon(
    text: str, to: int, seed: str, *before: tuple[int, str], round: int = 1
) -> str:
    """Return the reply of the house player in seat `to` to Epsilon's `text`."""
    log = log_of(DEAL, *before, (_seat("Epsilon"), text), round=round)
    return str(ask_house(scene_of(log, to, seed=seed)).answer.action.text)


def judge_reply(address: Address, reply: str) -> str:
    """Classify `reply` as "substance", "refusal", "challenge" or ""."""
    if _has_substance(address, reply):
        return "substance"
    for sentence in _sentences(reply):
        if _REFUSES.search(sentence) and _REASON.search(sentence):
            return "refusal"
    asker = NAMES[address.by - 1]
    for sentence in _sentences(reply):
        if sentence.endswith("?") and (asker in sentence or re.search(r"\byou\b", sentence)):
            return "challenge"
    return ""


def _has_substance(address: Address, reply: str) -> bool:
    """Return whether the reply contains the requested information."""
    acts = understand(reply, address.to, NAMES, address.by, PACK)
    sentences = _sentences(reply)
    if address.wants == "role":
        own = {a.role for a in acts if a.kind in ("claim", "deny", "report", "companion")}
        return bool(own) or any(_ROLE.search(s) and NAMES[address.by - 1] in s for s in sentences)
    if address.wants == "which":
        pressed = _targets_of(acts, STRENGTH.keys())
        return bool(pressed & set(address.seats)) or bool(pressed and _NONE.search(reply))
    if address.wants == "opinion":
        judged = _targets_of(acts, VERDICTS) & set(address.seats)
        relevant = [s for s in sentences if _mentions(s, address.seats)]
        is_weighed = any(
            _OPEN.search(s) or (_SAYS.search(s) and _REASON.search(s)) for s in relevant
        )
        return bool(judged) or is_weighed
    if address.wants == "why":
        return any(_has_reason(s, address.seats) for s in sentences)
    if address.wants == "vote":
        return any(_has_reason(s, _targets_of(acts, STRENGTH.keys())) for s in sentences)
    if address.wants == "night":
        return bool(_NIGHT.search(reply))
    word_pattern = re.compile(rf"\b(?:{'|'.join(address.words)})", re.I)
    asker = NAMES[address.by - 1]
    return any(word_pattern.search(s) and (_ME.search(s) or asker in s) for s in sentences)


def _targets_of(acts: Iterable[SpeechAct], kinds: Collection[str]) -> set[int]:
    return {t for a in acts if a.kind in kinds for t in a.targets}


def _has_reason(sentence: str, seats: Iterable[int]) -> bool:
    """Return whether the sentence is about one of `seats` and gives a reason."""
    return _mentions(sentence, seats) and bool(_REASON.search(sentence) and _ME.search(sentence))


def _mentions(sentence: str, seats: Iterable[int]) -> bool:
    return any(re.search(rf"\b{NAMES[s - 1]}\b", sentence) for s in seats)


def _sentences(text: str) -> list[str]:
    return [s for s in re.split(r"(?<=[.!?])\s+", text) if s]


def _seat(name: str) -> int:
    return NAMES.index(name) + 1


class _ReplyGiven(Exception):
    """Raised to stop the game as soon as the reply exists."""


def _in_game(address: Address, seed: str) -> str:
    """Return the reply in a played game in which seat `by` makes the address in ROUND."""
    is_spoken = False

    def person(view: View, window: Window) -> Answer | None:
        nonlocal is_spoken
        if window.kind != "statement":
            return None
        statements = [e for e in view.events if e.kind == "statement" and e.data.get("text")]
        if is_spoken and statements[-1]["seat"] == address.to:
            raise _ReplyGiven(statements[-1]["text"])
        if view.seat == address.by and view.state.round == ROUND:
            is_spoken = True
            return Answer(say(address.text))
        return None

    try:
        game = play(seed, person=person, method="baseline")
    except _ReplyGiven as reply:
        return str(reply)
    return next(text for seat, text in reversed(game.statements) if seat == address.to)
