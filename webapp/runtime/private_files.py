"""Keeps the data folder private to its owner: folders 0700, files 0600.

New files get these rights by the umask of every process, which the settings and the supervisor set.
`make_contents_private` repairs a folder that an older version, or a person, has created.
"""

import contextlib
import os
import stat
from pathlib import Path

GROUP_AND_OTHER_BITS = 0o077  # the rights of group and others


def set_private_umask() -> None:
    """Let only the owner read new files of this process and its children."""
    os.umask(GROUP_AND_OTHER_BITS)


def restrict_to_owner(path: str | Path) -> None:
    """Remove the rights of group and others, unless the file is a link or of another user."""
    with contextlib.suppress(OSError):  # it has been deleted, or its file system has no rights
        status = os.lstat(path)
        is_own_file = status.st_uid == os.geteuid() and not stat.S_ISLNK(status.st_mode)
        if is_own_file and status.st_mode & GROUP_AND_OTHER_BITS:
            os.chmod(path, stat.S_IMODE(status.st_mode) & ~GROUP_AND_OTHER_BITS)


def is_shared(folder: Path) -> bool:
    """Return whether the folder is used by more than Fabula, like /tmp or a home folder."""
    try:
        status = folder.stat()
    except OSError:
        return True
    is_own = status.st_uid == os.geteuid() and not status.st_mode & stat.S_ISVTX
    return not is_own or folder.resolve() in (Path("/"), Path.home().resolve())


def create_private_folder(folder: Path) -> None:
    """Create the folder if it is missing, and make it private unless it is shared."""
    set_private_umask()
    folder.mkdir(parents=True, exist_ok=True)
    if not is_shared(folder):
        restrict_to_owner(folder)


def make_contents_private(folder: Path) -> None:
    """Make the folder and everything in it private, unless it is shared."""
    create_private_folder(folder)
    if is_shared(folder):
        return
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            restrict_to_owner(os.path.join(parent, name))
