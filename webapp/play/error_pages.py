"""Error pages: for requests that Django itself refuses, and for messages on a separate page."""

import sys
from typing import NamedTuple

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseServerError, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _

from webapp import storage_errors
from webapp.middleware import is_htmx_request

RETRY_AFTER_S = 30


class Link(NamedTuple):
    label: str
    address: str


def render_error_page(
    request: HttpRequest, status: int, title: str, text: str, link: Link | None = None
) -> HttpResponse:
    """Render a page that explains a problem, with a link by default to the home page."""
    link = link or Link(_("Go to the home page"), reverse("home"))
    context = {"title": title, "text": text, "link": link}
    return render(request, "message.html", context, status=status)


def render_barred_page(request: HttpRequest) -> HttpResponse:
    text = _("The host has removed you. You can find other tables on the home page.")
    return render_error_page(request, 403, _("You no longer have a seat at this table"), text)


def _render_refusal(
    request: HttpRequest, status: int, title: str, text: str, htmx_text: str
) -> HttpResponse:
    """Render a page with `text`, or for htmx a part of the table's page with `htmx_text`."""
    if is_htmx_request(request):
        return render(request, "play/refused.html", {"text": htmx_text}, status=status)
    return render_error_page(request, status, title, text)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request that could not be read, or is far too big."""
    title = _("We could not read your request")
    if isinstance(exception, RequestDataTooBig):
        text = _("Your text is too long to send. Shorten it.")
        return _render_refusal(request, 413, title, text, text)
    text = _("Your browser sent something unexpected. Go back, reload the page and try again.")
    htmx_text = _("The form arrived incomplete. Reload the page and send it again.")
    return _render_refusal(request, 400, title, text, htmx_text)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a post without a valid CSRF token: forged, or from a page that is too old."""
    title = _("This page has been open too long")
    text = _(
        "For security, your request was not accepted. Go back, reload the page and send it again."
    )
    htmx_text = _("This page is out of date. Reload it to send your answer. Your draft is kept.")
    return _render_refusal(request, 403, title, text, htmx_text)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer a request that raised an unexpected exception.

    If the cause is that the database cannot store anything now, the status is 503. Then the page's
    script keeps the answer and sends it again (answer.js).
    """
    fault = storage_errors.kind_of(sys.exc_info()[1])
    if not fault:
        return HttpResponseServerError(render_to_string("500.html"))
    text = storage_errors.explain(fault)
    response: HttpResponse
    if is_htmx_request(request):
        response = HttpResponse(render_to_string("play/refused.html", {"text": text}))
    elif "application/json" in (request.content_type, request.headers.get("Accept")):
        response = JsonResponse({"error": text})
    else:
        title = _("Your changes were not saved")
        response = HttpResponse(render_to_string("500.html", {"title": title, "text": text}))
    response.status_code = 503
    response["Retry-After"] = str(RETRY_AFTER_S)
    return response
