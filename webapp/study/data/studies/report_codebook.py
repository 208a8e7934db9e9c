"""The meaning of the files of an experiment's report, and of their columns."""

from __future__ import annotations

from webapp.study.results.study_tables import COMPARISON_COLUMNS, ESTIMATE_COLUMNS
from webapp.study.results.table_files import CELL_COLUMNS

FILES = {
    "report.html": "The report as one page: tables, figures, and how to read them.",
    "tables.md": "The tables of the report as Markdown; tables.tex has them as LaTeX (booktabs).",
    "tables.csv": "One row for each cell of those tables, with the digits that they print.",
    "estimates.csv": "One row for each estimate of the report, with all digits.",
    "comparisons.csv": "One row for each comparison of two conditions, with all digits.",
    "metrics.md": "The definitions of all figures.",
}
COLUMNS_OF = {
    "tables.csv": CELL_COLUMNS,
    "estimates.csv": ESTIMATE_COLUMNS,
    "comparisons.csv": COMPARISON_COLUMNS,
}
COLUMNS = {
    "table": "The key of the table, which is its address in report.html, too.",
    "row": "The number of the row, from 1.",
    "row_name": "The text columns of the row, separated by a bar.",
    "column": "The heading of the column.",
    "value": "The estimate: the mean over games of the means of their values. In tables.csv the"
    " printed cell.",
    "section": "The section of the results: guesses, questionnaires, endings, votes, leadership.",
    "measure": "What was measured: won, survived, accurate (a right vote), ratio, dc and others.",
    "item": "The question or the variant of the measure; empty if there is one only.",
    "group": "Of whom: computer or person, then a team or a role.",
    "condition": "The condition; all: all of them together.",
    "n": "The number of values; of a comparison, of pairs or of games and deals.",
    "part": "Of a share, how many of the values are 1.",
    "people": "The number of participants.",
    "games": "The number of games.",
    "groups": "The number of groups of games that share a deal or a person.",
    "sd": "The standard deviation of single values (n - 1).",
    "low": "The lower end of the interval of 95 %; empty: undefined.",
    "high": "The upper end.",
    "method": "How the interval was computed: t, or Korn-Graubard.",
    "why": "Why the value, the interval or the test is undefined.",
    "care": "Warnings, separated by semicolons.",
    "of": "What is compared: condition, or kind (people and computer players).",
    "a": "The first condition.",
    "b": "The second condition, of which the first is subtracted.",
    "design": "paired or unpaired.",
    "by": "What is independent: game, or deal.",
    "difference": "The mean of b less the mean of a.",
    "test": "Wilcoxon signed-rank (statistic W) or Brunner–Munzel (B).",
    "statistic": "The value of the statistic.",
    "p": "The p of the test.",
    "p_holm": "The same, adjusted within the family (Holm).",
    "effect": "Matched-pairs rank-biserial r, or Cliff's delta.",
    "effect_low": "The lower end of the interval of the effect.",
    "effect_high": "The upper end.",
    "population": "What the test generalizes to.",
    "why_no_interval": "Why the difference has no interval.",
    "family": "confirmatory: named before the first game; exploratory: any other test.",
    "margin": "The planned margin of equivalence.",
    "p_equivalence": "The p of two one-sided tests against that margin.",
}
