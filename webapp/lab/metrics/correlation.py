"""How alike a person's reliability scores and the agents' are: two readings of Helmsman 4.3."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scipy.stats import spearmanr

from webapp.lab.metrics.figure import Figure, mean_of
from webapp.lab.metrics.game_record import Day, GameRecord

CORRELATION = "correlation"
POOLED, PROGRAM = "pooled", "program"
SELF, UNSCORED = 0, -1  # in a row of the authors' program
NOBODY = "no person and agent scored the same players"


def spearman(first: Sequence[int], second: Sequence[int]) -> float | None:
    """Spearman's coefficient, ties ranked alike; None where a side is constant or has one value."""
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None
    return float(spearmanr(first, second).statistic)


def pairs(game: GameRecord) -> Iterator[tuple[int, int]]:
    """(a person's score, an agent's score) of the same living player at the same vote, for every
    living person, agent and third player whom both have scored."""
    for day, person, agent in _couples(game):
        mine, its = day.scores.get(person, {}), day.scores.get(agent, {})
        for target in day.living:
            if target in mine and target in its:  # neither scores themselves: a third player
                yield mine[target], its[target]


def pooled(games: Sequence[GameRecord]) -> Figure:
    """One coefficient over the pairs of all games."""
    found = [pair for game in games for pair in pairs(game)]
    value = spearman([p for p, _ in found], [a for _, a in found])
    why = NOBODY if not found else "all scores of one side are equal"
    return Figure(CORRELATION, POOLED, value, len(found), "pairs", "" if value is not None else why)


def row(game: GameRecord, day: Day, judge: int) -> list[int]:
    """One player's scores of all seats in order, as the authors' program has them: of oneself 0, of
    whom was not scored -1, of the dead the last ones."""
    scores = day.scores.get(judge, {})
    return [SELF if seat == judge else scores.get(seat, UNSCORED) for seat in sorted(game.roles)]


def program(game: GameRecord) -> Figure:
    """The mean over days and living agents of the coefficient between the person's row and the
    agent's. Constant rows are left out; so are players who have scored nobody yet."""
    values: list[float | None] = []
    silent = 0
    for day, person, agent in _couples(game):
        if day.scores.get(person) and day.scores.get(agent):
            values.append(spearman(row(game, day, person), row(game, day, agent)))
        else:
            silent += 1
    left = {"rows of players who scored nobody": silent}
    return mean_of(CORRELATION, PROGRAM, values, "rows", NOBODY, left)


def _couples(game: GameRecord) -> Iterator[tuple[Day, int, int]]:
    """(day with a vote, living person, living agent)"""
    for day in game.days_with_vote:
        for person in (s for s in day.living if s in game.people):
            for agent in (s for s in day.living if s not in game.people):
                yield day, person, agent
