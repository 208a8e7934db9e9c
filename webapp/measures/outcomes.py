"""The outcomes of games: completion, win and their product (Helmsman D.5), and shares of wins."""

from collections.abc import Iterable, Sequence

from webapp.measures.figure import Figure, mean_figure
from webapp.measures.game_record import GameRecord
from webapp.statistics.intervals import clopper_pearson

COMPLETION, WIN, PRODUCT = "completion", "win", "completion_win"
TEAM_WIN, ROLE_WIN = "win_by_team", "win_by_role"
ELECTED = "elected_by_role"
SYSTEM_WIN, BY_SYSTEM = "win_rate", "by role, of a team"
GAMES = "share of games"


def is_completed(game: GameRecord) -> bool:
    """Return whether the Sheriff lived when the rules themselves ended the game.

    A game without a winner was ended by a stop rule, such as `max_rounds`, and is not completed.
    """
    game.require_leader(COMPLETION)
    return bool(game.leader) and game.leader not in game.dead and bool(game.winner)


def sheriff_won(game: GameRecord) -> bool | None:
    """Return whether the Sheriff's team won a completed game, None for any other game."""
    return game.teams[game.leader] == game.winner if is_completed(game) else None


def completion(games: Sequence[GameRecord]) -> Figure:
    """Return the share of completed games."""
    values = [float(is_completed(game)) for game in games]
    return mean_figure(COMPLETION, GAMES, values, "games", "there is no game")


def win(games: Sequence[GameRecord]) -> Figure:
    """Return the share of wins among completed games."""
    values = [float(result) for game in games if (result := sheriff_won(game)) is not None]
    omitted = {"games not completed": len(games) - len(values)}
    return mean_figure(WIN, "among completed", values, "games", "no game was completed", omitted)


def completion_win(games: Sequence[GameRecord]) -> Figure:
    """Return the product of completion and win, undefined if one of them is."""
    completed, won = completion(games), win(games)
    if completed.value is None or won.value is None:
        return Figure(PRODUCT, "product", None, completed.n, "games", won.reason)
    return Figure(PRODUCT, "product", completed.value * won.value, completed.n, "games")


def wins_by_team(games: Sequence[GameRecord]) -> dict[str, Figure]:
    """Return team -> the share of games that it won, of all games."""
    teams = sorted({team for game in games for team in game.teams.values()})
    return {
        team: mean_figure(TEAM_WIN, GAMES, [float(g.winner == team) for g in games], "games", "")
        for team in teams
    }


def wins_by_role(games: Sequence[GameRecord]) -> dict[str, Figure]:
    """Return role -> the share of winners among its holders of all games."""
    holders = ((role, seat in game.winners) for game in games for seat, role in game.roles.items())
    return _shares_by_role(holders, ROLE_WIN, "share of holders", "players")


def elected_by_role(games: Sequence[GameRecord]) -> dict[str, Figure]:
    """Return role -> the share of its candidates who were elected (SPEC 2.9).

    If games name a tested seat, only tested candidates count.
    """
    only_tested = any(game.tested for game in games)
    candidacies = (
        (game.roles[seat], seat == game.elected)
        for game in games
        for seat in game.candidates
        if seat == game.tested or not only_tested
    )
    variant = "tested seat" if only_tested else "everybody who stood"
    return _shares_by_role(candidacies, ELECTED, variant, "candidacies")


def _shares_by_role(
    successes: Iterable[tuple[str, bool]], metric: str, variant: str, unit: str
) -> dict[str, Figure]:
    """Return role -> share of successes, from (role, whether it was a success)."""
    values: dict[str, list[float]] = {}
    for role, is_success in successes:
        values.setdefault(role, []).append(float(is_success))
    return {role: mean_figure(metric, variant, values[role], unit, "") for role in sorted(values)}


def wins_by_system(games: Sequence[GameRecord]) -> dict[str, dict[str, Figure]]:
    """Return system -> role -> the percentage of games that it won (Impressions 5, 6).

    The unit is a game: two seats of one system and role win or lose together.
    """
    table: dict[str, dict[str, list[bool]]] = {}
    for game in games:
        seats = sorted(game.systems.items(), key=lambda item: game.roles[item[0]])
        has_won = {(name, game.roles[seat]): seat in game.winners for seat, name in seats}
        for (system, role), won in has_won.items():
            table.setdefault(system, {}).setdefault(role, []).append(won)
    return {
        system: {role: share_of_games(sum(own), len(own)) for role, own in row.items()}
        for system, row in sorted(table.items())
    }


def share_of_games(won: int, games: int) -> Figure:
    """Return the percentage of games that were won, with Clopper and Pearson's interval.

    `webapp.study.results.estimates` has the same interval if no games share a deal.
    """
    low, high = clopper_pearson(won / games, games)
    interval = (100 * low, 100 * high)
    return Figure(SYSTEM_WIN, BY_SYSTEM, 100 * won / games, games, "games", interval=interval)
