"""Nothing that can be sent makes the server fail.

NUL, halves of characters, endless numbers; on PostgreSQL, which refuses what SQLite takes.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator

import httpx2
import pytest

from tests.clients import Robot, together, token_of
from tests.live import Stack

NUL, HALF, LONG = "\x00", "\ud83c", "9" * 5000
WAYS = [
    "/games/{x}/",
    "/games/{x}/replay",
    "/games/{x}/transcript.txt",
    "/games/{game}/replay?at={x}&as={x}",
    "/join/{x}/",
    "/seat/{x}/",
    "/rules/{x}/",
    "/rate/{x}/",
    "/rate/as/{x}/",
    "/rate/as/{x}/example",
    "/rate/item/{x}/",
    "/study/{x}/",
    "/study/{x}/units?page={x}",
    "/study/invited/{x}/",
    "/study/sign-in?next={x}",
    "/healthz?x={x}",
    "/?page={x}",
]
CAMPAIGN = """
from tests.study import rating
from webapp.play.live import dispatch
with dispatch.diverted(lambda game, opened: None):
    print(rating.opened("1", units_per_rater=2).study.key)
"""
STRANGE = ["%00", "a%00b", "%ED%A0%BC", "%FF%FE", LONG[:3000], "%F0%9F%8E%AD", "..%2F..%2F"]


@pytest.fixture(scope="module")
def stack(postgres: str) -> Iterator[Stack]:
    """On a database of its own, beside those of other tests of this run."""
    import psycopg

    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE DATABASE strange")
    with Stack(database_url=postgres.replace("/postgres?", "/strange?")) as running:
        yield running


async def addresses(host: Robot) -> dict[str, int]:
    found = {}
    for way in WAYS:
        for strange in STRANGE:
            address = way.format(x=strange, game=host.game)
            answer = await host.http.get(address)
            found[address[:80]] = answer.status_code
    nul = r'="aaaaaaaaaaaa\000bbbbbbbb"'
    cookie = {"Cookie": "; ".join(f"{name}{nul}" for name in ("sessionid", *host.http.cookies))}
    found["cookie"] = (await httpx2.AsyncClient().get(host.url, headers=cookie)).status_code
    return found


async def posts(host: Robot) -> dict[str, int]:
    here, found = f"/games/{host.game}", {}
    for strange in (f"a{NUL}b", NUL, LONG, "\ufffe"):
        for path, form in (
            ("/answer", {"window": strange, "text": strange, "cursor": strange}),
            ("/answer", {"window": "x", "target": strange, "post": strange}),
            ("/draft", {"text": strange}),
            ("/note", {"seat": "2", "value": "", "text": strange}),
            ("/note", {"seat": strange, "value": strange}),
            ("/act", {"do": "name", "name": strange, "cursor": strange}),
            ("/act", {"do": f"remove_words:{strange}:1"}),
            ("/act", {"do": f"report:{strange}:1"}),
            ("/act", {"do": f"remove:{strange}"}),
            ("/act", {"do": strange}),
        ):
            answer = await host.http.post(here + path, data={**form, **host._token()})
            found[f"{path} {form}"[:90]] = answer.status_code
        for path, form in (
            ("/play", {"backend": strange}),
            ("/tables/new", {"ruleset": strange, "seed": strange}),
            (host.invitation, {"name": strange}),
            ("/study/sign-in", {"username": strange, "password": strange, "next": strange}),
        ):
            answer = await host.http.post(path, data={**form, **host._token()})
            found[f"{path} {form}"[:90]] = answer.status_code
    return found


async def messages(host: Robot) -> str:
    """Strange messages by the socket, and the draft that is kept in the end."""
    async with host.line() as line:
        for strange in (NUL, HALF, LONG, f"a{HALF}b{NUL}c"):
            await line.send(json.dumps({"draft": strange}))
        await line.send('{"cursor": ' + LONG + "}")
        await line.send(json.dumps({"draft": f"kept {HALF}{NUL} kept"}))
        await line.send('{"cursor": 0}')
        async with asyncio.timeout(20):
            await line.recv()
    return (await host.http.get(f"/games/{host.game}/")).text


def test_nothing_strange_makes_the_server_fail(stack: Stack) -> None:
    async def run() -> None:
        host = await Robot.host(stack.url, friends=1)
        friend = await Robot.join(host, "Anna")
        for found in (await addresses(host), await posts(host)):
            failed = {what: status for what, status in found.items() if status >= 500}
            assert not failed
        await host.start()
        for found in (await posts(host), await posts(friend)):
            failed = {what: status for what, status in found.items() if status >= 500}
            assert not failed
        assert "kept ? kept" in await messages(host)
        for robot in (host, friend):
            await robot.close()

    together(run())
    assert "Traceback" not in stack.logs("web")


def test_a_raters_statement_may_be_as_strange(stack: Stack) -> None:
    key = stack.shell(CAMPAIGN).splitlines()[-1]

    async def run() -> None:
        http = httpx2.AsyncClient(base_url=stack.url, timeout=15, follow_redirects=True)
        label = "?participant_label=a%00b%ED%A0%BC"
        page = (await http.get(f"/rate/{key}/{label}")).text
        hidden = re.findall(r'type="hidden"\s+name="(\w+)"\s+value="([^"]*)"', page)
        data = {**dict(hidden), "experience": "2", **token_of(page)}
        page = (await http.post(f"/take/{key}/", data=data)).text
        way = re.search(r'action="(/rate/as/[^"]+/example)"', page)
        assert way
        answer = await http.post(way[1], data=token_of(page))
        item, token = str(answer.url), token_of(answer.text)
        head = {"X-CSRFToken": token["csrfmiddlewaretoken"], "Content-Type": "application/json"}
        for body in (
            {"values": {}, "skip": f"a{NUL}{HALF}", "revision": 0},
            {"values": {NUL: 1}, "skip": None, "revision": 0},
            {"values": {HALF: HALF}, "skip": None, "revision": 0},
            {"values": {}, "skip": None, "revision": 10**400},
            {"values": {}, "skip": None, "revision": 0, "active_ms": 10**400},
        ):
            told = await http.post(item, content=json.dumps(body), headers=head)
            assert told.status_code < 500, body
        plain = {"do": "skip", "reason_text": f"b{NUL}", **token}
        assert (await http.post(item, data=plain)).status_code < 500

    together(run())
    assert "Traceback" not in stack.logs("web")
