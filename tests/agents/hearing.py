"""Free-form statements of a person, and a check that a reply has understood them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agents.house.remarks import get_phrases
from agents.language.phrasing import Choice, Text, parse_phrase
from agents.packs import pack_of
from game.engine import rulesets

PACK = pack_of(rulesets.get("one-night"))


@dataclass(frozen=True)
class AddressCase:
    """Statements to or about {n}, the next speaker. {o} and {p} are other players.

    {n}'s reply must make a move of one of `kinds`, with the person as its {x}.
    """

    act: str
    wordings: tuple[str, ...]
    kinds: tuple[str, ...]


REBUTTALS = (
    "rebut",
    "rebut_once",
    "rebut_unclaimed",
    "rebut_mate",
    "rebut_back",
    "rebut_flip",
    "rebut_echo",
    "rebut_tease",
)
SAID = (
    AddressCase(
        "deny",
        (
            "{n}, i'm not the werewolf, honestly",
            "well {n}, i am no wolf",
            "{n}, i'm not a mason, to be clear",
        ),
        ("note_denial",),
    ),
    AddressCase(
        "retract",
        (
            "sorry {n}, i take back what i said before",
            "{n}, i have to take back my claim",
            "ok i take it back, forget what i said {n}",
        ),
        ("note_retract",),
    ),
    AddressCase(
        "companion",
        (
            "{n} and me are the two masons",
            "{n} is my fellow mason",
            "i'm a mason and {n} is the other one",
        ),
        ("deny_partner", "confirm_mate"),
    ),
    AddressCase(
        "report",
        (
            "i'm the seer and i looked at {n} and {o}, one of them is the wolf",
            "seer here. checked {n} + {o} and the wolf is one of the two",
            "last night i checked {o} and {n}: one is the werewolf",
        ),
        (
            "rebut_report_other",
            "rebut_report_open",
            "rebut_report_lie",
            "counter_report_found",
            "counter_report_clean",
        ),
    ),
    AddressCase(
        "suspect",
        (
            "i have a bad feeling about {n}",
            "{n} seems kinda shady to me",
            "i don't really trust {n}",
        ),
        REBUTTALS,
    ),
    AddressCase(
        "accuse",
        ("{n} is the wolf, i'm sure", "{n}, you are lying!", "it's {n}, no doubt about it"),
        REBUTTALS,
    ),
    AddressCase(
        "vote",
        ("i'm voting for {n} today", "{n} gets my vote", "let's vote out {n}"),
        REBUTTALS,
    ),
    AddressCase(
        "vote along",
        (
            "{n}, let's vote {o}",
            "{n}, i think {o} is the werewolf",
            "i'm voting {o} and you should too, {n}",
        ),
        ("hold_back", "join_in", "owed_join", "owed_no_join"),
    ),
    AddressCase(
        "defend",
        ("i trust {n}", "{n} is innocent if you ask me", "i don't think it's {n}"),
        ("thanks",),
    ),
    AddressCase(
        "agree",
        ("i agree with {n}", "{n} is right", "yeah {n} has a point there"),
        ("agreed", "thanks"),
    ),
    AddressCase(
        "disagree",
        ("i disagree with {n}", "{n} is wrong about that", "no {n}, i don't agree with you"),
        ("disagreed",),
    ),
    AddressCase(
        "question after a vision",
        (
            "{n}, whom did you check last night?",
            "who did you look at, {n}?",
            "{n} what did you see in the night?",
        ),
        ("answer_no_look", "answer_open"),
    ),
    AddressCase(
        "propose",
        (
            "{n}, i think the seer should speak up now",
            "{n}, the seer should talk to us now, i think",
            "i'd say the seer should stay quiet for now, {n}",
        ),
        (
            *("owed_plan_speak", "owed_plan_wait"),
            *(
                f"{side}_looker_{advice}"
                for side in ("with", "against")
                for advice in ("speak", "wait")
            ),
        ),
    ),
)


def answers(text: str, kinds: Sequence[str], names: Mapping[str, str]) -> bool:
    """Return whether `text` contains a phrase of `kinds` with slots filled from `names`.

    The names of players spoken to may be missing.
    """
    either = "|".join(map(re.escape, names.values()))

    def pattern(phrase: str) -> str:
        text = _pattern(parse_phrase(phrase), names)
        return re.sub(rf"(?:{either}),\\s\*|,\\s\*(?:{either})", lambda m: f"(?:{m[0]})?", text)

    return any(
        re.search(pattern(phrase), text, re.IGNORECASE)
        for kind in kinds
        for phrase in get_phrases(PACK, kind)
    )


def _pattern(text: Text, names: Mapping[str, str]) -> str:
    parts = []
    for part in text:
        if isinstance(part, Choice):
            parts.append(f"(?:{'|'.join(_pattern(option, names) for option in part)})")
        else:
            parts.append(_words(part, names))
    return "".join(parts)


def _words(words: str, names: Mapping[str, str]) -> str:
    """Build the pattern of one text part: spaces are optional, slots without a name match any."""
    pattern = ""
    for piece in re.split(r"(\{\w+\}|\s+)", words):
        if slot := re.fullmatch(r"\{(\w+)\}", piece):
            anything = r"\w+" if len(slot[1]) == 1 else r"[^.?!]{1,60}?"
            pattern += re.escape(names[slot[1]]) if slot[1] in names else anything
        else:
            pattern += r"\s*" if piece.isspace() else re.escape(piece)
    return pattern
