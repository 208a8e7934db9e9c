"""Recognises errors of a full disk, a read-only database and an unavailable database."""

import errno
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from django.db import DatabaseError, InterfaceError
from django.utils.translation import gettext as _

logger = logging.getLogger(__name__)

StorageErrorKind = Literal["", "full", "read-only", "disk error", "away"]
_ERRNO: dict[int | None, StorageErrorKind] = {
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EROFS: "read-only",
}
_SQLITE: dict[int, StorageErrorKind] = {
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_READONLY: "read-only",
    sqlite3.SQLITE_IOERR: "disk error",
    sqlite3.SQLITE_CANTOPEN: "away",
    sqlite3.SQLITE_BUSY: "away",
}
_POSTGRESQL: dict[str, StorageErrorKind] = {"53100": "full", "25006": "read-only"}  # SQLSTATE
_POSTGRESQL_AWAY = ("08", "53", "57P")  # classes of SQLSTATE: connection, resources, shutdown


def kind_of(error: BaseException | None) -> StorageErrorKind:
    """Return the kind of storage error behind `error`, "" for other errors.

    Rolling back after such an error may raise another error, so earlier errors of the chain are
    checked too.
    """
    seen_errors: set[int] = set()
    unchecked = [error]
    while unchecked:
        error = unchecked.pop()
        if error is None or id(error) in seen_errors:
            continue
        seen_errors.add(id(error))
        if kind := _own_kind(error):
            return kind
        unchecked += [error.__context__, error.__cause__]
    return ""


def _own_kind(error: BaseException) -> StorageErrorKind:
    """Return the kind of `error` itself, without its chain."""
    if isinstance(error, sqlite3.Error):
        return _SQLITE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, "")
    if isinstance(error, OSError):
        return _ERRNO.get(error.errno, "")
    if type(error).__module__.partition(".")[0] != "psycopg":
        # The queue of webapp.sqlite raises Django's own error.
        return "away" if str(error) == "database is locked" else ""
    state = getattr(error, "sqlstate", None)
    if state is None:  # no answer from the server
        return "away" if type(error).__name__ in ("OperationalError", "InterfaceError") else ""
    return _POSTGRESQL.get(state) or ("away" if state.startswith(_POSTGRESQL_AWAY) else "")


def explain(kind: StorageErrorKind) -> str:
    """Return the text for a visitor whose data could not be stored."""
    cause_text = {
        "full": _("The disk of this site is full. Nothing can be saved at the moment."),
        "read-only": _("This site’s database is read-only. Nothing can be saved at the moment."),
        "disk error": _(
            "The disk of this site reports an error. Nothing can be saved at the moment."
        ),
    }.get(kind) or _("This site’s database does not respond at the moment.")
    kept_text = _(
        "Your last changes were not saved. Earlier data is safe, and your text stays "
        "on the page. Send it again in a few minutes."
    )
    return f"{cause_text} {kept_text}"


@contextmanager
def suppress(subject: str) -> Iterator[None]:
    """Log a storage error of an optional write, and continue. Not for transactions."""
    try:
        yield
    except (DatabaseError, InterfaceError, OSError) as error:
        if not kind_of(error):
            raise
        logger.warning("%s could not be stored: %s", subject, error)
