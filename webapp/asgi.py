"""The one entry point of Daphne: HTTP goes to Django, WebSockets to the consumers."""

import gc
import os
from typing import Any
from urllib.parse import urlparse

import django
from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler, ASGIRequest
from django.http.request import split_domain_port, validate_host
from django.http.response import HttpResponseBase
from django.urls import path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
django.setup(set_prefix=False)

from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import OriginValidator  # noqa: E402
from channels.sessions import CookieMiddleware, SessionMiddleware  # noqa: E402

from webapp.middleware import AsgiApp, Scope, rename_socket_cookies  # noqa: E402
from webapp.play.live.consumers import TableConsumer  # noqa: E402
from webapp.proxies import browser_scheme, scope_headers  # noqa: E402
from webapp.study.participant import consumer  # noqa: E402
from webapp.study.researcher.running import monitor_socket  # noqa: E402


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
    host = headers.get("host", "")
    domain, _port = split_domain_port(host)
    if "\\0" in headers.get("cookie", ""):  # an encoded NUL, which no browser sends
        return False
    if not domain or not validate_host(domain, settings.ALLOWED_HOSTS):
        return False
    trusted = (address.replace("://*.", "://.") for address in settings.CSRF_TRUSTED_ORIGINS)
    own = f"{browser_scheme(scope)}://{host}"
    validator = OriginValidator(None, [own, *trusted])  # type: ignore[arg-type]  # only compares
    try:
        origin = urlparse(headers.get("origin", ""))
        is_origin = not (origin.path or origin.query or origin.fragment)
        return is_origin and bool(validator.validate_origin(origin))
    except ValueError:  # its address or port is malformed
        return False


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
