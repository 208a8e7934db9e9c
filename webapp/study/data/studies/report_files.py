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
