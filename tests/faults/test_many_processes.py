"""Tests of two web processes, two workers and two sweepers on PostgreSQL.

Malformed input causes no error: NUL, half characters, endless numbers, some of which SQLite
accepts. Then all processes are killed in turn, under games and under a study.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import psycopg
import pytest

from tests.clients import Robot, run_together, token_of
from tests.faults.study_people import STAGES, People
from tests.live import Stack, wait_until
from webapp.study.rehearsal.person import ENDED

TABLES = 2
NIGHT_S = "12"  # With several people every night takes its full time.
WORKERS = ("worker", "worker2")
WRITERS = ("web", "web2", *WORKERS, "sweeper", "sweeper2")
ALL = (*WRITERS, "redis")
KILLS = [["web2", "worker"], ["redis", "sweeper2"], ["web", "worker2", "sweeper"]]
STUDY_KILLS = {  # stage -> processes killed while somebody is there
    "rules": ("web2",),
    "waiting": ("redis",),
    "ready": ("web", "sweeper"),
    "game": ALL,
    "questionnaire": ("web", "web2"),
}

NUL, HALF, LONG = "\x00", "\ud83c", "9" * 5000
PATHS = [
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
from webapp.play.live import notifier
with notifier.diverted(lambda game, opened: None):
    print(rating.open_campaign("1", units_per_rater=2).study.key)
"""
TWO_REHEARSALS = """
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

from django.contrib.auth.models import User
from django.db import connections

from webapp.study.design.refusals import Refused
from webapp.study.planning import ready, studies
from webapp.study.rehearsal import rehearsal_requests
from webapp.study.rehearsal.rehearsal_options import StudyRunOptions

def request_rehearsal(study):
    try:
        rehearsal_requests.request_rehearsal(study, StudyRunOptions(participants=3))
        return "requested"
    except Refused:
        return "refused"
    finally:
        connections.close_all()

owner = User.objects.create_user("rehearser")
design = ready.get("who-is-human").design
two_studies = [studies.create(owner, name, design=design) for name in ("A", "B")]
with mock.patch.object(rehearsal_requests, "send", return_value=True):
    with ThreadPoolExecutor(2) as pool:
        print(*sorted(pool.map(request_rehearsal, two_studies)))
"""
MALFORMED = ["%00", "a%00b", "%ED%A0%BC", "%FF%FE", LONG[:3000], "%F0%9F%8E%AD", "..%2F..%2F"]


@pytest.fixture(scope="module")
def shared_duplicated_stack(postgres: str) -> Iterator[Stack]:
    with Stack(webs=2, workers=2, sweepers=2, database_url=postgres) as running:
        yield running


@pytest.fixture
def duplicated_stack(shared_duplicated_stack: Stack) -> Iterator[Stack]:
    """Restart after the test what it has killed."""
    yield shared_duplicated_stack
    shared_duplicated_stack.revive()


async def get_malformed_paths(host: Robot) -> dict[str, int]:
    statuses = {}
    for template in PATHS:
        for malformed in MALFORMED:
            address = template.format(x=malformed, game=host.game)
            response = await host.http.get(address)
            statuses[address[:80]] = response.status_code
    nul_value = r'="aaaaaaaaaaaa\000bbbbbbbb"'
    cookie = {
        "Cookie": "; ".join(f"{name}{nul_value}" for name in ("sessionid", *host.http.cookies))
    }
    statuses["cookie"] = (
        await httpx2.AsyncClient(timeout=60).get(host.url, headers=cookie)
    ).status_code
    return statuses


async def post_malformed_forms(host: Robot, *, outside_the_game: bool = False) -> dict[str, int]:
    """Post to the table, and to pages that do not depend on a game."""
    game_path, statuses = f"/games/{host.game}", {}
    for malformed in (f"a{NUL}b", NUL, LONG, "\ufffe"):
        for path, form in (
            ("/answer", {"window": malformed, "text": malformed, "cursor": malformed}),
            ("/answer", {"window": "x", "target": malformed, "post": malformed}),
            ("/draft", {"text": malformed}),
            ("/note", {"seat": "2", "value": "", "text": malformed}),
            ("/note", {"seat": malformed, "value": malformed}),
            ("/act", {"do": "name", "name": malformed, "cursor": malformed}),
            ("/act", {"do": f"remove_words:{malformed}:1"}),
            ("/act", {"do": f"report:{malformed}:1"}),
            ("/act", {"do": f"remove:{malformed}"}),
            ("/act", {"do": malformed}),
        ):
            response = await host.http.post(game_path + path, data={**form, **host._token()})
            statuses[f"{path} {form}"[:90]] = response.status_code
        if not outside_the_game:
            continue
        for path, form in (
            ("/play", {"backend": malformed}),
            ("/tables/new", {"ruleset": malformed, "seed": malformed}),
            (host.invitation, {"name": malformed}),
            ("/study/sign-in", {"username": malformed, "password": malformed, "next": malformed}),
        ):
            response = await host.http.post(path, data={**form, **host._token()})
            statuses[f"{path} {form}"[:90]] = response.status_code
    return statuses


async def send_malformed_messages(host: Robot) -> str:
    """Send malformed messages by the socket. Return the page with the stored draft."""
    async with host.line() as socket:
        for malformed in (NUL, HALF, LONG, f"a{HALF}b{NUL}c"):
            await socket.send(json.dumps({"draft": malformed}))
        await socket.send('{"cursor": ' + LONG + "}")
        await socket.send(json.dumps({"draft": f"kept {HALF}{NUL} kept"}))
        await socket.send('{"cursor": 0}')
        async with asyncio.timeout(60):
            await socket.recv()
    return (await host.http.get(f"/games/{host.game}/")).text


def check_nothing_failed(stack: Stack) -> None:
    assert "Traceback" not in stack.read_log("web") + stack.read_log("web2")


def test_malformed_input_causes_no_server_error(duplicated_stack: Stack) -> None:
    async def send_all() -> None:
        host = await Robot.host(duplicated_stack.url, friends=1)
        friend = await Robot.join(host, "Anna")
        for statuses in (
            await get_malformed_paths(host),
            await post_malformed_forms(host, outside_the_game=True),
        ):
            failed = {request: status for request, status in statuses.items() if status >= 500}
            assert not failed
        await host.start()
        for statuses in (await post_malformed_forms(host), await post_malformed_forms(friend)):
            failed = {request: status for request, status in statuses.items() if status >= 500}
            assert not failed
        assert "kept ? kept" in await send_malformed_messages(host)
        for robot in (host, friend):
            await robot.close()

    run_together(send_all())
    check_nothing_failed(duplicated_stack)


def test_malformed_rating_causes_no_server_error(duplicated_stack: Stack) -> None:
    key = duplicated_stack.shell(CAMPAIGN).splitlines()[-1]

    async def send_all() -> None:
        http = httpx2.AsyncClient(base_url=duplicated_stack.url, timeout=60, follow_redirects=True)
        label = "?participant_label=a%00b%ED%A0%BC"
        page = (await http.get(f"/rate/{key}/{label}")).text
        hidden_fields = re.findall(r'type="hidden"\s+name="(\w+)"\s+value="([^"]*)"', page)
        data = {**dict(hidden_fields), "experience": "2", **token_of(page)}
        page = (await http.post(f"/take/{key}/", data=data)).text
        action = re.search(r'action="(/rate/as/[^"]+/example)"', page)
        assert action
        response = await http.post(action[1], data=token_of(page))
        item, token = str(response.url), token_of(response.text)
        headers = {"X-CSRFToken": token["csrfmiddlewaretoken"], "Content-Type": "application/json"}
        for body in (
            {"values": {}, "skip": f"a{NUL}{HALF}", "revision": 0},
            {"values": {NUL: 1}, "skip": None, "revision": 0},
            {"values": {HALF: HALF}, "skip": None, "revision": 0},
            {"values": {}, "skip": None, "revision": 10**400},
            {"values": {}, "skip": None, "revision": 0, "active_ms": 10**400},
        ):
            response_to_body = await http.post(item, content=json.dumps(body), headers=headers)
            assert response_to_body.status_code < 500, body
        form = {"do": "skip", "reason_text": f"b{NUL}", **token}
        assert (await http.post(item, data=form)).status_code < 500

    run_together(send_all())
    check_nothing_failed(duplicated_stack)


async def gather_table(url: str, number: int) -> list[Robot]:
    """Return a started table: two people and a spectator."""
    host = await Robot.host(url, friends=1, spectators="on", night_seconds=NIGHT_S)
    host.name = f"Host {number}"
    friend = await Robot.join(host, f"Friend {number}")
    await host.start()
    for robot in (host, friend):
        robot.thinks = (0.2, 0.8)
    return [host, friend, Robot.watch(url, host.game)]


async def kill_in_turn(stack: Stack, games: asyncio.Future[list[None]]) -> int:
    """Kill and restart all processes in turn. Return the number of kills during the games."""
    during = 0
    for names in KILLS:
        await asyncio.sleep(0.5)
        during += not games.done()
        await asyncio.to_thread(stack.kill_and_restart, names)
    return during


async def play_through_kills(stack: Stack) -> tuple[list[Robot], int]:
    tables = [await gather_table(stack.url, number) for number in range(TABLES)]
    robots = [robot for table in tables for robot in table]
    games = asyncio.gather(*(robot.play() for robot in robots))
    during = await kill_in_turn(stack, games)
    await asyncio.wait_for(games, 400)
    return robots, during


async def check_page(robot: Robot) -> None:
    """Check that the socket sent exactly the lines of a fresh page."""
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


def test_games_survive_kills_of_every_duplicated_process(duplicated_stack: Stack) -> None:
    async def play_and_check() -> tuple[list[Robot], int]:
        robots, during = await play_through_kills(duplicated_stack)
        for robot in robots:
            await check_page(robot)
        return robots, during

    robots, during = run_together(play_and_check())
    assert during >= 2, "the games ended before the kills"
    assert sum(robot.breaks for robot in robots) > 0
    for number in range(0, len(robots), 3):
        check_log(duplicated_stack, robots[number : number + 3])


def kill_during_a_move(stack: Stack, database_url: str) -> None:
    """Kill the processes while a transaction has written its answer, but not its events."""
    with psycopg.connect(database_url) as blocker:
        blocker.execute("LOCK TABLE game_event IN SHARE ROW EXCLUSIVE MODE")
        query = "SELECT 1 FROM pg_locks WHERE relation = 'game_event'::regclass AND NOT granted"
        wait_until(lambda: blocker.execute(query).fetchone(), "a move is half done", 60)
        for name in WRITERS:
            stack.kill(name)
    stack.kill_and_restart(WRITERS)


def test_move_that_dies_half_done_is_made_once(duplicated_stack: Stack, postgres: str) -> None:
    async def play_and_check() -> Robot:
        robot = await Robot.host(duplicated_stack.url, friends=0)
        game = asyncio.ensure_future(robot.play())
        while not robot.said:
            await asyncio.sleep(0.05)
        await asyncio.to_thread(kill_during_a_move, duplicated_stack, postgres)
        assert not game.done()
        await asyncio.wait_for(game, 300)
        await check_page(robot)
        return robot

    check_log(duplicated_stack, [run_together(play_and_check())])


def test_one_of_two_simultaneous_rehearsal_requests_is_refused(
    duplicated_stack: Stack, postgres: str
) -> None:
    """No rehearsal exists yet, so there is no row of one that the requests could lock."""
    with ThreadPoolExecutor(1) as pool:
        with psycopg.connect(postgres) as blocker:
            # It lets both requests read and lock rows, but insert none.
            blocker.execute("LOCK TABLE study_rehearsal IN SHARE MODE")
            results = pool.submit(duplicated_stack.shell, TWO_REHEARSALS)
            query = "SELECT 1 FROM pg_locks WHERE NOT granted HAVING count(DISTINCT pid) = 2"
            wait_until(lambda: blocker.execute(query).fetchone(), "both requests wait", 60)
        assert results.result().split() == ["refused", "requested"]


def test_study_survives_kills_at_every_stage(duplicated_stack: Stack, tmp_path: Path) -> None:
    """Everybody completes the study, with all their answers, whenever processes are killed."""
    helper = "from tests.faults import study_people; study_people"
    link = duplicated_stack.shell(f"{helper}.open_study()").split()[-1]
    pids_before = {name: duplicated_stack.pid(name) for name in ALL}
    people = People(duplicated_stack.url, link)
    people.start_all()
    for stage in STAGES:
        if stage == "game":
            people.kill_with_lost_queue(duplicated_stack, STUDY_KILLS[stage], WORKERS)
        else:
            people.kill(duplicated_stack, stage, STUDY_KILLS[stage])
    assert people.count_exits() == {ENDED: len(people.people)}, [
        person.end_detail for person in people.people
    ]
    assert [name for name in ALL if duplicated_stack.pid(name) == pids_before[name]] == [], (
        "every process was killed"
    )
    people.write(tmp_path / "people.json")
    assert duplicated_stack.shell(f"{helper}.print_errors({str(tmp_path / 'people.json')!r})") == ""
