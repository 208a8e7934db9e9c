"""The one entry point of Daphne: HTTP goes to Django, WebSockets to the consumers."""

from __future__ import annotations

import gc
import os
from typing import Any
from urllib.parse import urlsplit

import django
from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler, ASGIRequest
from django.http.request import split_domain_port, validate_host
from django.http.response import HttpResponseBase
from django.urls import path
from django.utils.http import is_same_domain

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
django.setup(set_prefix=False)

from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.sessions import CookieMiddleware, SessionMiddleware  # noqa: E402

from webapp.middleware import App, Scope, own_socket_cookies  # noqa: E402
from webapp.play.live.consumers import TableConsumer  # noqa: E402
from webapp.proxies import headers_of, scheme_of_scope  # noqa: E402
from webapp.study.participant import consumer  # noqa: E402
from webapp.study.researcher.running import monitor_socket  # noqa: E402

PORTS = {"http": 80, "https": 443}


class OneThread(ASGIHandler):
    """Django's handler, but each request stays in one thread from middleware to view and back.

    The site has no async view, and otherwise every synchronous middleware would change to a thread
    and back for each of its halves.
    """

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: ASGIRequest) -> HttpResponseBase:  # type: ignore[override]
        return await sync_to_async(self.get_response, thread_sensitive=True)(request)


def with_browser_scheme(inner: App) -> App:
    """ASGI middleware: set the scheme of a request to the browser's.

    Links, cookies and the origin check depend on it.
    """

    async def app(scope: Scope, receive: Any, send: Any) -> Any:
        if scope["type"] in ("http", "websocket"):
            secure = scheme_of_scope(scope) == "https"
            scheme = "http" if scope["type"] == "http" else "ws"
            scope = {**scope, "scheme": f"{scheme}s" if secure else scheme}
        return await inner(scope, receive, send)

    return app


def own_pages_only(inner: App) -> App:
    """ASGI middleware: refuse sockets of other sites' pages."""

    async def app(scope: Scope, receive: Any, send: Any) -> Any:
        if is_own_page(scope):
            return await inner(scope, receive, send)
        await receive()
        return await send({"type": "websocket.close"})  # Daphne answers 403, also without Redis

    return app


def is_own_page(scope: Scope) -> bool:
    """Return whether a socket's request comes from one of this site's pages.

    Scheme, host name and port must be this site's. The rule is Django's for posts: the origin is
    that of the request itself, or one of CSRF_TRUSTED_ORIGINS.
    """
    headers = headers_of(scope)
    origin, host = _parse_origin(headers.get("origin", "")), headers.get("host", "")
    domain, _port = split_domain_port(host)
    if "\\0" in headers.get("cookie", ""):  # an encoded NUL, which no browser sends
        return False
    if origin is None or not domain or not validate_host(domain, settings.ALLOWED_HOSTS):
        return False
    if origin == _parse_origin(f"{scheme_of_scope(scope)}://{host}"):
        return True
    return any(_matches(origin, trusted) for trusted in settings.CSRF_TRUSTED_ORIGINS)


def _parse_origin(text: str) -> tuple[str, str, int] | None:
    """Return (scheme, host, port) of an origin, None for any other text.

    The port is the scheme's usual one if none is given.
    """
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port or PORTS.get(parts.scheme)
    except ValueError:
        return None
    if not host or port is None or parts.path or parts.query or parts.fragment:
        return None
    return parts.scheme, host, port


def _matches(origin: tuple[str, str, int], trusted: str) -> bool:
    """Return whether an origin matches a trusted one, which may begin with "*."."""
    trusted_origin = _parse_origin(trusted.replace("://*.", "://"))
    if trusted_origin is None:
        return False
    scheme, host, port = trusted_origin
    if (origin[0], origin[2]) != (scheme, port):
        return False
    return is_same_domain(origin[1], f".{host}" if "://*." in trusted else host)


addresses = [
    path("ws/games/<str:code>/", TableConsumer.as_asgi()),  # type: ignore[arg-type]
    *consumer.websocket_urlpatterns,
    *monitor_socket.websocket_urlpatterns,
]
sockets = SessionMiddleware(URLRouter(addresses))  # type: ignore[arg-type]
application = with_browser_scheme(
    ProtocolTypeRouter(
        {
            "http": OneThread(),
            "websocket": own_pages_only(CookieMiddleware(own_socket_cookies(sockets))),
        }
    )
)
# Excludes loaded objects from garbage collection. A full run delayed pages by 0.1 s.
gc.freeze()
