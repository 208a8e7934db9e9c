"""Results of studies, campaigns and experiments: statistics, tables and figures.

`study_results.build_results` is a pure function of rows (`study_rows.StudyRows`). Only
`experiment_facts`, `experiment_tables` and `text_distances` read the database.

Import modules that compute or draw in a worker's task or in a command, never in the web process:
they load NumPy, SciPy or Matplotlib. docs/statistics.md defines every figure, and
docs/study-results.md says what counts.
"""

VERSION = 10  # The layout of the results. Stored results of another version are recomputed.
