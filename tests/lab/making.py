"""Small handwritten games for the metrics: five seats, werewolves 4 and 5, Sheriff 1."""

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
    **fields: Any,
) -> Day:
    """Return a day with a vote, in which everybody abstains unless `votes` are given."""
    day_votes = dict.fromkeys(living) if votes is None else votes
    return Day(1, living, leader, day_votes, scores=scores or {}, **fields)


def game(*days: Day, code: str = "a", **fields: Any) -> GameRecord:
    """Return a game that the village won with a living Sheriff."""
    values = {
        "has_leader": True,
        "leader": 1,
        "winner": "village",
        "winners": frozenset({1, 2, 3}),
        "reason": "wolves_gone",
        **fields,
    }
    return GameRecord(code, "sheriff", roles=ROLES, teams=TEAMS, days=days, **values)
