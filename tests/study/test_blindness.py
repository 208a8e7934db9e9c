"""Tests that the bytes sent to raters do not depend on the condition."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.http import HttpResponse
from django.test import Client

from game.models import Game
from tests.study import rating, world
from webapp.study.models import Assignment, Campaign, Rater, Stimulus, Study, Unit
from webapp.study.rater import assigning
from webapp.study.rating import campaigns

pytestmark = pytest.mark.django_db

# Both games have the same text, so only the condition can make pages differ.
WORDS = {(r, s): f"Line {r} {s}: I say what I think." for r in (1, 2, 3) for s in range(1, 9)}
RIVAL = {"backend": "house", "method": "full"}


def create_two_games() -> list[Game]:
    model = {"backend": "openai/zork-9000", "method": "strategy", "character": "princess"}
    agents_game = world.ended_game("blind-1", words=WORDS, recipe=model, label="fallback:timeout")
    people = {2: "Wilhelmina", 5: "Zachariah", 7: "Ottoline"}
    people_game = world.ended_game("blind-2", words=WORDS, names=people, blind=True)
    return [agents_game, people_game]


def open_survey(units: int = 48, **settings: object) -> Campaign:
    first, second = create_two_games()
    world.store_situations(first, second)
    chosen = {"pick": "all", "speakers": "all"}
    campaign = world.create_campaign(units_per_rater=units, choice=chosen, **settings)
    campaigns.change(campaign, name="Zork against people", exits={"completed": {"code": "D0NE"}})
    campaigns.change(campaign, games=[(first, "zork-arm"), (second, "human-arm")])
    campaigns.draw_units(campaign)
    waiting = Stimulus.objects.filter(unit__campaign=campaign, place=2)
    waiting.update(state="idle", text=WORDS[1, 1], model="rivalmodel", labels=["repaired"])
    campaign.units.update(situations=[])
    if campaign.rival is None:
        campaigns.open(campaign)
    else:
        Campaign.objects.filter(pk=campaign.pk).update(state=Campaign.OPEN)
        Study.objects.filter(pk=campaign.study_id).update(state=Study.OPEN)
    Unit.objects.filter(campaign=campaign).update(situations=[])
    campaign.refresh_from_db()
    return campaign


def hidden_texts(campaign: Campaign) -> set[str]:
    """Return the texts that must not reach a rater in any form."""
    texts = {
        campaign.code, campaign.name, campaign.seed, "zork", "Zork",
        campaign.instrument["title"], "Guarded", "guarded", "arm", "fallback", "timeout",
        "princess", "strategy", "baseline", "rival", "repaired", "house", "openai", "agent",
        "Wilhelmina", "Zachariah", "Ottoline", "person", "swapped", "left_out",
        "blind-1", "blind-2", "attention", "expected", "over_quota", "is_repeat",
    }  # fmt: skip
    for row in campaign.chosen_games.select_related("game"):
        texts |= {row.game.code, row.condition}
        texts |= {str(u) for u in row.game.utterances.values_list("pk", flat=True)}
    rows = Stimulus.objects.filter(unit__campaign=campaign)
    for *fields, labels in rows.values_list("condition", "model", "method", "labels"):
        texts |= {text for text in (*fields, *labels) if text}
    return texts


# Harmless texts and an icon name that contain some of the hidden words.
HARMLESS_TEXTS = ("#person", "in person", "like a person", "Would a person", "Just as a person")


def bytes_of(response: HttpResponse) -> str:
    headers = "\n".join(f"{k}: {v}" for k, v in response.headers.items())
    cookies = response.cookies.output()
    return f"{headers}\n{cookies}\n{response.content.decode()}"


def all_responses(campaign: Campaign) -> Iterator[tuple[str, str]]:
    """Yield the address and all bytes of each response to a rater."""
    client = Client()
    link = f"/take/{campaign.study.key}/"
    yield link, bytes_of(client.get(link))
    rating.visit(campaign, client)
    yield link, bytes_of(rating.consent(client, campaign, ""))
    response = rating.consent(client, campaign, "3")
    yield link, bytes_of(response)
    rater = Rater.objects.get(participant__key=response["Location"].split("/")[-2])
    rater_url = f"/rate/as/{rater.key}/"
    yield rater_url, bytes_of(client.get(f"{rater_url}example"))
    yield rater_url, bytes_of(client.post(f"{rater_url}example"))
    yield rater_url, bytes_of(client.get(rater_url))
    for number, assignment in enumerate(rating.pages_of(rater)):
        url = rating.page_url(assignment)
        yield url, bytes_of(client.get(url))
        yield url, bytes_of(rating.post(client, assignment, {"values": {"a/x": 1}}))
        yield url, bytes_of(rating.rate_page(client, assignment, 1 + number % 5))
        stale = {"values": {}, "skip": None, "revision": 0}
        yield url, bytes_of(rating.post(client, assignment, stale))
        yield url, bytes_of(client.get(url))
        if number % 9 == 0:
            yield url, bytes_of(client.post(url, {"do": "skip", "reason": "why"}))
    yield rater_url, bytes_of(client.get(f"{rater_url}all"))
    yield rater_url, bytes_of(client.post(f"{rater_url}all"))
    yield rater_url, bytes_of(client.get(rater_url, follow=True))


@pytest.mark.parametrize("rival", [None, RIVAL], ids=["single", "pair"])
def test_rater_pages_reveal_no_source_of_the_statements(rival: dict | None) -> None:
    settings = {"rival": rival, "rival_condition": "rival-arm"} if rival else {}
    campaign = open_survey(16, attention=2, repeats=2, **settings)
    hidden = hidden_texts(campaign)
    pages = list(all_responses(campaign))
    assert len(pages) > 90
    for address, text in pages:
        for harmless in HARMLESS_TEXTS:
            text = text.replace(harmless, "")
        cleaned = rating.strip_tokens(text + address)
        for secret in (secret for secret in hidden if secret in cleaned):
            match = re.search(rf"(?<![A-Za-z]){re.escape(secret)}(?![A-Za-z])", cleaned)
            assert not match, (address, secret, cleaned[max(0, match.start() - 80) :][:200])


def mask_variable_parts(page: str) -> str:
    """Remove keys, tokens and page numbers from a page."""
    page = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "KEY", page)
    page = re.sub(r'value="[A-Za-z0-9]{64}"', "TOKEN", page)
    page = re.sub(r'<button type="submit"\s+form="form"\s+name="do"\s+value="back".*?</button>',
                  "", page, flags=re.S)  # fmt: skip
    page = re.sub(r'data-to="[^"]*"|data-last', "", page)
    return re.sub(r"\s+", " ", re.sub(r"\d+ of \d+|<strong>\d+</strong>|value=\"\d+\"", "", page))


def test_same_text_gives_identical_pages_in_every_condition() -> None:
    campaign = open_survey()
    client, rater = rating.enrol(campaign)
    pages: dict[tuple[int, int], list[str]] = {}
    assignments = assigning.rater_pages(rater)
    assert len(assignments) == 48
    for assignment in assignments[1:-1]:  # The first and last page have other buttons.
        unit = assignment.unit
        words = (unit.stimuli.get().utterance.window, unit.seat)  # type: ignore[union-attr]
        page = client.get(rating.page_url(assignment)).content.decode()
        pages.setdefault(words, []).append(mask_variable_parts(page))  # type: ignore[arg-type]
    twins = [pair for pair in pages.values() if len(pair) == 2]
    assert len(twins) >= 22
    for left, right in twins:
        assert left == right


def test_pair_page_is_identical_for_either_side_order() -> None:
    campaign = open_survey(rival=RIVAL, rival_condition="rival-arm")
    Stimulus.objects.filter(unit__campaign=campaign, place=2).update(text=WORDS[2, 3])
    client, rater = rating.enrol(campaign)
    units = Unit.objects.filter(campaign=campaign, stimuli__utterance__text=WORDS[2, 3])
    for assignment in Assignment.objects.filter(rater=rater, unit__in=units):
        pages = set()
        for swapped in (False, True):
            Assignment.objects.filter(pk=assignment.pk).update(swapped=swapped)
            pages.add(mask_variable_parts(client.get(rating.page_url(assignment)).content.decode()))
        assert len(pages) == 1


def test_link_keys_have_at_least_128_bits_of_entropy() -> None:
    campaign = open_survey()
    _, rater = rating.enrol(campaign)
    for key in (campaign.study.key, rater.key):
        assert len(key) * 5.8 >= 128, "24 of 56 signs: 139 bits"
    keys = [a.key for a in assigning.rater_pages(rater)]
    assert {key.version for key in keys} == {4}
