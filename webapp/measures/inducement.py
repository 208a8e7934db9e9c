"""Vote inducing: how often an agent's hint or call led to an exile (Impressions 8, 9.1, 9.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from webapp.measures.figure import Figure, mean_figure
from webapp.measures.game_record import Day, GameRecord, Inducement

METRIC = "inducement"
NO_ATTEMPT = "no agent tried to induce votes"


@dataclass(frozen=True)
class Attempt:
    """The outcome of one attempt.

    Attributes:
        exiled: Whether the target was exiled that day.
        from_allies, from_others: Votes of the last ballot for the target, without the agent's own.
        margin: Votes for the target less the largest number of votes for another player.
        callers: Number of agents that accused this target that day.
        earlier: Whether another attempt at this target was made before on that day.
    """

    inducement: Inducement
    exiled: bool
    from_allies: int
    from_others: int
    margin: int
    callers: int
    earlier: bool


def find_attempts(game: GameRecord) -> Iterator[Attempt]:
    """Yield every attempt of a game on a day with a vote, in order."""
    days = {day.number: day for day in game.days_with_vote}
    for position, inducement in enumerate(game.inducements):
        if (day := days.get(inducement.day)) is None:
            continue
        before = game.inducements[:position]
        same = [
            i for i in game.inducements if (i.day, i.target) == (inducement.day, inducement.target)
        ]
        yield Attempt(
            inducement,
            (inducement.day, inducement.target) in game.exiles,
            *_count_support(game, day, inducement),
            _vote_margin(day, inducement.target),
            len({i.seat for i in same}),
            any((i.day, i.target) == (inducement.day, inducement.target) for i in before),
        )


def _count_support(game: GameRecord, day: Day, inducement: Inducement) -> tuple[int, int]:
    voters = [seat for seat, target in day.votes.items() if target == inducement.target]
    other_voters = [seat for seat in voters if seat != inducement.seat]
    allies = sum(game.teams[seat] == game.teams[inducement.seat] for seat in other_voters)
    return allies, len(other_voters) - allies


def _vote_margin(day: Day, target: int) -> int:
    counts = dict.fromkeys(day.living, 0)
    for voted in day.votes.values():
        if voted:
            counts[voted] = counts.get(voted, 0) + 1
    own = counts.pop(target, 0)
    return own - max(counts.values(), default=0)


def inducement_figures(games: Sequence[GameRecord]) -> dict[str, dict[str, Figure]]:
    """Return "role, manner" -> name -> Figure, and "role, any manner", as the papers count.

    Names: `attempts` and `successes` (counts), `success rate`, and the means of Attempt's fields.
    """
    rows: dict[str, list[Attempt]] = {}
    for game in games:
        for attempt in find_attempts(game):
            role, manner = game.roles[attempt.inducement.seat], attempt.inducement.manner
            for key in (f"{role}, {manner}", f"{role}, any manner"):
                rows.setdefault(key, []).append(attempt)
    return {key: _attempt_figures(own) for key, own in sorted(rows.items())}


def _attempt_figures(rows: Sequence[Attempt]) -> dict[str, Figure]:
    n = len(rows)
    table = {
        "attempts": Figure(METRIC, "attempts", n, n, "attempts"),
        "successes": Figure(METRIC, "successes", sum(row.exiled for row in rows), n, "attempts"),
    }
    for name, values in (
        ("success rate", [float(row.exiled) for row in rows]),
        ("votes of allies", [float(row.from_allies) for row in rows]),
        ("votes of others", [float(row.from_others) for row in rows]),
        ("margin to the next", [float(row.margin) for row in rows]),
        ("agents pressing the target", [float(row.callers) for row in rows]),
        ("pressed by others before", [float(row.earlier) for row in rows]),
    ):
        table[name] = mean_figure(METRIC, name, values, "attempts", NO_ATTEMPT)
    return table


def success_by_callers(games: Sequence[GameRecord]) -> dict[int, Figure]:
    """Return number of agents that accused a target -> share of these targets that was exiled.

    A target counts once a day.
    """
    outcomes: dict[int, list[float]] = {}
    for game in games:
        by_target = {(a.inducement.day, a.inducement.target): a for a in find_attempts(game)}
        for attempt in by_target.values():
            outcomes.setdefault(attempt.callers, []).append(float(attempt.exiled))
    return {
        callers: Figure(METRIC, "by callers", fmean(values), len(values), "targets of a day")
        for callers, values in sorted(outcomes.items())
    }
