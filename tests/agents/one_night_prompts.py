"""Decisions and prompts of a one-night game, for tests of prompts."""

from __future__ import annotations

import re
from typing import Any

from agents.decision import Decision, Request
from agents.llm.prompting import build_messages
from game.engine.events import Event
from game.engine.forms import picking
from tests.agents.table import log_of, scene_of

ROLES = {
    1: "villager",
    2: "mason",
    3: "mason",
    4: "seer",
    5: "villager",
    6: "werewolf",
    7: "minion",
    8: "tanner",
}
STATEMENTS = ((1, "I'm a villager."), (2, "Alpha seems fine to me."))
KINDS = ("statement", "vote", "poll", "divination", "favor", "judgement", "strategy")
BRIEF: dict[str, Any] = {
    "memory": {"memory": [{"turn": 1, "speaker": 1, "text": "Hello."}]},
    "favor": {
        "favor": {"1": 10.0, "2": 50.0, "4": 90.0},
        "levels": {"1": 1, "2": 3, "4": 5},
        "why": {"1": ["vote", "accuse"]},
        "reason": "Alpha was cruel.",
    },
    "strategy": {
        "plan": "Wait and see.",
        "list": {
            "1": {
                "role": "werewolf",
                "side": "opponent",
                "top": [["werewolf", 0.72], ["seer", 0.2]],
                "share": 0.25,
            },
            "2": {"role": "villager", "side": "teammate"},
        },
        "ways": ["listen"],
    },
}


def build_request(decision: Decision, kind: str, brief: dict[str, Any] | None = None) -> Request:
    return Request(kind, decision, BRIEF if brief is None else brief)


def build_user_prompt(decision: Decision, kind: str, brief: dict[str, Any] | None = None) -> str:
    return build_messages(build_request(decision, kind, brief))[0][1]["content"]


def build_decision(log: list[Event], seat: int, kind: str) -> Decision:
    if kind in ("favor", "judgement", "strategy"):
        return scene_of(log, seat)
    legal = picking(range(1, 9), 2) if kind == "divination" else None
    return scene_of(log, seat, kind=kind, legal=legal)


def build_log(*statements: tuple[int, str], round: int = 1) -> list[Event]:
    return log_of(ROLES, *statements, round=round)


def remove_quotes(text: str) -> str:
    """Return `text` without its parts in quotation marks."""
    return re.sub(r"\"(?:[^\"\\\n]|\\.)*\"", "", text)
