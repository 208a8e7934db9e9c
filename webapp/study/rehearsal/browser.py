"""A browser of one simulated person: cookies, one page at a time, and that page's socket."""

from __future__ import annotations

import contextlib
import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from http.client import HTTPException
from http.cookiejar import CookieJar
from urllib.parse import urlencode, urljoin, urlsplit

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from webapp.study.rehearsal.html_page import Page

PATIENCE = 30.0  # seconds for one request
RETRIES_FOR_S = 300.0  # seconds in which a page that does not come is requested again
RETRY_EVERY_S = 0.5
HEARTBEAT_INTERVAL_S = 4.0  # seconds between two heartbeats over a socket
AT_ONCE = 0.2  # seconds
# Heartbeats that the pages' scripts send (static/js/live.js, take_news.js).
SIGNS = {"/ws/games/": '{"ping": true}', "": "?"}


class Browser:
    """A browser. url: of the site, without a trailing slash."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.cookies = CookieJar()
        handler = urllib.request.HTTPCookieProcessor(self.cookies)
        # No proxy, because the site runs on this machine.
        self._opener = urllib.request.build_opener(handler, urllib.request.ProxyHandler({}))
        self._socket: ClientConnection | None = None
        self._path = ""  # path of the open socket
        self._beaten = 0.0
        self.requests = 0
        self.is_loading = False

    def get(self, address: str) -> Page:
        """Fetch a page. Raises OSError if the site does not answer."""
        return self._fetch(address, None)

    def post(self, address: str, fields: Iterable[tuple[str, str]]) -> Page:
        """Submit a form. Return the page that it leads to. Raises OSError."""
        return self._fetch(address, urlencode(list(fields)).encode())

    def _fetch(self, address: str, body: bytes | None) -> Page:
        """Request a page again until it comes, and send what was sent again, as people do."""
        until = time.monotonic() + RETRIES_FOR_S
        self.is_loading = True
        try:
            while True:
                with contextlib.suppress(OSError, HTTPException):
                    page = self._fetch_once(address, body)
                    if page.status < 500:
                        return page
                if time.monotonic() > until:
                    return self._fetch_once(address, body)
                time.sleep(RETRY_EVERY_S)
        finally:
            self.is_loading = False

    def _fetch_once(self, address: str, body: bytes | None) -> Page:
        self.requests += 1
        request = urllib.request.Request(urljoin(f"{self.url}/", address), body)
        request.add_header("Accept", "text/html")
        try:
            with self._opener.open(request, timeout=PATIENCE) as answer:
                return Page(answer.url, answer.status, answer.read().decode())
        except urllib.error.HTTPError as error:
            with error:
                return Page(error.url or address, error.code, error.read().decode(errors="replace"))

    def is_on_site(self, address: str) -> bool:
        """Return whether the address belongs to this site."""
        return urljoin(f"{self.url}/", address).startswith(f"{self.url}/")

    def listen(self, page: Page) -> None:
        """Open the page's socket, and close any other."""
        if page.socket != self._path:
            self.hang_up()
        if page.socket and self._socket is None:
            self._path = page.socket
            self._socket = self._connect(page.socket)
            cursor = page.find("cursor")
            if self._socket and cursor is not None:
                self._send(f'{{"cursor": {cursor.get("value") or 0}}}')

    def _connect(self, path: str) -> ClientConnection | None:
        address = f"{self.url.replace('http', 'ws', 1)}{path}"
        host = urlsplit(self.url).hostname
        cookie_text = "; ".join(f"{c.name}={c.value}" for c in self.cookies if c.domain == host)
        with contextlib.suppress(OSError, WebSocketException):
            return connect(
                address,
                additional_headers={"Cookie": cookie_text},
                origin=Origin(self.url),
                proxy=None,
                open_timeout=PATIENCE,
                close_timeout=1,
                max_size=None,
                max_queue=None,  # nobody reads messages while the person reads the page
                legacy=True,
            )
        return None

    def _send(self, text: str) -> None:
        try:
            if self._socket:
                self._socket.send(text)
        except WebSocketException:
            self._drop()

    def wait(self, seconds: float) -> bool:
        """Stay on the page for that time, or until its socket sends a message.

        Returns whether it sent one.
        """
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if self._socket is None:
                time.sleep(min(left, HEARTBEAT_INTERVAL_S))
                continue
            self._beat()
            try:
                message = (
                    self._socket.recv(timeout=min(left, HEARTBEAT_INTERVAL_S))
                    if self._socket
                    else ""
                )
            except TimeoutError:
                continue
            except WebSocketException:
                self._drop()
                return True  # the page will fetch what it has missed
            if message != ".":  # not the answer to a heartbeat
                self._hear_out()
                return True
        return False

    def _hear_out(self) -> None:
        """Read the messages that directly follow the first."""
        with contextlib.suppress(TimeoutError, WebSocketException):
            while self._socket:
                self._socket.recv(timeout=AT_ONCE)

    def stay(self, seconds: float) -> None:
        """Read, think or type for that time. Messages of the socket do not interrupt it."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._beat()
            time.sleep(min(left, HEARTBEAT_INTERVAL_S))

    def _beat(self) -> None:
        if self._socket and time.monotonic() - self._beaten >= HEARTBEAT_INTERVAL_S:
            self._beaten = time.monotonic()
            self._send(
                next(sign for prefix, sign in SIGNS.items() if self._path.startswith(prefix))
            )

    def round_trip(self, path: str) -> int | None:
        """Return milliseconds for a message and its echo over a new socket, None without one."""
        if (socket := self._connect(path)) is None:
            return None
        with contextlib.suppress(OSError, WebSocketException, TimeoutError), socket:
            sent_at = time.monotonic()
            socket.send("?")
            socket.recv(timeout=1)
            return round(1000 * (time.monotonic() - sent_at))
        return None

    def hang_up(self) -> None:
        socket, self._socket, self._path = self._socket, None, ""
        if socket:
            with contextlib.suppress(OSError, WebSocketException):
                socket.close()

    def _drop(self) -> None:
        self._socket = None
