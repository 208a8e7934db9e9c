"""How house players conduct themselves.

Whom they answer, what tricks they fall for, what of their mind their votes show, whether what they
say of others is so.

`.venv/bin/python -m tests.bench.conduct [addresses|tricks|contest|faculties|references] [GAMES]`
prints one part, or all; `tests.bench.house` prints all after its own figures. `references GAMES
RULESET` checks another game. `contest GAMES aiwolf-13 [TRICK …]` plays tricks at thirteen seats,
where all Werewolves play them.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from tests.agents.addresses import report
from tests.agents.conduct import parts, references, tricks

TRICK_DEALS = 200
FACULTY_DEALS = 60
REFERENCE_GAMES = 100


def addresses(path: str = "") -> None:
    """Twenty pointed addresses, or those of another file, with their answers."""
    report(*([Path(path)] if path else []))


def tricks_(deals: str = "") -> None:
    """How often a Werewolf is voted out that plays, says nothing, or confesses."""
    count = int(deals or TRICK_DEALS)
    seeds = [f"tricks/{i}" for i in range(count)]
    with ProcessPoolExecutor(2) as pool:
        for name in tricks.TRICKS:
            out = Counter(pool.map(partial(tricks.voted_out, name), seeds, chunksize=5))
            print(f"a Werewolf that {name} is voted out in {out['werewolf']} of {count} deals")


def contest(deals: str = "", ruleset: str = "aiwolf-5", *names: str) -> None:
    """How often Werewolves of the contest win that play, say nothing, confess or copy."""
    count = int(deals or TRICK_DEALS)
    seeds = [f"tricks/{i}" for i in range(count)]
    with ProcessPoolExecutor(2) as pool:
        for name in names or tricks.TRICKS:
            won = sum(pool.map(partial(tricks.wins, name, ruleset=ruleset), seeds, chunksize=5))
            print(f"a Werewolf of {ruleset} that {name} wins {won} of {count} games", flush=True)


def faculties(deals: str = "") -> None:
    """How many votes are others in the same deals where nobody has one of the faculties."""
    count = int(deals or FACULTY_DEALS)
    with ProcessPoolExecutor(2) as pool:
        rows = list(pool.map(parts.changed, [f"parts/{i}" for i in range(count)]))
    for faculty in parts.FACULTIES:
        print(f"without {faculty}: {sum(r[faculty] for r in rows)} of {8 * count} votes are others")


def references_(games: str = "", ruleset: str = "one-night") -> None:
    """How much of what is said of others is not true, by kind of remark."""
    count = int(games or REFERENCE_GAMES)
    said, false = Counter[str](), Counter[str]()
    seeds = [f"references/{i}" for i in range(count)]
    with ProcessPoolExecutor(2) as pool:
        for found in pool.map(partial(references.checked, ruleset=ruleset), seeds):
            for kind, so, words in found:
                said[kind] += 1
                if not so:
                    false[kind] += 1
                    print(f"not so ({kind}): {words}")
    told = ", ".join(f"{kind} {false[kind]}/{n}" for kind, n in said.most_common())
    print(f"said of others: {said.total()}, not so: {false.total()} ({told})")


PARTS: dict[str, Callable[..., None]] = {
    "addresses": addresses,
    "tricks": tricks_,
    "contest": contest,
    "faculties": faculties,
    "references": references_,
}


def main(which: str = "", *terms: str) -> None:
    for name in [which] if which else PARTS:
        PARTS[name](*terms)


if __name__ == "__main__":
    main(*sys.argv[1:])
