"""Conduct of house players: answers, tricks, effect of faculties, truth about others.

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
from tests.agents.conduct import faculties, references, tricks

TRICK_DEALS = 200
FACULTY_DEALS = 60
REFERENCE_GAMES = 100


def print_addresses(path: str = "") -> None:
    """Print the direct addresses, or those of another file, with their answers."""
    report(*([Path(path)] if path else []))


def print_tricks(deals: str = "") -> None:
    """Print how often a Werewolf is exiled with each trick."""
    count = int(deals or TRICK_DEALS)
    seeds = [f"tricks/{i}" for i in range(count)]
    with ProcessPoolExecutor(2) as pool:
        for name in tricks.TRICKS:
            exiled = Counter(pool.map(partial(tricks.voted_out_role, name), seeds, chunksize=5))
            print(f"a Werewolf that {name} is voted out in {exiled['werewolf']} of {count} deals")


def print_contest(deals: str = "", ruleset: str = "aiwolf-5", *names: str) -> None:
    """Print how often Werewolves of the contest win with each trick."""
    count = int(deals or TRICK_DEALS)
    seeds = [f"tricks/{i}" for i in range(count)]
    with ProcessPoolExecutor(2) as pool:
        for name in names or tricks.TRICKS:
            wins = sum(
                pool.map(partial(tricks.werewolves_win, name, ruleset=ruleset), seeds, chunksize=5)
            )
            print(f"a Werewolf of {ruleset} that {name} wins {wins} of {count} games", flush=True)


def print_faculties(deals: str = "") -> None:
    """Print how many votes of the same deals change without each faculty."""
    count = int(deals or FACULTY_DEALS)
    with ProcessPoolExecutor(2) as pool:
        rows = list(pool.map(faculties.count_changed_votes, [f"parts/{i}" for i in range(count)]))
    for faculty in faculties.FACULTIES:
        print(f"without {faculty}: {sum(r[faculty] for r in rows)} of {8 * count} votes are others")


def print_references(games: str = "", ruleset: str = "one-night") -> None:
    """Print the share of false statements about others by kind of remark."""
    count = int(games or REFERENCE_GAMES)
    totals, false = Counter[str](), Counter[str]()
    seeds = [f"references/{i}" for i in range(count)]
    with ProcessPoolExecutor(2) as pool:
        for checks in pool.map(partial(references.check_references, ruleset=ruleset), seeds):
            for kind, is_true, text in checks:
                totals[kind] += 1
                if not is_true:
                    false[kind] += 1
                    print(f"not so ({kind}): {text}")
    by_kind = ", ".join(f"{kind} {false[kind]}/{n}" for kind, n in totals.most_common())
    print(f"said of others: {totals.total()}, not so: {false.total()} ({by_kind})")


PARTS: dict[str, Callable[..., None]] = {
    "addresses": print_addresses,
    "tricks": print_tricks,
    "contest": print_contest,
    "faculties": print_faculties,
    "references": print_references,
}


def main(part: str = "", *arguments: str) -> None:
    for name in [part] if part else PARTS:
        PARTS[name](*arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])
