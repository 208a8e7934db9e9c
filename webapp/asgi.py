"""The one entry point of Daphne: HTTP goes to Django, WebSockets to the consumers."""

import gc
import os
from typing import Any, NamedTuple
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

from webapp.middleware import AsgiApp, Scope, rename_socket_cookies  # noqa: E402
from webapp.play.live.consumers import TableConsumer  # noqa: E402
from webapp.proxies import browser_scheme, scope_headers  # noqa: E402
from webapp.study.participant import consumer  # noqa: E402
from webapp.study.researcher.running import monitor_socket  # noqa: E402

DEFAULT_PORTS = {"http": 80, "https": 443}


class Origin(NamedTuple):
    """The origin of a page, as browsers compare it."""

    scheme: str
    host: str
    port: int


class SingleThreadHandler(ASGIHandler):
    """Django's handler, but each request stays in one thread from middleware to view and back.

    Django would change the thread twice for every synchronous middleware. That serves only async
    views, and the site has none.
    """

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: ASGIRequest) -> HttpResponseBase:  # type: ignore[override]
        return await sync_to_async(self.get_response, thread_sensitive=True)(request)


def with_browser_scheme(inner: AsgiApp) -> AsgiApp:
    """ASGI middleware: set the scheme of a request to the browser's.

    Links, cookies and the origin check depend on it.
    """

    async def app(scope: Scope, receive: Any, send: Any) -> Any:
        if scope["type"] in ("http", "websocket"):
            is_secure = browser_scheme(scope) == "https"
            scheme = "http" if scope["type"] == "http" else "ws"
            scope = {**scope, "scheme": f"{scheme}s" if is_secure else scheme}
        return await inner(scope, receive, send)

    return app


def refuse_foreign_pages(inner: AsgiApp) -> AsgiApp:
    """ASGI middleware: refuse sockets that pages of other sites open."""

    async def app(scope: Scope, receive: Any, send: Any) -> Any:
        if is_from_own_page(scope):
            return await inner(scope, receive, send)
        await receive()
        return await send({"type": "websocket.close"})  # Daphne answers 403, also without Redis

    return app


def is_from_own_page(scope: Scope) -> bool:
    """Return whether a page of this site opens the socket.

    The rule is Django's for posts: the Origin header has the scheme, host name and port of the
    request itself, or matches one of CSRF_TRUSTED_ORIGINS.
    """
    headers = scope_headers(scope)
    origin, host = _parse_origin(headers.get("origin", "")), headers.get("host", "")
    domain, _port = split_domain_port(host)
    if "\\0" in headers.get("cookie", ""):  # an encoded NUL, which no browser sends
        return False
    if origin is None or not domain or not validate_host(domain, settings.ALLOWED_HOSTS):
        return False
    if origin == _parse_origin(f"{browser_scheme(scope)}://{host}"):
        return True
    return any(_matches_origin(origin, trusted) for trusted in settings.CSRF_TRUSTED_ORIGINS)


def _parse_origin(text: str) -> Origin | None:
    """Return the origin of `text` (without a port: its scheme's default), or None."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port or DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    if not host or port is None or parts.path or parts.query or parts.fragment:
        return None
    return Origin(parts.scheme, host, port)


def _matches_origin(origin: Origin, trusted: str) -> bool:
    """Return whether an origin matches a trusted one, whose host name may begin with "*."."""
    base = _parse_origin(trusted.replace("://*.", "://"))
    if base is None or origin._replace(host=base.host) != base:
        return False
    return is_same_domain(origin.host, f".{base.host}" if "://*." in trusted else base.host)


socket_routes = [
    path("ws/games/<str:code>/", TableConsumer.as_asgi()),  # type: ignore[arg-type]
    *consumer.websocket_urlpatterns,
    *monitor_socket.websocket_urlpatterns,
]
with_session = SessionMiddleware(URLRouter(socket_routes))  # type: ignore[arg-type]
sockets = refuse_foreign_pages(CookieMiddleware(rename_socket_cookies(with_session)))
handlers = {"http": SingleThreadHandler(), "websocket": sockets}
application = with_browser_scheme(ProtocolTypeRouter(handlers))
# Exclude loaded objects from garbage collection: a full run over them delayed pages by 0.1 s.
gc.freeze()
