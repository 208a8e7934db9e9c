"""A game against language models in a real browser, and a worker killed during its requests."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.table import Person
from tests.endpoint import Call, Endpoint, shaped
from tests.endpoint.answers import Maker
from tests.live import Stack, wait_until

KEY = "sk-not-to-be-seen"


def hating(call: Call) -> str:
    """As its schema wants it; whoever is asked for favor gives everyone the least."""
    text = shaped(call)
    if call.schema is None or call.format["json_schema"]["name"] != "favor":
        return text
    row = call.schema["properties"]["scores"]["items"]
    names = row["properties"]["player"]["enum"]
    scores = [{**Maker(row, call.seed).make(row), "player": name, "score": 1} for name in names]
    return json.dumps({**json.loads(text), "scores": scores})


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with Endpoint(key=KEY, models=["tested"], latency=0.02, answer=hating) as found:
        yield found


@pytest.fixture(scope="module")
def stack(endpoint: Endpoint) -> Iterator[Stack]:
    """A Fabula that has a language model."""
    env = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": endpoint.url, "OPENAI_MODEL": "tested"}
    with Stack(env=env) as running:
        yield running


def faces(page: Page) -> list[str]:
    found = page.locator("#seats .badge-face")
    return [str(found.nth(n).get_attribute("class")) for n in range(found.count())]


def to_a_computer_players_line(page: Page) -> None:
    """To the first line of round 3 that is not the person's: nobody looks inside a person."""
    expect(page.locator("#roll")).to_be_visible()  # the scripts have started
    page.locator("#chapters a", has_text="Round 3").click()
    mine = page.locator("#seats .is-me").get_attribute("id")
    for _ in range(2 if mine == "seat-1" else 1):  # who sits first speaks first
        page.keyboard.press("ArrowRight")


WATCHED = """
import uuid
from webapp.play.tables import opening as tables
print(tables.open_table(
    uuid.uuid4(), tables.TableOptions(mode="watch", pace="instant", backend="openai")
).code)
"""
BUILT_IN = WATCHED.replace("openai", "house")
ASKED = """
import json
from webapp.play.models import LLMCall
rows = LLMCall.objects.filter(game__code="CODE").exclude(backend="house")
open = [[r.window, r.seat, r.step] for r in rows if r.reply is None and not r.failure]
again = [[r.window, r.seat, r.step] for r in rows if (r.exchange or {}).get("again")]
print(json.dumps([sorted(open), sorted(again)]))
"""


def asked(stack: Stack, code: str) -> tuple[list[list[object]], list[list[object]]]:
    """The requests without an answer, and those that were asked once more."""
    unanswered, again = json.loads(stack.shell(ASKED.replace("CODE", code)).splitlines()[-1])
    return unanswered, again


def kill_during_requests(
    stack: Stack, endpoint: Endpoint, code: str, person: Person
) -> list[list[object]]:
    """Kill the worker after the person's statement; gives the requests that were in flight.

    Replies are held from before it: else all others may have spoken before the page shows it.
    """
    endpoint.hold()
    person.answer_once()
    wait_until(lambda: endpoint.in_flight > 0, "a request is in flight")
    stack.kill("worker")
    unanswered, again = asked(stack, code)
    assert unanswered
    assert not again
    endpoint.release()
    stack.start("worker")
    return unanswered


def check_log(stack: Stack, code: str) -> None:
    """Every statement once, and none of a stand-in's."""
    told = stack.manage("transcript", code, "--viewer", "moderator").splitlines()
    log = [json.loads(line) for line in told]
    spoken = [e["data"]["window"] for e in log if e["kind"] == "statement"]
    assert len(spoken) == len(set(spoken)) == 24
    labels = {label for e in log for label in e["labels"]}
    assert not [label for label in labels if "crash" in label or "timeout" in label]


def look_into_their_minds(page: Page) -> None:
    page.locator("#end #replay").click()
    to_a_computer_players_line(page)
    expect(page.locator(".grid-heat tbody tr")).to_have_count(7)
    asking = page.locator(".asking", has_text="tested").last
    asking.locator("> summary").click()
    expect(asking).to_contain_text("tested")
    expect(asking.locator(".long").first).not_to_be_empty()
    assert KEY not in page.content()


def test_game_survives_a_killed_worker_and_replay_shows_minds(
    stack: Stack, chromium: Browser, endpoint: Endpoint
) -> None:
    """Their faces move meanwhile. What was in flight is asked once more, and nothing else is."""
    with chromium.new_context(viewport={"width": 1280, "height": 800}) as context:
        person = Person(context.new_page())
        page = person.page
        code = person.open_table(stack.url).rstrip("/").rsplit("/", 1)[1]
        before = faces(page)
        assert len(before) == 7
        person.play_until_turn()
        unanswered = kill_during_requests(stack, endpoint, code, person)
        person.play(lambda: len(person.said) == 2)
        page.wait_for_function(
            "before => [...document.querySelectorAll('#seats .badge-face')]"
            ".some((face, n) => face.className !== before[n])",
            arg=before,
        )
        person.play(person.over)
        look_into_their_minds(page)
        assert not person.errors
    assert {call.model for call in endpoint.calls if call.messages} == {"tested"}
    kinds = Counter(call.format.get("json_schema", {}).get("name") for call in endpoint.calls)
    assert {"favor", "judgement", "strategy", "statement", "vote", "choice"} <= set(kinds)
    check_log(stack, code)
    assert asked(stack, code) == ([], unanswered), "those in flight, and no others"
    bodies = Counter(call.seed for call in endpoint.calls)
    assert sum(n - 1 for n in bodies.values()) <= len(unanswered), "nothing else came twice"


def test_hanging_model_does_not_block_other_tables(stack: Stack, endpoint: Endpoint) -> None:
    endpoint.hold()
    try:
        for _ in range(3):
            stack.shell(WATCHED)
        wait_until(lambda: endpoint.in_flight >= 3, "three tables wait for their models")
        other = stack.shell(BUILT_IN).strip().splitlines()[-1]
        wait_until(lambda: '"game_over"' in stack.manage("transcript", other), "it ends", 240, 1.0)
        assert endpoint.in_flight >= 3, "and the others still wait"
    finally:
        endpoint.release()
