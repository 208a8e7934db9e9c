"""The site's middleware: cookie names, the lifetime of sessions, headers, and NULs.

In the browser a cookie's name contains the port of the site. A browser sends a cookie to every port
of its host, so two sites on one host would overwrite each other's cookies of the same name. People
would lose their seats when they open another Django site there. Inside the site the names are those
of the settings. The middleware adds the port of the Host header, so that all processes behind a
proxy agree.

A cookie under Django's usual name, from an older Fabula, is accepted once.
"""

from collections.abc import Callable, MutableMapping
from typing import Any

from django.conf import settings
from django.contrib.sessions import middleware as sessions
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.translation import gettext as _
from django_htmx.middleware import HtmxDetails

from webapp import theme
from webapp.storable_text import NUL

View = Callable[[HttpRequest], HttpResponse]
Scope = dict[str, Any]
AsgiApp = Any  # an ASGI application; Channels and asgiref define different types

# The site's cookies, and their earlier names; "" for those without one.
OLD_COOKIE_NAMES = {
    settings.SESSION_COOKIE_NAME: "sessionid",
    settings.CSRF_COOKIE_NAME: "csrftoken",
    theme.COOKIE: "",
}
# Key in a request's META: names of cookies that came under an old name.
ADOPTED_NAMES_KEY = "fabula.adopted"
VISIT_KEYS = {"arrived", "_session_expiry"}  # all session keys of visitors who only opened a link
VISIT_SESSION_LIFETIME_S = 24 * 3600
# Only this site's own scripts, styles and pictures, so that markup in a player's text cannot load
# anything.
CONTENT_POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)


def is_htmx_request(request: HttpRequest) -> bool:
    """Return whether a page's script requests a part of a page, with the library htmx.

    It also knows requests that are refused before django-htmx's middleware sees them.
    """
    return bool(HtmxDetails(request))


def browser_cookie_name(name: str, host: str) -> str:
    """Return the browser's name for the cookie `name` of the site at `host` (a Host header)."""
    port = host.rpartition(":")[2] if ":" in host else ""
    return f"{name}_{port}" if port.isascii() and port.isdigit() else name


def adopt_cookies(cookies: MutableMapping[str, str], host: str) -> set[str]:
    """Rename the browser's cookies to the site's names. Return those under an old name."""
    adopted_names = set()
    for name, old_name in OLD_COOKIE_NAMES.items():
        value = cookies.get(browser_cookie_name(name, host))
        cookies.pop(name, None)  # it belongs to a site at another port
        if value is None and old_name in cookies:
            value = cookies[old_name]
            adopted_names.add(name)
        if value is not None:
            cookies[name] = value
    return adopted_names


def rename_cookies(get_response: View) -> View:
    """Middleware: rename cookies, and mark those sent to an https page as `Secure`."""

    def respond(request: HttpRequest) -> HttpResponse:
        host = request.META.get("HTTP_HOST", "")
        adopted_names = adopt_cookies(request.COOKIES, host)
        request.META[ADOPTED_NAMES_KEY] = adopted_names
        if settings.CSRF_COOKIE_NAME in adopted_names:
            request.META["CSRF_COOKIE_NEEDS_UPDATE"] = True
        response = get_response(request)
        for name in list(response.cookies):
            morsel = response.cookies.pop(name)
            if name in OLD_COOKIE_NAMES:
                morsel.set(browser_cookie_name(name, host), morsel.value, morsel.coded_value)
            if request.is_secure():
                morsel["secure"] = True
            response.cookies[morsel.key] = morsel
        return response

    return respond


class SessionMiddleware(sessions.SessionMiddleware):
    """Django's session middleware with two changes.

    It sends a session that arrived under the old cookie name again under the new one. The session
    of a visitor who only opened a link lasts a day.
    """

    def process_response(self, request: HttpRequest, response: Any) -> Any:
        session = request.session
        if session.modified and not session.is_empty():
            is_visit = set(session.keys()) <= VISIT_KEYS
            if is_visit != ("_session_expiry" in session):
                session.set_expiry(VISIT_SESSION_LIFETIME_S if is_visit else None)
        return super().process_response(request, response)

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        name = settings.SESSION_COOKIE_NAME
        if name not in request.META.get(ADOPTED_NAMES_KEY, ()):
            return
        if request.session.keys():
            request.session.modified = True
        else:  # it belongs to another site
            del request.COOKIES[name]


def rename_socket_cookies(inner: AsgiApp) -> AsgiApp:
    """ASGI middleware between Channels' own for cookies and sessions: rename cookies."""

    async def app(scope: Scope, receive: Any, send: Any) -> Any:
        host = dict(scope["headers"]).get(b"host", b"").decode("latin1")
        cookies = dict(scope["cookies"])
        adopt_cookies(cookies, host)
        return await inner({**scope, "cookies": cookies}, receive, send)

    return app


def _set_default_header(name: str, value: str) -> Callable[[View], View]:
    """Return middleware that sets a header unless the view has set it."""

    def middleware(get_response: View) -> View:
        def respond(request: HttpRequest) -> HttpResponse:
            response = get_response(request)
            response.headers.setdefault(name, value)
            return response

        return respond

    return middleware


set_content_policy = _set_default_header("Content-Security-Policy", CONTENT_POLICY)
# Most pages contain a secret: a role, a private link, a rater's key, a researcher's data.
forbid_caching = _set_default_header("Cache-Control", "no-store")


def strip_nul(get_response: View) -> View:
    """Middleware: drop NULs in the query, and cookies that contain one.

    A path with a NUL gets a 404, because PostgreSQL refuses to look it up.
    """

    def respond(request: HttpRequest) -> HttpResponse:
        from webapp.play.error_pages import render_error_page

        if any(NUL in value for value in request.COOKIES.values()):
            request.COOKIES = {k: v for k, v in request.COOKIES.items() if NUL not in v}
        if "%00" in request.META.get("QUERY_STRING", ""):
            request.GET = QueryDict(request.META["QUERY_STRING"].replace("%00", ""))
        if NUL in request.path:
            text = _("Check the address for typing errors or missing parts.")
            return render_error_page(request, 404, _("Page not found"), text)
        return get_response(request)

    return respond
