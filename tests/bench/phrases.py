"""Check the understanding of sixty expansions of every phrase of the house player.

`.venv/bin/python -m tests.bench phrases` prints the errors. `make test` checks fewer expansions.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

from tests.agents.test_phrases import (
    PACK_KINDS,
    ROLE_NOTICES,
    find_misreadings,
    notices_read_as_claims,
)

TEXTS = 60  # expansions per phrase


def main() -> None:
    with ProcessPoolExecutor(2) as pool:
        errors = [
            error for rows in pool.map(_misreadings, PACK_KINDS, chunksize=8) for error in rows
        ]
    _report(
        f"kinds of phrases, over all games: {len(PACK_KINDS)}; not understood as meant, or not fit",
        errors,
    )
    claims = [c for notice in ROLE_NOTICES for c in notices_read_as_claims(*notice, TEXTS)]
    _report("roles in notices that are taken for claims", claims)


def _misreadings(pack_kind: tuple[str, str]) -> list[str]:
    return list(find_misreadings(*pack_kind, TEXTS))


def _report(title: str, errors: list[str]) -> None:
    print(f"{title}: {len(errors)}", *(f"  {text}" for text in errors), sep="\n")


if __name__ == "__main__":
    main()
