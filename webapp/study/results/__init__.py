"""Results of a study: guesses, questionnaires, wins, votes and reliability, by condition.

Pure functions of rows (`study_rows.StudyRows`): no Django, no database. `study_results` and
`leadership` load NumPy and SciPy: import them in a worker's task or in a command, never in the web
process. docs/statistics.md defines every figure, docs/study-results.md says what counts.
"""

VERSION = 10  # of the layout of the results: stored ones of another are worked out anew
