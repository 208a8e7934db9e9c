"""Verification of a study's archive: against its own hashes, and against the database now."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from webapp import bounded_zip
from webapp.study.csv_cells import restore_text
from webapp.study.data import studies
from webapp.study.data.studies import MANIFEST, ExportOptions
from webapp.study.models import Study


class Unreadable(ValueError):
    """The file is not an archive of a study in this database. The text says why."""


DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, UnicodeDecodeError)
MAX_ENTRIES = 300  # an export has about 30 files, and a report two for each figure
MAX_BYTES = 500_000_000  # unpacked; the archive's files and the database's are both held in memory
MAX_ZIP_BYTES = MAX_BYTES // 5

# A log that only grows: a researcher who views the results adds to it.
APPENDED = ("happenings.csv",)


@dataclass(frozen=True)
class ArchiveComparison:
    """The result of a comparison, in sentences.

    Attributes:
        differences: What has changed.
        appended: Rows that were added since the export.
    """

    differences: tuple[str, ...]
    appended: tuple[str, ...] = ()


def read_archive(file: Path) -> bytes:
    """Read the archive's bytes.

    Raises:
        Unreadable: The archive is too large.
    """
    with file.open("rb") as stream:
        size = os.fstat(stream.fileno()).st_size  # 0 for a device that never ends
        if size > MAX_ZIP_BYTES:
            raise Unreadable(f"it is larger than {bounded_zip.megabytes(MAX_ZIP_BYTES)}")
        return stream.read(size)


def compare_archive(
    content: bytes, compute: Callable[[Study], Mapping[str, Any]] | None = None
) -> ArchiveComparison:
    """Compare an archive's files with their hashes, and its tables with the database's now.

    Args:
        compute: Returns the results of a study, for an archive with a report.

    Raises:
        Unreadable: The archive is no export of a study.
    """
    archived = _read_files(content)
    manifest, hashes = _read_manifest(archived)
    code, options = manifest["study_id"], ExportOptions(**manifest["asked_for"])
    study = Study.objects.filter(code=code).first()
    if study is None:
        raise Unreadable(f"there is no study {code!r} here")
    stored = compute(study) if compute and options.report else None
    now = studies.build_files(study, options, stored)
    facts = json.loads(now.pop(MANIFEST))
    manifest_changes = [f"{MANIFEST}: {k} was {manifest.get(k)!r}, and is {v!r}"
             for k, v in facts.items() if k != "files" and manifest.get(k) != v]  # fmt: skip
    grown = {name for name in APPENDED if _has_only_new_rows(archived.get(name), now[name])}
    same = {name: content for name, content in now.items() if name not in grown}
    added = [_added(name, archived[name], now[name]) for name in sorted(grown)]
    return ArchiveComparison(
        (*_broken_files(archived, hashes), *manifest_changes, *_changed_files(archived, same)),
        tuple(added),
    )


def _read_manifest(archived: Mapping[str, bytes]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the manifest, and file name -> SHA-256."""
    try:
        manifest = json.loads(archived[MANIFEST])
        hashes = {name: entry["sha256"] for name, entry in manifest["files"].items()}
        ExportOptions(**manifest["asked_for"])
        str(manifest["study_id"])
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError):
        raise Unreadable("it has no manifest of a study's export") from None
    return manifest, hashes


def _read_files(content: bytes) -> dict[str, bytes]:
    try:
        bounded_zip.check_directory(content, MAX_ENTRIES)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            bounded_zip.check_sizes(entries, MAX_BYTES)
            names = Counter(entry.filename for entry in entries)
            if twice := [name for name, count in names.items() if count > 1]:
                raise Unreadable(f"it has more than one file {twice[0]!r}")
            return {e.filename: bounded_zip.read_entry(archive, e, e.file_size) for e in entries}
    except bounded_zip.TooLarge as error:
        raise Unreadable(str(error)) from None
    except (*DAMAGE, RuntimeError) as error:  # RuntimeError: encrypted, or an unknown compression
        raise Unreadable(f"it is no whole ZIP archive: {error}") from None


def _broken_files(archived: dict[str, bytes], hashes: dict[str, str]) -> Iterator[str]:
    for name, expected_hash in hashes.items():
        if name not in archived:
            yield f"{name}: is in the manifest and not in the archive"
        elif hashlib.sha256(archived[name]).hexdigest() != expected_hash:
            yield f"{name}: is not what the manifest has the hash of"
    for name in sorted(archived.keys() - hashes.keys() - {MANIFEST}):
        yield f"{name}: is not in the manifest"


def _changed_files(archived: dict[str, bytes], now: dict[str, bytes]) -> Iterator[str]:
    for name, content in now.items():
        if name not in archived:
            yield f"{name}: the database gives it, the archive does not have it"
        elif not _is_same(name, archived[name], content):
            yield f"{name}: {_where(archived[name], content)}"


def _is_same(name: str, then: bytes, now: bytes) -> bool:
    """Return whether a file has the same bytes, or a table the same texts in its cells.

    An earlier version inserted fewer apostrophes (`csv_cells`).
    """
    return then == now or (name.endswith(".csv") and _texts(then) == _texts(now))


def _texts(content: bytes) -> list[list[str]] | None:
    """Return the texts of a table's cells, None if it is no table."""
    try:
        return [[restore_text(text) for text in row] for row in _rows(content)]
    except (csv.Error, UnicodeDecodeError):
        return None


def _has_only_new_rows(then: bytes | None, now: bytes) -> bool:
    """Return whether all earlier rows are still there, followed by new ones."""
    before, after = _texts(then or b""), _texts(now)
    if not before or not after:
        return False
    return len(after) > len(before) and after[: len(before)] == before


def _rows(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode(), newline="")))


def _added(name: str, then: bytes, now: bytes) -> str:
    more = len(_rows(now)) - len(_rows(then))
    rows = "1 more row has" if more == 1 else f"{more} more rows have"
    return f"{name}: as it was written; {rows} been appended since"


def _where(then: bytes, now: bytes) -> str:
    before, after = then.splitlines(), now.splitlines()
    pairs = zip(before, after, strict=False)
    line_number = next(
        (n for n, (a, b) in enumerate(pairs, 1) if a != b), min(len(before), len(after)) + 1
    )
    lengths = f"{len(before)} lines in the archive, {len(after)} from the database"
    return f"differs from line {line_number} on ({lengths})"


@dataclass(frozen=True)
class ReportVerification:
    """The result of a report's verification.

    Attributes:
        differences: Sentences on what is wrong.
        reported: Sentences on what is no difference: texts that were removed since, and tables
            that cannot be computed from the archive.
        checked: Number of figures.
    """

    differences: tuple[str, ...]
    reported: tuple[str, ...]
    checked: int


def verify_report(content: bytes) -> ReportVerification:
    """Compute the figures of an experiment's archive again from its own data.

    Its files are compared with their hashes and, if the experiment is in this database, its data
    with the database's. It loads pandas.

    Raises:
        Unreadable: The archive is no export of a study.
    """
    from webapp.study.results.figure_check import TABLES, check_figures, unchecked_reason

    archived = _read_files(content)
    manifest, hashes = _read_manifest(archived)
    if TABLES not in archived:
        raise Unreadable(f"it has no {TABLES}: export it again with `experiment export`")
    figures = check_figures(archived)
    reported = [
        f"{table}: {n} figures taken as given, because {unchecked_reason(table)}"
        for table, n in figures.unchecked.items()
    ]
    differences = [*_broken_files(archived, hashes), *figures.differences]
    study = Study.objects.filter(code=manifest["study_id"]).first()
    if study is None:
        reported.append("the experiment is not in this database: only the archive was verified")
    else:
        options = replace(ExportOptions(**manifest["asked_for"]), report=False, results=False)
        now = studies.build_files(study, options)
        for name in sorted(now.keys() - {MANIFEST, *APPENDED}):
            removed = removed_texts(name, archived.get(name, b""), now[name])
            if removed:
                reported.append(f"{name}: {removed} texts were removed since")
            elif removed is None:
                differences += _changed_files(archived, {name: now[name]})
    return ReportVerification(tuple(differences), tuple(reported), figures.checked)


def removed_texts(name: str, then: bytes, now: bytes) -> int | None:
    """Return how many texts of a table were removed since, None if it differs otherwise."""
    before, after = _texts(then), _texts(now)
    if then == now or (before and before == after):
        return 0
    if not before or not after or len(before) != len(after) or "said" not in before[0]:
        return None
    said_column = before[0].index("said")
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    return len(changed) if all(b[said_column] == "removed" for _a, b in changed) else None
