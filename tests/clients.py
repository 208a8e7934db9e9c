"""Scripted people over real HTTP and real sockets: dozens of them fit into one process.

    table = await Robot.host(url, friends=3, pace="natural")   # opens a table, sits in its lobby
    anna = await Robot.join(table, "Anna")
    await table.start()
    await asyncio.gather(table.play(), anna.play())            # until the game is over

A robot does what a page does: it tells its cursor, takes frames, answers what it is asked by the
same posts, and comes back when the line breaks. What it saw, said and was refused it keeps.
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
BY_SCRIPT = {"HX-Request": "true"}  # the reply is what is new, not the page
GONE = range(4400, 4500)  # close codes after which a page does not come back
FORM = {"ruleset": "one-night", "mode": "play", "pace": "instant", "guests": "0"}


@dataclass
class Robot:
    """One person. `seen`: line number -> seconds since 1970 when it came first."""

    url: str
    name: str = ""
    game: str = ""
    http: httpx2.AsyncClient = field(init=False)
    invitation: str = ""
    thinks: tuple[float, float] = (0.0, 0.0)  # seconds, from and to
    text: str = ""  # what it says; where empty, a sentence with its name and the window
    cursor: int = 0
    seat: int = 0  # none: watches
    seen: dict[int, float] = field(default_factory=dict)
    repeats: int = 0  # lines that came again
    said: list[str] = field(default_factory=list)  # what the server has accepted
    refused: list[str] = field(default_factory=list)
    breaks: int = 0  # times the line broke
    rejoined: list[float] = field(default_factory=list)  # seconds from a break to the next frame
    over: bool = False
    closed: int = 0  # the code of a close that was meant
    _asked: dict[str, tuple[str, list[str]]] = field(
        default_factory=dict
    )  # part -> window, options
    _answered: set[str] = field(default_factory=set)
    _replied: set[int] = field(default_factory=set)  # lines that came in the reply to a post
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
        """A spectator."""
        robot = cls(url, "Spectator")
        robot.game = game
        return robot

    async def _arrive(self, answer: httpx2.Response) -> None:
        assert answer.status_code == 200, answer.text[:2000]
        self.game = answer.url.path.rstrip("/").rsplit("/", 1)[1]
        if found := re.search(r'value="[^"]*(/join/[^"]+)"', answer.text):
            self.invitation = found[1]

    async def act(self, do: str) -> int:
        """POST an act of the host or the seat; gives the status."""
        answer = await self.http.post(f"/games/{self.game}/act", data={"do": do, **self._token()})
        return answer.status_code

    async def start(self) -> None:
        assert await self.act("start") == 200

    def _token(self) -> dict[str, str]:
        (token,) = (value for name, value in self.http.cookies.items() if "csrf" in name)
        return {"csrfmiddlewaretoken": token}

    async def play(self) -> None:
        """Follow the game to its end, through any number of broken lines."""
        broke = 0.0
        while not self.over and not self.closed:
            try:
                async with self.line() as line:
                    await line.send(f'{{"cursor": {self.cursor}}}')
                    async for frame in line:
                        if broke:
                            self.rejoined.append(time.time() - broke)
                            broke = 0.0
                        self._take(str(frame))
                        if self.over:
                            return
                code = line.close_code or 0
                self.closed = code if code in GONE else 0
            except (OSError, WebSocketException):
                pass
            broke = broke or time.time()
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
        """pushed: by the socket, which tells no line twice; a reply may tell what it has told."""
        now = time.time()
        for number in map(int, LINE.findall(frame)):
            self.repeats += pushed and number in self.seen and number not in self._replied
            self._replied.update(() if pushed else (number,))
            self.seen.setdefault(number, now)
        if found := ME.search(frame):
            self.seat = int(found[1])
        if found := CURSOR.search(frame):
            self.cursor = int(found[1])
        self.over = self.over or 'id="end-title"' in frame
        for part in PART.finditer(frame):
            window = WINDOW.search(part[0])
            self._asked[part[1]] = (window[1] if window else "", TARGET.findall(part[0]))
        self._next()

    def _next(self) -> None:
        """Answer what the page asks, one window after the other."""
        for window, targets in self._asked.values():
            if window and window not in self._answered and self._work is None:
                self._work = asyncio.create_task(self._answer(window, targets))

    async def _answer(self, window: str, targets: list[str]) -> None:
        """Answer one window, trying until the server has said yes or no."""
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
                answer = await self.http.post(path, data=self._posted(data), headers=BY_SCRIPT)
            except httpx2.TransportError:
                await asyncio.sleep(0.3)
                continue
            if answer.status_code == 200:
                self._answered.add(window)
                if not targets:
                    self.said.append(text)
                self._take(answer.text, pushed=False)
            elif answer.status_code >= 500:
                await asyncio.sleep(0.3)
                continue
            else:
                self.refused.append(f"{window}: {answer.status_code}")
                self._answered.add(window)
            break
        self._work = None
        self._next()

    async def close(self) -> None:
        if self._work:
            self._work.cancel()
        await self.http.aclose()


def token_of(page: str) -> dict[str, str]:
    found = re.search(r'name="csrfmiddlewaretoken"\s+value="([^"]+)"', page)
    assert found, page[:500]
    return {"csrfmiddlewaretoken": found[1]}


def together(work: Coroutine[Any, Any, T]) -> T:
    """Runs robots on a thread of their own: Playwright keeps a loop on the main one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
