"""The papers' tables over the games of an experiment, ours and the published figures side by side.

Each function returns the table for some conditions, None if it is not defined for any of them. The
formulas are those of `webapp.measures`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from webapp.lab.published import PUBLISHED, Published
from webapp.measures import (
    contradictions,
    correlation,
    decision_change,
    inducement,
    outcomes,
    polls,
    ratio,
)
from webapp.measures.figure import Figure, over_games
from webapp.measures.game_record import GameRecord, NotDefined
from webapp.study.results.board_tables import board, board_by_role
from webapp.study.results.opinion_tables import belief, favor
from webapp.study.results.result_table import DASH, Cell, ResultTable

Games = Sequence[GameRecord]
Conditions = Mapping[str, Games]

OTHER_MODEL = (
    "Published figures are of the paper's model and setting. They stand beside a condition or"
    " system of the same name, and are no test."
)
HELMSMAN_1 = ("helmsman", "Table 1")
PAPERS_DIVISOR = next(iter(polls.DIVISORS))
TEAM_NAMES = {"village": "Villager"}  # ours -> the papers', where they differ
LEADERSHIP: tuple[tuple[str, Callable[[Games], Figure]], ...] = (
    ("Ratio", lambda games: over_games([ratio.ratio(game) for game in games])),
    ("DC, over the others", lambda games: _dc(games, "over_others")),
    ("DC, over all living", lambda games: _dc(games, "over_living")),
    ("Correlation, program", lambda games: over_games([correlation.program(g) for g in games])),
    ("Completion", outcomes.completion),
    ("Win among completed", outcomes.win),
    ("Product", outcomes.completion_win),
)


def _dc(games: Games, over: decision_change.Over) -> Figure:
    return over_games([decision_change.decision_change(game, over) for game in games])


def paper_tables(conditions: Conditions, baseline: str) -> list[ResultTable]:
    """Return every table that is defined for one condition or more.

    Args:
        conditions: Name -> games that count, all of one ruleset.
        baseline: The condition that others are marked against.
    """
    makers = (
        variation,
        vote_shares,
        between_roles,
        favor,
        belief,
        partial(called_wins, baseline=baseline),
        partial(wins_by_exile, baseline=baseline),
        leadership,
        leadership_by_role,
        system_wins,
        board,
        board_by_role,
        inducing,
        self_contradictions,
    )
    full = {name: games for name, games in conditions.items() if games}
    if are_openings(full):  # nobody votes, looks or wins in them
        return [one_statement_each(full)]
    return [table for make in makers if (table := make(full)) is not None]


def are_openings(conditions: Conditions) -> bool:
    """Return whether every game has one statement, as in the persona experiment (Humanized 3.1)."""
    counts = {len(game.statements) for games in conditions.values() for game in games}
    return counts == {1}


def one_statement_each(conditions: Conditions) -> ResultTable:
    """Return the statement of each condition's first game (Humanized, Table 2)."""
    title = "A statement of each persona (Humanized, Table 2)"
    table = ResultTable(title, ("Condition", "Persona", "Statement"), 3, key="table-humanized-2")
    for name, (first, *_others) in conditions.items():
        (statement,) = first.statements
        table.add(name, first.personas.get(statement.seat, DASH), statement.text)
    table.note("Of the first game of each condition.")
    return table


def _cell(table: ResultTable, figure: Figure, digits: int = 2, mark: str = "") -> Cell:
    """Return the value. The reason for an undefined one becomes a note."""
    if figure.value is None:
        table.note(f"{figure.metric.replace('_', ' ')}: {figure.why}.")
        return Cell(DASH)
    return Cell(f"{figure.value:.{digits}f}{mark and f' {mark}'}")


def printed_figure(
    paper: str, table: str, metric: str, row: str = "", column: str = "", variant: str = ""
) -> str:
    """Return a published figure as text, "" if there is none. A doubted one has a "?"."""

    def fits(one: Published) -> bool:
        return (
            (one.paper, one.table, one.metric) == (paper, table, metric)
            and (not row or one.row.casefold() == row.casefold())
            and (not column or one.column.casefold() == column.casefold())
            and (not variant or one.variant == variant)
        )

    figure_printed = next((one for one in PUBLISHED if fits(one)), None)
    if figure_printed is None or figure_printed.value is None:
        return ""
    return f"{figure_printed.value:g}{'?' if figure_printed.doubt else ''}"


def votes_of(conditions: Conditions) -> dict[str, polls.VotesByRole]:
    """Return the straw polls by condition, without conditions that have none."""
    counted = {}
    for name, games in conditions.items():
        try:
            counted[name] = polls.votes_by_role(games)
        except NotDefined:
            continue
    return counted


def variation(conditions: Conditions) -> ResultTable | None:
    """Return the judgement variation by condition (Humanized, Table 5)."""
    votes = votes_of(conditions)
    head = ("Condition", "Polls", "1 / SD, divided by R*", "95% CI", "Divided by R* - 1",
            "Published")  # fmt: skip
    table = ResultTable("Judgement variation (Humanized, Table 5)", head, key="table-humanized-5")
    table.help = "How evenly straw polls are spread over the eight units: higher is more even."
    for name, counted in votes.items():
        cells = [_cell(table, polls.judgement_variation(counted, v), 3) for v in polls.DIVISORS]
        cells.insert(1, _interval_cell(polls.variation_interval(conditions[name], PAPERS_DIVISOR)))
        printed = printed_figure("humanized", "Table 5", polls.VARIATION, column=name)
        table.add(name, counted.asked, *cells, printed or DASH)
    table.note(
        "CI: of the first value, by a jackknife over games; none below three games. With few games"
        " chance makes shares uneven and the value low: compare only conditions with as many games."
    )
    table.note(OTHER_MODEL, "“?”: the printed figure is in doubt (docs/metrics.md).")
    return table if votes else None


def _interval_cell(interval: tuple[float, float] | None) -> Cell:
    return Cell(f"{interval[0]:.2f} to {interval[1]:.2f}" if interval else DASH)


def vote_shares(conditions: Conditions) -> ResultTable | None:
    """Return each unit's share of the straw polls, in per cent (Humanized, Table 6)."""
    votes = votes_of(conditions)
    shares = {name: polls.share_figures(counted) for name, counted in votes.items()}
    units = list(dict.fromkeys(unit for row in shares.values() for unit in row))
    title = "Straw polls by role, per cent (Humanized, Table 6)"
    table = ResultTable(title, ("Unit", *shares), key="table-humanized-6", figure="votes-by-role")
    table.help = "Votes for a role that several players hold are split equally over its units."
    for unit in units:
        row = (_cell(table, of[unit]) if unit in of else DASH for of in shares.values())
        table.add(unit, *row)
        printed = [
            printed_figure(
                "humanized", "Table 6", polls.SHARE, unit.replace(" ", ""), name, polls.OF_ALL
            )
            for name in shares
        ]
        if any(printed):
            table.add(f"{unit}, published", *(one or DASH for one in printed), style="quiet")
    table.note(OTHER_MODEL, *(f"{name}: {v.asked} polls." for name, v in votes.items()))
    return table if votes else None


def votes_between_roles(games: Games) -> dict[str, dict[str, float]]:
    """Return voter's role -> target's role -> per cent of the straw polls of that role."""
    counts: dict[str, Counter[str]] = {}
    polls_by_role: Counter[str] = Counter()
    for game in games:
        for voter, target in ((v, t) for poll in game.polls for v, t in poll.votes.items()):
            polls_by_role[game.roles[voter]] += 1
            if target:
                counts.setdefault(game.roles[voter], Counter())[game.roles[target]] += 1
    return {
        voter: {
            role: 100 * counts.get(voter, Counter())[role] / polls_by_role[voter]
            for role in polls_by_role
        }
        for voter in sorted(polls_by_role)
    }


def between_roles(conditions: Conditions) -> ResultTable | None:
    """Return which role votes for which in straw polls."""
    votes = {name: votes_between_roles(conditions[name]) for name in votes_of(conditions)}
    roles = sorted({role for of in votes.values() for role in of})
    title = "Straw polls: which role votes for which, per cent of the voter's role"
    table = ResultTable(title, ("Condition", "Voter", *roles), 2, key="votes-between-roles",
                        folded=True, figure="votes-between-roles")  # fmt: skip
    for name, of in votes.items():
        for voter, row in of.items():
            table.add(name, voter, *(f"{row.get(role, 0.0):.1f}" for role in roles))
    return table if votes else None


def called_wins(conditions: Conditions, baseline: str) -> ResultTable | None:
    """Return the votes that would let each team win, in per cent (Humanized, Table 7)."""
    shares = {}
    for name, counted in votes_of(conditions).items():
        try:
            shares[name] = polls.team_shares(counted)
        except NotDefined:
            continue
    if not shares:
        return None
    title = "Votes that let a team win, per cent (Humanized, Table 7, as printed)"
    table = ResultTable(title, ("Team", "Random", *shares), key="table-humanized-7")
    values = {name: {t: row[polls.CALLED_WIN_RATE] for t, row in of.items()}
              for name, of in shares.items()}  # fmt: skip
    first = next(iter(shares.values()))
    random = {team: row[polls.RANDOM] for team, row in first.items()}
    _add_marked(table, values, random, baseline)
    for team in random:
        printed = [
            printed_figure(
                "humanized", "Table 7", polls.TEAM_SHARE, TEAM_NAMES.get(team, team), name
            )
            for name in ("Random", *shares)
        ]
        if any(printed):
            table.add(f"{team}, published", *(one or DASH for one in printed), style="quiet")
    table.note(OTHER_MODEL)
    return table


def wins_by_exile(conditions: Conditions, baseline: str) -> ResultTable | None:
    """Return wins of the teams by who was exiled, in per cent, beside a random exile."""
    one_exile = {n: games for n, games in conditions.items() if games[0].exile_wins}
    if not one_exile:
        return None
    title = "Games won, per cent (Humanized, Table 7, by who was out)"
    table = ResultTable(title, ("Team", "Random", *one_exile), key="table-humanized-7-wins")
    values = {
        name: {team: _per_cent(figure) for team, figure in outcomes.wins_by_team(games).items()}
        for name, games in one_exile.items()
    }
    game = next(iter(one_exile.values()))[0]
    winners = [game.exile_wins.get(role, game.exile_wins[""]) for role in game.roles.values()]
    random = {
        team: Figure("random", "", 100 * winners.count(team) / len(winners), 1, "")
        for team in sorted({*winners})
    }
    _add_marked(table, values, random, baseline)
    table.note(*(f"{name}: {len(games)} games." for name, games in one_exile.items()))
    return table


def _per_cent(figure: Figure) -> Figure:
    value = None if figure.value is None else 100 * figure.value
    return Figure(figure.metric, figure.variant, value, figure.n, figure.unit, figure.why)


def _add_marked(
    table: ResultTable,
    values: Mapping[str, Mapping[str, Figure]],
    random: Mapping[str, Figure],
    baseline: str,
) -> None:
    """Add a row for each team, with marks at 5 points from the baseline."""
    for team, chance in random.items():
        row = [_cell(table, chance)]
        base = values[baseline][team].value if baseline in values else None
        for name, of in values.items():
            figure = of.get(team) or Figure("win", "", None, 0, "", "the team does not play")
            marked = base is not None and figure.value is not None and name != baseline
            mark = polls.arrow(figure.value or 0, base or 0) if marked else ""
            row.append(_cell(table, figure, mark=mark))
        table.add(team, *row)
    if baseline in values:
        table.note(f"↑ ↓: {polls.ARROW_POINTS:g} percentage points or more from “{baseline}”.")


def leadership(conditions: Conditions) -> ResultTable | None:
    """Return the Sheriff's metrics by condition (Helmsman, Tables 1, 2, 23 to 25)."""
    led = {name: games for name, games in conditions.items() if games[0].has_leader}
    head = ("Condition", "Games", *(label for label, _make in LEADERSHIP))
    title = "The Sheriff's lead (Helmsman, Tables 1, 2 and 23 to 25)"
    table = ResultTable(title, head, key="table-helmsman-1")
    for name, games in led.items():
        cells = [_cell(table, make(games), 3) for _label, make in LEADERSHIP]
        table.add(name, len(games), *cells)
    names = {level.casefold() for name in led for level in name.split("+")}
    of_table_1 = [one for one in PUBLISHED if (one.paper, one.table) == HELMSMAN_1]
    for model in dict.fromkeys(o.column for o in of_table_1 if o.column.casefold() in names):
        printed = [printed_figure(*HELMSMAN_1, metric, column=model) for metric in ("ratio", "dc")]
        rest = [DASH] * (len(LEADERSHIP) - 3)
        table.add(f"{model}, published", 30, printed[0], DASH, printed[1], *rest, style="quiet")
    table.note(OTHER_MODEL)
    return table if led else None


def leadership_by_role(conditions: Conditions) -> ResultTable | None:
    """Return Ratio and DC by the Sheriff's role (Helmsman, Figure 3)."""
    title = "The Sheriff's lead by role (Helmsman, Figure 3)"
    head = ("Condition", "Sheriff's role", "Games", "Ratio", "DC, over all living")
    table = ResultTable(title, head, 2, key="figure-helmsman-3")
    for name, games in conditions.items():
        if not games[0].has_leader:
            continue
        for role in sorted({_leader_role(game) for game in games} - {""}):
            own = [game for game in games if _leader_role(game) == role]
            cells = (_cell(table, make(own), 3) for make in (LEADERSHIP[0][1], LEADERSHIP[2][1]))
            table.add(name, role, len(own), *cells)
    return table if table.rows else None


def _leader_role(game: GameRecord) -> str:
    return game.roles.get(game.leader, "") if game.leader else ""


def system_wins(conditions: Conditions) -> ResultTable | None:
    """Return wins by system and role, in per cent (Impressions, Tables 5 and 6)."""
    games = [game for of in conditions.values() for game in of]
    wins = outcomes.wins_by_system(games)
    if len(wins) < 2 or len({game.ruleset for game in games}) > 1:
        return None
    roles = sorted({role for row in wins.values() for role in row})
    title = "Games won by system and role, per cent (Impressions, Tables 5 and 6)"
    table = ResultTable(title, ("System", *roles), key="table-impressions-5")
    for system, row in wins.items():
        table.add(system, *(_win(row[role]) if role in row else DASH for role in roles))
    table.note(
        "Behind each share: the games, and Wilson's interval of 95 % over games. It needs no spread"
        " between games, so it exists at 0 and 100 per cent too; intervals of other tables rest on"
        " how games or deals differ, and are undefined where all came out alike."
    )
    return table


def _win(figure: Figure) -> str:
    low, high = figure.interval or (0.0, 100.0)
    return f"{figure.value:.1f} ({figure.n}; {low:.0f} to {high:.0f})"


def inducing(conditions: Conditions) -> ResultTable | None:
    """Return attempts to win votes and their success (Impressions, section 8)."""
    title = "Vote inducing (Impressions, section 8)"
    head = ("Condition", "Role and manner", "Attempts", "Exiled that day", "Agents pressing",
            "Margin to the next")  # fmt: skip
    table = ResultTable(title, head, 2, key="table-impressions-8")
    for name, games in conditions.items():
        for key, row in inducement.figures(games).items():
            counts = (f"{row[k].value:.0f}" for k in ("attempts", "successes"))
            means = (row["agents pressing the target"], row["margin to the next"])
            table.add(name, key, *counts, *(_cell(table, one) for one in means))
        for callers, figure in inducement.success_by_callers(games).items():
            share = f"{(figure.value or 0) * figure.n:.0f}"
            table.add(name, f"targets pressed by {callers}", figure.n, share, DASH, DASH)
    table.note(
        "Published: Possessed, five seats, day 1: 11 of 15; Werewolf, thirteen seats: 2 of 27."
    )
    return table if table.rows else None


def self_contradictions(conditions: Conditions) -> ResultTable | None:
    """Return contradictions a game (Guarded 5)."""
    kinds = (*contradictions.KINDS, contradictions.TOTAL, contradictions.VOTES)
    title = "Contradictions a game (Guarded, section 5)"
    head = ("Condition", "System", *kinds)
    table = ResultTable(title, head, 2, key="table-guarded-contradictions")
    for name, games in conditions.items():
        for system, row in contradictions.figures(games).items():
            table.add(name, system, *(_cell(table, row[kind]) for kind in kinds))
    table.note("Published: 0.2 a game.")
    return table if table.rows else None
