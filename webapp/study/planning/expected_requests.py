"""The expected number of requests to language models, of a game and of a condition's games."""

from __future__ import annotations

from collections import Counter, defaultdict

from agents import backends
from agents.recipe import METHODS, OFFICE
from game.engine import rulesets
from webapp.study.design.conditions import merge_tables
from webapp.study.design.stages import Design, TableDesign
from webapp.study.planning.game_lengths import game_length


def requests_of_game(table: TableDesign) -> int:
    """Return the expected number of requests of a game, without built-in players."""
    return round(sum(requests_by_backend(table).values()))


def requests_by_backend(table: TableDesign) -> dict[str, float]:
    """Return backend -> expected number of requests of a game, without built-in players."""
    game = game_length(table.ruleset, table.settings)
    deck = rulesets.get(table.ruleset).deck
    seats = len(deck)
    counts: dict[str, float] = defaultdict(float)
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
                counts[name] += share * (game.answers + faculty_requests) / seats
    return counts


def requests_of_condition(design: Design, table: TableDesign) -> Counter[str]:
    """Return backend -> expected number of requests of all games of a condition."""
    seats = len(rulesets.get(table.ruleset).deck)
    tables = [*system_tables(design, table, seats).values()] or [table]
    total: Counter[str] = Counter()
    for system_table in tables:
        for backend, count in requests_by_backend(system_table).items():
            total[backend] += round(design.assignment.games * count / len(tables))
    return total


def system_tables(design: Design, table: TableDesign, seats: int) -> dict[str, TableDesign]:
    """Return system -> the table with that system in its first `seats` seats."""
    tables = {}
    for system in design.experiment.league:
        own_seats = {str(seat): system.seat for seat in range(1, seats + 1)}
        casting = merge_tables(table.casting, own_seats)
        tables[system.name] = table.model_copy(update={"casting": casting})
    return tables


def _computer_seats(table: TableDesign, seats: int) -> list[int]:
    """Return the seats of computer players. Drawn seats of people count as the first seats."""
    people_seats = table.people_seats or range(1, min(table.people, seats) + 1)
    return [seat for seat in range(1, seats + 1) if seat not in people_seats]
