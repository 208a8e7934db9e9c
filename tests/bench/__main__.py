"""Run benchmarks (`make bench`), which print figures: `python -m tests.bench start live …`.

`python -m tests.bench house …` accepts the arguments of `tests.bench.house`, and `real-model` a
ruleset and a method.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from tests.bench import (
    attack,
    commits,
    consistency,
    contest,
    crowd,
    data_elsewhere,
    deduction,
    exports,
    freshness,
    games,
    helmsman,
    house,
    killed_study,
    level,
    live,
    long,
    models,
    monitor,
    page,
    phrases,
    raters,
    ratings,
    real_model,
    recovery,
    refusals,
    start,
    studies,
    tempo,
)

PARTS: dict[str, Callable[[], None]] = {
    "start": start.main,
    "live": live.main,
    "games": games.main,
    "page": page.main,
    "long": long.main,
    "tempo": tempo.main,
    "deduction": deduction.main,
    "freshness": freshness.main,
    "phrases": phrases.main,
    "consistency": consistency.main,
    "helmsman": helmsman.main,
    "contest": contest.main,
    "models": models.main,
    "refusals": refusals.main,
    "crowd": crowd.main,
    "spectators": crowd.spectators,
    "raters": raters.main,
    "commits": commits.main,
    "recovery": recovery.main,
    "attack": attack.main,
    "ratings": ratings.main,
    "level": level.main,
    "exports": exports.main,
    "studies": studies.main,
    "monitor": monitor.main,
}


# Run only by name: they install packages and take long, or belong to another part.
ONLY_BY_NAME: dict[str, Callable[[], object]] = {
    "killed-study": killed_study.main,
    "real-model": real_model.main,
    "data-elsewhere": data_elsewhere.main,
}


def main() -> None:
    benchmarks: dict[str, Callable[[], object]] = {**PARTS, **ONLY_BY_NAME}
    if sys.argv[1:2] == ["house"]:
        house.main(sys.argv[2:])
        return
    if sys.argv[1:2] == ["real-model"]:
        real_model.main(*sys.argv[2:])
        return
    names = sys.argv[1:] or list(PARTS)
    if unknown := [name for name in names if name not in benchmarks]:
        sys.exit(f"unknown: {', '.join(unknown)}; known: {', '.join(benchmarks)}")
    for name in names:
        print(f"\n== {name} ==", flush=True)
        benchmarks[name]()


if __name__ == "__main__":
    main()
