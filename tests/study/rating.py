"""Raters for tests: browsers that go from a link to the ratings, and what lies before them."""

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


def opened(*seeds: str, **settings: Any) -> Campaign:
    """An open campaign over one finished game a seed, the first half condition "one"."""
    made = world.campaign(*[world.finished(seed) for seed in seeds or ("1",)], **settings)
    if made.rival is None:
        campaigns.open(made)
    else:  # the rivals' answers, without asking anybody
        campaigns.draw_units(made)
        waiting = Stimulus.objects.filter(unit__campaign=made, place=2)
        waiting.update(state="idle", text="I would rather hear Delta first.")
        campaigns.open(made)
    return made


def begun(campaign: Campaign, **more: Any) -> Rater:
    """A rater who has been given something to rate."""
    rater = world.rater(campaign, trained_at=timezone.now(), **more)
    assigning.assign_pages(rater)
    return rater


def come(campaign: Campaign, client: Client | None = None, **names: str) -> Client:
    """A browser on the first page of the shared link."""
    client = client or Client()
    query = f"?{urlencode(names)}" if names else ""
    answer = client.get(f"/take/{campaign.study.key}/{query}", follow=True)
    assert answer.status_code == 200, answer.content
    client.form = entering.form_of(answer)  # type: ignore[attr-defined]
    return client


def press(
    client: Client, campaign: Campaign, experience: str = "2", do: str = "", **more: Any
) -> HttpResponse:
    """Press the button of the first page that `come` showed."""
    form = {**getattr(client, "form", {}), "experience": experience, "do": do}
    return client.post(f"/take/{campaign.study.key}/", form, **more)


def enrolled(
    campaign: Campaign, client: Client | None = None, **names: str
) -> tuple[Client, Rater]:
    """A browser that has pressed both buttons and has the first page before it."""
    client = come(campaign, client, **names)
    answer = press(client, campaign)
    assert answer.status_code == 302, answer.content
    rater = Rater.objects.get(participant__key=answer["Location"].split("/")[-2])
    assert client.post(f"/rate/as/{rater.key}/example").status_code == 302
    assert client.get(f"/rate/as/{rater.key}/").status_code == 302
    return client, rater


def way(rater: Rater) -> list[Assignment]:
    return assigning.rater_pages(rater)


def without_tokens(text: str) -> str:
    """Without keys, tokens and cookies: what is drawn at random may have any short word in it."""
    return re.sub(r"\b[A-Za-z0-9]{24}(?:[A-Za-z0-9]{8})?\b|[\w-]{43,}", "", text)


def item(assignment: Assignment) -> str:
    return f"/rate/item/{assignment.key}/"


def all_of(assignment: Assignment, value: int = 3) -> dict[str, int]:
    """The same value for everything that is asked."""
    return dict.fromkeys(build_fields(assignment), value)


def state(client: Client, assignment: Assignment, body: Any) -> HttpResponse:
    """What a page's script sends; `body` as it is where it is a string."""
    text = body if isinstance(body, str) else json.dumps(body)
    return client.post(item(assignment), text, content_type="application/json")


def rate(client: Client, assignment: Assignment, value: int = 3) -> HttpResponse:
    """Everything rated at once, on the present revision."""
    assignment.refresh_from_db()
    said = {"values": all_of(assignment, value), "skip": None, "revision": assignment.revision}
    return state(client, assignment, said)


def stored(assignment: Assignment) -> tuple[dict[str, int], str]:
    """(values by field, why it was left out), as the database has them."""
    found = Assignment.objects.get(pk=assignment.pk)
    names = {(f.stimulus, f.dimension.key): name for name, f in build_fields(found).items()}
    rows = found.ratings.values_list("stimulus", "dimension", "value")
    return {names[s, d]: value for s, d, value in rows}, found.skip_reason


def lapse(*assignments: Assignment) -> None:
    """Their leases ran out an hour ago."""
    before = timezone.now() - timedelta(hours=1)
    keys = [a.pk for a in assignments]
    Assignment.objects.filter(pk__in=keys).update(leased_until=before)
