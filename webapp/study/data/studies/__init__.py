"""The export of a study as one ZIP: people, games, texts, votes, answers, guesses, ratings.

The same data give the same bytes at any time and on any machine. docs/data.md lists the files.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.utils.translation import override

from webapp.study.data import archive
from webapp.study.data.studies import (
    codebook,
    game_files,
    participant_files,
    report_files,
    response_files,
)
from webapp.study.data.studies.codebook import JUDGE_SCORES_FILE as JUDGE_SCORES_FILE
from webapp.study.data.studies.study_rows_reader import build_study_rows
from webapp.study.data.studies.study_source import STUDY_EXPORT_VERSION, StudySource
from webapp.study.data.studies.study_source import NotPublishable as NotPublishable
from webapp.study.models import Study
from webapp.study.planning import study_file
from webapp.study.planning.study_file import DesignFile
from webapp.study.program import app_version

# Files that an export has only on request. Only a command offers the results, which load SciPy.
MESSAGES_FILE, PAYMENTS_FILE, RESULTS_FILE = "llm_messages.jsonl", "payments.csv", "results.json"
MANIFEST_FILE = "manifest.json"


def _study_toml(source: StudySource) -> bytes:
    """Return the study as a file. An anonymous one has no completion codes."""
    study, design = source.study, source.design
    if source.anonymous:
        exits = {k: exit_.model_copy(update={"code": ""}) for k, exit_ in design.exits.items()}
        design = design.model_copy(update={"exits": exits})
    file = DesignFile(study.name, design, seed=study.seed)
    return study_file.format_study_file(file).encode()


def _results_json(source: StudySource) -> bytes:
    """Return the results as the study's page shows them, computed again."""
    from webapp.study.results.study_results import build_results

    results = build_results(build_study_rows(source))
    return (json.dumps(results, ensure_ascii=False, indent=2) + "\n").encode()


_FILE_BUILDERS: dict[str, Callable[[StudySource], bytes]] = {
    **{
        name: table.build
        for files in (participant_files, game_files, response_files)
        for name, table in files.TABLES.items()
    },
    "ratings_long.csv": response_files.ratings_long_csv,
    "raters.csv": response_files.RATER_TABLE.build,
    "study.toml": _study_toml,
    "codebook.md": codebook.render_markdown,
    "codebook.json": codebook.render_json,
}
FILE_NAMES = (*_FILE_BUILDERS, MANIFEST_FILE)
_ALL_FILE_BUILDERS = _FILE_BUILDERS | {
    MESSAGES_FILE: game_files.LLM_MESSAGE_TABLE.build,
    PAYMENTS_FILE: participant_files.PAYMENT_TABLE.build,
    JUDGE_SCORES_FILE: response_files.judge_scores_csv,
    RESULTS_FILE: _results_json,
}


@dataclass(frozen=True)
class ExportOptions:
    """Options of an export."""

    messages: bool = False  # add the texts of requests to models
    payments: bool = False
    results: bool = False  # add the results of the study's page, computed again
    public: bool = False  # leave out what may not be published (`StudySource`)
    anonymous: bool = False  # leave out contact data (`StudySource`)
    report: bool = False  # add the page, tables and figures of `report_files`

    def to_json(self) -> dict[str, bool]:
        """Return the options for the manifest."""
        # Newer ones are left out unless they are set, so that old manifests stay comparable.
        first_options = ("messages", "payments", "results")
        options = asdict(self).items()
        return {name: is_set for name, is_set in options if is_set or name in first_options}


def build_files(
    study: Study,
    options: ExportOptions | None = None,
    stored_results: Mapping[str, Any] | None = None,
) -> dict[str, bytes]:
    """Return file name -> content. The last file is the manifest with the hashes of the others.

    Args:
        stored_results: The result of `analysis.study_results`. Only a report needs it.

    Raises:
        NotPublishable: The study has not ended.
    """
    options = options or ExportOptions()
    source = StudySource(study, public=options.public, anonymous=options.anonymous)
    is_included = {
        MESSAGES_FILE: options.messages,
        PAYMENTS_FILE: options.payments,
        JUDGE_SCORES_FILE: source.has_judges,
        RESULTS_FILE: options.results,
    }
    with override("en"):  # the same bytes for every reader
        contents = {
            name: build(source)
            for name, build in _ALL_FILE_BUILDERS.items()
            if is_included.get(name, True)
        }
        if options.report:
            assert stored_results is not None, "a report needs results"
            contents |= report_files.build_report(study, stored_results)
    contents[MANIFEST_FILE] = _build_manifest(source, options, contents)
    return contents


def _build_manifest(
    source: StudySource, options: ExportOptions, contents: Mapping[str, bytes]
) -> bytes:
    facts = {
        "export_schema_version": STUDY_EXPORT_VERSION,
        "study_id": source.study.code,
        "study_config_hash": source.study.config_hash,
        "app_version": app_version(),
        "rehearsal": source.study.rehearsal,
        "ended": source.has_ended,
        "asked_for": options.to_json(),
    }
    return archive.build_manifest(facts, contents)


def build_file(study: Study, name: str, *, anonymous: bool = False) -> bytes:
    """Return the content of the file with one of FILE_NAMES, or of an optional file."""
    if name == MANIFEST_FILE:
        return build_files(study, ExportOptions(anonymous=anonymous))[name]
    with override("en"):
        return _ALL_FILE_BUILDERS[name](StudySource(study, anonymous=anonymous))


def build_zip(
    study: Study,
    options: ExportOptions | None = None,
    stored_results: Mapping[str, Any] | None = None,
) -> bytes:
    """Return all files (`build_files`) as one ZIP archive, without times and owners."""
    return archive.zip_files(build_files(study, options, stored_results))
