"""Notices for raters and participants, on pages without other links."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _


def notice(
    request: HttpRequest, status: int, title: str, text: str, link: tuple[str, str] | None = None
) -> HttpResponse:
    """Render a notice.

    Args:
        link: (label, address) of the page to continue with.
    """
    label, address = link or ("", "")
    context = {"title": title, "text": text, "label": label, "address": address}
    return render(request, "study/rater/notice.html", context, status=status)


def rate_limit_notice(request: HttpRequest) -> HttpResponse:
    text = _(
        "A great many people have begun from where you are. Wait a while, then press the button"
        " again; or ask for a link of your own."
    )
    return notice(request, 429, _("Not all at once"), text)


def unknown_link_notice(request: HttpRequest) -> HttpResponse:
    text = _("The link may be cut short. Ask whoever sent it for the whole of it.")
    return notice(request, 404, _("This link leads nowhere"), text)


def erased_notice(request: HttpRequest) -> HttpResponse:
    """Return the page for a link whose participant's data are deleted."""
    text = _(
        "What was stored of you in this study is deleted. If you came by a name or number, a check"
        " value stays: nobody can read the name from it, it shows only whether the same one comes"
        " again."
    )
    return notice(request, 410, _("Your data are deleted"), text)
