"""The live page: a stale page and what was pushed since make the fresh page, gap or no gap."""

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
    """The elements with an id at the top of a frame, and the transcript's lines."""

    def __init__(self) -> None:
        self.parts: dict[str, str] = {}
        self.lines: dict[str, str] = {}

    def apply(self, frame: str) -> None:
        """Swap a frame in as htmx does: by id; transcript lines are added or replaced."""
        squeezed = re.sub(r"\s+", " ", frame.replace('hx-swap-oob="true"', ""))
        for name in (*IDS, *re.findall(r'id="(seat-\d+)"', squeezed)):
            if found := element(squeezed, name):
                self.parts[name] = tidy(found)
        for name in re.findall(r'id="(e\d+)"', squeezed):
            self.lines[name] = tidy(element(squeezed, name))


def tidy(html: str) -> str:
    return re.sub(r"\s*(<|>)\s*", r"\1", html)


def element(html: str, name: str) -> str:
    """The outer HTML of the element with that id, "" where there is none."""
    begin = re.search(rf'<(\w+)[^<>]*\bid="{name}"', html)
    if not begin:
        return ""
    depth = 0
    for tag in re.finditer(rf"<(/?){begin[1]}\b[^>]*>", html[begin.start() :]):
        depth += -1 if tag[1] else 1
        if depth == 0:
            return html[begin.start() : begin.start() + tag.end()]
    raise AssertionError(f"#{name} never ends")


def whole(guest: Guest) -> Page:
    page = Page()
    page.apply(push.render_frame(page_for(guest)))
    return page


def guest_of(game: Game, seat: int | None) -> Guest:
    return Guest(game, Player.objects.get(game=game, seat=seat) if seat else None)


@pytest.mark.django_db
@given(st.lists(st.integers(0, 3000), min_size=300, max_size=300))
@hypothesis(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
def test_hundreds_of_lines_come_in_frames_that_can_be_sent(lengths: list[int]) -> None:
    page = page_for(guest_of(new_game(1, seed="far"), 1))
    model = page.entries[-1]
    lines = [replace(model, position=n, text="ሰ" * long) for n, long in enumerate(lengths, 1)]
    page = replace(page, entries=lines, cursor=301)
    frames = push.render_frames(page, push.render_parts(page))
    assert all(len(frame.encode()) <= push.MAX_FRAME_BYTES for frame in frames)
    got, whole = Page(), Page()
    for frame in frames:
        got.apply(frame)
        # Whoever loses the line now asks for what comes after the cursor: nothing is left out.
        # Parts beside the lines may need a frame of their own: whoever loses it gets them anew.
        told = re.findall(r'id="cursor"\s+value="(\d+)"', frame)
        assert told or "data-position" not in frame
        leads_to = {len(got.lines)} | ({301} if len(got.lines) == 300 else set())
        assert not told or int(told[-1]) in leads_to
    whole.apply(push.render_frame(page))
    assert (got.lines, got.parts) == (whole.lines, whole.parts)
    assert len(got.lines) == 300
    with pytest.raises(push.FrameTooLong):
        push.render_frames(
            replace(page, entries=[replace(model, text="x" * push.MAX_FRAME_BYTES)]), {}
        )


@pytest.mark.django_db
@pytest.mark.parametrize("ruleset", ["aiwolf-5", "one-night", "sheriff"])
@hypothesis(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
@given(gaps=st.lists(st.integers(1, 25), min_size=1, max_size=6), seat=st.sampled_from(SEATS))
def test_a_stale_page_and_its_pushes_are_the_fresh_page(
    ruleset: str, gaps: list[int], seat: int | None
) -> None:
    game = new_game(1, 4, ruleset=ruleset, seed=str(gaps))
    guest = guest_of(game, seat)
    page, cursor = whole(guest), page_for(guest).cursor
    for gap in gaps:
        for _ in range(gap):
            for window in selectors.open_windows(game)[:1]:
                if window.missing:
                    answer(game, window.missing[0], window)
        game.refresh_from_db()
        pushed = page_for(guest, cursor)
        page.apply(push.render_frame(pushed))
        page.apply(push.render_frame(pushed))  # a repeat replaces itself
        cursor = pushed.cursor
        fresh = whole(guest)
        assert page.lines == fresh.lines
        assert page.parts == fresh.parts
    assert set(fresh.parts) == {*IDS, *(f"seat-{p.seat}" for p in game.players.all())}


@pytest.mark.django_db
@pytest.mark.parametrize("ruleset", ["one-night", "sheriff"])
def test_the_first_page_and_a_push_use_the_same_words(
    ruleset: str, sit: Callable[..., Client]
) -> None:
    game = new_game(1, ruleset=ruleset)
    finish(game)
    shown = Page()
    shown.apply(sit(game, 1).get(f"/games/{game.code}/").content.decode())
    pushed = whole(guest_of(game, 1))
    assert shown.lines.items() <= pushed.lines.items()  # a long talk is shown from its end
    assert len(shown.lines) > 30
    assert {k: v for k, v in shown.parts.items() if k != "end"} == {
        k: v for k, v in pushed.parts.items() if k != "end"
    }


@pytest.mark.django_db
def test_a_push_brings_the_seats_that_look_different_and_no_others() -> None:
    game = new_game(1)
    play_until(game, "statement")
    Table.objects.create(game=game, spectators=True)
    looker = object.__new__(Broadcaster)
    looker.game_id, looker._change_key, looker._presence_noted_at = game.pk, (), float("inf")
    watching = [OpenPage(None, None, None, restart=0)]  # type: ignore[arg-type]

    def seats() -> set[str]:
        frames = [frame for news in looker._poll(watching) for frame in news.frames]
        return set(re.findall(r'id="(seat-\d+)"', "".join(frames)))

    assert seats() == {f"seat-{n}" for n in range(1, 9)}
    answer(game, 1, open_window(game, "statement"))
    assert seats() == {"seat-1", "seat-2"}, "who has spoken, and whose turn it is"


@pytest.mark.parametrize("part", push.PART_FIELDS)
def test_a_part_is_told_all_that_its_template_shows(part: str) -> None:
    folder = Path(settings.BASE_DIR) / "templates/play"
    files, used = [f"{part}.html"], set()
    for name in files:
        text = (folder / name).read_text()
        used |= set(re.findall(r"\bpage\.(\w+)", text))
        files += [n for n in re.findall(r'include "play/([\w.]+)"', text) if n not in files]
    assert used == set(push.PART_FIELDS[part])


def cookie_of(visitor: uuid.UUID) -> str:
    from django.contrib.sessions.backends.db import SessionStore

    session = SessionStore()
    session[visitors.KEY] = visitor.hex
    session.save()
    return f"{settings.SESSION_COOKIE_NAME}={session.session_key}"


def seated() -> tuple[Game, str]:
    game, visitor = new_game(1), uuid.uuid4()
    play_until(game, "statement")
    visitors.seat_visitor(visitor, game, Player.objects.get(game=game, seat=1))
    return game, cookie_of(visitor)


def socket(game: Game, cookie: str = "", origin: str = "http://localhost") -> WebsocketCommunicator:
    headers = [(b"origin", origin.encode()), (b"host", b"localhost")]
    if cookie:
        headers.append((b"cookie", cookie.encode()))
    return WebsocketCommunicator(application, f"/ws/games/{game.code}/", headers)


async def frame_until(client: WebsocketCommunicator, wanted: str) -> str:
    """The frames up to the one that holds `wanted`, together."""
    text = ""
    while wanted not in text:
        text += await client.receive_from(timeout=10)
    return text


def lines_in(frame: str) -> list[int]:
    return [int(n) for n in re.findall(r'<li[^<>]*\bid="e(\d+)"', frame)]


def run(coroutine_function: Callable[[], object]) -> None:
    asyncio.run(coroutine_function())  # type: ignore[arg-type]


@pytest.mark.django_db(transaction=True)
def test_a_socket_sends_what_its_cursor_misses_and_then_what_is_new() -> None:
    game, cookie = seated()
    position = page_for(guest_of(game, 1)).cursor

    async def decision() -> None:
        client = socket(game, cookie)
        assert (await client.connect(10))[0]
        await client.send_to(text_data="{broken")
        await client.send_to(text_data=json.dumps({"cursor": 0}))
        first = await frame_until(client, 'id="cursor"')
        assert lines_in(first) == await positions(game)
        window = (await sync_to_async(selectors.open_windows)(game))[0]
        await sync_to_async(answer)(game, 1, window)
        await get_channel_layer().group_send(group(game.pk), {"type": "game.changed"})
        later = await frame_until(client, "Seat 1 speaks")
        assert min(lines_in(later)) > position, "nothing twice"
        await client.disconnect(timeout=10)
        again = socket(game, cookie)
        assert (await again.connect(10))[0]
        await again.send_to(text_data=json.dumps({"cursor": position}))
        caught_up = await frame_until(again, "Seat 1 speaks")
        assert lines_in(caught_up) == lines_in(later), "no gap, no repetition"
        await again.disconnect(timeout=10)

    run(decision)


@sync_to_async
def positions(game: Game) -> list[int]:
    return [e.position for e in page_for(guest_of(game, 1)).entries]


@pytest.mark.django_db(transaction=True)
def test_a_socket_keeps_the_draft() -> None:
    game, cookie = seated()

    async def decision() -> None:
        client = socket(game, cookie)
        await client.connect(10)
        await client.send_to(text_data=json.dumps({"typing": True, "draft": "half a sent"}))
        await client.send_to(text_data=json.dumps({"cursor": 0}))
        await frame_until(client, 'id="cursor"')
        await client.disconnect(timeout=10)

    run(decision)
    assert Desk.objects.get(player__game=game, player__seat=1).draft == "half a sent"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("who", "code"), [("stranger", 4403), ("unknown table", 4404), ("foreign origin", None)]
)
def test_sockets_of_outsiders_are_closed_and_told_nothing(who: str, code: int | None) -> None:
    game, cookie = seated()
    if who == "unknown table":
        game = Game(code="nowhere")

    async def decision() -> None:
        foreign = "http://evil.example"
        client = socket(game, cookie, foreign) if code is None else socket(game)
        connected, _ = await client.connect(10)
        if code is None:
            assert not connected
            return
        message = await client.receive_output(timeout=5)
        assert (message["type"], message.get("code")) == ("websocket.close", code)

    run(decision)
