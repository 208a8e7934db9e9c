"""Packed databases (compressed SQL dumps), and opening one as this process's database."""

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
    """Return the names of the packed databases."""
    return sorted(path.name.removesuffix(DUMP) for path in FOLDER.glob(f"*{DUMP}"))


def facts(name: str) -> dict[str, Any]:
    """Return the facts that the revision of a database read from it."""
    data: dict[str, Any] = json.loads((FOLDER / f"{name}{FACTS}").read_text("utf-8"))
    return data


def unpack(name: str, file: Path) -> None:
    """Write a packed database to an SQLite file."""
    text = lzma.decompress((FOLDER / f"{name}{DUMP}").read_bytes()).decode()
    with closing(sqlite3.connect(file)) as database:
        database.executescript(text)


@contextmanager
def opened(file: Path) -> Iterator[None]:
    """Use the file as the database of all threads of this process within the context."""
    shared = connections.settings["default"]  # source of every thread's connection
    previous_settings, previous_connection = dict(shared), connections["default"]
    previous_connection.close()
    shared.update(ENGINE="webapp.sqlite", NAME=str(file), OPTIONS=settings.SQLITE_OPTIONS)
    del connections["default"]
    ContentType.objects.clear_cache()
    try:
        yield
    finally:
        connections["default"].close()
        shared.clear()
        shared.update(previous_settings)
        connections["default"] = previous_connection
        ContentType.objects.clear_cache()
