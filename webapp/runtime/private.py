"""Keeps the data folder private to its owner: folders 0700, files 0600.

New files get these rights by the umask of every process (the settings set it, and the supervisor);
`make_private` repairs a folder that an older version, or a person, has created.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

UMASK = 0o077
GROUP_AND_OTHER_BITS = 0o077  # the rights of group and others


def set_private_umask() -> None:
    """Set the umask so that only their owner can read new files of this process and its
    children.
    """
    os.umask(UMASK)


def restrict_to_owner(path: str | Path) -> None:
    """Remove the rights of group and others, unless the file is not ours or a link."""
    with contextlib.suppress(OSError):  # it has been deleted, or its file system has no rights
        facts = os.lstat(path)
        mine = facts.st_uid == os.geteuid()
        if mine and not stat.S_ISLNK(facts.st_mode) and facts.st_mode & GROUP_AND_OTHER_BITS:
            os.chmod(path, stat.S_IMODE(facts.st_mode) & ~GROUP_AND_OTHER_BITS)


def is_shared(folder: Path) -> bool:
    """Return whether the folder is used by more than Fabula, like /tmp or a home folder."""
    try:
        facts = folder.stat()
    except OSError:
        return True
    own = facts.st_uid == os.geteuid() and not facts.st_mode & stat.S_ISVTX
    return not own or folder.resolve() in (Path("/"), Path.home().resolve())


def make_folder(folder: Path) -> None:
    """Create the data folder if it is missing, and make it private."""
    set_private_umask()
    folder.mkdir(parents=True, exist_ok=True)
    if not is_shared(folder):
        restrict_to_owner(folder)


def make_private(folder: Path) -> None:
    """Make the folder and everything in it private."""
    make_folder(folder)
    if is_shared(folder):
        return
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            restrict_to_owner(os.path.join(parent, name))
