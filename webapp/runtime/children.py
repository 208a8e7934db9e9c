"""The child processes of a running Fabula and their commands."""

import os
import socket
import sys
from collections.abc import Mapping
from uuid import uuid4

from webapp.runtime.process_group import Child

# Python programs whose output goes through `logged`, which removes keys.
MODULE = (sys.executable, "-m", "webapp.runtime.logged")
FILE = (*MODULE, "-f")
# A task's arrays are small, and several BLAS threads wait for each other: the results of a campaign
# took 9.4 s of processor time, with one thread 4.1 s.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def environment(redis_url: str, base: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment of Fabula's processes: `base` and the address of Redis."""
    return {**base, "REDIS_URL": redis_url, "PYTHONUNBUFFERED": "1"}


def web(env: Mapping[str, str], listener: socket.socket, name: str = "web") -> Child:
    """Return the child for Daphne on a socket that is already listening.

    Idle WebSockets are pinged, so that the server notices a vanished phone and no proxy closes a
    quiet table. Sockets may stay open as long as a game lasts.
    """
    descriptor = listener.fileno()
    command = [*MODULE, "webapp.runtime.daphne", "--fd", str(descriptor)]
    command += ["--verbosity", "0", "--no-server-name", "--http-timeout", "60"]
    command += ["--websocket_timeout", "-1", "--websocket_connect_timeout", "10"]
    command += ["--ping-interval", "10", "--ping-timeout", "15"]
    command += ["--websocket-max-message-size", "65536", "--websocket-max-frame-size", "65536"]
    return Child(name, [*command, "webapp.asgi:application"], env, (descriptor,))


def worker(env: Mapping[str, str], name: str = "worker") -> Child:
    """Return the child for Celery on threads, without gossip among workers (unused)."""
    command = [*MODULE, "celery", "-A", "webapp.celery", "worker"]
    command += ["--pool", "threads", "--loglevel", "INFO", "--without-gossip"]
    command += ["--without-mingle", "--without-heartbeat", "-n", f"{name}-{uuid4().hex[:8]}@%h"]
    return Child(name, command, {**ONE_THREAD, **env})


def sweeper(env: Mapping[str, str], name: str = "sweeper") -> Child:
    return Child(name, [*FILE, "manage.py", "sweep"], env)


def prepare(env: Mapping[str, str]) -> Child:
    return Child("prepare", [*MODULE, "webapp.runtime.prepare"], env)
