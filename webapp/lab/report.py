"""All metrics of some games as one JSON-shaped object, with the published figures beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from webapp.lab.published import PUBLISHED, published_beside
from webapp.measures import (
    contradictions,
    correlation,
    decision_change,
    inducement,
    outcomes,
    polls,
    ratio,
)
from webapp.measures.figure import Figure, mean_over_games
from webapp.measures.game_record import GameRecord, NotDefined

Table = dict[str, Any]

# Metrics of one game; over several games the mean, with equal weights.
OF_A_GAME: tuple[Callable[[GameRecord], Figure], ...] = (
    ratio.ratio,
    ratio.ratio_by_person,
    *(
        lambda game, over=over: decision_change.decision_change(game, over)
        for over in decision_change.DIVISORS
    ),
    decision_change.decision_change_by_person,
    *(
        lambda game, over=over: decision_change.decision_change(game, over, star=True)
        for over in decision_change.DIVISORS
    ),
    correlation.program_correlation,
)
# Metrics of all games at once.
OF_GAMES: tuple[Callable[[Sequence[GameRecord]], Figure], ...] = (
    *correlation.POOLED.values(),
    outcomes.completion,
    outcomes.win,
    outcomes.completion_win,
)


class MixedRulesets(ValueError):
    """The games have several rulesets, so they have no common metrics."""


def report(games: Sequence[GameRecord]) -> dict[str, Any]:
    """Return the metrics of each game and of all, JSON-shaped.

    {"ruleset", "games": [{"game", "reason", …, "metrics"}], "aggregate": metrics, "left_out":
    {reason: [game]}}. metrics: name -> [{"variant", "value", "n", "unit", …}], with one more level
    by role or team. A value is None if it is undefined, and "why" has the reason. Void games have
    no metrics except who was elected. Raises MixedRulesets.
    """
    names = sorted({game.ruleset for game in games})
    if len(names) > 1:
        raise MixedRulesets(f"games of different rulesets: {', '.join(names)}; ask for each apart")
    counted = [game for game in games if not game.is_void]
    void: dict[str, list[str]] = {}
    for game in games:
        if game.is_void:
            void.setdefault(game.reason, []).append(game.code)
    figures_by_name: dict[str, Any] = {
        "ruleset": "".join(names),
        "games": [_game(game) for game in counted],
        "aggregate": _with_published(metrics(counted)) if counted else {},
        "left_out": void,
    }
    # games that ended with the election count here
    if elections := outcomes.elected_by_role(games):
        figures_by_name["aggregate"][outcomes.ELECTED] = {
            role: f.data() for role, f in elections.items()
        }
    if counted and not counted[0].has_leader:
        figures_by_name["not_defined"] = (
            f"{counted[0].ruleset} has no Sheriff: metrics of leadership are not defined there"
        )
    return figures_by_name


def metrics(games: Sequence[GameRecord]) -> Table:
    """Return all metrics over one or more games that are defined in their ruleset."""
    leader = games[0].has_leader
    single = [mean_over_games([make(g) for g in games]) for make in OF_A_GAME if leader]
    return {**_table(single, games), **_of_condition(games)}


def metrics_of(game: GameRecord) -> Table:
    """Return the metrics of one game, over its days."""
    return _table([make(game) for make in OF_A_GAME if game.has_leader], [game])


def _table(single: Sequence[Figure], games: Sequence[GameRecord]) -> Table:
    table: Table = {}
    if games[0].has_leader:
        for figure in (*single, *(make(games) for make in OF_GAMES)):
            table.setdefault(figure.metric, []).append(figure.data())
        table[ratio.BY_ROLE] = {
            role: {badge: figure.data() for badge, figure in row.items()}
            for role, row in ratio.ratio_by_role(games).items()
        }
    for name, row in (
        (outcomes.TEAM_WIN, outcomes.wins_by_team(games)),
        (outcomes.ROLE_WIN, outcomes.wins_by_role(games)),
    ):
        table[name] = _data(row)
    return table


def _of_condition(games: Sequence[GameRecord]) -> Table:
    """Return the metrics that are meaningful only over all games of a condition.

    They are straw polls (Humanized, Tables 5 to 7) in rulesets with polls, wins by system,
    inducing, contradictions.
    """
    table = {
        name: {key: _data(row) for key, row in rows.items()}
        for name, rows in (
            (outcomes.SYSTEM_WIN, outcomes.wins_by_system(games)),
            (inducement.METRIC, inducement.figures(games)),
            (contradictions.METRIC, contradictions.figures(games)),
        )
        if rows
    }
    try:
        votes = polls.votes_by_role(games)
        teams = polls.team_shares(votes)
    except NotDefined:
        return table
    return {
        **table,
        polls.VARIATION: [polls.judgement_variation(votes, v).data() for v in polls.DIVISORS],
        polls.SHARE: _data(polls.share_figures(votes)),
        polls.TEAM_SHARE: {team: _data(row) for team, row in teams.items()},
    }


def _data(row: Mapping[str, Figure]) -> Table:
    return {key: figure.data() for key, figure in row.items()}


def _game(game: GameRecord) -> dict[str, Any]:
    return {
        "game": game.code,
        "winner": game.winner,
        "reason": game.reason,
        "days": len(game.days),
        "days_with_vote": len(game.days_with_vote),
        "people": sorted(game.people),
        "metrics": metrics_of(game),
    }


def _with_published(table: Table) -> Table:
    """Return the table with the published figures beside each variant computed the same way.

    Metrics by role have them beside the whole table.
    """
    for metric, rows in table.items():
        if isinstance(rows, list):
            for row in rows:
                if figures := published_beside(PUBLISHED, metric, row["variant"]):
                    row["published"] = figures
        elif figures := published_beside(PUBLISHED, metric):
            rows["published"] = figures
    return table
