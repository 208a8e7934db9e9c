"""The tables of a campaign's export, and the codebook: what their files and columns mean."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from webapp.study.data.campaign_files import TABLES
from webapp.study.data.campaign_source import CAMPAIGN_EXPORT_VERSION, CampaignSource
from webapp.study.games import situations
from webapp.study.program import app_version
from webapp.study.rating.stimuli import rates_systems_only
from webapp.study.toml_files import read_tables

_MEANINGS = read_tables(__file__, "codebook.toml")
FILE_MEANINGS: dict[str, str] = _MEANINGS["files"]  # "*" is how to read any of the files
COLUMN_MEANINGS: dict[str, str] = _MEANINGS["columns"]


def render_json(source: CampaignSource) -> bytes:
    campaign = source.campaign
    more_systems = {"more_rivals": campaign.more_rivals, "without_log": campaign.without_log}
    data = {
        **_facts(source),
        "choice": campaign.choice,
        "planned_analysis": campaign.planned_analysis,
        "rival": campaign.rival,
        **(more_systems if any(more_systems.values()) else {}),
        "consent": campaign.consent,
        "instrument": source.instrument.to_json(),
        "situations": {k: str(v) for k, v in situations.ALL_LABELS.items()},
        "files": FILE_MEANINGS,
        "columns": _describe_columns_by_file(source),
    }
    return (json.dumps(data, ensure_ascii=False, indent=2) + "\n").encode()


def render_markdown(source: CampaignSource) -> bytes:
    lines = [f"# {table_cell(source.campaign.name)}", "", "What the files of this export hold.", ""]
    fact_texts = {k: ", ".join(v) if isinstance(v, list) else v for k, v in _facts(source).items()}
    lines += table_lines(("", ""), fact_texts.items())
    lines += ["", f"## The instrument: {table_cell(source.instrument.title)}", ""]
    lines += [table_cell(source.instrument.intro), ""]
    fields = ("key", "label", "question", "min", "low_pole", "max", "high_pole", "situation")
    rows = [[asdict(d)[f] for f in fields] for d in source.instrument.dimensions]
    lines += table_lines(fields, rows)
    lines += ["", "## Situations", ""]
    lines += table_lines(("key", ""), situations.ALL_LABELS.items())
    lines += ["", "## Reading the CSV files", "", FILE_MEANINGS["*"]]
    meanings = {name: text for name, text in FILE_MEANINGS.items() if name != "*"}
    lines += file_lines(meanings, _describe_columns_by_file(source))
    return ("\n".join(lines) + "\n").encode()


def file_lines(
    meanings: Mapping[str, str], columns_by_file: Mapping[str, Mapping[str, str]]
) -> list[str]:
    """Return a section for each file, with a table of its columns if it has any."""
    lines = []
    for name, meaning in meanings.items():
        lines += ["", f"## {name}", "", meaning]
        if name in columns_by_file:
            lines += ["", *table_lines(("column", "meaning"), columns_by_file[name].items())]
    return lines


def table_lines(headers: Iterable[Any], rows: Iterable[Iterable[Any]]) -> list[str]:
    titles = [table_cell(header) for header in headers]
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    return lines + ["| " + " | ".join(map(table_cell, row)) + " |" for row in rows]


def table_cell(value: Any) -> str:
    """Return a value as an escaped cell of a Markdown table, on one line."""
    return re.sub(r"([\\|<>*`#\[\]])", r"\\\1", " ".join(str(value).split()))


def _describe_columns_by_file(source: CampaignSource) -> dict[str, dict[str, str]]:
    """Return file -> column -> its meaning."""
    return {
        name: describe_columns(table.columns(source), COLUMN_MEANINGS)
        for name, table in TABLES.items()
    }


def describe_columns(
    columns: Iterable[str], meanings: Mapping[str, str], generated_key: str = ""
) -> dict[str, str]:
    """Return column -> its meaning.

    Args:
        meanings: "rating.*" is the key of all columns that begin with "rating.".
        generated_key: The key of columns with a dot, if it is the same for all.
    """
    keys = {c: c if "." not in c else generated_key or f"{c.partition('.')[0]}.*" for c in columns}
    return {column: meanings[key] for column, key in keys.items()}


def _facts(source: CampaignSource) -> dict[str, Any]:
    campaign = source.campaign
    return {
        "campaign_id": campaign.code,
        "name": campaign.name,
        "campaign_config_hash": source.config_hash,
        "export_schema_version": CAMPAIGN_EXPORT_VERSION,
        "app_version": app_version(),
        "seed": campaign.seed,
        "context_lines": campaign.context,
        "raters_per_unit": campaign.raters_per_unit,
        "units_per_rater": campaign.units_per_rater,
        "repeats_per_rater": campaign.repeats,
        "checks_per_rater": campaign.attention,
        "pairs": campaign.rival is not None,
        "conditions": sorted(
            {
                *(() if rates_systems_only(campaign) else source.conditions.values()),
                *(system.condition for system in campaign.systems.values()),
            }
        ),
    }
