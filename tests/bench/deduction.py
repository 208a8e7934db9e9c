"""Deduction at thirteen seats: seconds and memory for each new piece of evidence."""

from __future__ import annotations

import resource
import time

from agents.deduction import Belief, deals
from tests.bench.figures import spread

# The deck of thirteen seats: 1,441,440 deals.
DECK = (
    *("villager",) * 6,
    *("seer", "medium", "bodyguard", "possessed"),
    *("werewolf",) * 3,
)
CLAIM = {"seer": 0.9, "werewolf": 0.2, "possessed": 0.5}


def main() -> None:
    began = time.perf_counter()
    all_ = deals(DECK)
    print(f"{len(all_.rows):,} deals made in {time.perf_counter() - began:.2f} s")
    belief = Belief(DECK)
    belief.probabilities()  # the numbers of the groups are made once
    seconds = []
    for seat in range(1, len(DECK) + 1):
        began = time.perf_counter()
        belief.clue(all_.by_role(seat, CLAIM, 0.02))
        belief.probabilities()
        seconds.append((time.perf_counter() - began) * 1000)
    print(f"a new clue and everyone's probabilities: {spread(seconds, 'ms')}")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"most memory of the process: {most:.0f} MB")


if __name__ == "__main__":
    main()
