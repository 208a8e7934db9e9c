"""A byte scan of everything a rater receives, for two conditions that differ in everything."""

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

# The same words in both games, so that nothing but the condition can make two pages differ.
WORDS = {(r, s): f"Line {r} {s}: I say what I think." for r in (1, 2, 3) for s in range(1, 9)}
RIVAL = {"backend": "house", "method": "full"}


def two_games() -> list[Game]:
    model = {"backend": "openai/zork-9000", "method": "strategy", "character": "princess"}
    plain = world.ended_game("blind-1", words=WORDS, recipe=model, label="fallback:timeout")
    people = {2: "Wilhelmina", 5: "Zachariah", 7: "Ottoline"}
    mixed = world.ended_game("blind-2", words=WORDS, names=people, blind=True)
    return [plain, mixed]


def survey(units: int = 48, **settings: object) -> Campaign:
    first, second = two_games()
    world.store_situations(first, second)
    chosen = {"pick": "all", "speakers": "all"}
    made = world.create_campaign(units_per_rater=units, choice=chosen, **settings)
    campaigns.change(made, name="Zork against people", exits={"completed": {"code": "D0NE"}})
    campaigns.choose_games(made, [(first, "zork-arm"), (second, "human-arm")])
    campaigns.draw_units(made)
    waiting = Stimulus.objects.filter(unit__campaign=made, place=2)
    waiting.update(state="idle", text=WORDS[1, 1], model="rivalmodel", labels=["repaired"])
    made.units.update(situations=[])
    if made.rival is None:
        campaigns.open(made)
    else:
        Campaign.objects.filter(pk=made.pk).update(state=Campaign.OPEN)
        Study.objects.filter(pk=made.study_id).update(state=Study.OPEN)
    Unit.objects.filter(campaign=made).update(situations=[])
    made.refresh_from_db()
    return made


def secrets_of(campaign: Campaign) -> set[str]:
    """What must not reach a rater, in any form."""
    found = {
        campaign.code, campaign.name, campaign.seed, "zork", "Zork",
        campaign.instrument["title"], "Guarded", "guarded", "arm", "fallback", "timeout",
        "princess", "strategy", "baseline", "rival", "repaired", "house", "openai", "agent",
        "Wilhelmina", "Zachariah", "Ottoline", "person", "swapped", "left_out",
        "blind-1", "blind-2", "attention", "expected", "over_quota", "is_repeat",
    }  # fmt: skip
    for row in campaign.chosen.select_related("game"):
        found |= {row.game.code, row.condition}
        found |= {str(u) for u in row.game.utterances.values_list("pk", flat=True)}
    rows = Stimulus.objects.filter(unit__campaign=campaign)
    for *fields, labels in rows.values_list("condition", "model", "method", "labels"):
        found |= {text for text in (*fields, *labels) if text}
    return found


# Words of ours, and the icon of "Ask for help", in which some of these occur and mean nothing.
HARMLESS = ("#person", "in person", "like a person", "Would a person", "Just as a person")


def bytes_of(answer: HttpResponse) -> str:
    headers = "\n".join(f"{k}: {v}" for k, v in answer.headers.items())
    cookies = answer.cookies.output()
    return f"{headers}\n{cookies}\n{answer.content.decode()}"


def everything(campaign: Campaign) -> Iterator[tuple[str, str]]:
    """(address, all bytes) of a rater's whole way."""
    client = Client()
    link = f"/take/{campaign.study.key}/"
    yield link, bytes_of(client.get(link))
    rating.visit(campaign, client)
    yield link, bytes_of(rating.consent(client, campaign, ""))
    answer = rating.consent(client, campaign, "3")
    yield link, bytes_of(answer)
    rater = Rater.objects.get(participant__key=answer["Location"].split("/")[-2])
    own = f"/rate/as/{rater.key}/"
    yield own, bytes_of(client.get(f"{own}example"))
    yield own, bytes_of(client.post(f"{own}example"))
    yield own, bytes_of(client.get(own))
    for number, assignment in enumerate(rating.pages_of(rater)):
        at = rating.page_url(assignment)
        yield at, bytes_of(client.get(at))
        yield at, bytes_of(rating.post(client, assignment, {"values": {"a/x": 1}}))
        yield at, bytes_of(rating.rate_page(client, assignment, 1 + number % 5))
        stale = {"values": {}, "skip": None, "revision": 0}
        yield at, bytes_of(rating.post(client, assignment, stale))
        yield at, bytes_of(client.get(at))
        if number % 9 == 0:
            yield at, bytes_of(client.post(at, {"do": "skip", "reason": "why"}))
    yield own, bytes_of(client.get(f"{own}all"))
    yield own, bytes_of(client.post(f"{own}all"))
    yield own, bytes_of(client.get(own, follow=True))


@pytest.mark.parametrize("rival", [None, RIVAL], ids=["single", "pair"])
def test_rater_pages_reveal_no_source_of_the_statements(rival: dict | None) -> None:
    more = {"rival": rival, "rival_condition": "rival-arm"} if rival else {}
    campaign = survey(16, attention=2, repeats=2, **more)
    hidden = secrets_of(campaign)
    pages = list(everything(campaign))
    assert len(pages) > 90
    for address, text in pages:
        for harmless in HARMLESS:
            text = text.replace(harmless, "")
        whole = rating.strip_tokens(text + address)
        for secret in (secret for secret in hidden if secret in whole):
            found = re.search(rf"(?<![A-Za-z]){re.escape(secret)}(?![A-Za-z])", whole)
            assert not found, (address, secret, whole[max(0, found.start() - 80) :][:200])


def masked(page: str) -> str:
    """A page without what is drawn anew for each: keys, tokens, its number."""
    page = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "KEY", page)
    page = re.sub(r'value="[A-Za-z0-9]{64}"', "TOKEN", page)
    page = re.sub(r'<button type="submit"\s+form="form"\s+name="do"\s+value="back".*?</button>',
                  "", page, flags=re.S)  # fmt: skip
    page = re.sub(r'data-to="[^"]*"|data-last', "", page)
    return re.sub(r"\s+", " ", re.sub(r"\d+ of \d+|<strong>\d+</strong>|value=\"\d+\"", "", page))


def test_same_text_gives_identical_pages_in_every_condition() -> None:
    campaign = survey()
    client, rater = rating.enrol(campaign)
    pages: dict[tuple[int, int], list[str]] = {}
    way = assigning.rater_pages(rater)
    assert len(way) == 48
    for assignment in way[1:-1]:  # the first and last have other buttons
        unit = assignment.unit
        words = (unit.stimuli.get().utterance.window, unit.seat)  # type: ignore[union-attr]
        page = client.get(rating.page_url(assignment)).content.decode()
        pages.setdefault(words, []).append(masked(page))  # type: ignore[arg-type]
    twins = [found for found in pages.values() if len(found) == 2]
    assert len(twins) >= 22
    for left, right in twins:
        assert left == right


def test_pair_page_is_identical_for_either_side_order() -> None:
    campaign = survey(rival=RIVAL, rival_condition="rival-arm")
    Stimulus.objects.filter(unit__campaign=campaign, place=2).update(text=WORDS[2, 3])
    client, rater = rating.enrol(campaign)
    units = Unit.objects.filter(campaign=campaign, stimuli__utterance__text=WORDS[2, 3])
    for assignment in Assignment.objects.filter(rater=rater, unit__in=units):
        seen = set()
        for swapped in (False, True):
            Assignment.objects.filter(pk=assignment.pk).update(swapped=swapped)
            seen.add(masked(client.get(rating.page_url(assignment)).content.decode()))
        assert len(seen) == 1


def test_link_keys_have_at_least_128_bits_of_entropy() -> None:
    campaign = survey()
    _, rater = rating.enrol(campaign)
    for key in (campaign.study.key, rater.key):
        assert len(key) * 5.8 >= 128, "24 of 56 signs: 139 bits"
    keys = [a.key for a in assigning.rater_pages(rater)]
    assert {key.version for key in keys} == {4}
