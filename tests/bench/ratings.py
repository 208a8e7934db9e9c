"""Processor time and memory of statistics of many ratings.

Cases are 36,000 ratings of one and of five items, and 200 raters with 30 units of five items each.
Runs in a separate process, so that the memory is that of a worker's task.
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

    report("imports", began)
    for raters, units, keys in CASES:
        marks = campaign_marks(raters, units, keys)
        print(f"{len(marks):,} ratings, {raters} raters, {len(keys)} dimensions")
        if len(keys) == 1:
            ratings = build_columns(marks, sorted({mark.condition for mark in marks}))
            began = time.process_time()
            krippendorff(ratings)
            report("alpha at three levels, each with 2000 draws", began)
        began = time.process_time()
        results = compute_statistics(marks, [dimension(key) for key in keys])
        report("all results", began)
        began = time.process_time()
        distribution_figures(results)
        tables = campaign_tables(results)
        render_latex(tables)
        render_markdown(tables)
        report("figures and tables", began)


def report(step: str, began: float) -> None:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  {step}: {time.process_time() - began:.2f} s; most memory so far {peak:.0f} MB")


if __name__ == "__main__":
    measure()
