"""Computes means, agreement and comparisons from ratings (docs/statistics.md).

Pure Python on NumPy: no Django, no database. This package imports nothing by itself.
`rating_results` loads SciPy and pingouin (seconds and a hundred megabytes): import it in a worker's
task, never in the web process, which needs only `raters` with NumPy.
"""

VERSION = 5  # of the layout of the results: stored results of another version are recomputed
