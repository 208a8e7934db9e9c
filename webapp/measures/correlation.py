"""Agreement of a person's reliability scores with the agents': three readings of Helmsman 4.3.

`pooled_mean`: Spearman between the person's score and the mean of the agents' scores, over all
(game, day, target) pairs. `pooled_single`: the same with each agent's score as a separate pair.
`program`: what the authors' program computes, from whole rows of scores.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from statistics import fmean

from scipy.stats import spearmanr

from webapp.measures.figure import Figure, mean_figure
from webapp.measures.game_record import Day, GameRecord

CORRELATION = "correlation"
POOLED_MEAN, POOLED_SINGLE, PROGRAM = "pooled_mean", "pooled_single", "program"
SELF, UNSCORED = 0, -1  # values in a row of the authors' program
NO_PAIRS = "no person and agent scored the same players"
ONE_VALUE = "all scores of one side are equal"

Pair = tuple[int, float]  # (a person's score, an agent's score or the mean of several)


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Spearman's coefficient with mid-ranks for ties, None if a side is constant."""
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None
    return float(spearmanr(first, second).statistic)


def mean_pairs(game: GameRecord) -> Iterator[Pair]:
    """Yield (a person's score, the agents' mean score) of every living target that both scored."""
    for score, agent_scores in _score_rows(game):
        yield score, fmean(agent_scores)


def single_pairs(game: GameRecord) -> Iterator[Pair]:
    """Yield (a person's score, an agent's score) of every living target that both scored."""
    for score, agent_scores in _score_rows(game):
        for agent_score in agent_scores:
            yield score, agent_score


def _score_rows(game: GameRecord) -> Iterator[tuple[int, list[int]]]:
    """Yield (a person's score, the agents' scores) of every day and living target."""
    for day in game.days_with_vote:
        rows = [day.scores.get(agent, {}) for agent in _agents(game, day)]
        for person in _people(game, day):
            own = day.scores.get(person, {})
            for target in (seat for seat in day.living if seat in own):
                if agent_scores := [row[target] for row in rows if target in row]:
                    yield own[target], agent_scores


def _pooled_figure(
    variant: str, pairs: Callable[[GameRecord], Iterator[Pair]], games: Sequence[GameRecord]
) -> Figure:
    """Return one coefficient over the pairs of all games (SPEC 3)."""
    all_pairs = [pair for game in games for pair in pairs(game)]
    value = spearman([person for person, _ in all_pairs], [agent for _, agent in all_pairs])
    reason = "" if value is not None else ONE_VALUE if all_pairs else NO_PAIRS
    return Figure(CORRELATION, variant, value, len(all_pairs), "pairs", reason)


# Coefficients of all games at once, by variant.
POOLED: dict[str, Callable[[Sequence[GameRecord]], Figure]] = {
    POOLED_MEAN: partial(_pooled_figure, POOLED_MEAN, mean_pairs),
    POOLED_SINGLE: partial(_pooled_figure, POOLED_SINGLE, single_pairs),
}


def program_row(game: GameRecord, day: Day, judge: int) -> list[int]:
    """Return one player's scores of all seats in order, as the authors' program stores them.

    The player has SELF, an unscored player UNSCORED, a dead player the last score.
    """
    scores = day.scores.get(judge, {})
    return [SELF if seat == judge else scores.get(seat, UNSCORED) for seat in sorted(game.roles)]


def program_correlation(game: GameRecord) -> Figure:
    """Return the mean correlation of a person's row of scores and an agent's.

    The mean is over days and living agents. Constant rows are left out, and so are players who have
    scored nobody yet.
    """
    values: list[float | None] = []
    unscored = 0
    for day in game.days_with_vote:
        for pair in product(_people(game, day), _agents(game, day)):
            if all(day.scores.get(judge) for judge in pair):
                values.append(spearman(*(program_row(game, day, judge) for judge in pair)))
            else:
                unscored += 1
    omitted = {"rows of players who scored nobody": unscored}
    return mean_figure(CORRELATION, PROGRAM, values, "rows", NO_PAIRS, omitted)


def _people(game: GameRecord, day: Day) -> list[int]:
    return [seat for seat in day.living if seat in game.people]


def _agents(game: GameRecord, day: Day) -> list[int]:
    return [seat for seat in day.living if seat not in game.people]
