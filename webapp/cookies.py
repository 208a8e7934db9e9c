"""Cookies under the site's own names, each with the port that the browser sees in it.

A browser sends a cookie to every port of its host, so two sites on one host overwrite each other's
cookies of the same name: with Django's usual names people lost their seats as soon as another
Django site was opened there. Inside the site the names are those of the settings; at its border
they get the port, from the Host header, so that all processes behind a proxy agree.

A session cookie from before, under Django's usual name, is accepted once.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import Any

from django.conf import settings
from django.contrib.sessions import middleware
from django.http import HttpRequest, HttpResponse

from webapp import theme

# The site's cookies, and their earlier names; "" for those without one.
OLD = {
    settings.SESSION_COOKIE_NAME: "sessionid",
    settings.CSRF_COOKIE_NAME: "csrftoken",
    theme.COOKIE: "",
}


def outside(name: str, host: str) -> str:
    """Return the browser's name for the cookie `name` of the site at `host` (a Host header)."""
    port = host.rpartition(":")[2] if ":" in host else ""
    return f"{name}_{port}" if port.isascii() and port.isdigit() else name


def take_in(cookies: MutableMapping[str, str], host: str) -> set[str]:
    """Rename the browser's cookies to the names used inside the site.

    Returns the names of cookies that arrived under their old name.
    """
    adopted = set()
    for name, old in OLD.items():
        mine = cookies.get(outside(name, host))
        cookies.pop(name, None)  # it belongs to a site at another port
        if mine is None and old in cookies:
            mine = cookies[old]
            adopted.add(name)
        if mine is not None:
            cookies[name] = mine
    return adopted


def own_cookies(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: use the site's own cookie names, and `Secure` if the browser came by https."""

    def answer(request: HttpRequest) -> HttpResponse:
        host = request.META.get("HTTP_HOST", "")
        adopted = take_in(request.COOKIES, host)
        request.META["fabula.adopted"] = adopted
        if settings.CSRF_COOKIE_NAME in adopted:
            request.META["CSRF_COOKIE_NEEDS_UPDATE"] = True
        response = get_response(request)
        for name in list(response.cookies):
            morsel = response.cookies.pop(name)
            if name in OLD:
                morsel.set(outside(name, host), morsel.value, morsel.coded_value)
            if request.is_secure():
                morsel["secure"] = True
            response.cookies[morsel.key] = morsel
        return response

    return answer


PASSING = {"arrived", "_session_expiry"}  # session keys of visitors who only opened a link
SHORT = 24 * 3600  # lifetime of such a session in seconds


class SessionMiddleware(middleware.SessionMiddleware):
    """Django's session middleware with two changes.

    A session under the old cookie name is sent again under the new one. A session that only the
    opening of a link has created is kept for a day.
    """

    def process_response(self, request: HttpRequest, response: Any) -> Any:
        session = request.session
        if session.modified and not session.is_empty():
            passing = set(session.keys()) <= PASSING
            if passing != ("_session_expiry" in session):
                session.set_expiry(SHORT if passing else None)
        return super().process_response(request, response)

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        name = settings.SESSION_COOKIE_NAME
        if name not in request.META.get("fabula.adopted", ()):
            return
        if request.session.keys():
            request.session.modified = True
        else:  # it belongs to another site
            del request.COOKIES[name]


Scope = dict[str, Any]
App = Any  # an ASGI application; Channels and asgiref define different types


def own_socket_cookies(inner: App) -> App:
    """ASGI middleware: rename the cookies of sockets.

    It runs between Channels' cookies and sessions.
    """

    async def app(scope: Scope, receive: Any, send: Any) -> Any:
        host = dict(scope["headers"]).get(b"host", b"").decode("latin1")
        cookies = dict(scope["cookies"])
        take_in(cookies, host)
        return await inner({**scope, "cookies": cookies}, receive, send)

    return app
