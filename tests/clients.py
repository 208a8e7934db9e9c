"""Scripted players over real HTTP and sockets, of which one process can run dozens.

    table = await Robot.host(url, friends=3, pace="natural")   # opens a table and its lobby
    anna = await Robot.join(table, "Anna")
    await table.start()
    await asyncio.gather(table.play(), anna.play())            # until the game is over

A robot acts like a page: it sends its cursor, applies frames, posts answers to questions, and
reconnects when the connection breaks. It records what it saw, said and was refused.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
import uuid
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

import httpx2
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

T = TypeVar("T")

LINE = re.compile(r'<li id="e(\d+)"')
ME = re.compile(r'id="seat-(\d+)"\s+class="seat is-me')
CURSOR = re.compile(r'id="cursor"\s+value="(\d+)"')
WINDOW = re.compile(r'name="window"\s+value="([^"]+)"')
TARGET = re.compile(r'name="target"\s+value="(\d+)"')
PART = re.compile(
    r'<(?:div|section) id="(turn|choice)".*?(?=<(?:section|input type="hidden" id)|\Z)', re.S
)
BY_SCRIPT = {"HX-Request": "true"}  # the reply is a frame, not the page
GONE = range(4400, 4500)  # close codes after which a page does not reconnect
FORM = {"ruleset": "one-night", "mode": "play", "pace": "instant", "guests": "0"}


@dataclass
class Robot:
    """One player. `seen`: line number -> time of its first arrival, in seconds since 1970."""

    url: str
    name: str = ""
    game: str = ""
    http: httpx2.AsyncClient = field(init=False)
    invitation: str = ""
    thinks: tuple[float, float] = (0.0, 0.0)  # seconds, from and to
    text: str = ""  # its statement, by default a sentence with its name and the window
    cursor: int = 0
    seat: int = 0  # 0: spectator
    seen: dict[int, float] = field(default_factory=dict)
    repeats: int = 0  # lines received again
    said: list[str] = field(default_factory=list)  # accepted statements
    refused: list[str] = field(default_factory=list)
    breaks: int = 0  # broken connections
    rejoined: list[float] = field(
        default_factory=list
    )  # seconds between a break and the next frame
    over: bool = False
    closed: int = 0  # the code of an intended close
    _questions: dict[str, tuple[str, list[str]]] = field(
        default_factory=dict
    )  # part -> window, options
    _answered: set[str] = field(default_factory=set)
    _replied: set[int] = field(default_factory=set)  # lines received in the reply to a post
    _work: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self.http = httpx2.AsyncClient(base_url=self.url, timeout=60, follow_redirects=True)

    @classmethod
    async def host(cls, url: str, friends: int, **form: str) -> Self:
        robot = cls(url, "Host")
        page = (await robot.http.get("/tables/new")).text
        data = {**FORM, "guests": str(friends), **form, **token_of(page)}
        await robot._arrive(await robot.http.post("/tables/new", data=data))
        return robot

    @classmethod
    async def join(cls, host: Robot, name: str) -> Self:
        robot = cls(host.url, name)
        page = (await robot.http.get(host.invitation)).text
        data = {"name": name, "told": "research", **token_of(page)}
        await robot._arrive(await robot.http.post(host.invitation, data=data))
        return robot

    @classmethod
    def watch(cls, url: str, game: str) -> Self:
        """Return a spectator."""
        robot = cls(url, "Spectator")
        robot.game = game
        return robot

    async def _arrive(self, response: httpx2.Response) -> None:
        assert response.status_code == 200, response.text[:2000]
        self.game = response.url.path.rstrip("/").rsplit("/", 1)[1]
        if match := re.search(r'value="[^"]*(/join/[^"]+)"', response.text):
            self.invitation = match[1]

    async def act(self, do: str) -> int:
        """Post an act of the host or the seat. Return the status."""
        response = await self.http.post(f"/games/{self.game}/act", data={"do": do, **self._token()})
        return response.status_code

    async def start(self) -> None:
        assert await self.act("start") == 200

    def _token(self) -> dict[str, str]:
        (token,) = (value for name, value in self.http.cookies.items() if "csrf" in name)
        return {"csrfmiddlewaretoken": token}

    async def play(self) -> None:
        """Follow the game to its end, over any number of broken connections."""
        broken_at = 0.0
        while not self.over and not self.closed:
            try:
                async with self.line() as socket:
                    await socket.send(f'{{"cursor": {self.cursor}}}')
                    async for frame in socket:
                        if broken_at:
                            self.rejoined.append(time.time() - broken_at)
                            broken_at = 0.0
                        self._take(str(frame))
                        if self.over:
                            return
                code = socket.close_code or 0
                self.closed = code if code in GONE else 0
            except (OSError, WebSocketException):
                pass
            broken_at = broken_at or time.time()
            self.breaks += 1
            await asyncio.sleep(random.uniform(0.2, 0.6))

    def line(self) -> connect:
        address = f"{self.url.replace('http', 'ws', 1)}/ws/games/{self.game}/"
        cookies = "; ".join(f"{k}={v}" for k, v in self.http.cookies.items())
        return connect(
            address,
            additional_headers={"Cookie": cookies},
            origin=self.url,  # type: ignore[arg-type]
            open_timeout=60,
            max_size=None,
        )

    def _posted(self, data: dict[str, Any]) -> dict[str, Any]:
        return {**data, **self._token(), "cursor": str(self.cursor)}

    def _take(self, frame: str, *, pushed: bool = True) -> None:
        """Apply a frame.

        pushed: by the socket, which sends no line twice. A reply may repeat lines.
        """
        now = time.time()
        for number in map(int, LINE.findall(frame)):
            self.repeats += pushed and number in self.seen and number not in self._replied
            self._replied.update(() if pushed else (number,))
            self.seen.setdefault(number, now)
        if match := ME.search(frame):
            self.seat = int(match[1])
        if match := CURSOR.search(frame):
            self.cursor = int(match[1])
        self.over = self.over or 'id="end-title"' in frame
        for part in PART.finditer(frame):
            window = WINDOW.search(part[0])
            self._questions[part[1]] = (window[1] if window else "", TARGET.findall(part[0]))
        self._next()

    def _next(self) -> None:
        """Answer the page's questions, one after the other."""
        for window, targets in self._questions.values():
            if window and window not in self._answered and self._work is None:
                self._work = asyncio.create_task(self._answer(window, targets))

    async def _answer(self, window: str, targets: list[str]) -> None:
        """Answer one window, until the server has accepted or refused it."""
        await asyncio.sleep(random.uniform(*self.thinks))
        text = (
            self.text
            or f"I am {self.name}, and this is what I say in {window}. I suspect nobody yet."
        )
        data = {"window": window, "post": str(uuid.uuid4())}
        data |= {"target": targets[0]} if targets else {"text": text}
        if window.startswith("divination"):
            data["target"] = targets[:2]  # type: ignore[assignment]
        while not self.over:
            try:
                path = f"/games/{self.game}/answer"
                response = await self.http.post(path, data=self._posted(data), headers=BY_SCRIPT)
            except httpx2.TransportError:
                await asyncio.sleep(0.3)
                continue
            if response.status_code == 200:
                self._answered.add(window)
                if not targets:
                    self.said.append(text)
                self._take(response.text, pushed=False)
            elif response.status_code >= 500:
                await asyncio.sleep(0.3)
                continue
            else:
                self.refused.append(f"{window}: {response.status_code}")
                self._answered.add(window)
            break
        self._work = None
        self._next()

    async def close(self) -> None:
        if self._work:
            self._work.cancel()
        await self.http.aclose()


def token_of(page: str) -> dict[str, str]:
    match = re.search(r'name="csrfmiddlewaretoken"\s+value="([^"]+)"', page)
    assert match, page[:500]
    return {"csrfmiddlewaretoken": match[1]}


def run_together(work: Coroutine[Any, Any, T]) -> T:
    """Run robots on their own thread, because Playwright keeps a loop on the main one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
