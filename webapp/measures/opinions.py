"""Favor and belief over time: what agents think of the holders of a role, round by round."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from webapp.measures.figure import Figure, add_interval
from webapp.measures.game_record import BELIEF, FAVOR, GameRecord

LIMITS = {FAVOR: (1.0, 100.0), BELIEF: (0.0, 1.0)}


def opinions_by_round(games: Sequence[GameRecord], subject: str) -> dict[str, dict[int, Figure]]:
    """Return role -> round -> what the others think of its holders, the mean over games.

    The value of a game is the mean over all pairs of a judge and a holder who both live. Judges of
    a belief are those whom their role does not tell who is hunted (`record_builder`). The
    interval of 95 % is Student's over games, on the logit, so that it stays on the scale. A round
    in which no game has an opinion is missing.

    Args:
        subject: FAVOR (1 to 100, 50 at the start) or BELIEF (the probability of being hunted).
    """
    values: dict[str, dict[int, list[float]]] = {}
    for game in games:
        of_game: dict[tuple[str, int], list[float]] = {}
        for opinion in (one for one in game.opinions if one.subject == subject):
            for seat, value in opinion.values.items():
                of_game.setdefault((game.roles[seat], opinion.round), []).append(value)
        for (role, number), those in of_game.items():
            values.setdefault(role, {}).setdefault(number, []).append(fmean(those))
    return {
        role: {number: _mean(subject, row[number]) for number in sorted(row)}
        for role, row in sorted(values.items())
    }


def _mean(subject: str, values: Sequence[float]) -> Figure:
    mean = Figure(subject, "by role", fmean(values), len(values), "games")
    return add_interval(mean, values, *LIMITS[subject])
