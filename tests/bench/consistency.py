"""Whether anybody contradicts itself in two hundred games of house players.

`.venv/bin/python -m tests.bench consistency` prints who does. `make test` plays twenty of them.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

from tests.agents.test_consistency import contradictions

GAMES = 200


def main() -> None:
    with ProcessPoolExecutor(2) as pool:
        games = pool.map(contradictions, range(GAMES), chunksize=5)
        found = [bad for rows in games for bad in rows]
    print(f"{GAMES} games, contradictions: {len(found)}", *found, sep="\n")


if __name__ == "__main__":
    main()
