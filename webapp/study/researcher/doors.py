"""Who may come in: researchers, each to their own campaigns."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _

from webapp.play.failures import message
from webapp.study.models import Campaign

View = Callable[..., HttpResponse]
CampaignView = Callable[Concatenate[HttpRequest, Campaign, ...], HttpResponse]


def asked_by_script(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true"


def researchers_only(view: View) -> View:
    """Anybody else is sent to the sign-in page, and from there back here."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return _sign_in_first(request)
        response = view(request, *args, **kwargs)
        add_never_cache_headers(response)
        return response

    return wrapped


def _sign_in_first(request: HttpRequest) -> HttpResponse:
    back = request.get_full_path() if request.method == "GET" else reverse("study:campaigns")
    page = reverse("study:sign_in")
    if asked_by_script(request):  # a part of a page: the whole page goes to sign in
        response = HttpResponse(status=401)
        response["HX-Redirect"] = page
        return response
    return redirect(f"{page}?{urlencode({'next': back})}")


def own_campaign(view: CampaignView) -> View:
    """Find the researcher's campaign `code`. Another's is as unknown as one that never was."""

    @researchers_only
    @wraps(view)
    def wrapped(request: HttpRequest, code: str, *args: Any, **kwargs: Any) -> HttpResponse:
        campaign = Campaign.objects.filter(code=code, owner=request.user.pk).first()
        if campaign is None:
            return no_such(
                request,
                _("There is no such campaign"),
                _("The address may be mistyped, or the campaign belongs to somebody else."),
            )
        return view(request, campaign, *args, **kwargs)

    return wrapped


def no_such(request: HttpRequest, title: str, text: str) -> HttpResponse:
    """404 with the way back to one's campaigns."""
    way = (_("To your campaigns"), reverse("study:campaigns"))
    return message(request, 404, title, text, way)
