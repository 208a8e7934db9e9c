"""Packed databases: SQL dumps, compressed, and a file of one as this process's own database."""

from __future__ import annotations

import json
import lzma
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.db import connections

FOLDER = Path(__file__).parent
DUMP, FACTS = ".sql.xz", ".json"


def names() -> list[str]:
    """The packed databases there are."""
    return sorted(path.name.removesuffix(DUMP) for path in FOLDER.glob(f"*{DUMP}"))


def facts(name: str) -> dict[str, Any]:
    """What was read from a database by the revision that made it."""
    found: dict[str, Any] = json.loads((FOLDER / f"{name}{FACTS}").read_text("utf-8"))
    return found


def pack(file: Path, name: str) -> int:
    """Write an SQLite file as a compressed dump; gives its size in bytes."""
    with closing(sqlite3.connect(file)) as database:
        text = "\n".join(database.iterdump())
    target = FOLDER / f"{name}{DUMP}"
    return target.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def unpack(name: str, file: Path) -> None:
    """Make an SQLite file of a packed database."""
    text = lzma.decompress((FOLDER / f"{name}{DUMP}").read_bytes()).decode()
    with closing(sqlite3.connect(file)) as database:
        database.executescript(text)


@contextmanager
def opened(file: Path) -> Iterator[None]:
    """The file is this process's database, for all its threads; afterwards it is the one before."""
    shared = connections.settings["default"]  # what every thread's connection is made from
    before, kept = dict(shared), connections["default"]
    kept.close()
    shared.update(ENGINE="webapp.sqlite", NAME=str(file), OPTIONS=settings.SQLITE_OPTIONS)
    del connections["default"]
    ContentType.objects.clear_cache()
    try:
        yield
    finally:
        connections["default"].close()
        shared.clear()
        shared.update(before)
        connections["default"] = kept
        ContentType.objects.clear_cache()
