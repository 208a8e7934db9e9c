"""Vote inducing: how often an agent's hint or call led to an exile (Impressions 8, 9.1, 9.2)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from webapp.measures.figure import Figure, mean_figure
from webapp.measures.game_record import GameRecord, Inducement

INDUCEMENT = "inducement"
NO_ATTEMPT = "no agent tried to induce votes"
# Name of a mean -> field of Attempt.
MEANS = {
    "success rate": "was_exiled", "votes of allies": "from_allies",
    "votes of others": "from_others", "margin to the next": "margin",
    "agents pressing the target": "callers", "pressed by others before": "has_predecessor",
}  # fmt: skip


@dataclass(frozen=True)
class Attempt:
    inducement: Inducement
    was_exiled: bool
    # Votes of the last ballot for the target, without the agent's own.
    from_allies: int
    from_others: int
    margin: int  # votes for the target less the largest number of votes for another player
    callers: int  # number of agents that made such an attempt at this target that day
    has_predecessor: bool  # whether another of these attempts was made earlier


def find_attempts(game: GameRecord) -> Iterator[Attempt]:
    """Yield every attempt of a game on a day with a vote, in order."""
    days = {day.number: day for day in game.days_with_vote}
    for position, inducement in enumerate(game.inducements):
        if (day := days.get(inducement.day)) is None:
            continue
        target, team = inducement.target, game.teams[inducement.seat]
        others = [s for s, voted in day.votes.items() if voted == target and s != inducement.seat]
        allies = sum(game.teams[seat] == team for seat in others)
        votes = Counter(voted for voted in day.votes.values() if voted)
        votes_for_target = votes.pop(target, 0)
        same_target = [  # (position, seat) of the attempts at this target that day
            (n, other.seat)
            for n, other in enumerate(game.inducements)
            if (other.day, other.target) == (day.number, target)
        ]
        yield Attempt(
            inducement,
            was_exiled=(day.number, target) in game.exiles,
            from_allies=allies,
            from_others=len(others) - allies,
            margin=votes_for_target - max(votes.values(), default=0),
            callers=len({seat for _n, seat in same_target}),
            has_predecessor=any(n < position for n, _seat in same_target),
        )


def inducement_figures(games: Sequence[GameRecord]) -> dict[str, dict[str, Figure]]:
    """Return "role, manner" or "role, any manner" -> `attempts`, `successes` or MEANS -> Figure."""
    attempts: dict[str, list[Attempt]] = {}
    for game in games:
        for attempt in find_attempts(game):
            role, manner = game.roles[attempt.inducement.seat], attempt.inducement.manner
            for key in (f"{role}, {manner}", f"{role}, any manner"):
                attempts.setdefault(key, []).append(attempt)
    return {key: _attempt_figures(own) for key, own in sorted(attempts.items())}


def _attempt_figures(rows: Sequence[Attempt]) -> dict[str, Figure]:
    n, successes = len(rows), sum(row.was_exiled for row in rows)
    table = {
        name: Figure(INDUCEMENT, name, count, n, "attempts")
        for name, count in (("attempts", n), ("successes", successes))
    }
    for name, field in MEANS.items():
        values = [float(getattr(row, field)) for row in rows]
        table[name] = mean_figure(INDUCEMENT, name, values, "attempts", NO_ATTEMPT)
    return table


def success_by_callers(games: Sequence[GameRecord]) -> dict[int, Figure]:
    """Return number of agents that pressed a target on a day -> share of these that was exiled."""
    outcomes: dict[int, list[float]] = {}
    for game in games:
        by_target = {(a.inducement.day, a.inducement.target): a for a in find_attempts(game)}
        for attempt in by_target.values():
            outcomes.setdefault(attempt.callers, []).append(float(attempt.was_exiled))
    return {
        callers: Figure(INDUCEMENT, "by callers", fmean(values), len(values), "targets of a day")
        for callers, values in sorted(outcomes.items())
    }
