"""The papers' tables of an experiment's games, with the published figures beside ours.

Each function named *_table returns None if the table is not defined for any of the conditions. The
formulas are those of `webapp.measures`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from webapp.lab.stored_games import remove_digest
from webapp.measures import contradictions, inducement, outcomes, polls
from webapp.measures.figure import Figure
from webapp.measures.game_record import BELIEF, FAVOR, NotDefined
from webapp.study.results.board_tables import board_table
from webapp.study.results.helmsman_tables import (
    leadership_role_table,
    leadership_table,
    role_ratio_table,
)
from webapp.study.results.opinion_tables import opinion_table
from webapp.study.results.published_cells import (
    OTHER_MODEL,
    Conditions,
    Games,
    add_published_row,
    printed_figure,
    value_cell,
)
from webapp.study.results.result_table import DASH, Cell, ResultTable

# Keys of figures that `paper_figures` draws.
WINS_BY_TEAM, WINS_BY_SYSTEM = "wins-by-team", "wins-by-system"
PAPERS_DIVISOR = next(iter(polls.DIVISORS))  # it reproduces the published Table 5
PUBLISHED_TEAMS = {"village": "Villager"}  # ours -> the papers', where they differ


def paper_tables(conditions: Conditions, baseline: str) -> list[ResultTable]:
    """Return every table that is defined for one condition or more.

    Args:
        conditions: Name -> games that count, all of one ruleset.
    """
    builders = (
        variation_table,
        vote_share_table,
        votes_between_roles_table,
        partial(opinion_table, subject=FAVOR),
        partial(opinion_table, subject=BELIEF),
        partial(called_win_table, baseline=baseline),
        partial(exile_win_table, baseline=baseline),
        leadership_table,
        leadership_role_table,
        role_ratio_table,
        system_win_table,
        board_table,
        partial(board_table, by_role=True),
        inducement_table,
        contradiction_table,
    )
    conditions_with_games = {name: games for name, games in conditions.items() if games}
    if have_one_statement(conditions_with_games):  # they have no votes, actions or wins
        return [statement_table(conditions_with_games)]
    return [table for build in builders if (table := build(conditions_with_games)) is not None]


def have_one_statement(conditions: Conditions) -> bool:
    """Return whether every game has one statement (the persona experiment, Humanized 3.1)."""
    counts = {len(game.statements) for games in conditions.values() for game in games}
    return counts == {1}


def statement_table(conditions: Conditions) -> ResultTable:
    """Return the statement of each condition's first game (Humanized, Table 2)."""
    title = "A statement of each persona (Humanized, Table 2)"
    table = ResultTable(title, ("Condition", "Persona", "Statement"), 3, key="table-humanized-2")
    for name, (first, *_rest) in conditions.items():
        (statement,) = first.statements
        persona = remove_digest(first.personas.get(statement.seat, DASH))
        table.add(name, persona, statement.text)
    table.note("Of the first game of each condition.")
    return table


def straw_polls_by_condition(conditions: Conditions) -> dict[str, polls.VotesByRole]:
    """Return condition -> its straw polls by role, without conditions that have none."""
    votes = {}
    for name, games in conditions.items():
        try:
            votes[name] = polls.votes_by_role(games)
        except NotDefined:
            continue
    return votes


def variation_table(conditions: Conditions) -> ResultTable | None:
    """Return the judgement variation by condition (Humanized, Table 5)."""
    votes = straw_polls_by_condition(conditions)
    head = ("Condition", "Polls", "1 / SD (divisor R*)", "95% CI", "1 / SD (divisor R* - 1)",
            "Published")  # fmt: skip
    table = ResultTable("Judgement variation (Humanized, Table 5)", head, key="table-humanized-5")
    table.help = (
        "How evenly straw polls are spread over the R* units of the deck: higher is more even. SD:"
        " of the units' shares. Published: with the divisor R*."
    )
    for name, by_role in votes.items():
        variations = (polls.judgement_variation(by_role, v) for v in polls.DIVISORS)
        cells = [value_cell(table, variation, 3) for variation in variations]
        interval = polls.variation_interval(conditions[name], PAPERS_DIVISOR)
        cells.insert(1, Cell("{:.2f} to {:.2f}".format(*interval) if interval else DASH))
        printed = printed_figure("humanized", "Table 5", polls.VARIATION, column=name)
        table.add(name, by_role.poll_count, *cells, printed or DASH)
    table.note(
        "CI: of the first value, by a jackknife over games; none below three games. With few games"
        " chance makes shares uneven and the value low: compare only conditions with as many games."
    )
    table.note(OTHER_MODEL, "“?”: the printed figure is in doubt (docs/metrics.md).")
    return table if votes else None


def vote_share_table(conditions: Conditions) -> ResultTable | None:
    """Return the share of each unit ("villager 2") of the straw polls (Humanized, Table 6)."""
    votes = straw_polls_by_condition(conditions)
    shares = {name: polls.share_figures(by_role) for name, by_role in votes.items()}
    units = list(dict.fromkeys(unit for row in shares.values() for unit in row))
    title = "Straw polls by role, per cent (Humanized, Table 6)"
    table = ResultTable(title, ("Unit", *shares), key="table-humanized-6", figure="votes-by-role")
    table.help = "Votes for a role that several players hold are split equally over its units."
    for unit in units:
        table.add(unit, *(value_cell(table, row[unit]) if unit in row else DASH
                          for row in shares.values()))  # fmt: skip
        paper_unit = unit.replace(" ", "")
        add_published_row(table, unit, [
            printed_figure("humanized", "Table 6", polls.SHARE, paper_unit, name, polls.OF_ALL)
            for name in shares
        ])  # fmt: skip
    table.note(OTHER_MODEL, *(f"{name}: {v.poll_count} polls." for name, v in votes.items()))
    return table if votes else None


def votes_between_roles(games: Games) -> dict[str, dict[str, float]]:
    """Return voter's role -> target's role -> per cent of the straw polls of that role."""
    votes = [
        (game.roles[voter], game.roles.get(target or 0))
        for game in games
        for poll in game.polls
        for voter, target in poll.votes.items()
    ]
    counts, polls_by_role = Counter(votes), Counter(voter for voter, _target in votes)
    return {
        voter: {role: 100 * counts[voter, role] / polls_by_role[voter] for role in polls_by_role}
        for voter in sorted(polls_by_role)
    }


def votes_between_roles_table(conditions: Conditions) -> ResultTable | None:
    """Return the table of `votes_between_roles` by condition."""
    votes = {
        name: votes_between_roles(conditions[name]) for name in straw_polls_by_condition(conditions)
    }
    roles = sorted({role for row in votes.values() for role in row})
    title = "Straw polls: which role votes for which, per cent of the voter's role"
    table = ResultTable(title, ("Condition", "Voter", *roles), 2, key="votes-between-roles",
                        folded=True, figure="votes-between-roles")  # fmt: skip
    for name, row in votes.items():
        for voter, per_cents in row.items():
            table.add(name, voter, *(f"{per_cents.get(role, 0.0):.1f}" for role in roles))
    return table if votes else None


def called_win_table(conditions: Conditions, baseline: str) -> ResultTable | None:
    """Return the straw polls that would let each team win, per cent (Humanized, Table 7)."""
    shares = {
        name: polls.team_shares(votes)
        for name, votes in straw_polls_by_condition(conditions).items()
        if votes.exile_wins
    }
    if not shares:
        return None
    title = "Straw polls for roles whose exile lets a team win, per cent (Humanized, Table 7)"
    table = ResultTable(title, ("Team", "Random", *shares), key="table-humanized-7")
    values = {name: {team: figures[polls.CALLED_WIN_RATE] for team, figures in row.items()}
              for name, row in shares.items()}  # fmt: skip
    first = next(iter(shares.values()))
    chances = {team: row[polls.RANDOM] for team, row in first.items()}
    _add_marked_rows(table, values, chances, baseline)
    for team in chances:
        paper_team = PUBLISHED_TEAMS.get(team, team)
        add_published_row(table, team, [
            printed_figure("humanized", "Table 7", polls.TEAM_SHARE, paper_team, name)
            for name in ("Random", *shares)
        ])  # fmt: skip
    table.note(OTHER_MODEL)
    return table


def exile_win_table(conditions: Conditions, baseline: str) -> ResultTable | None:
    """Return wins of the teams by exile, in per cent, beside those of a random exile."""
    one_exile = {n: games for n, games in conditions.items() if games[0].exile_wins}
    if not one_exile:
        return None
    title = "Games won, per cent (Humanized, Table 7, by who was out)"
    table = ResultTable(title, ("Team", "Random", *one_exile), key="table-humanized-7-wins",
                        figure=WINS_BY_TEAM)  # fmt: skip
    values = {
        name: {
            team: replace(figure, value=100 * (figure.value or 0))
            for team, figure in outcomes.wins_by_team(games).items()
        }
        for name, games in one_exile.items()
    }
    game = next(iter(one_exile.values()))[0]
    winners = [game.exile_wins.get(role, game.exile_wins[""]) for role in game.roles.values()]
    chances = {
        team: Figure("random", "", 100 * winners.count(team) / len(winners), 1, "")
        for team in sorted({*winners})
    }
    _add_marked_rows(table, values, chances, baseline)
    table.note(*(f"{name}: {len(games)} games." for name, games in one_exile.items()))
    return table


def _add_marked_rows(
    table: ResultTable,
    values: Mapping[str, Mapping[str, Figure]],
    chances: Mapping[str, Figure],
    baseline: str,
) -> None:
    """Add a row for each team, with arrows at values far from the baseline's (ARROW_POINTS).

    Args:
        values: Condition -> team -> per cent.
        chances: Team -> per cent by chance.
    """
    for team, chance in chances.items():
        cells = [value_cell(table, chance)]
        reference = values.get(baseline, {}).get(team)
        base = reference.value if reference else None
        for name, row in values.items():
            figure = row.get(team) or Figure("win", "", None, 0, "", "the team does not play")
            is_compared = base is not None and figure.value is not None and name != baseline
            mark = polls.arrow(figure.value or 0, base or 0) if is_compared else ""
            cells.append(value_cell(table, figure, mark=mark))
        table.add(team, *cells)
    if baseline in values:
        table.note(
            f"↑ ↓: {polls.ARROW_POINTS:g} percentage points or more from “{baseline}”, as the paper"
            " marks them. It is no test."
        )


def system_win_table(conditions: Conditions) -> ResultTable | None:
    """Return wins by system and role, in per cent (Impressions, Tables 5 and 6)."""
    games = [game for row in conditions.values() for game in row]
    wins = outcomes.wins_by_system(games)
    if len(wins) < 2 or len({game.ruleset for game in games}) > 1:
        return None
    roles = sorted({role for row in wins.values() for role in row})
    title = "Games won by system and role, per cent (Impressions, Tables 5 and 6)"
    table = ResultTable(title, ("System", *roles), key="table-impressions-5",
                        figure=WINS_BY_SYSTEM)  # fmt: skip
    for system, row in wins.items():
        table.add(system, *(_win_text(row[role]) if role in row else DASH for role in roles))
        add_published_row(table, system, [printed_win(system, role) for role in roles])
    table.note(
        "Behind each share: the games, and Clopper and Pearson's interval of 95 % over games. It"
        " takes games of one deal for independent. Intervals of other tables rest on how deals"
        " differ."
    )
    return table


def printed_win(system: str, role: str) -> str:
    """Return the published percentage of games that the system won in the role, or ""."""
    return printed_figure("impressions", "Table 5", outcomes.SYSTEM_WIN, system, role) or (
        printed_figure("impressions", "Table 6", outcomes.SYSTEM_WIN, system, role)
    )


def _win_text(figure: Figure) -> str:
    """Return per cent, games and interval, such as "40.0 (10; 12 to 74)"."""
    low, high = figure.interval or (0.0, 100.0)
    return f"{figure.value:.1f} ({figure.n}; {low:.0f} to {high:.0f})"


def inducement_table(conditions: Conditions) -> ResultTable | None:
    """Return attempts to win votes and their success (Impressions, section 8)."""
    title = "Vote inducing (Impressions, section 8)"
    head = ("Condition", "Role and manner", "Attempts", "Exiled that day", "Agents pressing",
            "Margin to the next")  # fmt: skip
    table = ResultTable(title, head, 2, key="table-impressions-8")
    for name, games in conditions.items():
        for key, row in inducement.inducement_figures(games).items():
            counts = (f"{row[k].value:.0f}" for k in ("attempts", "successes"))
            means = (row["agents pressing the target"], row["margin to the next"])
            table.add(name, key, *counts, *(value_cell(table, mean) for mean in means))
        for callers, figure in inducement.success_by_callers(games).items():
            share = f"{(figure.value or 0) * figure.n:.0f}"
            table.add(name, f"targets pressed by {callers}", figure.n, share, DASH, DASH)
    table.note(
        "Published: Possessed, five seats, day 1: 11 of 15; Werewolf, thirteen seats: 2 of 27."
    )
    return table if table.rows else None


def contradiction_table(conditions: Conditions) -> ResultTable | None:
    """Return the mean number of self-contradictions in a game (Guarded 6)."""
    kinds = (*contradictions.KINDS, contradictions.TOTAL, contradictions.VOTES)
    title = "Contradictions a game (Guarded, section 6)"
    head = ("Condition", "System", *kinds)
    table = ResultTable(title, head, 2, key="table-guarded-contradictions")
    for name, games in conditions.items():
        for system, row in contradictions.contradiction_figures(games).items():
            table.add(name, system, *(value_cell(table, row[kind]) for kind in kinds))
    table.note("Published: 0.2 a game of five seats, all kinds together.")
    return table if table.rows else None
