"""`python -m webapp.runtime.single web|worker|sweeper`: one process, in the foreground.

For installations with their own supervisor (systemd, containers), on one machine or several. It
starts the same process as `make play`.
"""

import os
import sys

from webapp.runtime import children
from webapp.runtime.data_dir import DataDir
from webapp.runtime.private import set_private_umask
from webapp.runtime.process_group import ROOT, Child
from webapp.runtime.startup_error import StartupError

NAMES = ("web", "worker", "sweeper")


def child_of(name: str) -> Child:
    """Return the process of that name.

    Raises:
        StartupError: The name or the environment is wrong.
    """
    if name not in NAMES:
        raise StartupError(f"Which process? One of: {', '.join(NAMES)}.")
    data_dir = DataDir.from_environment(os.environ)
    if not data_dir.redis_url:
        raise StartupError("REDIS_URL is not set: processes of their own need a Redis they share.")
    env = children.environment(data_dir.redis_url)
    if name == "web":
        listener = data_dir.listen()
        listener.set_inheritable(True)
        child = children.web(env, listener)
        listener.detach()
        return child
    return children.worker(env) if name == "worker" else children.sweeper(env)


def main() -> None:
    try:
        child = child_of(" ".join(sys.argv[1:]))
    except StartupError as refusal:
        print(f"fabula: {refusal}", file=sys.stderr, flush=True)
        sys.exit(1)
    set_private_umask()
    os.chdir(ROOT)
    os.execve(child.command[0], list(child.command), dict(child.env))


if __name__ == "__main__":
    main()
