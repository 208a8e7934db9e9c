"""Verifies the archive of a study's export against its own hashes and against the database."""

import csv
import hashlib
import io
import json
import os
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from webapp import bounded_zip
from webapp.study.csv_cells import restore_text
from webapp.study.data import studies
from webapp.study.data.studies import MANIFEST_FILE, ExportOptions
from webapp.study.models import Study

# RuntimeError: a file is encrypted, or its compression is unknown.
ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, UnicodeDecodeError, RuntimeError)
MAX_ENTRIES = 300  # an export has about 30 files, and a report two for each figure
MAX_BYTES = 500_000_000  # unpacked; the archive's files and the database's are both held in memory
MAX_ZIP_BYTES = MAX_BYTES // 5
# A log that grows after the export: a researcher who views the results adds to it.
LOG_FILE = "happenings.csv"


class UnreadableArchive(ValueError):
    """The file is not an archive of a study in this database. The message says why."""


@dataclass(frozen=True)
class Verification:
    """The result of a verification, in sentences."""

    differences: Sequence[str]
    # What is no difference: rows of a log that were appended and texts that were removed since, and
    # tables that cannot be computed from the archive.
    notices: Sequence[str]
    checked_count: int = 0  # the number of recomputed figures


def read_archive(file: Path) -> bytes:
    """Read the archive's bytes.

    Raises:
        UnreadableArchive: The archive is too large.
    """
    with file.open("rb") as stream:
        size = os.fstat(stream.fileno()).st_size  # 0 for a device, which may never end
        if size > MAX_ZIP_BYTES:
            raise UnreadableArchive(f"it is larger than {bounded_zip.megabytes(MAX_ZIP_BYTES)}")
        return stream.read(size)


def compare_archive(
    content: bytes, compute_results: Callable[[Study], Mapping[str, Any]] | None = None
) -> Verification:
    """Compare an archive's files with their hashes, and with a new export from the database.

    Args:
        compute_results: Returns the results of a study. Only an archive with a report needs it.

    Raises:
        UnreadableArchive: The archive is no export of a study.
    """
    archived = _read_files(content)
    manifest = _read_manifest(archived)
    study = Study.objects.filter(code=manifest.study_code).first()
    if study is None:
        raise UnreadableArchive(f"there is no study {manifest.study_code!r} here")
    options = manifest.options
    stored_results = compute_results(study) if compute_results and options.report else None
    current = studies.build_files(study, options, stored_results)
    current_facts = json.loads(current.pop(MANIFEST_FILE))
    manifest_changes = [
        f"{MANIFEST_FILE}: {key} was {manifest.facts.get(key)!r}, and is {value!r}"
        for key, value in current_facts.items()
        if key != "files" and manifest.facts.get(key) != value
    ]
    notices = []
    if new_rows := _count_new_rows(archived.get(LOG_FILE, b""), current[LOG_FILE]):
        subject = "1 more row has" if new_rows == 1 else f"{new_rows} more rows have"
        notices = [f"{LOG_FILE}: as it was written; {subject} been appended since"]
        del current[LOG_FILE]
    broken_files = _broken_files(archived, manifest.hashes)
    changed_files = _changed_files(archived, current)
    return Verification([*broken_files, *manifest_changes, *changed_files], notices)


def _read_files(content: bytes) -> dict[str, bytes]:
    try:
        bounded_zip.check_directory(content, MAX_ENTRIES)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            bounded_zip.check_sizes(entries, MAX_BYTES)
            names = Counter(entry.filename for entry in entries)
            if duplicates := [name for name, count in names.items() if count > 1]:
                raise UnreadableArchive(f"it has more than one file {duplicates[0]!r}")
            return {e.filename: bounded_zip.read_entry(archive, e, e.file_size) for e in entries}
    except bounded_zip.TooLarge as error:
        raise UnreadableArchive(str(error)) from None
    except ZIP_ERRORS as error:
        raise UnreadableArchive(f"it is no whole ZIP archive: {error}") from None


class _Manifest(NamedTuple):
    facts: dict[str, Any]  # the whole manifest
    study_code: str
    options: ExportOptions
    hashes: dict[str, str]  # file name -> SHA-256


def _read_manifest(archived: Mapping[str, bytes]) -> _Manifest:
    try:
        facts = json.loads(archived[MANIFEST_FILE])
        options = ExportOptions(**facts["asked_for"])
        hashes = {name: entry["sha256"] for name, entry in facts["files"].items()}
        return _Manifest(facts, facts["study_id"], options, hashes)
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError):
        raise UnreadableArchive("it has no manifest of a study's export") from None


def _broken_files(archived: Mapping[str, bytes], hashes: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each file that does not match the manifest."""
    for name, expected_hash in hashes.items():
        if name not in archived:
            yield f"{name}: is in the manifest and not in the archive"
        elif hashlib.sha256(archived[name]).hexdigest() != expected_hash:
            yield f"{name}: is not what the manifest has the hash of"
    for name in sorted(archived.keys() - hashes.keys() - {MANIFEST_FILE}):
        yield f"{name}: is not in the manifest"


def _changed_files(archived: Mapping[str, bytes], current: Mapping[str, bytes]) -> Iterator[str]:
    """Yield a sentence for each file that the database gives differently now."""
    for name, content in current.items():
        if name not in archived:
            yield f"{name}: the database gives it, the archive does not have it"
        elif not _is_same(name, archived[name], content):
            yield f"{name}: {_describe_difference(archived[name], content)}"


def _is_same(name: str, archived: bytes, current: bytes) -> bool:
    """Return whether a file has the same bytes, or a table the same texts in its cells."""
    if archived == current:
        return True
    # An earlier version inserted fewer apostrophes (`csv_cells`).
    return name.endswith(".csv") and _table_texts(archived) == _table_texts(current)


def _table_texts(content: bytes) -> list[list[str]] | None:
    """Return the texts of a table's cells, None if it is no table."""
    try:
        rows = csv.reader(io.StringIO(content.decode(), newline=""))
        return [[restore_text(text) for text in row] for row in rows]
    except (csv.Error, UnicodeDecodeError):
        return None


def _count_new_rows(archived: bytes, current: bytes) -> int:
    """Return how many rows follow the archived ones now, 0 if one of these has changed."""
    before, after = _table_texts(archived), _table_texts(current)
    if not before or not after or after[: len(before)] != before:
        return 0
    return len(after) - len(before)


def _describe_difference(archived: bytes, current: bytes) -> str:
    before, after = archived.splitlines(), current.splitlines()
    pairs = zip(before, after, strict=False)
    differing = (n for n, (a, b) in enumerate(pairs, 1) if a != b)
    line_number = next(differing, min(len(before), len(after)) + 1)
    lengths = f"{len(before)} lines in the archive, {len(after)} from the database"
    return f"differs from line {line_number} on ({lengths})"


def verify_report(content: bytes) -> Verification:
    """Compute the figures of an experiment's archive again from its own data.

    Also compare its files with their hashes and, if this database has the experiment, with a new
    export. This loads pandas.

    Raises:
        UnreadableArchive: The archive is no export of a study.
    """
    from webapp.study.results.figure_check import TABLES, check_figures, unchecked_reason

    archived = _read_files(content)
    manifest = _read_manifest(archived)
    if TABLES not in archived:
        raise UnreadableArchive(f"it has no {TABLES}: export it again with `experiment export`")
    figures = check_figures(archived)
    notices = [
        f"{table}: {count} figures taken as given, because {unchecked_reason(table)}"
        for table, count in figures.unchecked.items()
    ]
    differences = [*_broken_files(archived, manifest.hashes), *figures.differences]
    study = Study.objects.filter(code=manifest.study_code).first()
    if study is None:
        notices.append("the experiment is not in this database: only the archive was verified")
    else:
        current = studies.build_files(study, replace(manifest.options, report=False, results=False))
        for name in sorted(current.keys() - {MANIFEST_FILE, LOG_FILE}):
            removed_count = count_removed_texts(archived.get(name, b""), current[name])
            if removed_count:
                notices.append(f"{name}: {removed_count} texts were removed since")
            elif removed_count is None:
                differences += _changed_files(archived, {name: current[name]})
    return Verification(differences, notices, figures.checked)


def count_removed_texts(archived: bytes, current: bytes) -> int | None:
    """Return how many texts of a table were removed since, None if it differs otherwise."""
    before, after = _table_texts(archived), _table_texts(current)
    if archived == current or (before and before == after):
        return 0
    if not before or not after or len(before) != len(after) or "said" not in before[0]:
        return None
    said_column = before[0].index("said")
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    return len(changed) if all(b[said_column] == "removed" for _a, b in changed) else None
