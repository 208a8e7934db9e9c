"""Contradictions of house players in two hundred games.

`.venv/bin/python -m tests.bench consistency` prints them, and impossible stories of the Possessed
in `aiwolf-5`. `make test` plays a few of these games.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

from tests.agents.stories import find_impossible_claims, play_and_find_contradictions
from tests.agents.table import play

GAMES = 200


def main() -> None:
    with ProcessPoolExecutor(2) as pool:
        games = pool.map(play_and_find_contradictions, range(GAMES), chunksize=5)
        errors = [error for rows in games for error in rows]
        stories = [
            error
            for rows in pool.map(find_story_errors, range(GAMES), chunksize=5)
            for error in rows
        ]
    print(f"{GAMES} games, contradictions: {len(errors)}", *errors, sep="\n")
    print(f"{GAMES} games of aiwolf-5, false stories: {len(stories)}", *stories, sep="\n")


def find_story_errors(number: int) -> list[str]:
    """Return the impossible statements of the Possessed in one game."""
    return list(find_impossible_claims(play(f"story/{number}", "aiwolf-5")))


if __name__ == "__main__":
    main()
