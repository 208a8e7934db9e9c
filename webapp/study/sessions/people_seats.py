"""Which seats of a table are people's: preset, by preset roles, or drawn in balance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from django.utils.translation import gettext as _

from game.engine import rulesets
from game.engine.roles import in_force
from game.engine.script_run import ScriptRun
from game.engine.seeded_random import SeededRandom
from webapp.study.design import TableDesign
from webapp.study.value_checks import Refused


def dealt(table: TableDesign, seed: str) -> tuple[str, ...]:
    """The role that a game of this table and seed deals to each seat, in the seats' order."""
    ruleset = rulesets.get(table.ruleset)
    settings = {**in_force(ruleset.settings, table.settings), "blind": table.blind}
    opening = {"seats": list(ruleset.seat_names), "settings": settings, "people": []}
    run = ScriptRun(ruleset, [], SeededRandom(seed), opening)
    events = run.go_on({}, lambda wait: False)
    roles = {e["seat"]: str(e["role"]) for e in events if e.kind == "role_dealt"}
    return tuple(roles[seat] for seat in sorted(roles))


class Balance:
    """How often each seat and each role of one condition have been people's."""

    def __init__(self, seats: int) -> None:
        self._seats: Counter[int] = Counter()
        self._roles: Counter[str] = Counter()
        self._count = seats

    def count(self, seats: Sequence[int], roles: Sequence[str]) -> None:
        """These seats are people's in one more game."""
        self._seats.update(seats)
        self._roles.update(roles[seat - 1] for seat in seats)

    def choose(self, table: TableDesign, roles: Sequence[str], rng: SeededRandom) -> list[int]:
        """The seats of people, in the order in which they are filled. Raises Refused where the
        deal has no seat with a role that a person is to have."""
        if table.people_seats:
            return list(table.people_seats)
        wanted = list(table.people_roles) or [""] * table.people
        trial, chosen = Balance(self._count), list[int]()
        trial._seats, trial._roles = self._seats.copy(), self._roles.copy()
        for role in wanted:
            order = rng.shuffled(f"seat/{len(chosen)}", range(1, self._count + 1))
            fitting = [s for s in order if s not in chosen and (not role or roles[s - 1] == role)]
            if not fitting:
                told = _("No seat is left that is dealt the role {role}.")
                raise Refused([told.format(role=role)])
            seat = min(fitting, key=lambda s: trial._had(s, roles))
            trial.count([seat], roles)
            chosen.append(seat)
        return chosen

    def _had(self, seat: int, roles: Sequence[str]) -> float:
        """The less a seat and its role have been people's, measured by how often they are dealt: a
        role that two seats have is people's twice as often, so that no role tells who is one."""
        role = roles[seat - 1]
        return self._count * (self._seats[seat] + self._roles[role] / roles.count(role))
