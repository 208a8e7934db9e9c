"""Web sockets of tables for tests."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from functools import wraps

from channels.testing import WebsocketCommunicator
from django.conf import settings

from game.models import Game, Player
from tests.game.table import new_game, play_until
from webapp.asgi import application
from webapp.play import visitors
from webapp.play.models import Table


def create_session_cookie(visitor: uuid.UUID) -> str:
    from django.contrib.sessions.backends.db import SessionStore

    session = SessionStore()
    session[visitors.VISITOR_KEY] = visitor.hex
    session.save()
    return f"{settings.SESSION_COOKIE_NAME}={session.session_key}"


def seat_person() -> tuple[Game, str]:
    game, visitor = new_game(1), uuid.uuid4()
    play_until(game, "statement")
    visitors.seat_visitor(visitor, game, Player.objects.get(game=game, seat=1))
    return game, create_session_cookie(visitor)


def run_in_event_loop(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Run the test in an event loop of its own."""

    @wraps(test)
    def run(*args: object, **kwargs: object) -> None:
        asyncio.run(test(*args, **kwargs))  # type: ignore[arg-type]

    return run


def open_watched_game() -> Game:
    game = new_game(0)
    Table.objects.create(game=game, spectators=True)
    return game


def open_socket(game: Game, address: str, cookie: str = "") -> WebsocketCommunicator:
    headers = [(b"origin", b"http://localhost"), (b"host", b"localhost")]
    if cookie:
        headers.append((b"cookie", cookie.encode()))
    communicator = WebsocketCommunicator(application, f"/ws/games/{game.code}/", headers)
    communicator.scope["client"] = [address, 4711]
    return communicator


async def connect_and_get_code(client: WebsocketCommunicator) -> int:
    """Connect and return the close code, 0 if the socket stays open and sends the page."""
    connected, _protocol = await client.connect(10)
    assert connected
    await client.send_to(text_data='{"cursor": 0}')
    message = await client.receive_output(10)
    return int(message.get("code", 0))
