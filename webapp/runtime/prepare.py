"""Prepares an installed Fabula for its start: database, Redis, static files.

`python -m webapp.runtime.prepare` ends with 0, or with 1 and one sentence on its last line. It is a
separate process, so that the supervisor stays small. The functions raise StartupError if Fabula
cannot start.
"""

import hashlib
import os
import re
import sys
import traceback
from urllib.parse import unquote, urlsplit

import redis

from webapp.runtime import StartupError
from webapp.runtime.launch_settings import FIRST_RESEARCHER_FILE
from webapp.runtime.private_files import make_contents_private

CONNECT_TIMEOUT_S = 3.0  # seconds to wait for a database or Redis server on another machine


def mask_password(url: str) -> str:
    """Return the URL with its password replaced: `postgres://ann:***@host/db`."""
    masked = re.sub(r"//([^:@/]*):.*@", r"//\1:***@", url)
    masked = re.sub(r":[^:@/]*@", ":***@", masked)  # mask text that only looks like a URL
    return re.sub(r"(password=)[^&]*", r"\1***", masked, flags=re.IGNORECASE)


def masked_reason(error: BaseException, url: str = "") -> str:
    """Return the first line of an error, with the URL and its password masked."""
    text = str(error).strip() or type(error).__name__
    line = text.splitlines()[0].strip().rstrip(".")
    if not url:
        return line
    line = line.replace(url, mask_password(url))
    try:
        password = urlsplit(url).password or ""
    except ValueError:
        return line
    for secret in {password, unquote(password)} - {""}:
        line = line.replace(secret, "***")
    return line


def check_redis(url: str) -> None:
    """Check that a Redis-compatible server answers at `url`."""
    masked_url = mask_password(url)
    try:
        timeouts = dict.fromkeys(("socket_connect_timeout", "socket_timeout"), CONNECT_TIMEOUT_S)
        client = redis.Redis.from_url(url, retry=None, **timeouts)
    except (ValueError, TypeError) as error:
        raise StartupError(
            f"REDIS_URL={masked_url} is not an address Redis understands "
            f"({masked_reason(error, url)}); it looks like redis://host:6379/0."
        ) from error
    try:
        client.ping()
    except (redis.RedisError, OSError) as error:
        raise StartupError(
            f"REDIS_URL={masked_url} can't be used: {masked_reason(error, url)}. "
            "Without REDIS_URL, Fabula starts a server of its own."
        ) from error
    finally:
        client.close()


def check_database_url(url: str) -> None:
    """Check that `url` names a supported kind of database."""
    import dj_database_url

    masked_url = mask_password(url)
    try:
        engine = dj_database_url.parse(url)["ENGINE"]
    except Exception as error:  # every error of the parser means that the URL is wrong
        raise StartupError(
            f"DATABASE_URL={masked_url} can't be read: {masked_reason(error, url)}."
        ) from error
    if not engine.endswith((".postgresql", ".sqlite3")):
        raise StartupError(f"DATABASE_URL={masked_url} names no PostgreSQL or SQLite database.")


def prepare_database(url: str) -> None:
    """Connect to the database and migrate it. Messages name it by `url`, if that is not empty."""
    from django.core.management import call_command
    from django.db import DatabaseError, connection

    from webapp.backups import BackupError, back_up_before_migrating, migration_lock

    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            connection.introspection.table_names(cursor)
    except (DatabaseError, OSError) as error:
        name = f"DATABASE_URL={mask_password(url)}" if url else connection.settings_dict["NAME"]
        raise StartupError(
            f"The database {name} can't be used: {masked_reason(error, url)}."
        ) from error
    with migration_lock():
        try:
            back_up_before_migrating()
        except (BackupError, OSError) as error:
            raise StartupError(
                "No copy of the database could be made before its update "
                f"({masked_reason(error)}); nothing was changed."
            ) from error
        call_command("migrate", interactive=False, verbosity=1)


def static_digest() -> str:
    """Return a hash of names, sizes and times of all static files, and of their destination."""
    from django.conf import settings
    from django.contrib.staticfiles.finders import get_finders

    digest = hashlib.sha256(f"{settings.STATIC_ROOT} {settings.STORAGES}".encode())
    for finder in get_finders():
        for path, storage in finder.list([]):
            status = os.stat(storage.path(path))
            digest.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def collect_static() -> None:
    """Run collectstatic if a static file has changed since it ran last."""
    from django.conf import settings
    from django.core.management import call_command

    stamp = settings.DATA_DIR / "static.stamp"
    digest = static_digest()
    if settings.STATIC_ROOT.is_dir() and stamp.exists() and stamp.read_text() == digest:
        return
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    stamp.write_text(digest)


def write_first_researcher_path() -> None:
    """Write the link for creating the first researcher into a file of the data folder.

    Only the folder's owner can read the file. It is removed once a researcher exists.
    """
    from django.conf import settings
    from django.urls import reverse

    from webapp.study.researcher.accounts import get_first_invitation

    file = settings.DATA_DIR / FIRST_RESEARCHER_FILE
    file.unlink(missing_ok=True)
    if invitation := get_first_invitation():
        # O_EXCL: a link that somebody puts there in between is not followed.
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as handle:
            handle.write(reverse("study:enrol", args=[invitation.key]))


def prepare() -> None:
    url = os.environ.get("DATABASE_URL", "")
    if url:
        check_database_url(url)
    check_redis(os.environ["REDIS_URL"])
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    django.setup()
    from django.conf import settings

    prepare_database(url)
    write_first_researcher_path()
    collect_static()
    make_contents_private(settings.DATA_DIR)


def main() -> int:
    try:
        prepare()
    except StartupError as refusal:
        print(refusal, flush=True)
        return 1
    except Exception as error:
        traceback.print_exc()
        sys.stderr.flush()
        reason = f"{type(error).__name__}: {masked_reason(error)}"
        print(f"Preparing the start failed: {reason}", flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
