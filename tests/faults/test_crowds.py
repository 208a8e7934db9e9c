"""Tests that players are not affected by broken clients, floods and slow readers."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from tests.clients import Robot, run_together
from tests.live import Stack
from webapp.play.live.broadcaster import CLOSE_CROWD, CLOSE_OUTSIDER, MAX_PAGES_PER_VISITOR

ARRIVALS = 20
TOO_MANY = 10  # pages of one visitor
NIGHT_S = "12"  # With several people every night takes its full time.
RUBBISH = [
    "",
    "nonsense",
    "[]",
    "{}",
    '{"cursor": "x"}',
    '{"cursor": -5}',
    '{"cursor": 1e99}',
    "[" * 5000,
]


async def two_players(url: str, **form: str) -> tuple[Robot, Robot]:
    host = await Robot.host(url, 1, **form)
    anna = await Robot.join(host, "Anna")
    for robot in (host, anna):
        robot.thinks = (0.2, 0.5)
    return host, anna


async def send_malformed_messages(robot: Robot) -> None:
    """Send malformed and oversized messages again and again."""
    while True:
        with contextlib.suppress(OSError, WebSocketException):
            async with robot.line() as line:
                for text in RUBBISH * 5:
                    await line.send(text)
                await line.send(b"\x00\xff" * 1000)
                await line.send('{"draft": "' + "x" * 200_000 + '"}')
                await line.recv()
        await asyncio.sleep(0.1)


async def never_read(robot: Robot) -> None:
    """Request everything and never read."""
    host, port = robot.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    reader._transport.pause_reading()  # type: ignore[attr-defined]
    key = "dGhlIHNhbXBsZSBub25jZQ=="
    lines = [
        f"GET /ws/games/{robot.game}/ HTTP/1.1",
        f"Host: {host}:{port}",
        f"Origin: {robot.url}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {key}",
        "Sec-WebSocket-Version: 13",
    ]
    sock: socket.socket = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
    try:
        while True:  # a masked text frame: {"cursor": 0}
            body = bytes(b ^ m for b, m in zip(b'{"cursor": 0}', b"mask" * 4, strict=False))
            writer.write(b"\x81\x8d" + b"mask" + body)
            await asyncio.sleep(0.05)
    finally:
        writer.close()


async def open_too_many_pages(robot: Robot) -> int:
    """Open far too many pages of one visitor. Return the number of closed ones."""
    async with contextlib.AsyncExitStack() as stack:
        lines = [
            await stack.enter_async_context(robot.line())
            for _ in range(MAX_PAGES_PER_VISITOR + TOO_MANY)
        ]
        closed = 0
        async with asyncio.timeout(60):
            while closed < TOO_MANY:
                await asyncio.sleep(0.05)
                closed = sum(line.close_code == CLOSE_CROWD for line in lines)
        return closed


def test_players_do_not_notice_a_crowd(stack: Stack) -> None:
    async def play_in_crowd() -> None:
        host, anna = await two_players(stack.url, spectators="on", night_seconds=NIGHT_S)
        watcher = Robot.watch(stack.url, host.game)
        await host.start()
        players = asyncio.gather(host.play(), anna.play())
        disturbances = [
            asyncio.create_task(send_malformed_messages(watcher)),
            asyncio.create_task(never_read(watcher)),
        ]
        crowd = [Robot.watch(stack.url, host.game) for _ in range(ARRIVALS)]
        watching = asyncio.gather(*(robot.play() for robot in crowd))
        assert await open_too_many_pages(anna) >= TOO_MANY
        await asyncio.wait_for(asyncio.gather(players, watching), 400)
        for task in disturbances:
            task.cancel()
        page = (await anna.http.get(f"/games/{anna.game}/")).text
        assert sorted(anna.seen) == sorted(map(int, re.findall(r'<li id="e(\d+)"', page)))
        for robot in (host, anna):
            assert (len(robot.said), robot.refused, robot.breaks) == (3, [], 0)
        for robot in crowd:
            assert robot.over
            assert len(robot.seen) >= 30
        for robot in (host, anna, watcher, *crowd):
            await robot.close()

    run_together(play_in_crowd())


def test_removed_guest_is_disconnected_and_lobby_updated(stack: Stack) -> None:
    async def remove_guest() -> None:
        host, anna = await two_players(stack.url)
        async with host.line() as host_line, anna.line() as guest_line:
            for line in (host_line, guest_line):
                await line.send('{"cursor": 0, "lobby": true}')
            assert "Anna" in await receive_until(host_line, "Anna")
            seat = await find_seat(host, "remove:")
            assert await host.act(f"remove:{seat}") == 200
            with contextlib.suppress(ConnectionClosed):
                while True:
                    await asyncio.wait_for(guest_line.recv(), 60)
            assert guest_line.close_code == CLOSE_OUTSIDER
            assert "Anna" not in await receive_until(host_line, "waiting for a guest")
            await host.start()
            assert f'data-go="/games/{host.game}/"' in await receive_until(host_line, "data-go")
        for robot in (host, anna):
            await robot.close()

    run_together(remove_guest())


async def receive_until(line: connect, text: str) -> str:
    """Return the next frame that holds the text."""
    while text not in (frame := str(await asyncio.wait_for(line.recv(), 60))):  # type: ignore[attr-defined]
        pass
    return frame


async def find_seat(host: Robot, act: str) -> str:
    page = (await host.http.get(f"/games/{host.game}/")).text
    match = re.search(rf'value="{act}(\d+)"', page)
    assert match
    return match[1]
