"""Exports as ZIP archives: their tables, the manifest of their hashes, and reproducible bytes."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from webapp.study.csv_cells import csv_of_cells, format_cells

EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that ZIP can store

S = TypeVar("S")  # what is exported: a `CampaignSource` or a `StudySource`


@dataclass(frozen=True)
class ExportTable(Generic[S]):
    """A CSV file of an export."""

    # Its columns, or a function where they depend on the source.
    own_columns: Sequence[str] | Callable[[S], Sequence[str]]
    read_rows: Callable[[S], Iterable[Any]]  # yields rows with the values of these columns
    is_formatted: bool = False  # whether the values are the texts of cells already

    def columns(self, source: S) -> tuple[str, ...]:
        return tuple(self.own_columns(source) if callable(self.own_columns) else self.own_columns)

    def build(self, source: S) -> bytes:
        rows = self.read_rows(source)
        cells = rows if self.is_formatted else map(format_cells, rows)
        return csv_of_cells(self.columns(source), cells)


def build_manifest(facts: Mapping[str, Any], files: Mapping[str, bytes]) -> bytes:
    """Return the manifest as JSON: `facts`, then each file's size and SHA-256 (hex)."""
    entries = {
        name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in sorted(files.items())
    }
    return (json.dumps({**facts, "files": entries}, indent=2) + "\n").encode()


def unzip_files(content: bytes) -> dict[str, bytes]:
    """Return name -> content of an archive that `zip_files` wrote."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zip_files(files: Mapping[str, bytes]) -> bytes:
    """Return a ZIP archive of the files, without times and owners."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            # Unix and rw-r--r--, because `ZipInfo` would store the system that runs this.
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[name])
    return buffer.getvalue()
