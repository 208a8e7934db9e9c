"""Every phrase of the house player in sixty of the texts that it can become: is it understood?

`.venv/bin/python -m tests.bench phrases` prints what is not. `make test` looks at six texts each.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

from tests.agents.test_phrases import (
    ASIDE_SLOTS,
    ROLE_NOTICES,
    SAID,
    meaningful,
    misunderstood,
    taken_for_claims,
)

TEXTS = 60  # of a phrase


def main() -> None:

    with ProcessPoolExecutor(2) as pool:
        found = [bad for rows in pool.map(_misunderstood, SAID, chunksize=8) for bad in rows]
    _report(
        f"kinds of phrases, over all games: {len(SAID)}; not understood as meant, or not fit", found
    )
    _report("asides that mean something", [m for a in ASIDE_SLOTS for m in meaningful(*a, TEXTS)])
    claims = [c for notice in ROLE_NOTICES for c in taken_for_claims(*notice, TEXTS)]
    _report("roles in notices that are taken for claims", claims)


def _misunderstood(said: tuple[str, str]) -> list[str]:
    return list(misunderstood(*said, TEXTS))


def _report(what: str, found: list[str]) -> None:
    print(f"{what}: {len(found)}", *(f"  {text}" for text in found), sep="\n")


if __name__ == "__main__":
    main()
