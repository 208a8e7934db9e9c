"""Two web processes, two workers, two sweepers on PostgreSQL.

First nothing that can be sent makes them fail: NUL, halves of characters, endless numbers, some of
which SQLite takes. Then all of them are killed in turn, under games, and under a study.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import psycopg
import pytest

from tests.clients import Robot, together, token_of
from tests.faults.study_people import STAGES, People
from tests.live import Stack, wait_until
from webapp.study.rehearsal.person import ENDED

TABLES = 2
NIGHT = "12"  # seconds: where several people play, every night takes all of them
WORKERS = ("worker", "worker2")
MOVERS = ("web", "web2", *WORKERS, "sweeper", "sweeper2")
ALL = (*MOVERS, "redis")
KILLS = [["web2", "worker"], ["redis", "sweeper2"], ["web", "worker2", "sweeper"]]
STUDY_KILLS = {  # stage -> who dies while somebody is there
    "rules": ("web2",),
    "waiting": ("redis",),
    "ready": ("web", "sweeper"),
    "game": ALL,
    "questionnaire": ("web", "web2"),
}

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
    print(rating.open_campaign("1", units_per_rater=2).study.key)
"""
STRANGE = ["%00", "a%00b", "%ED%A0%BC", "%FF%FE", LONG[:3000], "%F0%9F%8E%AD", "..%2F..%2F"]


@pytest.fixture(scope="module")
def many_standing(postgres: str) -> Iterator[Stack]:
    with Stack(webs=2, workers=2, sweepers=2, database_url=postgres) as running:
        yield running


@pytest.fixture
def many(many_standing: Stack) -> Iterator[Stack]:
    """Whatever a test kills lives for the next one."""
    yield many_standing
    many_standing.revive()


async def addresses(host: Robot) -> dict[str, int]:
    found = {}
    for way in WAYS:
        for strange in STRANGE:
            address = way.format(x=strange, game=host.game)
            answer = await host.http.get(address)
            found[address[:80]] = answer.status_code
    nul = r'="aaaaaaaaaaaa\000bbbbbbbb"'
    cookie = {"Cookie": "; ".join(f"{name}{nul}" for name in ("sessionid", *host.http.cookies))}
    found["cookie"] = (
        await httpx2.AsyncClient(timeout=60).get(host.url, headers=cookie)
    ).status_code
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
        async with asyncio.timeout(60):
            await line.recv()
    return (await host.http.get(f"/games/{host.game}/")).text


def check_nothing_failed(stack: Stack) -> None:
    assert "Traceback" not in stack.logs("web") + stack.logs("web2")


def test_nothing_strange_makes_the_server_fail(many: Stack) -> None:
    async def run() -> None:
        host = await Robot.host(many.url, friends=1)
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
    check_nothing_failed(many)


def test_a_raters_statement_may_be_as_strange(many: Stack) -> None:
    key = many.shell(CAMPAIGN).splitlines()[-1]

    async def run() -> None:
        http = httpx2.AsyncClient(base_url=many.url, timeout=60, follow_redirects=True)
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
    check_nothing_failed(many)


async def gather_table(url: str, number: int) -> list[Robot]:
    """A table of two people who have started, and somebody who watches."""
    host = await Robot.host(url, friends=1, spectators="on", night_seconds=NIGHT)
    host.name = f"Host {number}"
    friend = await Robot.join(host, f"Friend {number}")
    await host.start()
    for robot in (host, friend):
        robot.thinks = (0.2, 0.8)
    return [host, friend, Robot.watch(url, host.game)]


async def kill_in_turn(stack: Stack, games: asyncio.Future[list[None]]) -> int:
    """Kill and restart until all is killed; gives how many kills fell while people played."""
    during = 0
    for names in KILLS:
        await asyncio.sleep(0.5)
        during += not games.done()
        await asyncio.to_thread(stack.fell, names)
    return during


async def run(stack: Stack) -> tuple[list[Robot], int]:
    tables = [await gather_table(stack.url, number) for number in range(TABLES)]
    robots = [robot for table in tables for robot in table]
    games = asyncio.gather(*(robot.play() for robot in robots))
    during = await kill_in_turn(stack, games)
    await asyncio.wait_for(games, 400)
    return robots, during


async def check_page(robot: Robot) -> None:
    """What came through the socket is what a fresh page shows: no gap, no repetition."""
    page = (await robot.http.get(f"/games/{robot.game}/")).text
    assert 'id="end-title"' in page
    assert sorted(robot.seen) == sorted(map(int, re.findall(r'<li id="e(\d+)"', page)))
    await robot.close()


def check_log(stack: Stack, robots: list[Robot]) -> None:
    lines = stack.manage("transcript", robots[0].game, "--viewer", "moderator").splitlines()
    log = [json.loads(line) for line in lines]
    statements = [e["data"] for e in log if e["kind"] == "statement"]
    assert [s["seat"] for s in statements] == [*range(1, 9)] * 3
    texts = [s.get("text", "") for s in statements]
    for robot in robots:
        assert [texts.count(text) for text in robot.said] == [1] * len(robot.said)
        assert len(robot.said) == (3 if robot.invitation or robot.name != "Spectator" else 0)
        assert not robot.refused
    assert not [e for e in log if e["labels"]], "nobody needed a stand-in"


def test_every_process_twice_and_each_is_killed(many: Stack) -> None:
    async def all_of_it() -> tuple[list[Robot], int]:
        robots, during = await run(many)
        for robot in robots:
            await check_page(robot)
        return robots, during

    robots, during = together(all_of_it())
    assert during >= 2, "the games were over before the processes died"
    assert sum(robot.breaks for robot in robots) > 0
    for number in range(0, len(robots), 3):
        check_log(many, robots[number : number + 3])


def kill_inside_a_move(stack: Stack, database_url: str) -> None:
    """Kill all of them while a transaction has written its answer and waits to write events."""
    with psycopg.connect(database_url) as blocker:
        blocker.execute("LOCK TABLE game_event IN SHARE ROW EXCLUSIVE MODE")
        waiting = "SELECT 1 FROM pg_locks WHERE relation = 'game_event'::regclass AND NOT granted"
        wait_until(lambda: blocker.execute(waiting).fetchone(), "a move is half done", 60)
        for name in MOVERS:
            stack.kill(name)
    stack.fell(MOVERS)


def test_move_that_dies_half_done_is_made_once(many: Stack, postgres: str) -> None:
    async def all_of_it() -> Robot:
        robot = await Robot.host(many.url, friends=0)
        game = asyncio.ensure_future(robot.play())
        while not robot.said:
            await asyncio.sleep(0.05)
        await asyncio.to_thread(kill_inside_a_move, many, postgres)
        assert not game.done()
        await asyncio.wait_for(game, 300)
        await check_page(robot)
        return robot

    check_log(many, [together(all_of_it())])


def test_what_dies_under_a_study_takes_no_place_and_no_answer(many: Stack, tmp_path: Path) -> None:
    """Whatever dies at whatever stage, everybody arrives, with all they gave."""
    helper = "from tests.faults import study_people; study_people"
    link = many.shell(f"{helper}.open_study()").split()[-1]
    born = {name: many.pid(name) for name in ALL}
    people = People(many.url, link)
    people.come()
    for stage in STAGES:
        if stage == "game":
            people.kill_with_all_that_is_queued(many, STUDY_KILLS[stage], WORKERS)
        else:
            people.kill(many, stage, STUDY_KILLS[stage])
    assert people.ends() == {ENDED: len(people.people)}, [who.stuck_reason for who in people.people]
    assert [name for name in ALL if many.pid(name) == born[name]] == [], "never killed"
    people.write(tmp_path / "people.json")
    assert many.shell(f"{helper}.findings({str(tmp_path / 'people.json')!r})") == ""
