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


# The Sheriff (1) votes for 4.
# 2: 3 -> 4, follows. 3: 4 -> 4, was there before. 4: 2 -> 3, changes, not to 4. 5: abstains -> 4,
# follows. So 2 of 4 follow, 3 of 4 change; over the five living 2/5 and 3/5.
MOVED = day(votes={1: 4, 2: 4, 3: 4, 4: 3, 5: 4}, pseudo_votes={2: 3, 3: 4, 4: 2, 5: None})
# The Sheriff abstains. 2: 3 -> abstains, follows. 3: abstained before, too. 4: abstains -> 2,
# changes away. 5: 2 -> 2. So 1 of 4 follows, 2 of 4 change.
ABSTAINED = day(
    votes={1: None, 2: None, 3: None, 4: 2, 5: 2}, pseudo_votes={2: 3, 3: None, 4: None, 5: 2}
)
