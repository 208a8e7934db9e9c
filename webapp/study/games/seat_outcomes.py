"""The outcome of each seat in a finished game (role, team, elimination, victory), and its deal.

Raters see it only if the instrument's page shows the end of the game (`game_reveal`).
"""

from dataclasses import dataclass
from functools import lru_cache

from game import selectors
from game.engine import rulesets, visibility
from game.engine.ruleset import team_of
from game.engine.seeded_random import SeededRandom
from game.models import Game


@dataclass(frozen=True)
class SeatOutcome:
    role: str  # the key of its role, "" if unknown
    team: str  # the key of its team, "" if its role is unknown
    out: str  # why it is out of the game, "" if it is not
    has_won: bool


def get_seat_outcomes(game: Game) -> tuple[SeatOutcome, ...]:
    """Return the outcomes of the seats in order. Cached by the game's version."""
    return _cached_outcomes(game.pk, game.code, game.version)


def has_no_winner(seats: tuple[SeatOutcome, ...]) -> bool:
    """Return whether no team has won."""
    return not any(seat.has_won for seat in seats)


@lru_cache(maxsize=512)
def _cached_outcomes(pk: int, code: str, version: int) -> tuple[SeatOutcome, ...]:
    # `code` is only part of the cache key: a restored database can use a pk for another game.
    game = Game.objects.get(pk=pk)
    ruleset = rulesets.get(game.ruleset)
    state = selectors.view_for(game, visibility.MODERATOR).state
    outcomes = []
    for seat in range(1, len(state.seats) + 1):
        role = state.roles.get(seat, "")
        team = team_of(ruleset, role) if role else ""
        out, has_won = state.out.get(seat, ""), bool(team) and team == state.winner
        outcomes.append(SeatOutcome(role=role, team=team, out=out, has_won=has_won))
    return tuple(outcomes)


def build_deal_key(game: Game) -> str:
    """Return a key that is equal for two games if and only if their deals are equal.

    The key has the roles, because settings can deal other roles from the same seed. It leaves out
    the part of the seed after "#", which changes only what players draw.
    """
    roles = ",".join(seat.role for seat in get_seat_outcomes(game))
    return f"{game.ruleset}/{SeededRandom(game.seed).deal_generator.seed}/{roles}"
