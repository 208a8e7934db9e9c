"""Writes and restores backups: ZIP files with the database and the secret key for sessions.

A backup is consistent while games run: SQLite's own backup and pg_dump both read one state of the
database and delay no writer. The contents of Redis are not needed.
"""

import fcntl
import json
import logging
import os
import secrets
import shutil
import sqlite3
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from webapp import bounded_zip

logger = logging.getLogger(__name__)

FORMAT = 1
# The entries of a backup. The dump's name tells the kind of the database.
MANIFEST, KEY = "about.json", "secret_key"
DUMPS = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
MAX_MANIFEST_BYTES = 1_000_000
TEMPORARY_FOLDER_PREFIX = ".fabula-"
AUTOMATIC_FOLDER = "backups"
MAX_AUTOMATIC_BACKUPS = 3  # older automatic backups of the same reason are deleted
# Connection parameter -> environment variable of PostgreSQL's programs. Other users of the machine
# cannot read the environment, but they can read a command line.
_SAME_NAMES = ("host", "port", "user", "sslmode", "sslrootcert", "sslcert", "sslkey")
CONNECTION_VARIABLES = {"dbname": "PGDATABASE"} | {key: f"PG{key.upper()}" for key in _SAME_NAMES}


class BackupError(Exception):
    """Nothing was backed up or restored. The message is a sentence with the reason."""


class ProgramMissing(BackupError):
    """One of PostgreSQL's own programs is not installed here."""


def write_backup(file: Path) -> None:
    """Write a backup. A failure leaves no incomplete `file`.

    Raise BackupError if `file` exists, or the database cannot be copied.
    """
    if file.exists():
        raise BackupError(f"{file} exists already; choose another name.")
    unfinished = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    try:
        with tempfile.TemporaryDirectory(prefix=TEMPORARY_FOLDER_PREFIX, dir=file.parent) as folder:
            dump = Path(folder, DUMPS[connection.vendor])
            if connection.vendor == "sqlite":
                _dump_sqlite(dump)
            else:
                _run_program(
                    "pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={dump}"
                )
            with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
                archive.writestr(MANIFEST, json.dumps(_build_manifest()))
                archive.write(dump, dump.name)
                if _key_file().exists():
                    archive.write(_key_file(), KEY)
        _sync_to_disk(unfinished)
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)


def _key_file() -> Path:
    """Return the file with the secret key, which exists unless FABULA_SECRET_KEY is set."""
    return Path(settings.DATA_DIR) / KEY


def _build_manifest() -> dict[str, Any]:
    applied = MigrationExecutor(connection).loader.applied_migrations
    return {
        "fabula": FORMAT,
        "database": connection.vendor,
        "made": timezone.now().isoformat(),
        "migrations": sorted([app, name] for app, name in applied),
    }


def _sync_to_disk(file: Path) -> None:
    with open(file, "rb+") as handle:
        os.fsync(handle.fileno())


def _dump_sqlite(target: Path) -> None:
    source_name = Path(connection.settings_dict["NAME"]).absolute().as_uri() + "?mode=ro"
    with (
        closing(sqlite3.connect(source_name, uri=True, timeout=20)) as source,
        closing(sqlite3.connect(target)) as copy,
    ):
        source.backup(copy)
    _check_sqlite(target)


def _check_sqlite(file: Path) -> None:
    try:
        with closing(sqlite3.connect(file)) as database:
            (result,) = database.execute("PRAGMA quick_check").fetchone()
    except sqlite3.DatabaseError as error:
        result = str(error)
    if result != "ok":
        raise BackupError(f"The copy of the database is damaged: {result}.")


def _run_program(program: str, *arguments: str) -> None:
    """Run one of PostgreSQL's programs against the database of this site."""
    path = shutil.which(program)
    if path is None:
        raise ProgramMissing(
            f"{program} is not installed here; it comes with PostgreSQL's client programs "
            "(Debian and Ubuntu: apt install postgresql-client)."
        )
    connection.ensure_connection()
    info = connection.connection.info
    parameters = {**info.get_parameters(), "host": info.host, "port": info.port}
    env = {
        name: str(parameters[key])
        for key, name in CONNECTION_VARIABLES.items()
        if parameters.get(key)
    }
    process = subprocess.run(
        [path, *arguments],
        env={**os.environ, **env, "PGPASSWORD": info.password or ""},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode != 0:
        error_lines = process.stderr.strip().splitlines() or ["no reason was given"]
        raise BackupError(f"{program} failed: {error_lines[0]}")


def restore(file: Path, *, replace: bool = False) -> None:
    """Replace the database by the backup. Fabula's processes must not run.

    If a database exists and `replace` is true, it is backed up first into AUTOMATIC_FOLDER.

    Raise BackupError if a database exists and `replace` is false, if the file is no backup of this
    kind of database and version, or if it cannot be restored. The database is then unchanged.
    """
    with _open_backup(file) as archive:
        manifest = _read_manifest(archive)
        if connection.introspection.table_names():
            if not replace:
                raise BackupError("There is a database here already; --replace puts it aside.")
            write_automatic_backup("restore")
        with tempfile.TemporaryDirectory(
            prefix=TEMPORARY_FOLDER_PREFIX, dir=settings.DATA_DIR
        ) as folder:
            dump = Path(archive.extract(DUMPS[manifest["database"]], folder))
            if manifest["database"] == "sqlite":
                _replace_sqlite(dump)
            else:
                _replace_postgresql(dump)
            if KEY in archive.namelist() and not os.environ.get("FABULA_SECRET_KEY"):
                Path(archive.extract(KEY, folder)).replace(_key_file())
    # The queue holds tasks of other games.
    shutil.rmtree(Path(settings.DATA_DIR) / "redis", ignore_errors=True)


@contextmanager
def _open_backup(file: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(file) as archive:
            _check_entries(archive)
            if damaged := archive.testzip():
                raise BackupError(f"{file} is damaged: {damaged}.")
            yield archive
    except (zipfile.BadZipFile, bounded_zip.TooLarge) as error:
        raise BackupError(f"{file} is no backup of Fabula's: {error}.") from error


def _check_entries(archive: zipfile.ZipFile) -> None:
    """Refuse an archive that is no backup, or that the disk cannot hold when it is unpacked.

    The compression ratio is not limited, because a database may shrink to any part of its size.
    """
    entries = archive.infolist()
    if {entry.filename for entry in entries} - {MANIFEST, KEY, *DUMPS.values()}:
        raise BackupError("That is no backup of Fabula's.")
    free = shutil.disk_usage(settings.DATA_DIR).free
    if (needed := sum(entry.file_size for entry in entries)) > free:
        sizes = f"{bounded_zip.megabytes(needed)}, and {bounded_zip.megabytes(free)} are free"
        raise BackupError(f"The backup unpacks to {sizes}.")


def _read_manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    try:
        text = bounded_zip.read_entry(archive, MANIFEST, MAX_MANIFEST_BYTES)
        manifest: dict[str, Any] = json.loads(text)
        kind = manifest["database"]
        migrations = [(app, name) for app, name in manifest["migrations"]]
        is_ours = manifest["fabula"] == FORMAT and DUMPS[kind] in archive.namelist()
    except (KeyError, ValueError, TypeError, RecursionError):
        is_ours = False
    if not is_ours:
        raise BackupError("That is no backup of Fabula's.")
    if kind != connection.vendor:
        raise BackupError(f"The backup is of {kind}, the database here is {connection.vendor}.")
    known = MigrationExecutor(connection).loader.disk_migrations
    if newer := [f"{app}.{name}" for app, name in migrations if (app, name) not in known]:
        raise BackupError(f"The backup was made by a newer Fabula: it has {newer[0]}.")
    return manifest


def _replace_sqlite(dump: Path) -> None:
    _check_sqlite(dump)
    connection.close()
    target = Path(connection.settings_dict["NAME"])
    for ending in ("-wal", "-shm", "-journal"):
        target.with_name(target.name + ending).unlink(missing_ok=True)
    _sync_to_disk(dump)
    dump.replace(target)


def _replace_postgresql(dump: Path) -> None:
    """Replace all tables in one transaction, also those that the backup's version did not have.

    pg_restore alone would drop the old tables in another transaction, or keep some of them.
    """
    drops, inserts = dump.with_name("drops.sql"), dump.with_name("inserts.sql")
    tables = map(connection.ops.quote_name, connection.introspection.table_names())
    statements = (f"DROP TABLE IF EXISTS {table} CASCADE;" for table in tables)
    drops.write_text("\n".join(["SET client_min_messages = warning;", *statements]))
    _run_program("pg_restore", "--no-owner", "--no-privileges", f"--file={inserts}", str(dump))
    options = ["--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1"]
    _run_program("psql", *options, f"--file={drops}", f"--file={inserts}")
    connection.close()


def write_automatic_backup(reason: str) -> Path:
    """Write a backup into the data folder. Only the newest ones of a `reason` stay."""
    folder = Path(settings.DATA_DIR) / AUTOMATIC_FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{timezone.now():%Y%m%d-%H%M%S-%f}-before-{reason}.zip"
    write_backup(file)
    for old in sorted(folder.glob(f"*-before-{reason}.zip"))[:-MAX_AUTOMATIC_BACKUPS]:
        old.unlink(missing_ok=True)
    return file


@contextmanager
def migration_lock() -> Iterator[None]:
    """Let one process of this machine migrate at a time. The others then find nothing pending.

    Without the lock, two commands that are the first to open a database would both create its
    tables.
    """
    with (settings.DATA_DIR / "migrating").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def back_up_before_migrating() -> Path | None:
    """Write a backup if migrations are pending for a database with data. Return its file.

    Without PostgreSQL's programs there is no backup.
    """
    executor = MigrationExecutor(connection)
    pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if not pending or not executor.loader.applied_migrations:
        return None
    try:
        file = write_automatic_backup("update")
    except ProgramMissing as error:
        logger.warning("no copy of the database is kept before its update: %s", error)
        return None
    logger.info("a copy of the database before its update: %s", file)
    return file
