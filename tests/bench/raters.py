"""Latency from key press to stored rating with a hundred concurrent raters over HTTP."""

from __future__ import annotations

import asyncio
import json
import random
import re
import time

import httpx2

from tests.bench.crowd import Memory
from tests.bench.figures import spread
from tests.clients import token_of
from tests.live import Stack

RATERS, PAGES = 100, 4
READING_S = (6.0, 26.0)  # seconds of reading before the first key, for quick raters
KEY_INTERVAL_S = (0.4, 2.0)  # seconds between two keys
SEED = """
from tests.study import rating
from webapp.play.live import notifier
with notifier.diverted(lambda game, opened: None):
    made = rating.open_campaign("1", "2", units_per_rater=PAGES, raters_per_unit=100, attention=1)
    print(made.study.key)
"""
STORED_QUERY = """
import json
from webapp.study.models import Assignment, Rating
print(json.dumps([Rating.objects.count(), Assignment.objects.filter(state="answered").count()]))
"""


class Rater:
    """A rater who rates page after page by keys."""

    def __init__(self, url: str, key: str) -> None:
        self.http = httpx2.AsyncClient(base_url=url, timeout=30, follow_redirects=True)
        self.first = f"/take/{key}/"
        self.waits: list[float] = []  # milliseconds from a key to the answer "stored"
        self.pages: list[float] = []  # milliseconds for a page
        self.refused = 0
        self.values = 0

    async def press(self, address: str, page: str, **form: str) -> httpx2.Response:
        hidden = dict(re.findall(r'type="hidden"\s+name="(\w+)"\s+value="([^"]*)"', page))
        return await self.http.post(address, data={**hidden, **form, **token_of(page)})

    async def arrive(self) -> str:
        """Go to the first page. Returns: its HTML."""
        page = (await self.http.get(self.first)).text
        answer = await self.press(self.first, page, experience="2")
        answer = await self.press(str(answer.url.path), answer.text)
        assert "data-key" in answer.text, answer.text[:2000]
        return answer.text

    async def rate(self, page: str) -> None:
        while True:
            await self._rate_page(page)
            following = re.search(r'id="next"[^>]*data-to="(/rate/item/[^"]+)"', page)
            if not following:
                return
            began = time.perf_counter()
            page = (await self.http.get(following[1])).text
            self.pages.append((time.perf_counter() - began) * 1000)

    async def _rate_page(self, page: str) -> None:
        key = re.search(r'data-key="([^"]+)"', page)
        assert key
        values: dict[str, int] = {}
        headers = {"X-CSRFToken": token_of(page)["csrfmiddlewaretoken"]}
        await asyncio.sleep(random.uniform(*READING_S))
        for revision, name in enumerate(re.findall(r'data-field="([^"]+)"', page)):
            await asyncio.sleep(random.uniform(*KEY_INTERVAL_S))
            values[name] = random.randint(1, 5)
            body = {"values": values, "skip": None, "revision": revision, "active_ms": 900}
            began = time.perf_counter()
            answer = await self.http.post(f"/rate/item/{key[1]}/", json=body, headers=headers)
            self.waits.append((time.perf_counter() - began) * 1000)
            self.refused += answer.status_code != 200
            self.values += 1


def main() -> None:
    async def run(stack: Stack, key: str) -> tuple[list[Rater], Memory, list[float]]:
        raters = [Rater(stack.url, key) for _ in range(RATERS)]
        memory = Memory(stack, ("web",))
        watching = asyncio.create_task(memory.watch())
        await asyncio.sleep(1.5)
        before = dict(memory.most)
        began = time.perf_counter()
        pages = await asyncio.gather(*[rater.arrive() for rater in raters])
        print(f"{RATERS} come at once: {time.perf_counter() - began:.1f} s to the last first page")
        print(f"web process before: {before['web']:.0f} MB")
        await asyncio.gather(*[r.rate(p) for r, p in zip(raters, pages, strict=True)])
        watching.cancel()
        for rater in raters:
            await rater.http.aclose()
        return raters, memory, [w for r in raters for w in r.waits]

    with Stack(env={"FABULA_CROWD": str(RATERS)}) as stack:
        key = stack.shell(SEED.replace("PAGES", str(PAGES))).splitlines()[-1]
        began = time.monotonic()
        raters, memory, waits = asyncio.run(run(stack, key))
        print(f"key → stored: {spread(waits, 'ms')}")
        print(f"next page: {spread([w for r in raters for w in r.pages], 'ms')}")
        stored, answered = json.loads(stack.shell(STORED_QUERY).splitlines()[-1])
        print(
            f"{sum(r.values for r in raters)} values sent, {stored} stored, {answered} pages"
            f" answered, {sum(r.refused for r in raters)} refused;"
            f" {time.monotonic() - began:.0f} s"
        )
        print(f"most memory and processor time: {memory}")
