"""Signed forms, name parameters and rate limits of a study's shared link.

Nothing is stored about a visitor before consent. The names that a recruiting service gives to a
visitor are signed fields of the first page's form and grant no access.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.core import signing
from django.http import QueryDict

from game.models import new_key
from webapp.play.rate_limits import CROWD, TOTAL_FACTOR
from webapp.rate_counters import Rate

SALT = "webapp.study.rater.coming"  # a change would invalidate open forms

# Name -> parameters that recruiting services use for it. The first one present counts.
NAME_PARAMETERS = {
    "label": (
        "PROLIFIC_PID", "participant_label", "participantId", "workerId", "label",
    ),
    "study": ("STUDY_ID", "hitId", "study"),
    "session": ("SESSION_ID", "assignmentId", "session"),
}  # fmt: skip
MAX_NAME_CHARS = 200

# Starts by one shared link: a class behind one address, twice an hour.
_starts_per_address = Rate("raters/address", 2 * CROWD, 3600)
_starts_in_all = Rate("raters/campaign", TOTAL_FACTOR * 2 * CROWD, 3600)
# A form counts once while the visitor's session lasts.
_turned_away_per_form = Rate("raters/turned_away/form", 1, 86_400)
_turned_away_per_address = Rate("raters/turned_away", 2 * CROWD, 3600)


def parse_names(query: QueryDict) -> dict[str, str]:
    """Return the visitor's outside names in an address, of MAX_NAME_CHARS at most."""
    names = {}
    for name, aliases in NAME_PARAMETERS.items():
        values = [query.get(key, "") for key in aliases]
        text = next((value for value in values if value.strip()), "")
        names[name] = "".join(c for c in text if c.isprintable()).strip()[:MAX_NAME_CHARS]
    return names


def sign_form(link: str, names: Mapping[str, str]) -> str:
    """Sign a visitor's outside names for the form of the first page of that link.

    `ticket` becomes the key of the personal link, so a second submission creates no second
    participant. `room` is the recruiting room that admitted the visitor; no address can set it.
    """
    form_data = {name: names.get(name, "") for name in (*NAME_PARAMETERS, "room")}
    return signing.dumps({**form_data, "ticket": new_key(), "to": link}, salt=SALT)


def read_form(link: str, form: str) -> dict[str, str] | None:
    """Return the data that `sign_form` signed for this link, None for anything else."""
    try:
        form_data: dict[str, str] = signing.loads(form, salt=SALT)
    except signing.BadSignature:
        return None
    is_form = isinstance(form_data, dict)  # `sign_moment` signs with the same salt
    return form_data if is_form and form_data.get("to") == link else None


def sign_moment(link: str, now: datetime) -> str:
    """Sign the time when the first page of that link was shown, for its form."""
    return signing.dumps([link, now.isoformat()], salt=SALT)


def read_moment(link: str, form: str) -> datetime | None:
    """Return the time that `sign_moment` signed for this link, None for anything else."""
    try:
        to, moment = signing.loads(form, salt=SALT)
    except (signing.BadSignature, ValueError):
        return None
    return datetime.fromisoformat(moment) if to == link else None


def count_turned_away(link: object, address: str, form: str) -> bool:
    """Count a visitor who is turned away. Return False if a rate limit is exceeded.

    The limits for an address and a form keep one visitor from distorting a study's figures.

    Args:
        form: The first page's form as `sign_form` made it, or the key of a personal link.
    """
    if not _turned_away_per_form.allows(f"{link} {form}"):
        return False
    return _turned_away_per_address.allows(f"{link} {address}")


def count_start(link: object, address: str) -> bool:
    """Count a visitor who wants to begin by the shared link. Return False if there are too many.

    Args:
        link: Identifies the shared link. Each link has limits of its own.
    """
    return _starts_per_address.allows(f"{link} {address}") and _starts_in_all.allows(str(link))
