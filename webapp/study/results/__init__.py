"""Results of a study: guesses, questionnaires, wins, votes and reliability, by condition.

They are pure functions of rows (`study_rows.StudyRows`), without Django or a database.
`study_results` and `leadership` load NumPy and SciPy: import them in a worker's task or in a
command, never in the web process. docs/statistics.md defines every figure, docs/study-results.md
says what counts.
"""

VERSION = 10  # of the layout of the results: stored results of another version are recomputed
