"""The statistics of many ratings: alpha with its interval, all results, figures, memory.

36,000 ratings of one and of five items, and 200 raters with 30 units of five items each. Times are
of the processor.

In a process of its own, so that the memory is what a worker's task takes.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

from webapp.runtime.process_group import ROOT

FIVE = ["individuality", "naturalness", "interest", "deceiving", "closing"]
CASES = ((120, 300, ["interest"]), (120, 60, FIVE), (200, 30, FIVE))  # raters, units, items


def main() -> None:
    subprocess.run([sys.executable, "-m", "tests.bench.ratings"], cwd=ROOT, check=True)


def measure() -> None:
    began = time.process_time()
    from tests.study.making import campaign_marks, dimension
    from webapp.statistics.agreement import krippendorff
    from webapp.statistics.marks import build_columns
    from webapp.statistics.rating_results import compute_statistics
    from webapp.study.results.campaign_tables import campaign_tables
    from webapp.study.results.figures import distribution_figures
    from webapp.study.results.table_files import render_latex, render_markdown

    told("imports", began)
    for raters, units, keys in CASES:
        marks = campaign_marks(raters, units, keys)
        print(f"{len(marks):,} ratings, {raters} raters, {len(keys)} dimensions")
        if len(keys) == 1:
            ratings = build_columns(marks, sorted({mark.condition for mark in marks}))
            began = time.process_time()
            krippendorff(ratings)
            told("alpha at three levels, each with 2000 draws", began)
        began = time.process_time()
        found = compute_statistics(marks, [dimension(key) for key in keys])
        told("all results", began)
        began = time.process_time()
        distribution_figures(found)
        tables = campaign_tables(found)
        render_latex(tables)
        render_markdown(tables)
        told("figures and tables", began)


def told(what: str, began: float) -> None:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  {what}: {time.process_time() - began:.2f} s; most memory so far {most:.0f} MB")


if __name__ == "__main__":
    measure()
