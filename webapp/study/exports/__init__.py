"""A campaign to take home: ratings long and wide, transcripts, raters, codebook, manifest, one ZIP.

The same data give the same bytes, whenever and wherever it is asked. docs/study.md has the columns.
"""

from __future__ import annotations

from django.utils.translation import override

from webapp.study.exports import codebook, items, ratings
from webapp.study.exports.manifest import manifest
from webapp.study.exports.source import Source
from webapp.study.exports.zipping import packed
from webapp.study.models import Campaign

__all__ = ["FILES", "files", "one", "zipped"]

_MAKERS = {
    "ratings_long.csv": ratings.long,
    "ratings_wide.csv": ratings.wide,
    "items.csv": items.things_csv,
    "transcripts.csv": items.transcripts_csv,
    "transcripts.jsonl": items.transcripts_jsonl,
    "raters.csv": ratings.raters,
    "codebook.md": codebook.markdown,
    "codebook.json": codebook.as_json,
}
FILES = (*_MAKERS, "manifest.json")


def files(campaign: Campaign) -> dict[str, bytes]:
    """Every file by name; the manifest, with the hashes of the others, last."""
    source = Source(campaign)
    with override("en"):  # the same bytes for every reader
        found = {name: make(source) for name, make in _MAKERS.items()}
    found["manifest.json"] = manifest(source, found)
    return found


def one(campaign: Campaign, name: str) -> bytes:
    """One of FILES. KeyError where there is no such file."""
    if name == "manifest.json":
        return files(campaign)[name]
    with override("en"):
        return _MAKERS[name](Source(campaign))


def zipped(campaign: Campaign) -> bytes:
    """All files as one ZIP archive."""
    return packed(files(campaign))
