"""Simulated participants of a study over HTTP and sockets, light enough for hundreds.

    meter = Meter()
    person = Participant(url, meter)
    await person.agree(key)            # consent on the shared link's page
    await person.go_through_study()    # every stage and the game, to the exit

They parse pages with regular expressions. `webapp.study.rehearsal` simulates reading people.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections import defaultdict
from contextlib import suppress
from html import unescape
from typing import Any

import httpx2
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from tests.clients import Robot

TAG = re.compile(r"<(?:input|textarea)\b[^>]*>")
PAIR = re.compile(r'([\w-]+)="([^"]*)"')
FORM = re.compile(r"<form\b(?:(?!</form>).)*?(?=</form>)", re.S)
ROOM = 'id="room"'
QUESTIONS = 'id="to-quiz"'
POLL_INTERVAL_S = 5.0  # seconds, as static/js/take_news.js


class Meter:
    """Durations of requests (ms) by kind, and errors."""

    def __init__(self) -> None:
        self.times: defaultdict[str, list[float]] = defaultdict(list)
        self.errors: list[str] = []
        self.ready: dict[str, list[float]] = defaultdict(list)  # game -> times of "ready"
        self.begun: list[tuple[str, float]] = []  # (game, time when a person was redirected to it)

    def note(self, kind: str, began: float, answer: httpx2.Response) -> None:
        self.times[kind].append((time.perf_counter() - began) * 1000)
        if answer.status_code >= 400:
            self.errors.append(f"{kind}: {answer.status_code}")

    def note_beginnings(self) -> None:
        """Record the time from the last "ready" of a game to each redirect of its people."""
        for game, redirected_at in self.begun:
            self.times["ready → begins"].append((redirected_at - max(self.ready[game])) * 1000)


class TimedTransport(httpx2.AsyncHTTPTransport):
    """Transport that measures the answers which a Robot posts in a game."""

    def __init__(self, meter: Meter) -> None:
        super().__init__(verify=False, limits=httpx2.Limits(max_connections=None))
        self.meter = meter

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        began = time.perf_counter()
        answer = await super().handle_async_request(request)
        if request.url.path.endswith("/answer"):
            self.meter.note("answer post", began, answer)
        return answer


class Participant:
    """A simulated participant. `own` is the path of their private link."""

    def __init__(
        self, url: str, meter: Meter, transport: TimedTransport, thinks: float = 1.0
    ) -> None:
        self.url, self.meter, self.thinks = url, meter, thinks
        self.http = httpx2.AsyncClient(
            base_url=url, transport=transport, timeout=120, trust_env=False
        )
        self.own = ""
        self._door: tuple[str, dict[str, str]] = ("", {})
        self._ready_at = 0.0

    async def get(self, kind: str, path: str) -> httpx2.Response:
        began = time.perf_counter()
        answer = await self.http.get(path)
        self.meter.note(kind, began, answer)
        return answer

    async def post(self, kind: str, path: str, fields: dict[str, Any]) -> httpx2.Response:
        began = time.perf_counter()
        answer = await self.http.post(path, data=fields)
        self.meter.note(kind, began, answer)
        return answer

    async def open_link(self, key: str) -> None:
        """Open the first page."""
        path = f"/take/{key}/"
        self._door = path, form_of((await self.get("first page", path)).text)

    async def agree(self) -> None:
        answer = await self.post("consent post", *self._door)
        self.own = answer.headers.get("Location", "")

    async def think(self) -> None:
        await asyncio.sleep(random.uniform(0.5, 1.5) * self.thinks)

    async def go_through_study(self) -> None:
        """Go from consent to the exit."""
        while True:
            page = await self.get("stage page", self.own)
            if page.status_code == 302:
                target = page.headers["Location"]
                await (self.play(target) if target.startswith("/games/") else asyncio.sleep(0))
                continue
            if 'id="stage-page"' not in page.text:
                return
            if ROOM in page.text:
                await self.wait(page.text)
                continue
            await self.think()
            await self.answer(page.text)

    async def answer(self, text: str) -> None:
        """Answer a stage, with one intermediate save."""
        if QUESTIONS in text:
            text = (await self.get("stage page", f"{self.own}?quiz=1")).text
        fields = form_of(text)
        if "data-keeps" in text:
            saved = await self.post("save", self.own, {**fields, "do": "save"})
            fields["revision"] = saved.headers.get("Revision", fields["revision"])
            await self.think()
        actions = {"tried": "quiz", "revision": "done"}
        fields["do"] = next((v for k, v in actions.items() if k in fields), "on")
        await self.post("stage post", self.own, fields)

    async def wait(self, text: str) -> None:
        """Stay in the waiting room until it ends, with polling and socket messages."""
        page_state = re.search(r'data-page-state="([^"]*)"', text)
        position, state = unescape(page_state[1]) if page_state else "", state_of(text)
        async with self._socket() as line:
            while state != "asked":
                news = (await self.get("waiting-room news", f"{self.own}news")).json()
                state = state_of(news["part"])
                if news["page_state"] != position and state != "asked":
                    return
                with suppress(TimeoutError):
                    await asyncio.wait_for(line.recv(), 0 if state == "asked" else POLL_INTERVAL_S)
        await self.think()
        self._ready_at = time.perf_counter()
        await self.post("ready post", self.own, {**form_of(text), "do": "ready"})

    def _socket(self) -> connect:
        cookies = "; ".join(f"{k}={v}" for k, v in self.http.cookies.items())
        key = self.own.rstrip("/").rsplit("/", 1)[1]
        return connect(
            f"{self.url.replace('http', 'ws', 1)}/ws/take/{key}/",
            additional_headers={"Cookie": cookies},
            origin=self.url,  # type: ignore[arg-type]
            proxy=None,
        )

    async def play(self, table: str) -> None:
        """Play the game like a Robot."""
        game = table.rstrip("/").rsplit("/", 1)[1]
        self.meter.begun.append((game, time.perf_counter()))
        self.meter.ready[game].append(self._ready_at)
        await self.get("table page", table)
        robot = Robot(self.url, "", game)
        await robot.http.aclose()
        robot.http, robot.thinks = self.http, (self.thinks, 4 * self.thinks)
        self.http.headers["HX-Request"] = "true"  # header of the page's scripts
        await robot.play()
        del self.http.headers["HX-Request"]
        self.meter.errors += [f"refused: {refusal}" for refusal in robot.refused]

    async def close(self) -> None:
        with suppress(WebSocketException, OSError):
            await self.http.aclose()


def form_of(page: str) -> dict[str, str]:
    """Return the fields of the form that continues, with their first or a default value."""
    fields: dict[str, str] = {}
    forms = [f for f in FORM.findall(page) if 'name="step"' in f or 'name="coming"' in f]
    for tag in TAG.findall(forms[0]) if forms else ():
        attributes = {name: unescape(value) for name, value in PAIR.findall(tag)}
        if (
            (name := attributes.get("name"))
            and name not in fields
            and attributes.get("type") != "checkbox"
        ):
            empty = "30" if attributes.get("inputmode") == "numeric" else ""
            fields[name] = attributes.get("value") or (
                "I think so." if "<textarea" in tag else empty
            )
    return fields


def state_of(page: str) -> str:
    """Return the state of the waiting room: `waiting`, `asked`, `ready`, `begins`."""
    match = re.search(r'data-state="(\w+)"', page)
    return match[1] if match else ""
