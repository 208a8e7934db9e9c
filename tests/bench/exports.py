"""Time and memory of the export of 36,000 ratings, for every file and the archive.

Runs in a separate process and database, so that the memory is that of a web process.
"""

from __future__ import annotations

import os
import resource
import time

from tests.bench import measure_apart

RATERS = 300
UNITS_PER_RATER = 36
GAMES = 25


def main() -> None:
    measure_apart("exports", FABULA_DATA="{data}")


def measure() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    import django

    django.setup()
    from django.db import transaction

    from tests.study import world
    from webapp.play.live import notifier
    from webapp.study import analysis
    from webapp.study.data import campaign_export as exports
    from webapp.study.models import Rating
    from webapp.study.rating import campaigns, rating_plan, rating_rows, units

    with notifier.diverted(lambda game, opened: None), transaction.atomic():
        games = [world.ended_game() for _ in range(GAMES)]
        campaign = world.create_campaign(
            *games, raters_per_unit=18, units_per_rater=UNITS_PER_RATER
        )
        began = time.perf_counter()
        rating_plan.build_plan(campaign)
        report("the plan, the first time", began)
        began = time.perf_counter()
        rating_plan.build_plan(campaign)
        report("the plan, again", began)
        campaigns.open(campaign)
        rows = list(campaign.units.all())
        for n in range(RATERS):
            rater = world.add_rater(campaign)
            for k in range(UNITS_PER_RATER):
                world.rate_unit(rater, rows[(n * UNITS_PER_RATER + k) % len(rows)], (n + k) % 5 + 1)
    print(f"{Rating.objects.count():,} ratings of {len(rows)} units by {RATERS} raters")
    report("all that was made", began)
    for name in exports.FILE_NAMES[:-1]:
        began = time.perf_counter()
        size = len(exports.build_file(campaign, name))
        report(f"{name} ({size:,} bytes)", began)
    began = time.perf_counter()
    size = len(exports.build_zip(campaign))
    report(f"the archive ({size:,} bytes)", began)
    began = time.perf_counter()
    rating_rows.read_marks(campaign)
    report("the marks", began)
    began = time.perf_counter()
    analysis.input_digest(campaign)
    report("has anything changed?", began)
    began = time.perf_counter()
    units.draw_units(campaign)
    report("drawing again", began)


def report(step: str, began: float) -> None:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  {step}: {time.perf_counter() - began:.2f} s; most memory so far {peak:.0f} MB")
