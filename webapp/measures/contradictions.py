"""Self-contradictions: claims of a player that contradict its earlier ones (Guarded 6).

Claims are read by rule. A player that withdraws a claim may make another claim.
"""

from collections import Counter
from collections.abc import Sequence

from webapp.measures.figure import Figure, mean_figure
from webapp.measures.game_record import Claim, GameRecord

CONTRADICTIONS = "contradictions"
KINDS = ("another role", "another result", "too many results")
TOTAL, VOTES = "all of these", "another vote than announced"


def count_contradictions(game: GameRecord) -> dict[int, Counter[str]]:
    """Return seat -> number of its contradictions of each of KINDS, and of VOTES.

    - `another role`: it claims a role after another role;
    - `another result`: it reports another result of a look at the same players;
    - `too many results`: it reports more looks than the role can have made by then;
    - VOTES: the last vote that it announced on a day is not the one that it cast.
    """
    by_seat: dict[int, list[Claim]] = {}
    for claim in game.claims:
        by_seat.setdefault(claim.seat, []).append(claim)
    return {
        seat: _count_in_claims(by_seat.get(seat, ()))
        + Counter({VOTES: _count_broken_announcements(game, seat)})
        for seat in game.roles
    }


def _count_in_claims(claims: Sequence[Claim]) -> Counter[str]:
    """Count the contradictions of KINDS in one player's claims, in their order."""
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
            counts["too many results"] += before is None and len(looks) > claim.max_looks
    return counts


def _count_broken_announcements(game: GameRecord, seat: int) -> int:
    """Return the number of days on which the seat voted otherwise than it announced last."""
    broken = 0
    for day in game.days_with_vote:
        announced = [
            claim.targets[0]
            for claim in game.claims
            if (claim.seat, claim.kind, claim.day) == (seat, "vote", day.number)
        ]
        broken += bool(announced) and day.votes.get(seat, announced[-1]) != announced[-1]
    return broken


def contradiction_figures(games: Sequence[GameRecord]) -> dict[str, dict[str, Figure]]:
    """Return system -> kind, TOTAL or VOTES -> mean number of contradictions per game.

    The number is over all seats of the system. People are a system of their own, "people".
    """
    counts_by_system: dict[str, list[Counter[str]]] = {}
    for game in games:
        counts_by_seat = count_contradictions(game)
        systems = {**dict.fromkeys(game.people, "people"), **game.systems}
        for system in sorted(set(systems.values())):
            own = (counts_by_seat[seat] for seat, name in systems.items() if name == system)
            total = sum(own, Counter[str]())
            total[TOTAL] = sum(total[kind] for kind in KINDS)
            counts_by_system.setdefault(system, []).append(total)
    return {
        system: {
            kind: mean_figure(CONTRADICTIONS, kind, [float(c[kind]) for c in counts], "games", "")
            for kind in (*KINDS, TOTAL, VOTES)
        }
        for system, counts in sorted(counts_by_system.items())
    }
