"""The expected number of requests to language models of a game at a table."""

from __future__ import annotations

from agents import backends
from agents.recipe import METHODS, OFFICE
from game.engine import rulesets
from webapp.study.design.stages import TableDesign
from webapp.study.planning.game_lengths import game_length


def requests_of_game(table: TableDesign) -> int:
    """Return the expected number of requests of a game, without built-in players."""
    return round(sum(requests_by_backend(table).values()))


def requests_by_backend(table: TableDesign) -> dict[str, float]:
    """Return backend -> expected number of requests of a game, without built-in players."""
    game = game_length(table.ruleset, table.settings)
    deck = rulesets.get(table.ruleset).deck
    seats = len(deck)
    counts: dict[str, float] = {}
    for seat in _computer_seats(table, seats):
        # The roles of the seats are those of the deck. Another deal changes the sum only if the
        # casting has both roles and seats.
        casting = {**table.casting.get(deck[seat - 1], {}), **table.casting.get(str(seat), {})}
        backend = casting.get("backend") or table.backend
        method = METHODS.get(casting.get("method") or table.method)
        faculty_names = method.own_faculties if method else ()
        faculty_requests = sum(game.faculties.get(name, 0) for name in faculty_names)
        # One seat at a time holds the badge, and each seat about as often.
        office_share = 1 / seats if (office := table.backends.get(OFFICE)) else 0
        for name, share in ((backend, 1 - office_share), (office, office_share)):
            if name and name != backends.HOUSE and share:
                requests = share * (game.answers + faculty_requests) / seats
                counts[name] = counts.get(name, 0) + requests
    return counts


def _computer_seats(table: TableDesign, seats: int) -> list[int]:
    """Return the seats of computer players. Drawn seats of people count as the first seats."""
    people_seats = table.people_seats or range(1, min(table.people, seats) + 1)
    return [seat for seat in range(1, seats + 1) if seat not in people_seats]
