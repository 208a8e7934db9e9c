"""Whose browser it is: the session knows the raters it has been, by campaign, and who is coming.

What the outside calls somebody is kept here until they press the button, and opens nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, QueryDict

from game.models import new_key
from webapp.play import visitors
from webapp.study.erasure import ERASED
from webapp.study.models import Campaign, Rater

RATERS = "raters"  # key of a campaign's link -> key of the rater
ARRIVED = "arrived"  # key of a campaign's link -> {"ticket", "label", "study", "session"}

# How the services that send people name them; the first that is given counts.
NAMES = {
    "label": (
        "PROLIFIC_PID", "participant_label", "participantId", "workerId", "label",
    ),
    "study": ("STUDY_ID", "hitId", "study"),
    "session": ("SESSION_ID", "assignmentId", "session"),
}  # fmt: skip
MOST = 200  # characters


def names_in(query: QueryDict) -> dict[str, str]:
    """What an address tells of who is coming, cut to what can be kept."""
    found = {}
    for name, given in NAMES.items():
        values = [query.get(key, "") for key in given]
        text = next((value for value in values if value.strip()), "")
        found[name] = "".join(c for c in text if c.isprintable()).strip()[:MOST]
    return found


def arrive(request: HttpRequest, campaign: Campaign, names: Mapping[str, str]) -> None:
    """Remember how the outside calls whoever is coming."""
    before = arrived(request, campaign)
    ticket = before.get("ticket") or new_key()
    request.session.setdefault(ARRIVED, {})[campaign.key] = {"ticket": ticket, **names}
    request.session.modified = True


def arrived(request: HttpRequest, campaign: Campaign) -> dict[str, str]:
    """Who is coming; with a ticket once the page with the button was shown."""
    found: dict[str, str] = request.session.get(ARRIVED, {}).get(campaign.key, {})
    return found


def forget_arrival(request: HttpRequest, campaign: Campaign) -> None:
    request.session.get(ARRIVED, {}).pop(campaign.key, None)
    request.session.modified = True


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
