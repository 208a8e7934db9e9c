"""Means, agreement and comparisons, computed from ratings (docs/statistics.md).

Pure Python on NumPy: no Django, no database. `rating_results` loads SciPy and pingouin, which take
seconds and a hundred megabytes: import it in a worker's task, never in the web process. That needs
only `rater_behavior`.
"""

VERSION = 5  # The layout of the results. Stored results of another version are recomputed.
