"""`python -m webapp.runtime.daphne …`: runs Daphne with a limit on the length of request bodies.

Daphne itself reads a whole body of any length before the application sees anything of the request.
"""

import logging
import os
import threading
import time
from typing import Any

from daphne import server
from daphne.cli import CommandLineInterface
from daphne.http_protocol import HTTPFactory, WebRequest
from django.apps import apps
from django.db import close_old_connections

from webapp.connections import asynchronous_commits, keep_open
from webapp.watchdog import start_watchdog

MAX_BODY_BYTES = 1_000_000  # larger than every limit of the application (DATA_UPLOAD_MAX_…, files)
READY_CHECK_INTERVAL_S = 0.2
BEAT_INTERVAL_S = 2.0
logger = logging.getLogger(__name__)
REFUSAL = b"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class Request(WebRequest):  # type: ignore[misc]  # Daphne and Twisted are untyped
    """A request whose connection is closed when its body becomes too long."""

    _read_bytes = 0
    _is_refused = False

    def gotLength(self, length: int | None) -> None:  # Twisted's name
        super().gotLength(min(length, MAX_BODY_BYTES) if length else length)
        if length is not None and length > MAX_BODY_BYTES:
            self._refuse()

    def handleContentChunk(self, data: bytes) -> None:  # Twisted's name
        self._read_bytes += len(data)
        if self._read_bytes > MAX_BODY_BYTES:
            self._refuse()
        if not self._is_refused:
            super().handleContentChunk(data)

    def process(self) -> Any:
        return None if self._is_refused else super().process()

    def _refuse(self) -> None:
        if not self._is_refused:
            self._is_refused = True
            self.channel.transport.write(REFUSAL)
            self.channel.transport.loseConnection()


class Factory(HTTPFactory):  # type: ignore[misc]
    """A factory of connections whose requests are limited."""

    def buildProtocol(self, addr: Any) -> Any:  # Twisted's name
        protocol = super().buildProtocol(addr)
        protocol.requestFactory = Request
        return protocol


def _beat_forever() -> None:
    """Record every `BEAT_INTERVAL_S` seconds that this process serves pages."""
    while not apps.ready:  # Daphne sets Django up
        time.sleep(READY_CHECK_INTERVAL_S)
    from game.deadlines import record_page_heartbeat

    while True:
        try:
            with asynchronous_commits():
                record_page_heartbeat()
        except Exception as error:  # the thread must go on, or lost time would be miscounted
            logger.warning("the heartbeat of pages could not be stored: %s", error)
        close_old_connections()
        time.sleep(BEAT_INTERVAL_S)


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    keep_open()
    start_watchdog()
    threading.Thread(target=_beat_forever, name="heartbeat", daemon=True).start()
    server.HTTPFactory = Factory  # the only place where the server creates its factory
    CommandLineInterface.entrypoint()


if __name__ == "__main__":
    main()
