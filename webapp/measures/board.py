"""Boards of players: strengths by Bradley and Terry's model over the games that they shared.

A player is a system (model and recipe), or all people together. The seats that won a game beat the
seats that lost it. A game has the weight of one comparison, divided equally among its pairs of a
winning and a losing seat. A pair of one player with itself is left out.

A strength is finite only if chains of comparisons lead from each player to each other player and
back (Ford 1957). Each strongly connected part has its own board; other players are on none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

import choix
import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from webapp.measures.figure import MIN_INTERVAL_GAMES
from webapp.measures.game_record import GameRecord
from webapp.statistics.intervals import t_quantile

PEOPLE = "People"
FEW_GAMES = 10  # players with fewer games are marked
MAX_FIT_STEPS = 10_000  # a league of eight systems needs about twenty steps
# Reasons why a player is on no board or has no interval, as the ends of a sentence.
MET_NOBODY = "it played against no other player"
WON_ALL = "it won every comparison and its strength has no upper bound"
LOST_ALL = "it lost every comparison and its strength has no lower bound"
ONE_WAY = "no chain of comparisons leads both to it and back from it"
ALONE = "no other player of this role is on its board"
FEW_ON_BOARD = f"the board has fewer than {MIN_INTERVAL_GAMES} games"
NEEDS_ONE_GAME = "without one of its games it would not be on the board"
MIN_COMPARISON_WEIGHT = 1e-9  # smaller weights are rounding errors

Matrix = NDArray[np.float64]  # [i, j]: weight of the comparisons that player i won against j
Vector = NDArray[np.float64]


class Player(NamedTuple):
    """A player of a board. The role is "" if all roles count together."""

    name: str
    role: str


@dataclass(frozen=True)
class Standing:
    name: str
    role: str
    games: int
    won: float  # share of its comparisons that it won, 0 to 1
    strength: float  # log-odds; their mean over the board's players (of the role) is 0
    interval: tuple[float, float] | None = None  # 95 % interval; if None, `reason` says why
    reason: str = ""


@dataclass(frozen=True)
class Board:
    """Players who can be compared, by role, the strongest first, and their number of games."""

    standings: tuple[Standing, ...]
    games: int


@dataclass(frozen=True)
class Boards:
    boards: tuple[Board, ...]
    left_out: Mapping[Player, str] = field(default_factory=dict)  # player on no board -> the reason
    undecided: int = 0  # number of games that nobody won, which do not count
    have_met: bool = False


def build_boards(games: Sequence[GameRecord], *, by_role: bool = False) -> Boards:
    """Return the boards of games of one ruleset, those with the most players first.

    Args:
        games: Seats with neither a system nor a person are left out.
        by_role: Whether a player is a system in one role. All roles are fitted together, and
            strengths are centred within each role.
    """
    decided = [game for game in games if game.winners]
    seated = [_players(game, by_role=by_role) for game in decided]
    players = sorted({player for by_seat in seated for player in by_seat.values()})
    index = {player: n for n, player in enumerate(players)}
    compared = (_comparisons(g, by_seat, index) for g, by_seat in zip(decided, seated, strict=True))
    matrices = [matrix for matrix in compared if matrix.any()]
    total = sum(matrices, np.zeros((len(players), len(players))))
    _count, part_by_player = connected_components(total > 0, connection="strong")
    boards, left_out = [], {}
    for part in dict.fromkeys(part_by_player):
        members = np.flatnonzero(part_by_player == part)
        if len(members) == 1:
            left_out[players[members[0]]] = _isolation_reason(total, members[0])
            continue
        parts = (matrix[np.ix_(members, members)] for matrix in matrices)
        played = [own for own in parts if own.any()]
        board, alone = _fit_board([players[n] for n in members], played)
        left_out.update(dict.fromkeys(alone, ALONE))
        boards += [board] if board.standings else []
    boards.sort(key=lambda board: -len(board.standings))
    undecided = len(games) - len(decided)
    return Boards(tuple(boards), dict(sorted(left_out.items())), undecided, bool(matrices))


def _players(game: GameRecord, *, by_role: bool) -> dict[int, Player]:
    """Return seat -> its player, without seats that have neither a system nor a person."""
    names = {s: PEOPLE if s in game.people else game.systems.get(s, "") for s in game.roles}
    return {s: Player(name, game.roles[s] if by_role else "") for s, name in names.items() if name}


def _comparisons(
    game: GameRecord, players: Mapping[int, Player], index: Mapping[Player, int]
) -> Matrix:
    """Return the weights of the game's comparisons.

    `players` are by seat; `index` has their numbers in the matrix.
    """
    won = [seat for seat in game.roles if seat in game.winners]
    lost = [seat for seat in game.roles if seat not in game.winners]
    matrix = np.zeros((len(index), len(index)))
    for winning_seat, losing_seat in product(won, lost):
        winner, loser = players.get(winning_seat), players.get(losing_seat)
        if winner and loser and winner.name != loser.name:
            matrix[index[winner], index[loser]] += 1 / (len(won) * len(lost))
    return matrix


def _isolation_reason(total: Matrix, player: int) -> str:
    """Return why a player is strongly connected with no other player."""
    has_won, has_lost = bool(total[player].any()), bool(total[:, player].any())
    return {
        (False, False): MET_NOBODY,
        (True, True): ONE_WAY,
        (True, False): WON_ALL,
        (False, True): LOST_ALL,
    }[has_won, has_lost]


def _fit_board(players: Sequence[Player], games: Sequence[Matrix]) -> tuple[Board, list[Player]]:
    """Return the board of a strongly connected part, and players who are alone in their role."""
    total = np.sum(games, axis=0)
    fitted = choix.ilsr_pairwise_dense(total, max_iter=MAX_FIT_STEPS)
    errors, dependent = _standard_errors(players, games, fitted), _dependent_players(total, games)
    strengths, roles = _center(fitted, players), [player.role for player in players]
    quantile = t_quantile(max(1, len(games) - 1))
    standings = []
    for n, (name, role) in enumerate(players):
        if roles.count(role) > 1:
            wins, losses = float(total[n].sum()), float(total[:, n].sum())
            strength, half = float(strengths[n]), quantile * float(errors[n])
            played = sum(bool(game[n].any() or game[:, n].any()) for game in games)
            reason = NEEDS_ONE_GAME if n in dependent else ""
            if len(games) < MIN_INTERVAL_GAMES:
                reason = FEW_ON_BOARD
            interval = None if reason else (strength - half, strength + half)
            won = wins / (wins + losses)
            standings.append(Standing(name, role, played, won, strength, interval, reason))
    standings.sort(key=lambda standing: (standing.role, -standing.strength, standing.name))
    alone = [player for player in players if roles.count(player.role) == 1]
    return Board(tuple(standings), len(games)), alone


def _standard_errors(players: Sequence[Player], games: Sequence[Matrix], fitted: Vector) -> Vector:
    """Return the errors of centred strengths by the infinitesimal jackknife over games.

    All seats of a game win or lose together, so only whole games are independent. The contribution
    of a game is a Newton step of the fit from its residuals. Leaving the game out instead gives
    almost the same, but fails if the board is not connected without it.
    """
    chance = 1 / (1 + np.exp(fitted[None, :] - fitted[:, None]))  # [i, j]: i wins against j
    total = np.sum(games, axis=0)
    weights = (total + total.T) * chance * (1 - chance)
    inverse = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    residuals = [game * (1 - chance) for game in games]
    scores = np.array([residual.sum(axis=1) - residual.sum(axis=0) for residual in residuals])
    influence = np.array([_center(inverse @ score, players) for score in scores])
    count = len(games)
    errors: Vector = np.sqrt(count / max(1, count - 1) * (influence**2).sum(axis=0))
    return errors


def _dependent_players(total: Matrix, games: Sequence[Matrix]) -> set[int]:
    """Return the players who would leave the largest board if one of the games were left out."""
    dependent: set[int] = set()
    for game in games:
        # Subtracting may leave a rounding error where there is no comparison any more.
        has_won_against = total - game > MIN_COMPARISON_WEIGHT
        count, parts = connected_components(has_won_against, connection="strong")
        if count > 1:
            dependent.update(np.flatnonzero(parts != np.bincount(parts).argmax()).tolist())
    return dependent


def _center(strengths: Vector, players: Sequence[Player]) -> Vector:
    """Return the strengths with mean 0 among the players of each role."""
    roles = np.array([player.role for player in players])
    means = {role: strengths[roles == role].mean() for role in dict.fromkeys(roles)}
    centred: Vector = strengths - np.array([means[role] for role in roles])
    return centred
