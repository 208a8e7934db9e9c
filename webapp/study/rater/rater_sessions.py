"""Whose browser it is: the session knows the raters it has been, by campaign.

Of somebody who has not agreed yet nothing is stored: what the outside calls them travels in the
form of the first page, signed, and opens nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core import signing
from django.http import HttpRequest, QueryDict

from game.models import new_key
from webapp.play import visitors
from webapp.study.erasure import ERASED
from webapp.study.models import Campaign, Rater

RATERS = "raters"  # key of a campaign's link -> key of the rater
SALT = "webapp.study.rater.coming"

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


def coming(campaign: Campaign, names: Mapping[str, str]) -> str:
    """Who is coming, as the form of the first page carries it: signed, and stored nowhere.

    The ticket becomes the rater's key, so the button makes one rater however often it is pressed.
    """
    told = {name: names.get(name, "") for name in NAMES}
    return signing.dumps({**told, "ticket": new_key(), "to": campaign.key}, salt=SALT)


def came(campaign: Campaign, form: str) -> dict[str, str] | None:
    """What `coming` made for this campaign, read from a form; none where it is anything else."""
    try:
        told: dict[str, str] = signing.loads(form, salt=SALT)
    except signing.BadSignature:
        return None
    return told if told.get("to") == campaign.key else None


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
