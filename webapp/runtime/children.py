"""The child processes of a running Fabula and their commands."""

import os
import socket
import sys
from collections.abc import Mapping
from uuid import uuid4

from webapp.runtime.process_group import Child

# The beginnings of commands that run a Python module or file with redacted output.
RUN_MODULE = (sys.executable, "-m", "webapp.runtime.redacted_program")
RUN_FILE = (*RUN_MODULE, "-f")
# A task's arrays are small, and several BLAS threads would wait for each other: the results of a
# campaign took 9.4 s of processor time, with one thread 4.1 s.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def build_environment(redis_url: str, base: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment of Fabula's processes: `base` with the address of Redis."""
    return {**base, "REDIS_URL": redis_url, "PYTHONUNBUFFERED": "1"}


def web_child(env: Mapping[str, str], listener: socket.socket, name: str = "web") -> Child:
    """Return the child that runs Daphne on a socket that is already listening.

    Daphne pings idle WebSockets. So it notices a vanished phone, and no proxy closes the socket of
    a quiet table. Sockets may stay open as long as a game lasts.
    """
    descriptor = listener.fileno()
    command = [*RUN_MODULE, "webapp.runtime.daphne", "--fd", str(descriptor)]
    command += ["--verbosity", "0", "--no-server-name", "--http-timeout", "60"]
    command += ["--websocket_timeout", "-1", "--websocket_connect_timeout", "10"]
    command += ["--ping-interval", "10", "--ping-timeout", "15"]
    command += ["--websocket-max-message-size", "65536", "--websocket-max-frame-size", "65536"]
    return Child(name, [*command, "webapp.asgi:application"], env, (descriptor,))


def worker_child(env: Mapping[str, str], name: str = "worker") -> Child:
    """Return the child that runs Celery on threads. Workers need no gossip with each other."""
    command = [*RUN_MODULE, "celery", "-A", "webapp.celery", "worker"]
    command += ["--pool", "threads", "--loglevel", "INFO", "--without-gossip"]
    command += ["--without-mingle", "--without-heartbeat", "-n", f"{name}-{uuid4().hex[:8]}@%h"]
    return Child(name, command, {**ONE_THREAD, **env})


def sweeper_child(env: Mapping[str, str], name: str = "sweeper") -> Child:
    return Child(name, [*RUN_FILE, "manage.py", "sweep"], env)


def prepare_child(env: Mapping[str, str]) -> Child:
    return Child("prepare", [*RUN_MODULE, "webapp.runtime.prepare"], env)
