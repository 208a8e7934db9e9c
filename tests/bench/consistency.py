"""Whether anybody contradicts itself in two hundred games of house players.

`.venv/bin/python -m tests.bench consistency` prints who does, and which stories of the Possessed of
`aiwolf-5` could not be true. `make test` plays a few of them.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

from tests.agents.table import play
from tests.agents.test_aiwolf_games import story_faults
from tests.agents.test_consistency import contradictions

GAMES = 200


def main() -> None:
    with ProcessPoolExecutor(2) as pool:
        games = pool.map(contradictions, range(GAMES), chunksize=5)
        found = [bad for rows in games for bad in rows]
        stories = [bad for rows in pool.map(possessed, range(GAMES), chunksize=5) for bad in rows]
    print(f"{GAMES} games, contradictions: {len(found)}", *found, sep="\n")
    print(f"{GAMES} games of aiwolf-5, false stories: {len(stories)}", *stories, sep="\n")


def possessed(number: int) -> list[str]:
    """What the Possessed of one game tells that could not be true."""
    return list(story_faults(play(f"story/{number}", "aiwolf-5")))


if __name__ == "__main__":
    main()
