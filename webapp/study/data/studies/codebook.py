"""The codebook of a study's export, as Markdown and JSON: what every file and column means."""

import json
from typing import Any

from webapp.study.data import codebook as campaign_codebook
from webapp.study.data.campaign_files import JUDGE_SCORE_COLUMNS, LONG_COLUMNS
from webapp.study.data.codebook import describe_columns, file_lines, table_cell, table_lines
from webapp.study.data.studies import game_files, participant_files, report_files, response_files
from webapp.study.data.studies.study_source import STUDY_EXPORT_VERSION, StudySource
from webapp.study.design.conditions import readable_names
from webapp.study.models import Condition
from webapp.study.program import app_version
from webapp.study.toml_files import read_tables

JUDGE_SCORES_FILE, WIDE_FILE = "judge_scores.csv", "responses_wide.csv"
_MEANINGS = read_tables(__file__, "codebook.toml")
FILE_MEANINGS: dict[str, str] = _MEANINGS["files"]
COLUMN_MEANINGS: dict[str, str] = campaign_codebook.COLUMN_MEANINGS | _MEANINGS["columns"]
_ITEM_FIELDS = ("key", "answer", "question", "min", "low_pole", "max", "high_pole", "options")


def render_json(source: StudySource) -> bytes:
    data = {
        **_facts(source),
        "name": source.study.name,
        "reading": campaign_codebook.FILE_MEANINGS["*"],
        "blind": _MEANINGS["blind_tables"],
        "conditions": [
            {
                "index": condition.index,
                "name": condition.name,
                "label": _condition_label(source, condition),
                "levels": condition.levels,
                "table": condition.table,
            }
            for condition in source.conditions.values()
        ],
        "instruments": [i.to_json() for i in response_files.used_instruments(source)],
        "files": _file_meanings(source),
        "columns": _describe_columns_by_file(source),
    }
    return (json.dumps(data, ensure_ascii=False, indent=2) + "\n").encode()


def render_markdown(source: StudySource) -> bytes:
    lines = [f"# {table_cell(source.study.name)}", "", "What the files of this export hold.", ""]
    lines += table_lines(("", ""), _facts(source).items())
    lines += ["", "## Conditions", ""]
    condition_rows = (
        (c.index, c.name, _condition_label(source, c), json.dumps(c.levels))
        for c in source.conditions.values()
    )
    lines += table_lines(("index", "name", "label", "levels"), condition_rows)
    for instrument in response_files.used_instruments(source):
        lines += ["", f"## Questions: {table_cell(instrument.title)}", ""]
        is_conditional = any(item.ask_if for item in instrument.items)
        fields = (*_ITEM_FIELDS, "ask_if") if is_conditional else _ITEM_FIELDS
        rows = []
        for item in instrument.items:
            options = "; ".join(f"{option.key}: {option.label}" for option in item.options)
            rows.append([options if f == "options" else getattr(item, f) for f in fields])
        lines += table_lines(fields, rows)
    reading_help = campaign_codebook.FILE_MEANINGS["*"]
    lines += ["", "## Reading the files", "", reading_help, "", _MEANINGS["blind_tables"]]
    lines += file_lines(_file_meanings(source), _describe_columns_by_file(source))
    return ("\n".join(lines) + "\n").encode()


def _facts(source: StudySource) -> dict[str, Any]:
    study = source.study
    return {
        "export_schema_version": STUDY_EXPORT_VERSION,
        "app_version": app_version(),
        "study_id": study.code,
        "study_config_hash": study.config_hash,
        "state": study.state,
    }


def _file_meanings(source: StudySource) -> dict[str, str]:
    """Return file -> its meaning, for the files that this study has."""
    meanings = dict(FILE_MEANINGS)
    if not source.has_judges:
        del meanings[JUDGE_SCORES_FILE]
    return meanings | (_MEANINGS["report_files"] if source.study.is_experiment else {})


def _describe_columns_by_file(source: StudySource) -> dict[str, dict[str, str]]:
    """Return file -> column -> its meaning, optional files included."""
    tables = {
        **participant_files.TABLES,
        **game_files.TABLES,
        **response_files.TABLES,
        "raters.csv": response_files.RATER_TABLE,
        "llm_messages.jsonl": game_files.LLM_MESSAGE_TABLE,
        "payments.csv": participant_files.PAYMENT_TABLE,
    }
    columns_and_meanings = {
        name: (t.columns(source), COLUMN_MEANINGS) for name, t in tables.items()
    }
    campaign_meanings = campaign_codebook.COLUMN_MEANINGS
    columns_and_meanings["ratings_long.csv"] = LONG_COLUMNS, campaign_meanings
    if source.has_judges:
        columns_and_meanings[JUDGE_SCORES_FILE] = JUDGE_SCORE_COLUMNS, campaign_meanings
    if source.study.is_experiment:
        for name, columns in report_files.COLUMNS_BY_FILE.items():
            columns_and_meanings[name] = columns, _MEANINGS["report_columns"]
    return {
        name: describe_columns(*described, "item.*" if name == WIDE_FILE else "")
        for name, described in columns_and_meanings.items()
    }


def _condition_label(source: StudySource, condition: Condition) -> str:
    """Return what tables and figures for readers call a condition."""
    return readable_names(source.design).get(condition.name, condition.name)
