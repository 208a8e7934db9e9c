"""The contest deck of thirteen seats with its pack, and random clues of a long talk."""

from __future__ import annotations

from random import Random

from agents.deduction.likelihoods import Clue
from agents.packs import Pack, PackData
from game.engine.declarations import Look, Role, Team
from tests.two_days import TwoDays

SPECIES = (("werewolf", ("werewolf",)), ("human", ()))
SEATS = tuple(range(1, 14))


class Contest(TwoDays):
    """A ruleset with roles only, which is never played."""

    name = "contest-13"
    deck = (
        *("villager",) * 6,
        *("seer", "medium", "bodyguard", "possessed"),
        *("werewolf",) * 3,
    )
    seat_names = tuple(f"P{seat}" for seat in SEATS)
    default_role = "villager"
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
    """A ruleset with too many deals for both representations."""

    name = "crowd-40"
    deck = (*("villager",) * 28, "seer", "bodyguard", *("werewolf",) * 10)
    seat_names = tuple(f"P{seat}" for seat in range(1, 41))


CONTEST = Pack(Contest(), PackData(even_ends=True))


def random_clues(seed: int, number: int) -> tuple[Clue, ...]:
    """Return `number` different clues of all kinds, most of them accusations."""
    rng = Random(seed)
    clues: dict[Clue, None] = {}
    claimed_roles = ("villager", "villager", "seer", "medium", "bodyguard", "werewolf")
    for seat in SEATS:
        clues["claim", seat, (rng.choice(claimed_roles),)] = None
    single_clues = (("changed", ()), ("copied", ()), ("unclaimed", ("seer",)), ("silent", (2,)))
    for kind, details in single_clues:
        clues[kind, rng.choice(SEATS), details] = None
    while len(clues) < number:
        seat, target = rng.sample(SEATS, 2)
        kind = rng.choice(("report", "presses", "presses", "ballot", "ballot", "defends"))
        if kind != "report":
            clues[kind, seat, (target,)] = None
        elif rng.random() < 0.3:
            role, value = rng.choice(("seer", "medium")), rng.choice(("werewolf", "human"))
            clues["report", seat, (role, value, target)] = None
    return tuple(clues)
