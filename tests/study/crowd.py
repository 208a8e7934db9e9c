"""Simulate a crowd of raters who arrive at once, leave and return.

Run by `tests.at_once`.
"""

from __future__ import annotations

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone

from tests.study import rating
from webapp.study.models import Assignment, Campaign, Rater
from webapp.study.rater import assigning
from webapp.study.rating import quotas

RATERS, REPEATED_CLIENTS = 30, 10


def consent(client: Client, campaign: Campaign) -> int:
    """Post the first page. One browser may do so twice at once."""
    try:
        return rating.consent(client, campaign).status_code
    finally:
        connection.close()


def assign_pages(pk: int) -> None:
    try:
        assigning.assign_pages(Rater.objects.get(pk=pk))
    finally:
        connection.close()


def rate_page(client: Client, pk: int) -> int:
    """Rate one page at its current revision."""
    try:
        return rating.rate_page(client, Assignment.objects.get(pk=pk), 1 + pk % 5).status_code
    finally:
        connection.close()


def browser_of(rater: Rater) -> Client:
    client = Client(SERVER_NAME="localhost")
    session = client.session
    assert rater.participant
    session["raters"] = {rater.participant.study.key: rater.participant.key}
    session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    return client


def run_second_wave(campaign: Campaign) -> dict[str, int]:
    """Expire half of the leases while their raters answer and all raters request pages."""
    rows = list(Assignment.objects.filter(unit__campaign=campaign).order_by("pk"))
    expired = timezone.now() - timedelta(minutes=1)
    Assignment.objects.filter(pk__in=[a.pk for a in rows[::2]]).update(leased_until=expired)
    raters = list(
        Rater.objects.filter(campaign=campaign).select_related("campaign", "participant__study")
    )
    browsers = {rater.pk: browser_of(rater) for rater in raters}
    work = [("answer", a) for a in rows] + [("begin", rater) for rater in raters]
    random.Random(6).shuffle(work)
    with ThreadPoolExecutor(24) as pool:
        assignments = [pool.submit(assign_pages, item.pk) for kind, item in work if kind == "begin"]
        answers = [
            pool.submit(rate_page, browsers[item.rater_id], item.pk)
            for kind, item in work
            if kind == "answer"
        ]
        statuses = [f.result() for f in answers]
        for f in assignments:
            f.result()
    answered = Assignment.objects.filter(unit__campaign=campaign, state=Assignment.ANSWERED)
    answered_in_quota = Counter(answered.filter(over_quota=False).values_list("unit", flat=True))
    slots = Assignment.objects.filter(
        quotas.occupied_place_filter(timezone.now()), unit__campaign=campaign
    )
    assigned = Counter(slots.values_list("unit", flat=True))
    return {
        "refused": sum(status != 200 for status in statuses),
        "most": max([*answered_in_quota.values(), *assigned.values()]),
        "stored": answered.count(),
        "said": len(rows),
    }


def came_of_it() -> dict[str, object]:
    campaign = rating.open_campaign("1", units_per_rater=4, raters_per_unit=2)
    clients = [rating.visit(campaign, Client(SERVER_NAME="localhost")) for _ in range(RATERS)]
    presses = [*clients, *clients[:REPEATED_CLIENTS]]
    with ThreadPoolExecutor(24) as pool:
        statuses = list(pool.map(lambda c: consent(c, campaign), presses))
        raters = list(Rater.objects.filter(campaign=campaign).values_list("pk", flat=True))
        list(pool.map(assign_pages, [pk for pk in raters for _ in range(2)]))
    rows = Assignment.objects.filter(unit__campaign=campaign)
    raters_per_unit = Counter(Counter(rows.values_list("unit", flat=True)).values())
    result = {
        "statuses": Counter(map(str, statuses)),
        "raters": len(raters),
        "taken": {str(k): v for k, v in raters_per_unit.items()},
        "given": rows.count(),
    }
    return {**result, "again": run_second_wave(campaign)}
