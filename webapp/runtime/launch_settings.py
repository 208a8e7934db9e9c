"""The settings for a start of Fabula: the data folder with its lock, and the addresses."""

import contextlib
import errno
import fcntl
import http.client
import os
import socket
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from webapp.runtime import PROJECT_ROOT, StartupError
from webapp.runtime.private_files import make_contents_private

LOCK_TIMEOUT_S = 5.0  # the children of a killed supervisor end within this time
# The file with the path of the link that creates the first researcher.
FIRST_RESEARCHER_FILE = "first_researcher"
LISTEN_BACKLOG = 512  # connections that may wait while the web process is restarted


@dataclass(frozen=True)
class LaunchSettings:
    """The settings FABULA_DATA, HOST, PORT, REDIS_URL, FABULA_HTTPS and FABULA_HOSTS.

    Attributes:
        data: the data folder.
        host, port: of the listening socket; port 0: any free one.
        redis_url: "" for the embedded server.
        public_address: the site's address for browsers, if a proxy is before it; otherwise "".
    """

    data: Path
    host: str
    port: int
    redis_url: str
    public_address: str = ""

    @classmethod
    def from_environment(cls, env: Mapping[str, str]) -> Self:
        port = env.get("PORT") or "8000"
        if not (port.isascii() and port.isdigit() and int(port) < 65536):
            raise StartupError(
                f"PORT={port} is not a port number (0 to 65535; 0 takes any free one)."
            )
        data = Path(env.get("FABULA_DATA") or PROJECT_ROOT / ".data").expanduser().absolute()
        host, redis_url = env.get("HOST") or "127.0.0.1", env.get("REDIS_URL", "")
        return cls(data, host, int(port), redis_url, _public_address(env))

    @property
    def logs(self) -> Path:
        return self.data / "logs"

    @property
    def display_path(self) -> str:
        """The data folder as a person would write it."""
        folder = Path.cwd()
        return str(self.data.relative_to(folder) if self.data.is_relative_to(folder) else self.data)

    @property
    def first_researcher_path(self) -> str:
        """The path of the link that creates the first researcher, "" once one exists."""
        try:
            return (self.data / FIRST_RESEARCHER_FILE).read_text()
        except FileNotFoundError:
            return ""

    @contextlib.contextmanager
    def lock(self) -> Iterator[int]:
        """Lock the data folder for the block, and yield the lock's descriptor for `write_address`.

        The orphan guard holds the lock too. So if a supervisor is killed, the lock becomes free
        only when its last child has ended, and two Redis servers never share a folder.
        """
        try:
            make_contents_private(self.data)
            descriptor = os.open(self.data / "running", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StartupError(
                f"The data folder {self.display_path} can't be used ({error.strerror}); "
                "choose another with FABULA_DATA=…"
            ) from error
        try:
            self._acquire(descriptor)
            os.ftruncate(descriptor, 0)
            yield descriptor
        finally:
            os.close(descriptor)

    def _acquire(self, descriptor: int) -> None:
        deadline = time.monotonic() + LOCK_TIMEOUT_S
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                pid, _, address = os.pread(descriptor, 500, 0).decode().partition(" ")
            if is_alive(pid) or time.monotonic() > deadline:
                at = f" at {address}" if address else ""
                raise StartupError(
                    f"Fabula already runs with the data folder {self.display_path}{at}: open it "
                    "there, or start a second one with FABULA_DATA=… and another PORT=…"
                )
            time.sleep(0.1)

    def listen(self) -> socket.socket:
        """Return a listening socket for the web process. Call it before any process starts.

        The socket stays open while the web process is restarted, so that no connection is refused.
        """
        try:
            ((_, _, _, _, address), *_) = socket.getaddrinfo(
                self.host, self.port, socket.AF_INET, socket.SOCK_STREAM
            )
        except OSError as error:
            raise StartupError(f"HOST={self.host} is no IPv4 address of this machine.") from error
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
            listener.listen(LISTEN_BACKLOG)
        except OSError as error:
            listener.close()
            raise StartupError(self._listen_error_text(error)) from error
        return listener

    def _listen_error_text(self, error: OSError) -> str:
        advice = "choose another with PORT=… (for example PORT=8001 make play)"
        if error.errno == errno.EADDRINUSE:
            return f"Port {self.port} is taken by another program; {advice}."
        if error.errno in (errno.EACCES, errno.EPERM):
            return f"Port {self.port} may not be used without more rights; {advice}."
        return f"{self.host}:{self.port} can't be listened on ({error.strerror})."


def _public_address(env: Mapping[str, str]) -> str:
    """Return the public address behind the proxy that ends TLS, "" if none is set."""
    hosts = [host.strip() for host in env.get("FABULA_HOSTS", "").split(",")]
    names = [host for host in hosts if host and not host.startswith(("*", "."))]
    return f"https://{names[0]}/" if names and env.get("FABULA_HTTPS") == "1" else ""


def browser_address(listener: socket.socket) -> str:
    """Return the address of a listening socket for browsers on this machine."""
    host, port = listener.getsockname()
    return f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{port}/"


def read_health(site: str, timeout_s: float) -> tuple[int, str]:
    """Return status and body of /healthz below `site`, or 0 and the reason why none came."""
    # Neither follows redirects nor uses a proxy, because the site runs on this machine.
    url = urlsplit(site)
    connection = http.client.HTTPConnection(url.hostname or "", url.port, timeout=timeout_s)
    try:
        # The listening address need not be one of the site's allowed hosts.
        connection.request("GET", f"{url.path}healthz", headers={"Host": "localhost"})
        response = connection.getresponse()
        return response.status, response.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        return 0, str(error)
    finally:
        connection.close()


def write_address(descriptor: int, address: str) -> None:
    """Write process id and address into the lock file, for a start that finds the folder locked."""
    os.pwrite(descriptor, f"{os.getpid()} {address}".encode(), 0)


def is_alive(pid: str) -> bool:
    """Return whether a process with the id `pid` exists."""
    if not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except OSError as error:
        return error.errno == errno.EPERM  # it belongs to another user
    return True
