"""The export of a study: people, games, texts, votes, answers, guesses, ratings, in one ZIP.

The same data give the same bytes, independent of time and machine. docs/data.md has the files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
from webapp.study.data.studies.codebook import JUDGED
from webapp.study.data.studies.study_source import STUDY_EXPORT_VERSION, NotPublishable, StudySource
from webapp.study.models import Study
from webapp.study.planning import study_file
from webapp.study.planning.study_file import DesignFile
from webapp.study.program import app_version

__all__ = [
    "FILES", "JUDGED", "MESSAGES", "PAYMENTS", "RESULTS", "ExportOptions", "NotPublishable",
    "build_file", "build_files", "build_zip",
]  # fmt: skip

MESSAGES, PAYMENTS = "llm_messages.jsonl", "payments.csv"  # only on request
RESULTS = "results.json"  # only on request by the command, because it loads SciPy
MANIFEST = "manifest.json"


def _study_file(source: StudySource) -> bytes:
    study, design = source.study, source.design
    if source.anonymous:
        exits = {kind: out.model_copy(update={"code": ""}) for kind, out in design.exits.items()}
        design = design.model_copy(update={"exits": exits})
    file = DesignFile(study.name, design, seed=study.seed)
    return study_file.format_study_file(file).encode()


def _results(source: StudySource) -> bytes:
    """Return the results as the study's page shows them, computed again."""
    from webapp.study.data.studies.outcome_rows import build_study_rows
    from webapp.study.results.study_results import build_results

    results = build_results(build_study_rows(source))
    return (json.dumps(results, ensure_ascii=False, indent=2) + "\n").encode()


_MAKERS: dict[str, Callable[[StudySource], bytes]] = {
    "participants.csv": participant_files.participants,
    "assignments.csv": participant_files.assignments,
    "seatings.csv": participant_files.seatings,
    "happenings.csv": participant_files.happenings,
    "messages.csv": participant_files.messages,
    "games.csv": game_files.games,
    "players.csv": game_files.players,
    "utterances.csv": game_files.utterances,
    "votes.csv": game_files.votes,
    "choices.csv": game_files.choices,
    "minds.jsonl": game_files.minds,
    "llm_calls.csv": game_files.llm_calls,
    "responses_long.csv": response_files.responses_long,
    "responses_wide.csv": response_files.responses_wide,
    "guesses.csv": response_files.guesses,
    "ratings_long.csv": response_files.ratings_long,
    "raters.csv": response_files.raters,
    "study.toml": _study_file,
    "codebook.md": codebook.markdown,
    "codebook.json": codebook.as_json,
}
_OPTIONAL_MAKERS = {
    MESSAGES: game_files.llm_messages,
    PAYMENTS: participant_files.payments,
    JUDGED: response_files.judge_scores,
}
FILES = (*_MAKERS, MANIFEST)


@dataclass(frozen=True)
class ExportOptions:
    """Optional files of an export: requests to models, payments, results.

    Attributes:
        public: Leave out what may not be published (`StudySource`).
        anonymous: Leave out contact data (`StudySource`).
        report: Add the page, tables and figures of `report_files`.
    """

    messages: bool = False
    payments: bool = False
    results: bool = False
    public: bool = False
    anonymous: bool = False
    report: bool = False

    def to_json(self) -> dict[str, bool]:
        """Return the options for the manifest. Manifests of old exports lack some of them."""
        later = {"public": self.public, "anonymous": self.anonymous, "report": self.report}
        return {
            "messages": self.messages, "payments": self.payments, "results": self.results,
            **{name: True for name, is_set in later.items() if is_set},
        }  # fmt: skip


def build_files(
    study: Study, options: ExportOptions | None = None, stored: Mapping[str, Any] | None = None
) -> dict[str, bytes]:
    """Return file name -> content. The manifest, with the hashes of the others, is last.

    Args:
        stored: The results (`analysis.study_results`), which a report needs.

    Raises:
        NotPublishable: The study has not ended.
    """
    options = options or ExportOptions()
    source = StudySource(study, public=options.public, anonymous=options.anonymous)
    makers = dict(_MAKERS)
    makers |= {MESSAGES: _OPTIONAL_MAKERS[MESSAGES]} if options.messages else {}
    makers |= {PAYMENTS: _OPTIONAL_MAKERS[PAYMENTS]} if options.payments else {}
    makers |= {JUDGED: _OPTIONAL_MAKERS[JUDGED]} if source.has_judges else {}
    makers |= {RESULTS: _results} if options.results else {}
    with override("en"):  # the same bytes for every reader
        contents = {name: make(source) for name, make in makers.items()}
        if options.report:
            assert stored is not None, "a report needs results"
            contents |= report_files.build_report(study, stored)
    contents[MANIFEST] = _manifest(source, options, contents)
    return contents


def _manifest(source: StudySource, options: ExportOptions, contents: Mapping[str, bytes]) -> bytes:
    facts = {
        "export_schema_version": STUDY_EXPORT_VERSION,
        "study_id": source.study.code,
        "study_config_hash": source.study.config_hash,
        "app_version": app_version(),
        "rehearsal": source.study.rehearsal,
        "ended": source.is_ended,
        "asked_for": options.to_json(),
    }
    return archive.build_manifest(facts, contents)


def build_file(study: Study, name: str, *, anonymous: bool = False) -> bytes:
    """Return a file by its name.

    Raises:
        KeyError: There is no file of this name.
    """
    if name == MANIFEST:
        return build_files(study, ExportOptions(anonymous=anonymous))[name]
    with override("en"):
        return ({**_MAKERS, **_OPTIONAL_MAKERS})[name](StudySource(study, anonymous=anonymous))


def build_zip(
    study: Study, options: ExportOptions | None = None, stored: Mapping[str, Any] | None = None
) -> bytes:
    """Return all files (`build_files`) as one ZIP archive, with no clock time and no owner."""
    return archive.zip_files(build_files(study, options, stored))
