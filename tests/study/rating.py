"""Raters of tests who use a campaign in a browser, from its link to the ratings."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from tests.study import entering, world
from webapp.study.models import Assignment, Campaign, Rater, Stimulus
from webapp.study.rater import assigning
from webapp.study.rating import campaigns
from webapp.study.rating.stimuli import build_fields


def open_campaign(*seeds: str, **settings: Any) -> Campaign:
    """Open a campaign over one finished game per seed. The first half has condition "one"."""
    campaign = world.create_campaign(
        *[world.ended_game(seed) for seed in seeds or ("1",)], **settings
    )
    if campaign.rival is None:
        campaigns.open(campaign)
    else:  # Store the rivals' answers without requests.
        campaigns.draw_units(campaign)
        waiting = Stimulus.objects.filter(unit__campaign=campaign, place=2)
        waiting.update(state="idle", text="I would rather hear Delta first.")
        campaigns.open(campaign)
    return campaign


def start_rater(campaign: Campaign, **more: Any) -> Rater:
    """Add a rater and assign pages."""
    rater = world.add_rater(campaign, trained_at=timezone.now(), **more)
    assigning.assign_pages(rater)
    return rater


def visit(campaign: Campaign, client: Client | None = None, **names: str) -> Client:
    """Open the shared link in a browser."""
    client = client or Client()
    query = f"?{urlencode(names)}" if names else ""
    response = client.get(f"/take/{campaign.study.key}/{query}", follow=True)
    assert response.status_code == 200, response.content
    client.form = entering.hidden_fields(response)  # type: ignore[attr-defined]
    return client


def consent(
    client: Client, campaign: Campaign, experience: str = "2", do: str = "", **more: Any
) -> HttpResponse:
    """Post the form of the first page that `visit` opened."""
    form = {**getattr(client, "form", {}), "experience": experience, "do": do}
    return client.post(f"/take/{campaign.study.key}/", form, **more)


def enrol(campaign: Campaign, client: Client | None = None, **names: str) -> tuple[Client, Rater]:
    """Open the shared link, consent and pass the example. Returns: the browser and its rater."""
    client = visit(campaign, client, **names)
    response = consent(client, campaign)
    assert response.status_code == 302, response.content
    rater = Rater.objects.get(participant__key=response["Location"].split("/")[-2])
    assert client.post(f"/rate/as/{rater.key}/example").status_code == 302
    assert client.get(f"/rate/as/{rater.key}/").status_code == 302
    return client, rater


def pages_of(rater: Rater) -> list[Assignment]:
    return assigning.rater_pages(rater)


def strip_tokens(text: str) -> str:
    """Remove keys, tokens and cookies, which may contain any short word by chance."""
    return re.sub(r"\b[A-Za-z0-9]{24}(?:[A-Za-z0-9]{8})?\b|[\w-]{43,}", "", text)


def page_url(assignment: Assignment) -> str:
    return f"/rate/item/{assignment.key}/"


def uniform_values(assignment: Assignment, value: int = 3) -> dict[str, int]:
    """Return the same value for each field of the page."""
    return dict.fromkeys(build_fields(assignment), value)


def post(client: Client, assignment: Assignment, body: Any) -> HttpResponse:
    """Send what the page's script sends. A string body is sent unchanged."""
    text = body if isinstance(body, str) else json.dumps(body)
    return client.post(page_url(assignment), text, content_type="application/json")


def rate_page(client: Client, assignment: Assignment, value: int = 3) -> HttpResponse:
    """Rate all fields at the current revision."""
    assignment.refresh_from_db()
    body = {
        "values": uniform_values(assignment, value),
        "skip": None,
        "revision": assignment.revision,
    }
    return post(client, assignment, body)


def stored_rating(assignment: Assignment) -> tuple[dict[str, int], str]:
    """Return the stored values by field and the reason for skipping."""
    current = Assignment.objects.get(pk=assignment.pk)
    names = {(f.stimulus, f.dimension.key): name for name, f in build_fields(current).items()}
    rows = current.ratings.values_list("stimulus", "dimension", "value")
    return {names[s, d]: value for s, d, value in rows}, current.skip_reason


def expire_leases(*assignments: Assignment) -> None:
    """Set the end of the leases to one hour ago."""
    before = timezone.now() - timedelta(hours=1)
    keys = [a.pk for a in assignments]
    Assignment.objects.filter(pk__in=keys).update(leased_until=before)


def assignments_of(rater: Rater) -> list[Assignment]:
    return list(rater.assignments.select_related("unit__game").order_by("index"))
