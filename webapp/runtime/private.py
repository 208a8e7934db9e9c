"""The data folder is its owner's alone: folders 0700, files 0600.

New files are made so by the umask of every process (the settings set it, and the supervisor);
`make_private` puts a folder right that an older version, or a hand, has made.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

UMASK = 0o077
OTHERS = 0o077  # the rights of group and others


def private_umask() -> None:
    """From now on this process and its children make files that only their owner can read."""
    os.umask(UMASK)


def close_to_others(path: str | Path) -> None:
    """Take the rights of group and others away, where the thing is ours and no link."""
    with contextlib.suppress(OSError):  # it has gone, or its file system knows no rights
        facts = os.lstat(path)
        mine = facts.st_uid == os.geteuid()
        if mine and not stat.S_ISLNK(facts.st_mode) and facts.st_mode & OTHERS:
            os.chmod(path, stat.S_IMODE(facts.st_mode) & ~OTHERS)


def shared(folder: Path) -> bool:
    """Return whether the folder belongs to more than Fabula, like /tmp or somebody's home."""
    try:
        facts = folder.stat()
    except OSError:
        return True
    own = facts.st_uid == os.geteuid() and not facts.st_mode & stat.S_ISVTX
    return not own or folder.resolve() in (Path("/"), Path.home().resolve())


def make_folder(folder: Path) -> None:
    """Make the data folder where it is missing, and close it. Raises OSError."""
    private_umask()
    folder.mkdir(parents=True, exist_ok=True)
    if not shared(folder):
        close_to_others(folder)


def make_private(folder: Path) -> None:
    """The same, and for everything in it."""
    make_folder(folder)
    if shared(folder):
        return
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            close_to_others(os.path.join(parent, name))
