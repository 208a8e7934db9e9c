"""Whose browser it is: the session knows the raters it has been, by campaign."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

from webapp.play import visitors
from webapp.study.erasure import ERASED
from webapp.study.models import Campaign, Rater

RATERS = "raters"  # key of a campaign's link -> key of the rater


def remember(request: HttpRequest, rater: Rater) -> None:
    """This browser is the rater's from now on."""
    known = request.session.setdefault(RATERS, {})
    if known.get(rater.campaign.key) != rater.key:
        known[rater.campaign.key] = rater.key
        if rater.invited:
            request.session[visitors.LINK] = rater.key
        request.session.modified = True


def key_here(request: HttpRequest, campaign: Campaign) -> str:
    """The key of the rater this browser is in the campaign; "" for nobody."""
    return str(request.session.get(RATERS, {}).get(campaign.key, ""))


def rater_here(request: HttpRequest, campaign: Campaign) -> Rater | None:
    key = key_here(request, campaign)
    if not key or key.startswith(ERASED):
        return None
    return Rater.objects.filter(campaign=campaign, key=key).select_related("campaign").first()


def is_mine(request: HttpRequest, rater: Rater) -> bool:
    return rater.key in request.session.get(RATERS, {}).values()


def was_erased_here(session: Mapping[str, Any]) -> bool:
    """Whether a rater of this browser has been erased on request."""
    return any(str(key).startswith(ERASED) for key in session.get(RATERS, {}).values())
