"""The deck of thirteen seats with an agent's pack, and clues as a long talk gives them."""

from __future__ import annotations

from random import Random

from agents.deduction.likelihoods import Clue
from agents.packs import Pack, PackData
from game.engine.roles import Look, Role, Team
from tests.two_days import TwoDays

SPECIES = (("werewolf", ("werewolf",)), ("human", ()))
SEATS = tuple(range(1, 14))


class Contest(TwoDays):
    """Roles alone: nobody plays it."""

    name = "contest-13"
    deck = (
        *("villager",) * 6,
        *("seer", "medium", "bodyguard", "possessed"),
        *("werewolf",) * 3,
    )
    seat_names = tuple(f"P{seat}" for seat in SEATS)
    usual = "villager"
    teams = (Team("village", "Village", "", ""), Team("werewolf", "Werewolves", "", ""))
    roles = (
        Role("villager", "Villager", "village", ""),
        Role("seer", "Seer", "village", "", look=Look("divined", 1, SPECIES)),
        Role("medium", "Medium", "village", "", look=Look("medium_told", 1, SPECIES)),
        Role("bodyguard", "Bodyguard", "village", ""),
        Role("possessed", "Possessed", "werewolf", ""),
        Role("werewolf", "Werewolf", "werewolf", "", knows="role", is_hunted=True),
    )


class Crowd(Contest):
    """More deals than can be computed in either way."""

    name = "crowd-40"
    deck = (*("villager",) * 28, "seer", "bodyguard", *("werewolf",) * 10)
    seat_names = tuple(f"P{seat}" for seat in range(1, 41))


CONTEST = Pack(Contest(), PackData(even_ends=True))


def talk_of(seed: int, number: int) -> tuple[Clue, ...]:
    """Return `number` different clues of all kinds, most of them who presses whom."""
    rng = Random(seed)
    found: dict[Clue, None] = {}
    claimed = ("villager", "villager", "seer", "medium", "bodyguard", "werewolf")
    for seat in SEATS:
        found["claim", seat, (rng.choice(claimed),)] = None
    for kind, what in (("changed", ()), ("copied", ()), ("unclaimed", ("seer",)), ("silent", (2,))):
        found[kind, rng.choice(SEATS), what] = None
    while len(found) < number:
        seat, target = rng.sample(SEATS, 2)
        kind = rng.choice(("report", "presses", "presses", "ballot", "ballot", "defends"))
        if kind != "report":
            found[kind, seat, (target,)] = None
        elif rng.random() < 0.3:
            role, value = rng.choice(("seer", "medium")), rng.choice(("werewolf", "human"))
            found["report", seat, (role, value, target)] = None
    return tuple(found)
