"""The report of an experiment: one page that needs nothing else, tables, figures as SVG and PDF.

The files are made of stored results, so that a web process can send them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.safestring import mark_safe
from django.utils.translation import override

from webapp.study.design.stages import Design
from webapp.study.models import Study
from webapp.study.planning import study_file
from webapp.study.planning.study_file import DesignFile
from webapp.study.program import app_version
from webapp.study.results.result_table import tables_from_json
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
PAGE = "report.html"
METRICS = "metrics.md"
# Name of a file -> its key in the stored results.
TEXTS = {"tables.md": "markdown", "tables.tex": "latex", "estimates.csv": "estimates",
         "comparisons.csv": "comparisons", "tables.csv": "tables_csv"}  # fmt: skip


def build_report(study: Study, stored: Mapping[str, Any]) -> dict[str, bytes]:
    """Return file name -> content, from the results that `analysis.study_results` returns."""
    files = {PAGE: build_page(study, stored)}
    files |= {name: stored[key].encode() for name, key in TEXTS.items()}
    files[METRICS] = (settings.BASE_DIR / "docs" / METRICS).read_bytes()
    for key, svg in stored["figures"].items():
        files[f"figures/{key}.svg"] = svg.encode()
        files[f"figures/{key}.pdf"] = stored["pdfs"][key]
    return files


def build_page(study: Study, stored: Mapping[str, Any]) -> bytes:
    """Return the report as one HTML page with its styles and figures. It loads nothing."""
    figures = dict(stored["figures"])
    sections = []
    names = stored["names"]
    games = [(names.get(name, name), codes) for name, codes in stored["games"].items()]
    counts = stored["results"]["totals"]["by_condition"]
    addresses = {name: f"#games-{n}" for n, (name, _codes) in enumerate(games, 1)}
    for table in tables_from_json([*stored["facts"], *stored["tables"], *stored["papers"]]):
        table.rename(names)
        table.link_games({**addresses, "": "#games"})
        own = [key for key in figures if key == table.figure or key.startswith(f"{table.key}-")]
        svgs = [mark_safe(figures.pop(key)) for key in own]  # drawn by us, texts escaped
        sections.append({"table": table, "figures": svgs})
    file = DesignFile(study.name, Design.from_json(study.design), seed=study.seed)
    context = {
        "study": study,
        "totals": stored["results"]["totals"],
        "by_condition": {names.get(name, name): n for name, n in counts.items()},
        "sections": sections,
        "games": games,
        "names": names.items(),
        "left_out": stored["results"]["left_out"],
        "design": study_file.format_study_file(file),
        "version": app_version(),
    }
    with override("en"):
        return render_to_string("study/report.html", context).encode()
