"""Time and memory of one seat's deduction with thirteen seats on day 4.

Compares factored deals, which play uses, with enumerated deals.
"""

from __future__ import annotations

import time
import tracemalloc
from unittest import mock

from agents.deduction import likelihoods
from agents.deduction.deals import enumerate_deals
from agents.deduction.factored_deals import factor_deals
from agents.deduction.likelihoods import Knowledge, deals_of, infer_roles
from tests.agents.contest import CONTEST, SEATS, random_clues
from tests.bench.figures import spread

CLUES = 300
# On day 4 three players were killed and three exiled, and a Villager knows nothing else.
VILLAGER = Knowledge(1, ((1, "villager"),), killed=(2, 3, 4), living=(1, *SEATS[7:]))


def main() -> None:
    began = time.perf_counter()
    print(f"{len(deals_of(CONTEST).rows):,} outer assignments in", _format_since(began))
    _print_inference_time("a new game, nothing known", Knowledge(1, ()), clears_clue_cache=True)
    _print_inference_time("the first decision on day 4", VILLAGER, clears_clue_cache=True)
    _print_inference_time("a later decision on day 4", VILLAGER, clears_clue_cache=False)
    print(f"most memory, kept clues included: {_peak_memory():.0f} MB")
    began = time.perf_counter()
    deals = enumerate_deals(CONTEST.deck)
    print(f"enumerated: {len(deals.rows):,} deals in", _format_since(began))
    with mock.patch.object(likelihoods, "deals_of", return_value=deals):
        _print_inference_time("enumerated, day 4", VILLAGER, clears_clue_cache=True, times=2)


def _peak_memory() -> float:
    """Return the peak megabytes of beliefs with a full clue cache."""
    for function in (deals_of, factor_deals, likelihoods._cached_weigh):
        function.cache_clear()
    tracemalloc.start()
    _print_inference_time("with memory traced", Knowledge(1, ()), clears_clue_cache=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def _print_inference_time(
    title: str, knowledge: Knowledge, *, clears_clue_cache: bool, times: int = 10
) -> None:
    """Print the time to infer roles from `CLUES` clues."""
    milliseconds = []
    for seed in range(times):
        clues = random_clues(seed, CLUES)
        infer_roles.cache_clear()
        if clears_clue_cache:
            likelihoods._cached_weigh.cache_clear()
        else:
            infer_roles(CONTEST, knowledge, clues[:-1])
        began = time.perf_counter()
        infer_roles(CONTEST, knowledge, clues)
        milliseconds.append((time.perf_counter() - began) * 1000)
    print(f"{title}, {CLUES} clues: {spread(milliseconds, 'ms')}")


def _format_since(began: float) -> str:
    return f"{time.perf_counter() - began:.3f} s"


if __name__ == "__main__":
    main()
