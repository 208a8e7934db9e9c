"""Participants of tests who use a study in a browser, from its link to an exit."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.test import Client

from tests.study import studies
from tests.study.pages import html_of
from webapp.study.models import Participant, Study

EXIT_KINDS = (
    "completed", "declined", "screened_out", "unsuitable", "quiz_early", "quiz_failed",
    "waited_out", "full", "left", "removed", "technical",
)  # fmt: skip
EXITS = {
    kind: {
        "text": f"Words for {kind}.",
        "code_kind": "same",
        "code": f"CODE-{kind}",
        "url": f"https://example.org/{kind}",
    }
    for kind in EXIT_KINDS
}

CONSENT = "We want to know how people play."
STAGES: list[dict[str, Any]] = [
    {"kind": "consent", "text": CONSENT},
    {"kind": "interview", "title": "A word before", "minutes": 12},
    {"kind": "game"},
    {"kind": "debriefing"},
]


def create_study(**design: Any) -> Study:
    """Create an open study with a code at each exit.

    The fixture `plain_stages` turns the stages in between into texts with a button.
    """
    return studies.create_study(**{"stages": STAGES, "exits": EXITS, **design})


def hidden_fields(response: HttpResponse) -> dict[str, str]:
    """Return the hidden fields of a page's forms."""
    fields = re.findall(
        r'<input type="hidden"\s+name="([^"]+)"\s+value="([^"]*)"', html_of(response)
    )
    return dict(fields)


def visit(study: Study, client: Client | None = None, **names: str) -> tuple[Client, HttpResponse]:
    """Open the shared link. Returns: the browser and the first page."""
    client = client or Client()
    query = f"?{urlencode(names)}" if names else ""
    return client, client.get(f"/take/{study.key}/{query}", follow=True)


def consent(client: Client, study: Study, page: HttpResponse, **more: str) -> HttpResponse:
    """Post the form of the first page."""
    return client.post(f"/take/{study.key}/", {**hidden_fields(page), "extra_time": "100", **more})


def enrol(study: Study, client: Client | None = None, **names: str) -> tuple[Client, Participant]:
    """Open the shared link and consent. Returns: the browser and its participant."""
    client, page = visit(study, client, **names)
    response = consent(client, study, page)
    assert response.status_code == 302, html_of(response)
    return client, Participant.objects.get(key=response["Location"].split("/")[-2])


def page_url(participant: Participant, page: str = "") -> str:
    return f"/take/as/{participant.key}/{page}"


def submit(client: Client, participant: Participant, **fields: Any) -> HttpResponse:
    """Post the form of the current page."""
    participant.refresh_from_db()
    return client.post(page_url(participant), {"step": str(participant.step), **fields})
