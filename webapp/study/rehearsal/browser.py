"""The browser of a simulated person: cookies, and the socket of the current page."""

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

REQUEST_TIMEOUT_S = 30.0
RETRIES_FOR_S = 300.0  # time in which a failed request is repeated
RETRY_EVERY_S = 0.5
HEARTBEAT_INTERVAL_S = 4.0
FOLLOW_UP_TIMEOUT_S = 0.2  # messages that arrive within this time belong to one event
# Start of a socket's path -> the heartbeat that the page's script sends (static/js/live.js,
# take_news.js).
HEARTBEATS_BY_PATH = {"/ws/games/": '{"ping": true}', "": "?"}


class Browser:
    """A browser on the site with the address `url`. It counts its `requests`."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.cookies = CookieJar()
        handler = urllib.request.HTTPCookieProcessor(self.cookies)
        # No proxy, because the site runs on this machine.
        self._opener = urllib.request.build_opener(handler, urllib.request.ProxyHandler({}))
        self._socket: ClientConnection | None = None
        self._socket_path = ""  # path of the open socket
        self._last_heartbeat_at = 0.0
        self.requests = 0
        self.is_loading = False

    def get(self, address: str) -> Page:
        """Fetch a page. OSError or HTTPException means that the site is down."""
        return self._fetch(address, None)

    def post(self, address: str, fields: Iterable[tuple[str, str]]) -> Page:
        """Submit a form and return the next page. Errors as in `get`."""
        return self._fetch(address, urlencode(list(fields)).encode())

    def _fetch(self, address: str, body: bytes | None) -> Page:
        """Fetch a page. Repeat a failed request, also of a form, for RETRIES_FOR_S at most."""
        deadline = time.monotonic() + RETRIES_FOR_S
        self.is_loading = True
        try:
            while True:
                with contextlib.suppress(OSError, HTTPException):
                    page = self._fetch_once(address, body)
                    if page.status < 500:
                        return page
                if time.monotonic() > deadline:
                    return self._fetch_once(address, body)
                time.sleep(RETRY_EVERY_S)
        finally:
            self.is_loading = False

    def _fetch_once(self, address: str, body: bytes | None) -> Page:
        self.requests += 1
        request = urllib.request.Request(urljoin(f"{self.url}/", address), body)
        request.add_header("Accept", "text/html")
        try:
            with self._opener.open(request, timeout=REQUEST_TIMEOUT_S) as answer:
                return Page(answer.url, answer.status, answer.read().decode())
        except urllib.error.HTTPError as error:
            with error:
                return Page(error.url or address, error.code, error.read().decode(errors="replace"))

    def is_on_site(self, address: str) -> bool:
        return urljoin(f"{self.url}/", address).startswith(f"{self.url}/")

    def open_socket(self, page: Page) -> None:
        """Open the socket of the page unless it is open, and close that of another page."""
        if page.socket_path != self._socket_path:
            self.close_socket()
        if page.socket_path and self._socket is None:
            self._socket_path = page.socket_path
            self._socket = self._connect(page.socket_path)
            cursor = page.find_by_id("cursor")
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
                open_timeout=REQUEST_TIMEOUT_S,
                close_timeout=1,
                max_size=None,
                max_queue=None,  # messages accumulate while the person reads the page
                legacy=True,
            )
        return None

    def _send(self, text: str) -> None:
        try:
            if self._socket:
                self._socket.send(text)
        except WebSocketException:
            self._socket = None

    def wait_for_message(self, seconds: float) -> bool:
        """Stay for some seconds. Return True once the page's socket sends or is closed."""
        deadline = time.monotonic() + seconds
        while (remaining := deadline - time.monotonic()) > 0:
            if self._socket is None:
                time.sleep(min(remaining, HEARTBEAT_INTERVAL_S))
                continue
            self._send_heartbeat()
            timeout = min(remaining, HEARTBEAT_INTERVAL_S)
            try:
                message = self._socket.recv(timeout=timeout) if self._socket else ""
            except TimeoutError:
                continue
            except WebSocketException:
                self._socket = None
                return True  # the caller fetches the page again, and misses no message
            if message != ".":  # the answer to a heartbeat
                self._drain_messages()
                return True
        return False

    def _drain_messages(self) -> None:
        """Read the messages that directly follow the first."""
        with contextlib.suppress(TimeoutError, WebSocketException):
            while self._socket:
                self._socket.recv(timeout=FOLLOW_UP_TIMEOUT_S)

    def stay(self, seconds: float) -> None:
        """Stay on the page for some seconds, whatever its socket sends."""
        deadline = time.monotonic() + seconds
        while (remaining := deadline - time.monotonic()) > 0:
            self._send_heartbeat()
            time.sleep(min(remaining, HEARTBEAT_INTERVAL_S))

    def _send_heartbeat(self) -> None:
        """Send a heartbeat if the last one is HEARTBEAT_INTERVAL_S ago."""
        if self._socket and time.monotonic() - self._last_heartbeat_at >= HEARTBEAT_INTERVAL_S:
            self._last_heartbeat_at = time.monotonic()
            matching = (p for p in HEARTBEATS_BY_PATH if self._socket_path.startswith(p))
            self._send(HEARTBEATS_BY_PATH[next(matching)])

    def measure_round_trip(self, path: str) -> int | None:
        """Return the milliseconds of an echo over a new socket, None without an echo."""
        if (socket := self._connect(path)) is None:
            return None
        with contextlib.suppress(OSError, WebSocketException, TimeoutError), socket:
            sent_at = time.monotonic()
            socket.send("?")
            socket.recv(timeout=1)
            return round(1000 * (time.monotonic() - sent_at))
        return None

    def close_socket(self) -> None:
        socket, self._socket, self._socket_path = self._socket, None, ""
        if socket:
            with contextlib.suppress(OSError, WebSocketException):
                socket.close()
