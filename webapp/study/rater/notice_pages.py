"""Pages with a notice for raters and participants, such as that a link does not work."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _


def notice(request: HttpRequest, status: int, title: str, text: str) -> HttpResponse:
    """Render a page with a notice and an HTTP status."""
    context = {"title": title, "text": text}
    return render(request, "study/rater/notice.html", context, status=status)


def rate_limit_notice(request: HttpRequest) -> HttpResponse:
    text = _(
        "Too many people have started from your network. Wait a few minutes and press the button"
        " again, or ask the researcher for a personal link."
    )
    return notice(request, 429, _("Please wait a moment"), text)


def unknown_link_notice(request: HttpRequest) -> HttpResponse:
    text = _("The link may be incomplete. Ask the sender for the full link.")
    return notice(request, 404, _("This link does not work"), text)


def erased_notice(request: HttpRequest) -> HttpResponse:
    """Render the page for a link whose participant's data are deleted."""
    text = _(
        "Your data in this study are deleted. If you joined with a name or number, we keep "
        "a check value. No one can read the name from it; it only shows whether the same "
        "name is used again."
    )
    return notice(request, 410, _("Your data are deleted"), text)
