"""`python -m webapp.runtime.single web|worker|sweeper`: runs one process in the foreground.

It is for installations with their own supervisor (systemd, containers), on one machine or several.
It starts the same process as `make play`.
"""

import os
import sys

from webapp.runtime import PROJECT_ROOT, StartupError, children
from webapp.runtime.launch_settings import LaunchSettings
from webapp.runtime.private_files import set_private_umask
from webapp.runtime.process_group import Child

NAMES = ("web", "worker", "sweeper")


def build_child(name: str) -> Child:
    """Return the process of that name, or raise `StartupError`."""
    if name not in NAMES:
        raise StartupError(f"Which process? One of: {', '.join(NAMES)}.")
    settings = LaunchSettings.from_environment(os.environ)
    if not settings.redis_url:
        raise StartupError("REDIS_URL is not set: processes of their own need a Redis they share.")
    env = children.build_environment(settings.redis_url)
    if name == "web":
        listener = settings.listen()
        listener.set_inheritable(True)
        child = children.web_child(env, listener)
        listener.detach()
        return child
    return children.worker_child(env) if name == "worker" else children.sweeper_child(env)


def main() -> None:
    try:
        child = build_child(" ".join(sys.argv[1:]))
    except StartupError as refusal:
        print(f"fabula: {refusal}", file=sys.stderr, flush=True)
        sys.exit(1)
    set_private_umask()
    os.chdir(PROJECT_ROOT)
    os.execve(child.command[0], list(child.command), dict(child.env))


if __name__ == "__main__":
    main()
