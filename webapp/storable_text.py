"""Cleans external text so that every database can store it, and reads numbers from it.

PostgreSQL refuses a NUL.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.translation import gettext as _

NUL = "\x00"
MAX_DIGITS = 9  # of a number; `int` raises ValueError for more than 4,300, and columns have 64 bits


def storable(text: str) -> str:
    """Return the text without NULs, and with "?" for unpaired surrogates."""
    return text.replace(NUL, "").encode("utf-8", "replace").decode()


def read_number(text: str, default: int = 0) -> int:
    """Return the whole number that posted text holds, or `default`."""
    return int(text) if text.isdecimal() and len(text) <= MAX_DIGITS else default


def strip_nul(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: drop cookies with a NUL, and NULs in the query. Answer 404 to one in the path."""

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
