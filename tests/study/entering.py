"""Participants for tests: browsers that go from a link along the way of a study."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.test import Client

from tests.study import studies
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
    """A study with codes at every way out.

    Where the stages between are to be texts with a button, the fixture `plain_stages` sees to it.
    """
    return studies.create_study(**{"stages": STAGES, "exits": EXITS, **design})


def html_of(answer: HttpResponse) -> str:
    return answer.content.decode()


def hidden_fields(answer: HttpResponse) -> dict[str, str]:
    """The hidden fields of a page's forms."""
    found = re.findall(r'<input type="hidden"\s+name="([^"]+)"\s+value="([^"]*)"', html_of(answer))
    return dict(found)


def visit(study: Study, client: Client | None = None, **names: str) -> tuple[Client, HttpResponse]:
    """A browser on the first page of the shared link, and that page."""
    client = client or Client()
    query = f"?{urlencode(names)}" if names else ""
    return client, client.get(f"/take/{study.key}/{query}", follow=True)


def consent(client: Client, study: Study, page: HttpResponse, **more: str) -> HttpResponse:
    """Press the button of the first page."""
    return client.post(f"/take/{study.key}/", {**hidden_fields(page), "extra_time": "100", **more})


def enrol(study: Study, client: Client | None = None, **names: str) -> tuple[Client, Participant]:
    """A browser that has pressed the button, and who it is."""
    client, page = visit(study, client, **names)
    answer = consent(client, study, page)
    assert answer.status_code == 302, html_of(answer)
    return client, Participant.objects.get(key=answer["Location"].split("/")[-2])


def page_url(participant: Participant, page: str = "") -> str:
    return f"/take/as/{participant.key}/{page}"


def submit(client: Client, participant: Participant, **fields: Any) -> HttpResponse:
    """Post the form of the page that is due."""
    participant.refresh_from_db()
    return client.post(page_url(participant), {"step": str(participant.step), **fields})


def text_of(answer: HttpResponse) -> str:
    """The page's words, without tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", html_of(answer)).split())
