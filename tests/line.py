"""A TCP relay to a server, which can be cut like a lost connection."""

from __future__ import annotations

import asyncio
import contextlib
import re
import threading
from types import TracebackType
from typing import Self


class Line:
    """Relays to `port` on this machine while it is up.

    with Line(port) as line:
        line.url      # address of the server through the relay
        line.cut()    # closes all connections and accepts none
        line.freeze() # closes nothing and passes nothing on, like a phone out of reach
        line.mend()
    """

    _local_addr: tuple[str, int] | None = None  # source address of connections to the server

    def __init__(self, port: int) -> None:
        self._to = port
        self._up = True
        self._flows = asyncio.Event()
        self._flows.set()
        self._open: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._run(asyncio.start_server(self._relay, "127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def _run(self, work):  # type: ignore[no-untyped-def]
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._up:
            writer.transport.abort()
            return
        server_reader, server_writer = await asyncio.open_connection(
            "127.0.0.1", self._to, local_addr=self._local_addr
        )
        await self._begin(reader, server_writer)
        self._open |= {writer, server_writer}
        with contextlib.suppress(OSError):
            await asyncio.gather(
                self._pump(reader, server_writer), self._pump(server_reader, writer)
            )
        self._open -= {writer, server_writer}

    async def _begin(self, reader: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
        """Handle a new connection before its bytes are passed on."""

    def cut(self) -> None:
        async def cut() -> None:
            self._up = False
            for writer in self._open:
                writer.transport.abort()

        self._run(cut())

    def freeze(self) -> None:
        self._loop.call_soon_threadsafe(self._flows.clear)

    def mend(self) -> None:
        self._up = True
        self._loop.call_soon_threadsafe(self._flows.set)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            await self._flows.wait()
            writer.write(data)
            await writer.drain()
        writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.cut()
        self._server.close()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)


PROXY = "127.0.0.2"  # source address of a Proxy: FABULA_PROXIES of the tests' stack


class Proxy(Line):
    """A reverse proxy that ends TLS.

    Like nginx it adds the client's address and scheme to a request. A connection has one request.
    """

    _local_addr = (PROXY, 0)
    client = "203.0.113.5"  # the client's address that it forwards
    scheme = "https"

    async def _begin(
        self, reader: asyncio.StreamReader, server_writer: asyncio.StreamWriter
    ) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin1")
        forwarded = re.search(r"(?im)^x-forwarded-for: *(.*?)\r$", head)
        addresses = f"{forwarded[1]}, {self.client}" if forwarded else self.client
        head = re.sub(r"(?im)^x-forwarded-(for|proto):.*\r\n", "", head)
        if not re.search(r"(?im)^upgrade:", head):
            head = re.sub(r"(?im)^connection:.*\r\n", "", head).replace(
                "\r\n", "\r\nConnection: close\r\n", 1
            )
        headers = f"X-Forwarded-For: {addresses}\r\nX-Forwarded-Proto: {self.scheme}\r\n\r\n"
        server_writer.write((head.removesuffix("\r\n") + headers).encode("latin1"))
