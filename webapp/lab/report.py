"""Builds the report of `manage.py metrics`: the metrics of games as JSON-shaped data."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from webapp.lab.published import published_values
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

# Metrics of one game with a Sheriff; over several games the mean, with equal weights.
LEADER_GAME_METRICS: tuple[Callable[[GameRecord], Figure], ...] = (
    ratio.ratio,
    ratio.ratio_by_person,
    *decision_change.BY_DIVISOR.values(),
    decision_change.decision_change_by_person,
    *decision_change.STAR_BY_DIVISOR.values(),
    correlation.program_correlation,
)
# Metrics of all games with a Sheriff at once.
LEADER_POOLED_METRICS: tuple[Callable[[Sequence[GameRecord]], Figure], ...] = (
    *correlation.POOLED.values(),
    outcomes.completion,
    outcomes.win,
    outcomes.completion_win,
)


class MixedRulesets(ValueError):
    """The games have several rulesets, so they have no common metrics."""


def build_report(games: Sequence[GameRecord]) -> dict[str, Any]:
    """Return the metrics of each game and of all games, with the published figures beside.

    Void games count only for the metric of who was elected.

    Raises:
        MixedRulesets: The games have several rulesets.

    Returns:
        {"ruleset", "games": [{"game", "reason", …, "metrics"}], "aggregate": metrics,
    "left_out": {reason: [game]}}. `metrics` is name -> [{"variant", "value", "n", "unit", …}], for
    some names by role or team. An undefined value is None, and "why" has the reason.
    """
    names = sorted({game.ruleset for game in games})
    if len(names) > 1:
        raise MixedRulesets(f"games of different rulesets: {', '.join(names)}; ask for each apart")
    counted = [game for game in games if not game.is_void]
    void_codes: dict[str, list[str]] = {}
    for game in games:
        if game.is_void:
            void_codes.setdefault(game.reason, []).append(game.code)
    report: dict[str, Any] = {
        "ruleset": "".join(names),
        "games": [_game_entry(game) for game in counted],
        "aggregate": _add_published(metrics(counted)) if counted else {},
        "left_out": void_codes,
    }
    # Void games that ended with the election count here.
    if elections := outcomes.elected_by_role(games):
        report["aggregate"][outcomes.ELECTED] = _rows_to_json(elections)
    if counted and not counted[0].has_leader:
        report["not_defined"] = (
            f"{counted[0].ruleset} has no Sheriff: metrics of leadership are not defined there"
        )
    return report


def metrics(games: Sequence[GameRecord]) -> Table:
    """Return all metrics over one or more games of one ruleset that it defines."""
    has_leader = games[0].has_leader
    means = [
        mean_over_games([compute(g) for g in games])
        for compute in LEADER_GAME_METRICS
        if has_leader
    ]
    return {**_build_table(means, games), **_condition_table(games)}


def _build_table(figures: Sequence[Figure], games: Sequence[GameRecord]) -> Table:
    """Return metric -> figures: those of LEADER_GAME_METRICS, and the metrics of all games."""
    table: Table = {}
    if games[0].has_leader:
        for figure in (*figures, *(compute(games) for compute in LEADER_POOLED_METRICS)):
            table.setdefault(figure.metric, []).append(figure.to_json())
        table[ratio.BY_ROLE] = {
            role: _rows_to_json(row) for role, row in ratio.ratio_by_role(games).items()
        }
    for name, row in (
        (outcomes.TEAM_WIN, outcomes.wins_by_team(games)),
        (outcomes.ROLE_WIN, outcomes.wins_by_role(games)),
    ):
        table[name] = _rows_to_json(row)
    return table


def _condition_table(games: Sequence[GameRecord]) -> Table:
    """Return the metrics of a condition as a whole (Humanized, Tables 5 to 7, and others)."""
    table = {
        name: {key: _rows_to_json(row) for key, row in rows.items()}
        for name, rows in (
            (outcomes.SYSTEM_WIN, outcomes.wins_by_system(games)),
            (inducement.INDUCEMENT, inducement.inducement_figures(games)),
            (contradictions.CONTRADICTIONS, contradictions.contradiction_figures(games)),
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
        polls.VARIATION: [polls.judgement_variation(votes, v).to_json() for v in polls.DIVISORS],
        polls.SHARE: _rows_to_json(polls.share_figures(votes)),
        polls.TEAM_SHARE: {team: _rows_to_json(row) for team, row in teams.items()},
    }


def _rows_to_json(row: Mapping[str, Figure]) -> Table:
    return {key: figure.to_json() for key, figure in row.items()}


def _game_entry(game: GameRecord) -> dict[str, Any]:
    return {
        "game": game.code,
        "winner": game.winner,
        "reason": game.reason,
        "days": len(game.days),
        "days_with_vote": len(game.days_with_vote),
        "people": sorted(game.people),
        "metrics": _build_table(
            [compute(game) for compute in LEADER_GAME_METRICS if game.has_leader], [game]
        ),
    }


def _add_published(table: Table) -> Table:
    """Add the published figures to each variant of `table` that is computed in the same way."""
    for metric, rows in table.items():
        if isinstance(rows, list):
            for row in rows:
                if figures := published_values(metric, row["variant"]):
                    row["published"] = figures
        elif figures := published_values(metric):
            rows["published"] = figures
    return table
