"""Plain HTTP/1.1: a server with one thread per connection, and operations on a connection.

Waiting ends at once when the client leaves. Closing the server shuts down every open connection,
which wakes waiting threads.
"""

from __future__ import annotations

import contextlib
import select
import socket
import socketserver
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import NoReturn

from tests.endpoint.protocol import Reply

POLL = 0.02  # seconds after which the accepting thread notices a shutdown
CLOSING_TIMEOUT_S = 5.0  # seconds that closing waits for the threads


@dataclass(frozen=True)
class Incoming:
    """A received request. Header names are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Line:
    """The connection of a request."""

    def __init__(self, handler: _Handler) -> None:
        self._handler = handler
        self._socket: socket.socket = handler.connection

    def wait(self, seconds: float | None, until: socket.socket | None = None) -> bool:
        """Wait `seconds` (None: unlimited) or until `until` is readable. False: the client left."""
        poller = select.poll()
        poller.register(self._socket, select.POLLIN)
        if until is not None:
            poller.register(until, select.POLLIN)
        end = None if seconds is None else time.monotonic() + seconds
        while True:
            remaining_ms = None if end is None else max(0.0, end - time.monotonic()) * 1000
            ready = poller.poll(remaining_ms)
            if not any(number == self._socket.fileno() for number, _ in ready):
                return True
            if self._has_left():
                return False
            poller.modify(self._socket, 0)  # it has sent more, so only a hang-up counts now

    def _has_left(self) -> bool:
        try:
            return not self._socket.recv(1, socket.MSG_PEEK)
        except OSError:
            return True

    def send(self, reply: Reply, number: int) -> bool:
        """Send the whole reply. Returns: False if the client has left."""
        try:
            self._head(reply, number)
            self._handler.wfile.write(reply.body)
        except OSError:
            return False
        return True

    def drip(self, reply: Reply, number: int, every: float) -> bool:
        """Send the headers, then one byte per `every` seconds. False: the client left."""
        try:
            self._head(reply, number)
            for byte in reply.body:
                if not self.wait(every):
                    return False
                self._handler.wfile.write(bytes([byte]))
        except OSError:
            return False
        return True

    def _head(self, reply: Reply, number: int) -> None:
        self._handler.send_response(reply.status)
        self._handler.send_header("Content-Type", reply.content_type)
        self._handler.send_header("Content-Length", str(len(reply.body)))
        self._handler.send_header("x-request-id", f"req_{number:06d}")
        for name, value in reply.headers.items():
            self._handler.send_header(name, value)
        self._handler.end_headers()

    def reset(self) -> NoReturn:
        """Reset the connection (RST) and end its thread."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._handler.rfile.close()
        self._handler.wfile.close()
        self._socket.close()
        raise ConnectionResetError


class _Handler(BaseHTTPRequestHandler):
    """Reads requests and hands them on, until the client closes."""

    protocol_version = "HTTP/1.1"
    server_version = "fabula-test-endpoint"
    disable_nagle_algorithm = True
    server: Server

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if len(body) < length:
            self.close_connection = True
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        path = self.path.partition("?")[0]
        self.server.serve(Incoming(self.command, path, headers, body), Line(self))

    do_POST = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Suppress the log."""


class Server(socketserver.TCPServer):
    """Server on 127.0.0.1 that accepts at once and calls `serve` for each request in a thread."""

    request_queue_size = 1024
    allow_reuse_address = True

    def __init__(self, port: int, serve: Callable[[Incoming, Line], None]) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.serve = serve
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._accepting = threading.Thread(
            target=self.serve_forever, args=(POLL,), daemon=True, name="endpoint"
        )
        self._accepting.start()

    @property
    def port(self) -> int:
        """The listening port."""
        return int(self.socket.getsockname()[1])

    def process_request(self, request: object, client_address: object) -> None:
        """Start a thread for a new connection."""
        assert isinstance(request, socket.socket)
        thread = threading.Thread(
            target=self._serve_connection,
            args=(request, client_address),
            daemon=True,
            name="endpoint connection",
        )
        with self._lock:
            self._open.add(request)
            self._threads = [one for one in self._threads if one.is_alive()]
            self._threads.append(thread)
            thread.start()

    def _serve_connection(self, connection: socket.socket, client: tuple[str, int]) -> None:
        try:
            with contextlib.suppress(OSError):  # the client left, or is reset
                self.finish_request(connection, client)
        finally:
            with self._lock:
                self._open.discard(connection)
            self.shutdown_request(connection)

    def close(self) -> None:
        """End all connections and threads."""
        self.shutdown()
        self.server_close()
        with self._lock:
            threads = [self._accepting, *self._threads]
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        end = time.monotonic() + CLOSING_TIMEOUT_S
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))


class Gate:
    """A gate that threads can poll together with their connection: readable means open."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._shut = False

    def shut(self) -> None:
        """Hold new requests from now on."""
        with self._lock:
            if not self._shut:
                self._pairs.append(socket.socketpair())
                self._shut = True

    def open(self) -> None:
        """Let all requests through."""
        with self._lock:
            if self._shut:
                self._pairs[-1][1].send(b"x")
                self._shut = False

    def barrier(self) -> socket.socket | None:
        """Return the socket to wait for, None while the gate is open."""
        with self._lock:
            return self._pairs[-1][0] if self._shut else None

    def close(self) -> None:
        """Release the sockets, after all threads have ended."""
        with self._lock:
            self._shut = False
            while self._pairs:
                for end in self._pairs.pop():
                    end.close()
