"""Tests of the live page: a stale page plus pushed frames equals the fresh page."""

from __future__ import annotations

import asyncio
import json
import re
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from game import selectors
from game.models import Game, Player
from tests.game.table import answer, finish, new_game, open_window, play_until
from webapp.asgi import application
from webapp.play import visitors
from webapp.play.live import push
from webapp.play.live.broadcaster import Broadcaster, OpenPage
from webapp.play.live.notifier import group
from webapp.play.models import Desk, Table
from webapp.play.page.page_builder import page_for
from webapp.play.visitors import Guest

SEATS = [None, 1, 4]  # a spectator, two people
IDS = [name for name in push.PART_FIELDS if name != "amended"]


class Page:
    """The top elements with an id in the frames of a page, and its transcript lines."""

    def __init__(self) -> None:
        self.parts: dict[str, str] = {}
        self.lines: dict[str, str] = {}

    def apply(self, frame: str) -> None:
        """Apply a frame as htmx does: replace elements by id, and add or replace lines."""
        squeezed = re.sub(r"\s+", " ", frame.replace('hx-swap-oob="true"', ""))
        for name in (*IDS, *re.findall(r'id="(seat-\d+)"', squeezed)):
            if html := element(squeezed, name):
                self.parts[name] = remove_blanks_at_tags(html)
        for name in re.findall(r'id="(e\d+)"', squeezed):
            self.lines[name] = remove_blanks_at_tags(element(squeezed, name))


def remove_blanks_at_tags(html: str) -> str:
    return re.sub(r"\s*(<|>)\s*", r"\1", html)


def element(html: str, name: str) -> str:
    """Return the outer HTML of the element with that id, "" if there is none."""
    begin = re.search(rf'<(\w+)[^<>]*\bid="{name}"', html)
    if not begin:
        return ""
    depth = 0
    for tag in re.finditer(rf"<(/?){begin[1]}\b[^>]*>", html[begin.start() :]):
        depth += -1 if tag[1] else 1
        if depth == 0:
            return html[begin.start() : begin.start() + tag.end()]
    raise AssertionError(f"#{name} has no end tag")


def fresh_page(guest: Guest) -> Page:
    page = Page()
    page.apply(push.render_frame(page_for(guest)))
    return page


def guest_in_seat(game: Game, seat: int | None) -> Guest:
    return Guest(game, Player.objects.get(game=game, seat=seat) if seat else None)


@pytest.mark.django_db
@given(st.lists(st.integers(0, 3000), min_size=300, max_size=300))
@hypothesis(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
def test_hundreds_of_lines_are_split_into_frames_of_legal_size(lengths: list[int]) -> None:
    page = page_for(guest_in_seat(new_game(1, seed="far"), 1))
    template = page.entries[-1]
    lines = [
        replace(template, position=n, text="ሰ" * length) for n, length in enumerate(lengths, 1)
    ]
    page = replace(page, entries=lines, cursor=301)
    frames = push.render_frames(page, push.render_parts(page))
    assert all(len(frame.encode()) <= push.MAX_FRAME_BYTES for frame in frames)
    received, expected = Page(), Page()
    for frame in frames:
        received.apply(frame)
        # A page that reconnects now requests what follows its cursor, so no line is lost.
        # Other parts may need a frame of their own. A page that misses it gets them again.
        cursors = re.findall(r'id="cursor"\s+value="(\d+)"', frame)
        assert cursors or "data-position" not in frame
        valid_cursors = {len(received.lines)} | ({301} if len(received.lines) == 300 else set())
        assert not cursors or int(cursors[-1]) in valid_cursors
    expected.apply(push.render_frame(page))
    assert (received.lines, received.parts) == (expected.lines, expected.parts)
    assert len(received.lines) == 300
    with pytest.raises(push.FrameTooLong):
        push.render_frames(
            replace(page, entries=[replace(template, text="x" * push.MAX_FRAME_BYTES)]), {}
        )


@pytest.mark.django_db
@pytest.mark.parametrize("ruleset", ["aiwolf-5", "one-night", "sheriff"])
@hypothesis(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
@given(gaps=st.lists(st.integers(1, 25), min_size=1, max_size=6), seat=st.sampled_from(SEATS))
def test_stale_page_plus_pushes_equals_a_fresh_page(
    ruleset: str, gaps: list[int], seat: int | None
) -> None:
    game = new_game(1, 4, ruleset=ruleset, seed=str(gaps))
    guest = guest_in_seat(game, seat)
    page, cursor = fresh_page(guest), page_for(guest).cursor
    for gap in gaps:
        for _ in range(gap):
            for window in selectors.open_windows(game)[:1]:
                if window.missing:
                    answer(game, window.missing[0], window)
        game.refresh_from_db()
        update = page_for(guest, cursor)
        page.apply(push.render_frame(update))
        page.apply(push.render_frame(update))  # a repeated frame changes nothing
        cursor = update.cursor
        expected = fresh_page(guest)
        assert page.lines == expected.lines
        assert page.parts == expected.parts
    assert set(expected.parts) == {*IDS, *(f"seat-{p.seat}" for p in game.players.all())}


@pytest.mark.django_db
@pytest.mark.parametrize("ruleset", ["one-night", "sheriff"])
def test_first_page_and_push_render_the_same_html(ruleset: str, sit: Callable[..., Client]) -> None:
    game = new_game(1, ruleset=ruleset)
    finish(game)
    page = Page()
    page.apply(sit(game, 1).get(f"/games/{game.code}/").content.decode())
    update_page = fresh_page(guest_in_seat(game, 1))
    assert (
        page.lines.items() <= update_page.lines.items()
    )  # a long talk is shown from its latest lines
    assert len(page.lines) > 30
    assert {k: v for k, v in page.parts.items() if k != "end"} == {
        k: v for k, v in update_page.parts.items() if k != "end"
    }


@pytest.mark.django_db
def test_push_contains_only_the_changed_seats() -> None:
    game = new_game(1)
    play_until(game, "statement")
    Table.objects.create(game=game, spectators=True)
    broadcaster = object.__new__(Broadcaster)
    broadcaster.game_id, broadcaster._change_key, broadcaster._presence_noted_at = (
        game.pk,
        (),
        float("inf"),
    )
    open_pages = [OpenPage(None, None, None, new_cursor=0)]  # type: ignore[arg-type]

    def pushed_seats() -> set[str]:
        frames = [frame for update in broadcaster._poll(open_pages) for frame in update.frames]
        return set(re.findall(r'id="(seat-\d+)"', "".join(frames)))

    assert pushed_seats() == {f"seat-{n}" for n in range(1, 9)}
    answer(game, 1, open_window(game, "statement"))
    assert pushed_seats() == {"seat-1", "seat-2"}, "the last speaker and the next one"


@pytest.mark.parametrize("part", push.PART_FIELDS)
def test_part_fields_match_the_fields_its_template_uses(part: str) -> None:
    folder = Path(settings.BASE_DIR) / "templates/play"
    files, used_fields = [f"{part}.html"], set()
    for name in files:
        text = (folder / name).read_text()
        used_fields |= set(re.findall(r"\bpage\.(\w+)", text))
        files += [n for n in re.findall(r'include "play/([\w.]+)"', text) if n not in files]
    assert used_fields == set(push.PART_FIELDS[part])


def create_session_cookie(visitor: uuid.UUID) -> str:
    from django.contrib.sessions.backends.db import SessionStore

    session = SessionStore()
    session[visitors.KEY] = visitor.hex
    session.save()
    return f"{settings.SESSION_COOKIE_NAME}={session.session_key}"


def seat_person() -> tuple[Game, str]:
    game, visitor = new_game(1), uuid.uuid4()
    play_until(game, "statement")
    visitors.seat_visitor(visitor, game, Player.objects.get(game=game, seat=1))
    return game, create_session_cookie(visitor)


def open_socket(
    game: Game, cookie: str = "", origin: str = "http://localhost"
) -> WebsocketCommunicator:
    headers = [(b"origin", origin.encode()), (b"host", b"localhost")]
    if cookie:
        headers.append((b"cookie", cookie.encode()))
    return WebsocketCommunicator(application, f"/ws/games/{game.code}/", headers)


async def receive_until(client: WebsocketCommunicator, expected: str) -> str:
    """Receive frames until one holds `expected`. Return them joined."""
    text = ""
    while expected not in text:
        text += await client.receive_from(timeout=10)
    return text


def lines_in(frame: str) -> list[int]:
    return [int(n) for n in re.findall(r'<li[^<>]*\bid="e(\d+)"', frame)]


def run_async(coroutine_function: Callable[[], object]) -> None:
    asyncio.run(coroutine_function())  # type: ignore[arg-type]


@pytest.mark.django_db(transaction=True)
def test_socket_sends_missed_lines_and_then_new_ones() -> None:
    game, cookie = seat_person()
    position = page_for(guest_in_seat(game, 1)).cursor

    async def follow_game() -> None:
        client = open_socket(game, cookie)
        assert (await client.connect(10))[0]
        await client.send_to(text_data="{broken")
        await client.send_to(text_data=json.dumps({"cursor": 0}))
        first = await receive_until(client, 'id="cursor"')
        assert lines_in(first) == await line_positions(game)
        window = (await sync_to_async(selectors.open_windows)(game))[0]
        await sync_to_async(answer)(game, 1, window)
        await get_channel_layer().group_send(group(game.pk), {"type": "game.changed"})
        next_frame = await receive_until(client, "Seat 1 speaks")
        assert min(lines_in(next_frame)) > position, "no line is repeated"
        await client.disconnect(timeout=10)
        second_socket = open_socket(game, cookie)
        assert (await second_socket.connect(10))[0]
        await second_socket.send_to(text_data=json.dumps({"cursor": position}))
        missed_frame = await receive_until(second_socket, "Seat 1 speaks")
        assert lines_in(missed_frame) == lines_in(next_frame), "no gap, no repetition"
        await second_socket.disconnect(timeout=10)

    run_async(follow_game)


@sync_to_async
def line_positions(game: Game) -> list[int]:
    return [e.position for e in page_for(guest_in_seat(game, 1)).entries]


@pytest.mark.django_db(transaction=True)
def test_socket_stores_the_draft() -> None:
    game, cookie = seat_person()

    async def send_draft() -> None:
        client = open_socket(game, cookie)
        await client.connect(10)
        await client.send_to(text_data=json.dumps({"typing": True, "draft": "half a sent"}))
        await client.send_to(text_data=json.dumps({"cursor": 0}))
        await receive_until(client, 'id="cursor"')
        await client.disconnect(timeout=10)

    run_async(send_draft)
    assert Desk.objects.get(player__game=game, player__seat=1).draft == "half a sent"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("outsider", "code"), [("stranger", 4403), ("unknown table", 4404), ("foreign origin", None)]
)
def test_sockets_of_outsiders_are_closed_without_content(outsider: str, code: int | None) -> None:
    game, cookie = seat_person()
    if outsider == "unknown table":
        game = Game(code="nowhere")

    async def connect() -> None:
        foreign_origin = "http://evil.example"
        client = open_socket(game, cookie, foreign_origin) if code is None else open_socket(game)
        connected, _ = await client.connect(10)
        if code is None:
            assert not connected
            return
        message = await client.receive_output(timeout=5)
        assert (message["type"], message.get("code")) == ("websocket.close", code)

    run_async(connect)
