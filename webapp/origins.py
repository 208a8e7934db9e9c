"""Refuses sockets of other sites' pages. Scheme, host name and port must be this site's.

The rule is Django's for posts: the origin is that of the request itself, or one of
CSRF_TRUSTED_ORIGINS.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import split_domain_port, validate_host
from django.utils.http import is_same_domain

from webapp.proxies import headers_of, scheme_of_scope

PORTS = {"http": 80, "https": 443}
App = Callable[..., Awaitable[Any]]


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


def is_own_page(scope: dict[str, Any]) -> bool:
    """Return whether the socket's request comes from one of this site's pages."""
    headers = headers_of(scope)
    asked_origin, host = _parse_origin(headers.get("origin", "")), headers.get("host", "")
    domain, _port = split_domain_port(host)
    if "\\0" in headers.get("cookie", ""):  # an encoded NUL, which no browser sends
        return False
    if asked_origin is None or not domain or not validate_host(domain, settings.ALLOWED_HOSTS):
        return False
    if asked_origin == _parse_origin(f"{scheme_of_scope(scope)}://{host}"):
        return True
    return any(_matches(asked_origin, trusted) for trusted in settings.CSRF_TRUSTED_ORIGINS)


def _matches(asked_origin: tuple[str, str, int], trusted: str) -> bool:
    """Return whether an origin matches a trusted one, which may begin with "*."."""
    trusted_origin = _parse_origin(trusted.replace("://*.", "://"))
    if trusted_origin is None:
        return False
    scheme, host, port = trusted_origin
    if (asked_origin[0], asked_origin[2]) != (scheme, port):
        return False
    return is_same_domain(asked_origin[1], f".{host}" if "://*." in trusted else host)


def own_pages_only(app: App) -> App:
    """ASGI middleware: refuse sockets of other sites' pages."""

    async def answer(scope: dict[str, Any], receive: Any, send: Any) -> Any:
        if is_own_page(scope):
            return await app(scope, receive, send)
        await receive()
        return await send({"type": "websocket.close"})  # Daphne answers 403, also without Redis

    return answer
