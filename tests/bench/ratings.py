"""The statistics of 36,000 ratings: alpha with its interval, all results, figures, memory.

In a process of its own, so that the memory is what a worker's task takes.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

from webapp.runtime.process_group import ROOT

RATERS, UNITS = 120, 300


def main() -> None:
    subprocess.run([sys.executable, "-m", "tests.bench.ratings"], cwd=ROOT, check=True)


def measure() -> None:
    began = time.perf_counter()
    from tests.study.making import campaign, dimension
    from webapp.statistics.agreement import krippendorff
    from webapp.statistics.marks import columns
    from webapp.statistics.rating_results import results
    from webapp.study.results.campaign_tables import campaign_tables
    from webapp.study.results.figures import distributions
    from webapp.study.results.result_table import latex, markdown

    told("imports", began)
    five = ["individuality", "naturalness", "interest", "deceiving", "closing"]
    for keys in (["interest"], five):
        marks = campaign(RATERS, UNITS // len(keys), keys)
        print(f"{len(marks):,} ratings, {RATERS} raters, {len(keys)} dimensions")
        if len(keys) == 1:
            ratings = columns(marks, sorted({mark.condition for mark in marks}))
            began = time.perf_counter()
            krippendorff(ratings)
            told("alpha at three levels, each with 2000 draws", began)
        began = time.perf_counter()
        found = results(marks, [dimension(key) for key in keys])
        told("all results", began)
        began = time.perf_counter()
        distributions(found)
        tables = campaign_tables(found)
        latex(tables)
        markdown(tables)
        told("figures and tables", began)


def told(what: str, began: float) -> None:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  {what}: {time.perf_counter() - began:.2f} s; most memory so far {most:.0f} MB")


if __name__ == "__main__":
    measure()
