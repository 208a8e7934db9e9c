"""The report of an experiment: one HTML page, its tables as text files, figures as SVG and PDF.

The files are made from stored results, so a web process need not load SciPy to send them.
"""

from collections.abc import Sequence
from itertools import chain
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
from webapp.study.results.result_table import Data, tables_from_json
from webapp.study.results.study_tables import COMPARISON_COLUMNS, ESTIMATE_COLUMNS
from webapp.study.results.table_files import CELL_COLUMNS

COLUMNS_BY_FILE = {
    "tables.csv": CELL_COLUMNS,
    "estimates.csv": ESTIMATE_COLUMNS,
    "comparisons.csv": COMPARISON_COLUMNS,
}
PAGE_FILE, METRICS_FILE = "report.html", "metrics.md"
# File -> key of its text in the stored results.
RESULT_KEYS = {
    "tables.md": "markdown", "tables.tex": "latex", "estimates.csv": "estimates",
    "comparisons.csv": "comparisons", "tables.csv": "tables_csv",
}  # fmt: skip


def build_report(study: Study, stored_results: Data) -> dict[str, bytes]:
    """Return file name -> content, from the results that `analysis.study_results` returns."""
    files = {PAGE_FILE: build_page(study, stored_results)}
    files |= {name: stored_results[key].encode() for name, key in RESULT_KEYS.items()}
    files[METRICS_FILE] = (settings.BASE_DIR / "docs" / METRICS_FILE).read_bytes()
    for key, svg in stored_results["figures"].items():
        files[f"figures/{key}.svg"] = svg.encode()
        files[f"figures/{key}.pdf"] = stored_results["pdfs"][key]
    return files


def build_page(study: Study, stored_results: Data) -> bytes:
    """Return the report as one HTML page with its styles and figures. It loads nothing."""
    names, totals = stored_results["names"], stored_results["results"]["totals"]
    games = [(names.get(name, name), codes) for name, codes in stored_results["games"].items()]
    file = DesignFile(study.name, Design.from_json(study.design), seed=study.seed)
    context = {
        "study": study,
        "totals": totals,
        "by_condition": {names.get(name, name): n for name, n in totals["by_condition"].items()},
        "sections": _build_sections(stored_results, [name for name, _codes in games]),
        "games": games,
        "names": names.items(),
        "left_out": stored_results["results"]["left_out"],
        "design": study_file.format_study_file(file),
        "version": app_version(),
    }
    with override("en"):
        return render_to_string("study/report.html", context).encode()


def _build_sections(stored_results: Data, condition_names: Sequence[str]) -> list[dict[str, Any]]:
    """Return each table with its figures. A figure belongs to the first table that names it."""
    figures = dict(stored_results["figures"])
    addresses = {name: f"#games-{number}" for number, name in enumerate(condition_names, 1)}
    table_lists = (stored_results[key] for key in ("facts", "tables", "papers"))
    sections = []
    for table in tables_from_json(chain.from_iterable(table_lists)):
        table.rename(stored_results["names"])
        table.link_games({**addresses, "": "#games"})
        keys = [key for key in figures if key == table.figure or key.startswith(f"{table.key}-")]
        svgs = [mark_safe(figures.pop(key)) for key in keys]  # drawn by us, texts escaped
        sections.append({"table": table, "figures": svgs})
    return sections
