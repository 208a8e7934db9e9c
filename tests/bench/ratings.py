"""Measure CPU time and memory of the rating statistics.

The cases are 36,000 ratings of one dimension and of five, and 200 raters who rate 30 units on five
dimensions. They run in a separate process, so that the memory is that of a worker's task.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

from webapp.runtime import PROJECT_ROOT

DIMENSION_KEYS = ["individuality", "naturalness", "interest", "deceiving", "closing"]
CASES = (
    (120, 300, ["interest"]),
    (120, 60, DIMENSION_KEYS),
    (200, 30, DIMENSION_KEYS),
)  # raters, units, dimensions


def main() -> None:
    subprocess.run([sys.executable, "-m", "tests.bench.ratings"], cwd=PROJECT_ROOT, check=True)


def measure() -> None:
    start_cpu_s = time.process_time()
    from tests.study.making import campaign_marks, dimension
    from webapp.statistics.agreement import krippendorff
    from webapp.statistics.marks import build_columns
    from webapp.statistics.rating_results import compute_statistics
    from webapp.study.results.campaign_tables import campaign_tables
    from webapp.study.results.figures import distribution_figures
    from webapp.study.results.table_files import render_latex, render_markdown

    report("imports", start_cpu_s)
    for raters, units, keys in CASES:
        marks = campaign_marks(raters, units, keys)
        print(f"{len(marks):,} ratings, {raters} raters, {len(keys)} dimensions")
        if len(keys) == 1:
            ratings = build_columns(marks, sorted({mark.condition for mark in marks}))
            start_cpu_s = time.process_time()
            krippendorff(ratings)
            report("alpha at three levels, each with 2000 draws", start_cpu_s)
        start_cpu_s = time.process_time()
        results = compute_statistics(marks, [dimension(key) for key in keys])
        report("all results", start_cpu_s)
        start_cpu_s = time.process_time()
        distribution_figures(results)
        tables = campaign_tables(results)
        render_latex(tables)
        render_markdown(tables)
        report("figures and tables", start_cpu_s)


def report(step: str, start_cpu_s: float) -> None:
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"  {step}: {time.process_time() - start_cpu_s:.2f} s; peak memory so far {peak_mb:.0f} MB"
    )


if __name__ == "__main__":
    measure()
