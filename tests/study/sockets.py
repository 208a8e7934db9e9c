"""WebSockets of pages for tests."""

from __future__ import annotations

from typing import Any

from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.test import Client

from webapp.asgi import application


async def open_socket(address: str, client: Client | None = None) -> WebsocketCommunicator:
    """Open a socket as the browser would."""
    cookie = client.cookies.get(settings.SESSION_COOKIE_NAME) if client else None
    headers = [(b"host", b"testserver"), (b"origin", b"http://testserver")]
    if cookie:
        headers.append((b"cookie", f"{settings.SESSION_COOKIE_NAME}={cookie.value}".encode()))
    socket = WebsocketCommunicator(application, address, headers=headers)
    connected, _protocol = await socket.connect(timeout=10)
    assert connected
    return socket


async def close_code(socket: WebsocketCommunicator) -> int:
    message: dict[str, Any] = await socket.receive_output(10)
    assert message["type"] == "websocket.close", message
    return int(message["code"])
