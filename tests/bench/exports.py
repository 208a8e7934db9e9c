"""The export of 36,000 ratings: seconds for every file and for the archive, and memory.

In a process of its own, on a database of its own, so that the memory is what a web process takes.
"""

from __future__ import annotations

import os
import resource
import time

from tests.bench import measure_apart

RATERS, UNITS_PER_RATER, GAMES = 300, 36, 25


def main() -> None:
    measure_apart("exports", FABULA_DATA="{data}")


def measure() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    import django

    django.setup()
    from django.db import transaction

    from tests.study import world
    from webapp.play.live import dispatch
    from webapp.study import analysis
    from webapp.study import data as exports
    from webapp.study.models import Rating
    from webapp.study.rating import campaigns, rating_rows, units

    with dispatch.diverted(lambda game, opened: None), transaction.atomic():
        games = [world.ended_game() for _ in range(GAMES)]
        of = world.create_campaign(*games, raters_per_unit=18, units_per_rater=UNITS_PER_RATER)
        began = time.perf_counter()
        campaigns.plan(of)
        told("the plan, the first time", began)
        began = time.perf_counter()
        campaigns.plan(of)
        told("the plan, again", began)
        campaigns.open(of)
        rows = list(of.units.all())
        for n in range(RATERS):
            who = world.add_rater(of)
            for k in range(UNITS_PER_RATER):
                world.rate_unit(who, rows[(n * UNITS_PER_RATER + k) % len(rows)], (n + k) % 5 + 1)
    print(f"{Rating.objects.count():,} ratings of {len(rows)} units by {RATERS} raters")
    told("all that was made", began)
    for name in exports.FILES[:-1]:
        began = time.perf_counter()
        size = len(exports.build_file(of, name))
        told(f"{name} ({size:,} bytes)", began)
    began = time.perf_counter()
    size = len(exports.build_zip(of))
    told(f"the archive ({size:,} bytes)", began)
    began = time.perf_counter()
    rating_rows.to_ratings(of)
    told("the marks", began)
    began = time.perf_counter()
    analysis.input_digest(of)
    told("has anything changed?", began)
    began = time.perf_counter()
    units.draw_units(of)
    told("drawing again", began)


def told(what: str, began: float) -> None:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  {what}: {time.perf_counter() - began:.2f} s; most memory so far {most:.0f} MB")
