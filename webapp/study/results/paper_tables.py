"""The papers' tables of an experiment's games, with the published figures beside ours.

Functions whose result may be None return it if the table is not defined for any of the conditions.
`webapp.measures` has the formulas.
"""

from collections.abc import Mapping
from functools import partial
from itertools import chain

from webapp.lab.stored_games import remove_digest
from webapp.measures import contradictions, inducement, outcomes, polls
from webapp.measures.figure import Figure
from webapp.measures.game_record import BELIEF, FAVOR, have_one_statement
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
    add_published_row,
    printed_figure,
    printed_win,
    value_cell,
)
from webapp.study.results.result_table import DASH, ResultTable, format_ends

# Keys of figures that `paper_figures` draws.
VOTES_BY_ROLE, VOTES_BETWEEN_ROLES = "votes-by-role", "votes-between-roles"
WINS_BY_TEAM, WINS_BY_SYSTEM = "wins-by-team", "wins-by-system"
PUBLISHED_TEAMS = {"village": "Villager"}  # our key -> the papers' name, where they differ


def paper_tables(conditions: Conditions, baseline: str) -> list[ResultTable]:
    """Return every table that is defined for one condition or more.

    Args:
        conditions: Name -> games that count, all of one ruleset. Those without games are ignored.
        baseline: The condition that the others are compared with.
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
    # Games of one statement have no votes, actions or wins.
    if have_one_statement(chain.from_iterable(conditions_with_games.values())):
        return [statement_table(conditions_with_games)]
    return [table for build in builders if (table := build(conditions_with_games)) is not None]


def statement_table(conditions: Conditions) -> ResultTable:
    """Return the only statement of each condition's first game (Humanized, Table 2)."""
    title = "A statement of each persona (Humanized, Table 2)"
    table = ResultTable(
        title, ("Condition", "Persona", "Statement"), text_columns=3, key="table-humanized-2"
    )
    for name, (first, *_rest) in conditions.items():
        (statement,) = first.statements
        persona = remove_digest(first.personas.get(statement.seat, DASH))
        table.add(name, persona, statement.text)
    table.note("Of the first game of each condition.")
    return table


def variation_table(conditions: Conditions) -> ResultTable | None:
    """Return the judgement variation by condition (Humanized, Table 5)."""
    votes = polls.votes_by_condition(conditions)
    values = ("1 / SD (divisor R*)", "95% CI", "1 / SD (divisor R* - 1)")
    head = ("Condition", "Polls", *values, "Published")
    table = ResultTable("Judgement variation (Humanized, Table 5)", head, key="table-humanized-5")
    table.help = (
        "How evenly straw polls are spread over the R* units of the deck: higher is more even. SD:"
        " of the units' shares. Published: with the divisor R*."
    )
    for name, by_role in votes.items():
        by_table, by_algorithm = (
            value_cell(table, polls.judgement_variation(by_role, divisor), 3)
            for divisor in (polls.TABLE_DIVISOR, polls.ALGORITHM_DIVISOR)
        )
        interval = format_ends(polls.variation_interval(conditions[name], polls.TABLE_DIVISOR), 2)
        printed = printed_figure("humanized", "Table 5", polls.VARIATION, column=name)
        table.add(name, by_role.poll_count, by_table, interval, by_algorithm, printed or DASH)
    table.note(
        "CI: of the first value, by a jackknife over games; none below three games. With few games"
        " chance makes shares uneven and the value low: compare only conditions with as many games."
    )
    table.note(OTHER_MODEL, "“?”: the printed figure is in doubt (docs/metrics.md).")
    return table if votes else None


def vote_share_table(conditions: Conditions) -> ResultTable | None:
    """Return the share of each unit ("villager 2") of the straw polls (Humanized, Table 6)."""
    votes = polls.votes_by_condition(conditions)
    shares = {name: polls.share_figures(by_role) for name, by_role in votes.items()}
    units = list(dict.fromkeys(unit for row in shares.values() for unit in row))
    title = "Straw polls by role, per cent (Humanized, Table 6)"
    table = ResultTable(title, ("Unit", *shares), key="table-humanized-6", figure=VOTES_BY_ROLE)
    table.help = "Votes for a role that several players hold are split equally over its units."
    for unit in units:
        rows = shares.values()
        table.add(unit, *(value_cell(table, r[unit]) if unit in r else DASH for r in rows))
        paper_unit = unit.replace(" ", "")  # "villager 2" is "Villager2" in the paper
        printed = [
            printed_figure("humanized", "Table 6", polls.SHARE, paper_unit, name, polls.OF_ALL)
            for name in shares
        ]
        add_published_row(table, unit, printed)
    table.note(OTHER_MODEL, *(f"{name}: {v.poll_count} polls." for name, v in votes.items()))
    return table if votes else None


def votes_between_roles_table(conditions: Conditions) -> ResultTable | None:
    """Return the table of `polls.votes_between_roles` by condition."""
    votes = {
        name: polls.votes_between_roles(conditions[name])
        for name in polls.votes_by_condition(conditions)
    }
    roles = sorted({role for row in votes.values() for role in row})
    title = "Straw polls: which role votes for which, per cent of the voter's role"
    head, key = ("Condition", "Voter", *roles), VOTES_BETWEEN_ROLES
    table = ResultTable(title, head, text_columns=2, key=key, folded=True, figure=key)
    for name, row in votes.items():
        for voter_role, per_cents in row.items():
            table.add(name, voter_role, *(f"{per_cents.get(role, 0.0):.1f}" for role in roles))
    return table if votes else None


def called_win_table(conditions: Conditions, baseline: str) -> ResultTable | None:
    """Return the straw polls that would let each team win, per cent (Humanized, Table 7)."""
    shares = {
        name: polls.team_shares(votes)
        for name, votes in polls.votes_by_condition(conditions).items()
        if votes.winner_by_exiled_role
    }
    if not shares:
        return None
    title = "Straw polls for roles whose exile lets a team win, per cent (Humanized, Table 7)"
    table = ResultTable(title, ("Team", "Random", *shares), key="table-humanized-7")
    values = {
        name: {team: figures[polls.CALLED_WIN_RATE] for team, figures in row.items()}
        for name, row in shares.items()
    }
    first = next(iter(shares.values()))
    chances = {team: row[polls.RANDOM] for team, row in first.items()}
    _add_marked_rows(table, values, chances, baseline)
    for team in chances:
        paper_team = PUBLISHED_TEAMS.get(team, team)
        printed = [
            printed_figure("humanized", "Table 7", polls.TEAM_SHARE, paper_team, name)
            for name in ("Random", *shares)
        ]
        add_published_row(table, team, printed)
    table.note(OTHER_MODEL)
    return table


def exile_win_table(conditions: Conditions, baseline: str) -> ResultTable | None:
    """Return the games that each team won, in per cent, beside those won by a random exile."""
    one_exile = with_one_exile(conditions)
    if not one_exile:
        return None
    title = "Games won, per cent (Humanized, Table 7, by who was out)"
    head, key = ("Team", "Random", *one_exile), "table-humanized-7-wins"
    table = ResultTable(title, head, key=key, figure=WINS_BY_TEAM)
    values = {
        name: {team: share.as_percentage() for team, share in outcomes.wins_by_team(games).items()}
        for name, games in one_exile.items()
    }
    game = next(iter(one_exile.values()))[0]
    winner_by_role = game.winner_by_exiled_role
    winners = [winner_by_role.get(role, winner_by_role[""]) for role in game.roles.values()]
    chances = {
        team: Figure("random", "", 100 * winners.count(team) / len(winners), 1, "")
        for team in sorted({*winners})
    }
    _add_marked_rows(table, values, chances, baseline)
    table.note(*(f"{name}: {len(games)} games." for name, games in one_exile.items()))
    return table


def with_one_exile(conditions: Conditions) -> Conditions:
    """Return the conditions in whose games one exile decides who wins."""
    return {name: games for name, games in conditions.items() if games[0].winner_by_exiled_role}


def _add_marked_rows(
    table: ResultTable,
    values: Mapping[str, Mapping[str, Figure]],
    chances: Mapping[str, Figure],
    baseline: str,
) -> None:
    """Add a row for each team, with arrows at values far from the baseline's (ARROW_POINTS).

    `values` has percentages by condition and team, `chances` those by chance.
    """
    for team, chance in chances.items():
        cells = [value_cell(table, chance)]
        reference = values.get(baseline, {}).get(team)
        reference_value = reference.value if reference else None
        for row in values.values():  # the baseline never has an arrow: it differs by 0
            figure = row.get(team) or Figure("win", "", None, 0, "", "the team does not play")
            cells.append(value_cell(table, figure, mark=polls.arrow(figure.value, reference_value)))
        table.add(team, *cells)
    if baseline in values:
        table.note(
            f"↑ ↓: {polls.ARROW_POINTS:g} percentage points or more from “{baseline}”, as the paper"
            " marks them. It is no test."
        )


def system_win_table(conditions: Conditions) -> ResultTable | None:
    """Return wins by system and role, in per cent (Impressions, Tables 5 and 6)."""
    if not (wins := comparable_wins(conditions)):
        return None
    roles = sorted({role for row in wins.values() for role in row})
    title = "Games won by system and role, per cent (Impressions, Tables 5 and 6)"
    head, key = ("System", *roles), "table-impressions-5"
    table = ResultTable(title, head, key=key, figure=WINS_BY_SYSTEM)
    for system, row in wins.items():
        table.add(system, *(_win_text(row[role]) if role in row else DASH for role in roles))
        add_published_row(table, system, [printed_win(system, role) for role in roles])
    table.note(
        "Behind each share: the games, and Clopper and Pearson's interval of 95 % over games. It"
        " takes games of one deal for independent. Intervals of other tables rest on how deals"
        " differ."
    )
    return table


def comparable_wins(conditions: Conditions) -> dict[str, dict[str, Figure]]:
    """Return system -> role -> share of wins, {} unless several systems play one ruleset."""
    games = list(chain.from_iterable(conditions.values()))
    wins = outcomes.wins_by_system(games)
    return wins if len(wins) > 1 and len({game.ruleset for game in games}) == 1 else {}


def _win_text(figure: Figure) -> str:
    """Return a share of games with their number and interval, such as "40.0 (10; 12 to 74)"."""
    assert figure.interval is not None
    low, high = figure.interval
    return f"{figure.value:.1f} ({figure.n}; {low:.0f} to {high:.0f})"


def inducement_table(conditions: Conditions) -> ResultTable | None:
    """Return attempts to win votes and their success (Impressions, section 8)."""
    title = "Vote inducing (Impressions, section 8)"
    counted, averaged = ("Attempts", "Exiled that day"), ("Agents pressing", "Margin to the next")
    head = ("Condition", "Role and manner", *counted, *averaged)
    table = ResultTable(title, head, text_columns=2, key="table-impressions-8")
    for name, games in conditions.items():
        for key, row in inducement.inducement_figures(games).items():
            counts = (f"{row[k].value:.0f}" for k in ("attempts", "successes"))
            means = (row["agents pressing the target"], row["margin to the next"])
            table.add(name, key, *counts, *(value_cell(table, mean) for mean in means))
        for callers, figure in inducement.success_by_callers(games).items():
            assert figure.value is not None  # only numbers of callers with targets are listed
            exile_count = f"{figure.value * figure.n:.0f}"
            table.add(name, f"targets pressed by {callers}", figure.n, exile_count, DASH, DASH)
    table.note(
        "Published: Possessed, five seats, day 1: 11 of 15; Werewolf, thirteen seats: 2 of 27."
    )
    return table if table.rows else None


def contradiction_table(conditions: Conditions) -> ResultTable | None:
    """Return the mean number of self-contradictions in a game (Guarded 6)."""
    kinds = (*contradictions.KINDS, contradictions.TOTAL, contradictions.VOTES)
    title = "Contradictions a game (Guarded, section 6)"
    head = ("Condition", "System", *kinds)
    table = ResultTable(title, head, text_columns=2, key="table-guarded-contradictions")
    for name, games in conditions.items():
        for system, row in contradictions.contradiction_figures(games).items():
            table.add(name, system, *(value_cell(table, row[kind]) for kind in kinds))
    table.note("Published: 0.2 a game of five seats, all kinds together.")
    return table if table.rows else None
