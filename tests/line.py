"""A line to a server that can be cut: a TCP relay of its own port, as a lost connection is one."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from types import TracebackType
from typing import Self


class Line:
    """Relays to `port` on this machine while it is up.

    with Line(port) as line:
        line.url      # reach the server through here
        line.cut()    # whoever is connected loses the connection; nobody gets a new one
        line.freeze() # nothing is closed, nothing comes through, as with a phone out of reach
        line.mend()
    """

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
        there, out = await asyncio.open_connection("127.0.0.1", self._to)
        self._open |= {writer, out}
        with contextlib.suppress(OSError):
            await asyncio.gather(self._pump(reader, out), self._pump(there, writer))
        self._open -= {writer, out}

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
