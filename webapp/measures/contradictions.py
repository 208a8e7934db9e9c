"""Self-contradictions: what a player says against its own words (Guarded 6).

Claims are read by rule. Whoever withdraws a claim may make another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from webapp.measures.figure import Figure, mean_of
from webapp.measures.game_record import Claim, GameRecord

METRIC = "contradictions"
KINDS = ("another role", "another result", "too many results")
TOTAL, VOTES = "all of these", "another vote than announced"


def contradictions(game: GameRecord) -> dict[int, Counter[str]]:
    """Return seat -> how many contradictions of each of KINDS it made, and of VOTES.

    `another role`: claims a role after another one. `another result`: tells of a look at the same
    players with another answer. `too many results`: tells of more looks than the role can have
    made by then. VOTES: the last vote that it announced on a day is not the one that it cast.
    """
    by_seat: dict[int, list[Claim]] = {}
    for claim in game.claims:
        by_seat.setdefault(claim.seat, []).append(claim)
    return {
        seat: _of_claims(by_seat.get(seat, ())) + Counter({VOTES: _broken(game, seat)})
        for seat in game.roles
    }


def _of_claims(claims: Sequence[Claim]) -> Counter[str]:
    counts: Counter[str] = Counter()
    role, looks = "", dict[tuple[int, ...], str]()
    for claim in claims:
        if claim.kind == "back":
            role, looks = "", {}
        elif claim.kind == "role":
            counts["another role"] += bool(role) and claim.role != role
            role = claim.role
        elif claim.kind == "look":
            before = looks.get(claim.targets)
            counts["another result"] += before not in (None, claim.value)
            looks[claim.targets] = claim.value
            counts["too many results"] += before is None and len(looks) > claim.most
    return counts


def _broken(game: GameRecord, seat: int) -> int:
    """Return on how many days the seat cast another vote than the last one that it announced."""
    broken = 0
    for day in game.days_with_vote:
        announced = [
            claim.targets[0]
            for claim in game.claims
            if (claim.seat, claim.kind, claim.day) == (seat, "vote", day.number)
        ]
        broken += bool(announced) and day.votes.get(seat, announced[-1]) != announced[-1]
    return broken


def figures(games: Sequence[GameRecord]) -> dict[str, dict[str, Figure]]:
    """Return system -> kind -> Figure: the mean number a game, over all seats of the system.

    People are a system of their own, "people".
    """
    rows: dict[str, list[Counter[str]]] = {}
    for game in games:
        made = contradictions(game)
        systems = {**dict.fromkeys(game.people, "people"), **game.systems}
        for system in sorted(set(systems.values())):
            seats = [seat for seat, name in systems.items() if name == system]
            rows.setdefault(system, []).append(sum((made[s] for s in seats), Counter()))
    return {
        system: {
            **{kind: _mean(kind, [c[kind] for c in counts]) for kind in KINDS},
            TOTAL: _mean(TOTAL, [sum(c[kind] for kind in KINDS) for c in counts]),
            VOTES: _mean(VOTES, [c[VOTES] for c in counts]),
        }
        for system, counts in sorted(rows.items())
    }


def _mean(kind: str, counts: Sequence[int]) -> Figure:
    return mean_of(METRIC, kind, map(float, counts), "games", "")
