"""Small games for the metrics, written by hand: five seats, two werewolves (4, 5), Sheriff 1."""

from __future__ import annotations

from typing import Any

from webapp.measures.game_record import Day, GameRecord, Scores

ROLES = {1: "seer", 2: "guard", 3: "villager", 4: "werewolf", 5: "werewolf"}
TEAMS = {s: "werewolf" if role == "werewolf" else "village" for s, role in ROLES.items()}
ALL = (1, 2, 3, 4, 5)


def day(
    scores: Scores | None = None,
    votes: dict[int, int | None] | None = None,
    *,
    living: tuple[int, ...] = ALL,
    leader: int = 1,
    **more: Any,
) -> Day:
    """A day with a vote in which everybody abstains, unless told otherwise."""
    given = dict.fromkeys(living) if votes is None else votes
    return Day(1, living, leader, given, scores=scores or {}, **more)


def game(*days: Day, code: str = "a", **more: Any) -> GameRecord:
    """A game that the village won, its Sheriff alive."""
    given = {
        "has_leader": True,
        "leader": 1,
        "winner": "village",
        "winners": frozenset({1, 2, 3}),
        "reason": "wolves_gone",
        **more,
    }
    return GameRecord(code, "sheriff", roles=ROLES, teams=TEAMS, days=days, **given)
